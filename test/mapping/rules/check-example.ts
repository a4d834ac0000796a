/** What `check` says of an example, laid over the common set of docs/rules/README.md. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parse, stringify } from 'yaml';
import { checkFiles, checkFolder, type CheckedMapping } from '../../../src/mapping/check';
import type { MappingFileText } from '../../../src/mapping/load';
import { RULE_PAGES } from '../../../src/mapping/rules/rule-pages';
import { parsePage } from '../../docs/read-page';
import { filesWith } from '../mapping-set';
import { parseExample, type Example, type ExampleFile } from './example';
import { layOver } from './lay-over';

type Fields = Record<string, unknown>;

const baseFiles = (): readonly MappingFileText[] => {
  const common = parsePage(readFileSync(join(RULE_PAGES, 'README.md'), 'utf8'), 'README.md').find(({ marks }) =>
    marks.has('common'),
  )!;
  return filesWith(...parseExample(common.text.replace(/^/gm, ' '), 'good').files.map(({ text }) => text));
};
const isFormat = (text: string): boolean => /^format:/m.test(text);

/** The common set: what every file of it shares, and its one format. */
const BASE = baseFiles().map(({ text }) => parse(text) as Fields);
export const SHARED: Fields = Object.assign({}, ...BASE.filter((fields) => !('format' in fields))) as Fields;
export const FORMAT = BASE.find((fields) => 'format' in fields)!;
const SHARED_TEXTS = Object.entries(SHARED).map(([name, value]) => [name, stringify({ [name]: value })] as const);
const FORMAT_TEXT = stringify(FORMAT);

interface LaidFile extends ExampleFile {
  readonly lineOf: (line: number) => number;
}

/** An example as a whole set: `own` are its files, `base` holds the sections of the common set that none of them names. */
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
  const left = SHARED_TEXTS.filter(([name]) => !said.has(name));
  const base = left.map(([name, text]) => ({ file: `base-${name}.yaml`, text }));
  if (!files.some(({ text }) => isFormat(text))) base.push({ file: 'base-format.yaml', text: FORMAT_TEXT });
  return { own, base };
}

/** What `check` says of an example laid over the common set. Lines are those of the example itself. */
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
