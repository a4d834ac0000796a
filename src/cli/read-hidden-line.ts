/** Reads a secret line: a key or a PIN. */
import { createInterface } from 'node:readline';
import type { ReadStream } from 'node:tty';

const ENTER = ['\r', '\n'];
const ERASE = ['\b', '\x7f'];
const CANCEL = '\x03';
const END = '\x04';
const ESCAPE = '\x1b';
/** The exit code that shells use after Ctrl-C. */
const CANCELLED_EXIT_CODE = 130;

/**
 * Reads a line without showing it: typed at a terminal without echo, or the first line of a pipe. Ctrl-C returns undefined and
 * sets exit code 130. Without a line the text is empty.
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
  // Set before the prompt appears, so that text pasted at that moment is not shown.
  input.setRawMode(true);
  input.setEncoding('utf8');
  process.stderr.write(prompt);
  return new Promise((resolve) => {
    let typed = '';
    // An arrow key sends ESC and a few characters, the last of them a letter.
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
