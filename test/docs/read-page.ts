/** The fenced blocks of a Markdown page, each with what its fence says about it. */
import { readFileSync } from 'node:fs';

export interface Block {
  /** `docs/page.md:12`, the line of the fence. */
  readonly place: string;
  /** The first word of the fence; empty when it has none. */
  readonly language: string;
  /** The other words: `exit=1` is `exit` with `1`, a bare word has an empty value. */
  readonly marks: ReadonlyMap<string, string>;
  readonly text: string;
  /** What the commands of this block print: the `text` or `json` block after it with only blank lines between. */
  readonly output: { readonly language: 'text' | 'json'; readonly text: string } | undefined;
}

/** Gives the blocks of a page. An output block belongs to its commands and is not listed itself. */
export function readPage(file: string, name: string): readonly Block[] {
  return parsePage(readFileSync(file, 'utf8'), name);
}

export function parsePage(text: string, name: string): readonly Block[] {
  const lines = text.split('\n');
  const found: (Omit<Block, 'output'> & { readonly begin: number; readonly end: number })[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const fence = /^( *)(`{3,})([^`]*)$/.exec(lines[at]!);
    if (fence === null) continue;
    const [, indent = '', ticks = '', info = ''] = fence;
    const end = lines.findIndex((line, index) => index > at && line.trim() === ticks);
    if (end < 0) throw new Error(`${name}:${at + 1}: this block never ends`);
    const [language = '', ...words] = info.trim().split(/\s+/);
    const inside = lines.slice(at + 1, end).map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
    found.push({
      place: `${name}:${at + 1}`,
      language,
      marks: new Map(words.map((word) => [word.split('=')[0]!, word.slice(word.indexOf('=') + 1 || word.length)])),
      text: inside.join('\n'),
      begin: at,
      end,
    });
    at = end;
  }
  return found.flatMap((block, index): Block[] => {
    const next = found[index + 1];
    const follows = (one: typeof next, other: typeof block | undefined): boolean =>
      one !== undefined &&
      other?.language === 'sh' &&
      (one.language === 'text' || one.language === 'json') &&
      lines.slice(other.end + 1, one.begin).every((line) => line.trim() === '');
    if (follows(block, found[index - 1])) return [];
    const { place, language, marks, text: inside } = block;
    const output = follows(next, block) ? { language: next!.language as 'text' | 'json', text: next!.text } : undefined;
    return [{ place, language, marks, text: inside, output }];
  });
}
