/** The line of a problem with a caret below its place, for people. What looks like a secret is masked. */
import { maskSecrets } from '../domain/secret-literals';

const WIDTH_MAX = 110;
/** How much stands before the caret when a long line is cut. */
const LEAD = 60;

/** From 1, both. Undefined when the file has no such line. */
export function codeFrame(lines: readonly string[], line: number, column: number): string | undefined {
  const raw = lines[line - 1];
  if (raw === undefined) return undefined;
  // Control characters would move the caret, or the terminal.
  const text = maskSecrets(raw).replace(/[\u0000-\u001f\u007f\u2028\u2029]/g, ' ');
  const place = Math.min(Math.max(0, column - 1), text.length);
  const start = text.length > WIDTH_MAX && place > LEAD ? place - LEAD : 0;
  const shown = text.slice(start, start + WIDTH_MAX);
  const gutter = String(line);
  const caret = `${' '.repeat((start > 0 ? 1 : 0) + place - start)}^`;
  const cut = `${start > 0 ? '…' : ''}${shown}${start + WIDTH_MAX < text.length ? '…' : ''}`;
  return [`${gutter} | ${cut.trimEnd()}`, `${' '.repeat(gutter.length)} | ${caret}`].join('\n');
}
