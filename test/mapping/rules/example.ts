/**
 * The examples of the rules, read from the pages in docs/rules. How an example is written stands in docs/rules/README.md.
 */
import { readRulePages, type RuleSection } from '../../../src/mapping/rules/rule-pages';
import type { RuleId } from '../../../src/mapping/rules/rules';
import { parsePage } from '../../docs/read-page';

/** `bad` breaks the rule and no other, `good` breaks none. */
export type Side = 'bad' | 'good';

export interface ExampleFile {
  readonly name: string;
  readonly text: string;
  /** The target, when the file is a link. */
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
  /** No common set is added. */
  readonly isAlone: boolean;
  /** The folder itself does not exist. */
  readonly isAbsent: boolean;
}

/** Every rule of the pages, in their order. */
export const SECTIONS: readonly RuleSection[] = readRulePages();

export function readExample(rule: RuleId, side: Side): Example {
  const { page, example } = SECTIONS.find((section) => section.rule === rule)!;
  const [block, ...more] = parsePage(example, `${page}#${rule}`);
  if (block?.language !== 'diff' || more.length > 0) throw new Error(`${page}#${rule} does not have one example`);
  const is = (mark: string): boolean => side === 'bad' && block.marks.has(mark);
  return { ...parseExample(block.text, side), isAlone: is('alone'), isAbsent: is('absent') };
}

/** `<U+0009>` stands for a character that a page cannot show, and a line that counts lines for those that it need not show. */
const written = (text: string): string =>
  text
    .replace(/<U\+([0-9A-F]{4})>/g, (_whole, code: string) => String.fromCharCode(parseInt(code, 16)))
    .replace(/^# … and (\d+) more lines of (\d+) letters$/gm, (_whole, lines: string, letters: string) =>
      `${'#'.repeat(Number(letters))}\n`.repeat(Number(lines)),
    );

/**
 * One side of an example: the common lines (` `) and its own (`-` for bad, `+` for good), as files, and the expected problem of
 * the bad one (`#`): a caret below the place, then message and hint.
 */
export function parseExample(block: string, side: Side): Pick<Example, 'files' | 'expected'> {
  const files: { name: string; linkTo?: string; lines: string[] }[] = [];
  const expected: { -readonly [Key in keyof Expected]: Expected[Key] }[] = [];
  for (const line of block.split('\n')) {
    const mark = line.charAt(0) || ' ';
    const text = line.slice(1);
    const header = /^# ([\w-]+\.\w[\w.]*|mappings)(?: -> (\S+))?$/.exec(text);
    const said = expected.at(-1);
    if (mark === (side === 'bad' ? '+' : '-') || (mark === '#' && side === 'good')) continue;
    else if (header !== null) files.push({ name: header[1]!, lines: [], ...(header[2] !== undefined && { linkTo: header[2] }) });
    else if (mark !== '#') {
      if (files.length === 0) files.push({ name: 'mapping.yaml', lines: [] });
      files.at(-1)!.lines.push(text);
    } else if (text.trim() === '^') {
      const { name: file, lines } = files.at(-1)!;
      const before = written((lines.at(-1) ?? '').slice(0, text.length - 1)).replace(/^\uFEFF/, '');
      expected.push({ file, line: Math.max(1, lines.length), column: before.length + 1, message: '', hint: undefined });
    } else if (said!.message === '') said!.message = text.trim();
    else said!.hint = text.trim();
  }
  return {
    files: files.flatMap(({ lines: own, name, ...rest }) =>
      name === 'mappings' ? [] : [{ ...rest, name, text: written(`${own.join('\n')}\n`) }],
    ),
    expected,
  };
}
