/**
 * The examples of the rules, from the pages in docs/rules: what `check` says of them is what the pages show. How an example
 * is written stands in docs/rules/README.md.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { checkFiles, checkFolder, type CheckedMapping } from '../../../src/mapping/check';
import type { MappingFileText } from '../../../src/mapping/load';
import type { RuleId } from '../../../src/mapping/rules/rules';
import { parsePage, type Block } from '../../docs/read-page';
import { filesWith } from '../mapping-set';
import { layOver } from './lay-over';

export const RULE_PAGES = resolve(__dirname, '..', '..', '..', 'docs', 'rules');

export type Side = 'bad' | 'good';

interface ExampleFile {
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

type Fields = Record<string, unknown>;

const baseFiles = (): readonly MappingFileText[] => {
  const common = parsePage(readFileSync(join(RULE_PAGES, 'README.md'), 'utf8'), 'README.md').find(({ marks }) =>
    marks.has('common'),
  )!;
  return filesWith(...parseExample(common.text).files.map(({ text }) => text));
};
const isFormat = (text: string): boolean => /^format:/m.test(text);

/** The common set: what every file of it shares, and its one format. */
const BASE = baseFiles().map(({ text }) => parse(text) as Fields);
export const SHARED: Fields = Object.assign({}, ...BASE.filter((fields) => !('format' in fields))) as Fields;
export const FORMAT = BASE.find((fields) => 'format' in fields)!;

interface LaidFile extends ExampleFile {
  readonly lineOf: (line: number) => number;
}

/** An example as a whole set: its files first, what they leave out in files of its own. */
export function laidOut({ files, isAlone }: Pick<Example, 'files' | 'isAlone'>): { own: LaidFile[]; base: MappingFileText[] } {
  if (isAlone) return { own: files.map((file) => ({ ...file, lineOf: (line) => line })), base: [] };
  const said = new Set<string>();
  const own = files.map((file) => {
    if (isFormat(file.text)) {
      const isCommon = new RegExp(`^format: ${FORMAT['format'] as string}$`, 'm').test(file.text);
      const missing = Object.entries(FORMAT).filter(([key]) => isCommon && !new RegExp(`^${key}:`, 'm').test(file.text));
      const { text, lineOf } = layOver(file.text, isCommon ? FORMAT : {});
      return { ...file, text: text + missing.map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`).join(''), lineOf };
    }
    const sections = Object.keys(SHARED).filter(
      (name) => file.name.endsWith('.yaml') && new RegExp(`^\uFEFF?${name}:`, 'm').test(file.text),
    );
    // Of two files with one section the first takes what the common set says there.
    const added = Object.fromEntries(sections.filter((name) => !said.has(name)).map((name) => [name, SHARED[name]]));
    for (const name of sections) said.add(name);
    return { ...file, ...layOver(file.text, added) };
  });
  const left = Object.entries(SHARED).filter(([name]) => !said.has(name));
  const base = left.map(([name, value]) => ({ file: `base-${name}.yaml`, text: stringify({ [name]: value }) }));
  if (!files.some(({ text }) => isFormat(text))) base.push({ file: 'base-format.yaml', text: stringify(FORMAT) });
  return { own, base };
}

/** What `check` says of it; lines are those of the example. */
export function checkExample(example: Example): CheckedMapping {
  const { own, base } = laidOut(example);
  const lineOf = (file: string, line: number): number => own.find(({ name }) => name === file)?.lineOf(line) ?? line;
  const { problems, ...checked } = checkLaidOut(example, own, base);
  const asShown = (text: string): string =>
    text.replace(/([\w-]+\.yaml):(\d+):/g, (_whole, file: string, line: string) => `${file}:${lineOf(file, Number(line))}:`);
  return {
    ...checked,
    problems: problems.map((problem) => ({
      ...problem,
      line: lineOf(problem.file, problem.line),
      message: asShown(problem.message),
      ...(problem.hint === undefined ? {} : { hint: asShown(problem.hint) }),
    })),
  };
}

function checkLaidOut(
  { isAlone, isAbsent }: Example,
  own: readonly LaidFile[],
  base: readonly MappingFileText[],
): CheckedMapping {
  if (own.length > 0 && own.every(({ name, linkTo }) => name.endsWith('.yaml') && linkTo === undefined))
    return checkFiles([...own.map(({ name, text }) => ({ file: name, text })), ...base]);
  // What is about the folder itself needs one.
  const folder = mkdtempSync(join(tmpdir(), 'compat-rule-'));
  try {
    for (const { file, text } of base) writeFileSync(join(folder, file), text);
    for (const { name, text, linkTo } of own)
      if (linkTo === undefined) writeFileSync(join(folder, name), text);
      else symlinkSync(linkTo, join(folder, name));
    if (!isAbsent) mkdirSync(join(folder, 'mappings'));
    const { problems, ...checked } = checkFolder(isAbsent || isAlone ? join(folder, 'mappings') : folder);
    const told = (text: string): string => text.replaceAll(`${folder}/`, '').replace(': Error: ', ': ');
    return {
      ...checked,
      problems: problems.map((one) => ({ ...one, file: basename(one.file), message: told(one.message) })),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
