/** Runs `check` on an example, laid over the common set of docs/rules/README.md. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse, stringify } from 'yaml';
import { checkFiles, checkFolder, type CheckedMapping } from '../../../src/mapping/check';
import type { MappingFileText } from '../../../src/mapping/load';
import { RULE_PAGES } from '../../../src/mapping/rules/rule-pages';
import { parsePage } from '../../docs/read-page';
import { filesWith } from '../mapping-set';
import { parseExample, type Example, type ExampleFile } from './example';
import { newFolder } from '../../new-folder';

type Fields = Readonly<Record<string, unknown>>;

const baseFiles = (): readonly MappingFileText[] => {
  const common = parsePage(readFileSync(join(RULE_PAGES, 'README.md'), 'utf8'), 'README.md').find(({ marks }) =>
    marks.has('common'),
  )!;
  return filesWith(...parseExample(common.text.replace(/^/gm, ' '), 'good').files.map(({ text }) => text));
};
const isFormat = (text: string): boolean => /^format:/m.test(text);

/** The common set: the shared sections of all its files, and its one format. */
const BASE = baseFiles().map(({ text }) => parse(text) as Fields);
export const SHARED: Fields = Object.assign({}, ...BASE.filter((fields) => !('format' in fields))) as Fields;
export const FORMAT = BASE.find((fields) => 'format' in fields)!;
const SHARED_TEXTS = Object.entries(SHARED).map(([name, value]) => [name, stringify({ [name]: value })] as const);
const FORMAT_TEXT = stringify(FORMAT);

interface LaidFile extends ExampleFile {
  readonly lineOf: (line: number) => number;
}

/** An example as a whole set: `own` are its files, `base` the sections of the common set that no file of the example has. */
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
    // Where two files have one section, the first gets the common set's part of it.
    const added = Object.fromEntries(sections.filter((name) => !said.has(name)).map((name) => [name, SHARED[name]]));
    for (const name of sections) said.add(name);
    return { ...file, ...layOver(file.text, added) };
  });
  const left = SHARED_TEXTS.filter(([name]) => !said.has(name));
  const base = left.map(([name, text]) => ({ file: `base-${name}.yaml`, text }));
  if (!files.some(({ text }) => isFormat(text))) base.push({ file: 'base-format.yaml', text: FORMAT_TEXT });
  return { own, base };
}

/** The result of `check` for an example laid over the common set. Lines are counted in the example. */
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
  // Rules about the folder itself need a real folder.
  const folder = newFolder();
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
}

/** A line of the whole text, with the line of the example (from 1) that it is or that it was inserted after. */
interface Laid {
  readonly text: string;
  readonly line: number;
}

/** A key without a value: the lines indented below it are merged. A value after the key replaces. */
const BLOCK = /^\uFEFF?( *)(['"]?)([^\s'"#:-][^'"#:]*)\2:$/;
const KEY = /^( *)(['"]?)([^\s'"#:-][^'"#:]*)\2:/;

const isFields = (value: unknown): value is Fields => value !== null && typeof value === 'object' && !Array.isArray(value);
const indentOf = (line: string): number => /^ */.exec(line)![0].length;

/** Lays an example over the common set as text: below each key the example's lines stand beside those of the common set. */
function layOver(text: string, common: Fields): { readonly text: string; readonly lineOf: (line: number) => number } {
  const lines = text.split('\n');
  const laid: Laid[] = [];
  /** The common set's fields below each key that is open here, outermost first. */
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

/** The common set's lines below a key that the example does not have. None when the example has nothing below the key. */
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
