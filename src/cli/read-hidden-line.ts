/** Reads a secret line: a key or a PIN. */
import { createInterface, type Key } from 'node:readline';
import { Writable } from 'node:stream';

/** The exit code that shells use after Ctrl-C. */
const CANCELLED_EXIT_CODE = 130;

/**
 * Reads a line without showing it: typed at a terminal without echo, or the first line of a pipe. Ctrl-C returns undefined and
 * sets exit code 130. Without a line the text is empty.
 */
export function readHiddenLine(prompt: string): Promise<string | undefined> {
  const { stdin: input } = process;
  const terminal = input.isTTY;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  // Made before the prompt appears, so that text pasted at that moment is not shown.
  const lines = createInterface({ input, output: nowhere, terminal });
  if (terminal) process.stderr.write(prompt);
  // Ctrl-D ends the line; readline itself takes it so only where nothing is typed.
  const endByKey = (_text: unknown, { ctrl, name }: Key): void => {
    if (ctrl === true && name === 'd') lines.write('\n');
  };
  input.prependListener('keypress', endByKey);
  return new Promise((resolve) => {
    let first: string | undefined = '';
    lines.once('line', (line) => {
      first = line;
      lines.close();
    });
    lines.once('SIGINT', () => {
      first = undefined;
      process.exitCode = CANCELLED_EXIT_CODE;
      lines.close();
    });
    lines.once('close', () => {
      input.off('keypress', endByKey);
      if (terminal) process.stderr.write('\n');
      resolve(first);
    });
  });
}
