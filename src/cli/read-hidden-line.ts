/** A line that nobody shall see: a key, a PIN. */
import { createInterface } from 'node:readline';
import type { ReadStream } from 'node:tty';

const ENTER = ['\r', '\n'];
const ERASE = ['\b', '\x7f'];
const CANCEL = '\x03';
const END = '\x04';
const ESCAPE = '\x1b';
/** As shells have it for Ctrl-C. */
const CANCELLED_EXIT_CODE = 130;

/**
 * One line that nobody shall see: typed at a terminal without an echo, or the first line of a pipe. Undefined when it was
 * cancelled (Ctrl-C), which is the exit code then; an empty text when there was no line.
 */
export function readHiddenLine(prompt: string): Promise<string | undefined> {
  const input = process.stdin;
  return input.isTTY ? typeUnseen(input, prompt) : readFirstLine();
}

function readFirstLine(): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  return new Promise((resolve) => {
    let first = '';
    lines.once('line', (line) => {
      first = line;
      lines.close();
    });
    lines.once('close', () => resolve(first));
  });
}

function typeUnseen(input: ReadStream, prompt: string): Promise<string | undefined> {
  // Before the prompt: what is pasted the moment it appears must not be shown either.
  input.setRawMode(true);
  input.setEncoding('utf8');
  process.stderr.write(prompt);
  return new Promise((resolve) => {
    let typed = '';
    // An arrow key is ESC and a few characters up to a letter.
    let isInEscape = false;
    const finish = (line: string | undefined): void => {
      input.off('data', read).off('end', end);
      input.setRawMode(false);
      input.pause();
      process.stderr.write('\n');
      resolve(line);
    };
    const end = (): void => finish(typed);
    const read = (chunk: string): void => {
      for (const key of chunk) {
        if (key === CANCEL) {
          process.exitCode = CANCELLED_EXIT_CODE;
          return finish(undefined);
        }
        if (ENTER.includes(key) || key === END) return finish(typed);
        if (isInEscape) isInEscape = !/[A-Za-z~]/.test(key);
        else if (key === ESCAPE) isInEscape = true;
        else if (ERASE.includes(key)) typed = typed.slice(0, -1);
        else if (key >= ' ') typed += key;
      }
    };
    input.on('data', read).on('end', end);
  });
}
