/** Lays an example over the common set, as text: what the example says below a key stands beside what the common set says there. */

/** A line of the whole, with the line of the example (from 1) that it is, or that it is put in behind. */
interface Laid {
  readonly text: string;
  readonly line: number;
}

type Fields = Readonly<Record<string, unknown>>;

/** `key:` with nothing behind it: what is indented below is merged. What stands behind a key replaces. */
const BLOCK = /^\uFEFF?( *)(['"]?)([^\s'"#:-][^'"#:]*)\2:$/;
const KEY = /^( *)(['"]?)([^\s'"#:-][^'"#:]*)\2:/;

const isFields = (value: unknown): value is Fields => value !== null && typeof value === 'object' && !Array.isArray(value);
const indentOf = (line: string): number => /^ */.exec(line)![0].length;

export function layOver(text: string, common: Fields): { readonly text: string; readonly lineOf: (line: number) => number } {
  const lines = text.split('\n');
  const laid: Laid[] = [];
  /** What the common set says below each key that is open here, outermost first. */
  const open: { readonly indent: number; readonly fields: unknown }[] = [{ indent: -1, fields: common }];
  for (const [at, line] of lines.entries()) {
    laid.push({ text: line, line: at + 1 });
    const key = BLOCK.exec(line);
    if (key === null) continue;
    const indent = key[1]!.length;
    while (open.at(-1)!.indent >= indent) open.pop();
    const around = open.at(-1)!.fields;
    const fields = isFields(around) ? around[key[3]!] : undefined;
    open.push({ indent, fields });
    if (isFields(fields)) laid.push(...missing(lines, at, fields).map((added) => ({ text: added, line: at + 1 })));
  }
  return { text: laid.map((one) => one.text).join('\n'), lineOf: (line) => laid[line - 1]?.line ?? line };
}

/** What the common set says below a key and the example does not. Nothing when the example has nothing there at all. */
function missing(lines: readonly string[], at: number, fields: Fields): string[] {
  const below = lines.slice(at + 1);
  const end = below.findIndex((line) => line.trim() !== '' && indentOf(line) <= indentOf(lines[at]!));
  const inside = end < 0 ? below : below.slice(0, end);
  const first = inside.find((line) => KEY.test(line));
  if (first === undefined) return [];
  const indent = indentOf(first);
  const said = inside.flatMap((line) => (indentOf(line) === indent ? (KEY.exec(line)?.[3] ?? []) : []));
  return Object.entries(fields)
    .filter(([name]) => !said.includes(name))
    .map(([name, value]) => `${' '.repeat(indent)}${JSON.stringify(name)}: ${JSON.stringify(value)}`);
}
