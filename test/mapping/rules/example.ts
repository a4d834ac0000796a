/**
 * The examples of the rules, read from the pages in docs/rules. How an example is written stands in docs/rules/README.md.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RuleId } from '../../../src/mapping/rules/rules';
import { parsePage, type Block } from '../../docs/read-page';

export const RULE_PAGES = resolve(__dirname, '..', '..', '..', 'docs', 'rules');

export type Side = 'bad' | 'good';

export interface ExampleFile {
  readonly name: string;
  readonly text: string;
  /** The name of the file that it is a link to. */
  readonly linkTo?: string;
}

interface Expected {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint: string | undefined;
}

export interface Example {
  readonly files: readonly ExampleFile[];
  readonly expected: readonly Expected[];
  /** Nothing is added to it. */
  readonly isAlone: boolean;
  /** The folder itself is missing. */
  readonly isAbsent: boolean;
}

interface Section {
  readonly page: string;
  readonly rule: string;
  /** All that is no example, its white space made one. */
  readonly words: string;
  readonly blocks: readonly Block[];
}

/** Every rule of the pages, in their order. */
export const SECTIONS: readonly Section[] = readdirSync(RULE_PAGES)
  .filter((page) => page.endsWith('.md') && page !== 'README.md')
  .flatMap((page) => {
    const [, ...sections] = readFileSync(join(RULE_PAGES, page), 'utf8').split(/^## /m);
    return sections.map((text) => {
      const [rule = ''] = text.split('\n', 1);
      const words = text.slice(rule.length).replace(/^```[\s\S]*?^```$/gm, '');
      return { page, rule, words: words.replace(/\s+/g, ' ').trim(), blocks: parsePage(text, `${page}#${rule}`) };
    });
  });

export function readExample(rule: RuleId, side: Side): Example {
  const blocks = SECTIONS.find((section) => section.rule === rule)?.blocks.filter(({ marks }) => marks.has(side)) ?? [];
  if (blocks.length !== 1) throw new Error(`docs/rules has ${blocks.length} ${side} examples of ${rule}`);
  const { marks, text } = blocks[0]!;
  return { ...parseExample(text), isAlone: marks.has('alone'), isAbsent: marks.has('absent') };
}

/** `<U+0009>` stands for a letter that a page cannot show, a line about more lines for those that it need not show. */
const written = (text: string): string =>
  text
    .replace(/<U\+([0-9A-F]{4})>/g, (_whole, code: string) => String.fromCharCode(parseInt(code, 16)))
    .replace(/^# … and (\d+) more lines of (\d+) letters$/gm, (_whole, lines: string, letters: string) =>
      `${'#'.repeat(Number(letters))}\n`.repeat(Number(lines)),
    );

/** The files of an example, and what `check` says of them: a caret below the place, then the message and the hint. */
export function parseExample(block: string): Pick<Example, 'files' | 'expected'> {
  const files: { name: string; linkTo?: string; lines: string[] }[] = [];
  const expected: { -readonly [Key in keyof Expected]: Expected[Key] }[] = [];
  const lines = block.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]!;
    const header = /^# ([\w-]+\.\w[\w.]*|mappings)(?: -> (\S+))?$/.exec(line);
    if (header !== null) {
      files.push({ name: header[1]!, lines: [], ...(header[2] === undefined ? {} : { linkTo: header[2] }) });
      continue;
    }
    if (files.length === 0) files.push({ name: 'mapping.yaml', lines: [] });
    const file = files.at(-1)!;
    if (!/^#? *\^$/.test(line)) {
      file.lines.push(line);
      continue;
    }
    const before = (file.lines.at(-1) ?? '').slice(0, line.indexOf('^'));
    const [message = '', hint] = lines.slice(at + 1, at + 3).flatMap((next) => (next.startsWith('# ') ? [next.slice(2)] : []));
    at += hint === undefined ? 1 : 2;
    const place = { line: Math.max(1, file.lines.length), column: written(before).replace(/^\uFEFF/, '').length + 1 };
    expected.push({ file: file.name, ...place, message, hint });
  }
  return {
    files: files.flatMap(({ lines: own, name, ...rest }) =>
      name === 'mappings' ? [] : [{ ...rest, name, text: written(`${own.join('\n')}\n`) }],
    ),
    expected,
  };
}
