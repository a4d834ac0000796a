/**
 * `fixtures/<rule>/bad` breaks exactly this rule at the mark `§`; `fixtures/<rule>/good` is how it is mended. What a
 * fixture leaves out comes from the base set of these tests. A file `.alone` says that nothing is added, `.absent` that
 * the folder itself is missing. `x.yaml.link` becomes a link `x.yaml` to the name that stands in it.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { checkFiles, checkFolder, type CheckedMapping } from '../../../src/mapping/check';
import type { RuleId } from '../../../src/mapping/rules/rules';
import { filesWith } from '../mapping-set';

export const FIXTURES = resolve(__dirname, 'fixtures');

export interface FixtureFile {
  readonly name: string;
  /** Without the mark. */
  readonly text: string;
}

export interface Fixture {
  readonly files: readonly FixtureFile[];
  /** Where the problem is reported. */
  readonly mark: { readonly file: string; readonly line: number; readonly column: number } | undefined;
  readonly isAlone: boolean;
  readonly isAbsent: boolean;
}

export function readFixture(rule: RuleId, side: 'bad' | 'good'): Fixture {
  const folder = join(FIXTURES, rule, side);
  const names = readdirSync(folder).sort();
  let mark: Fixture['mark'];
  const files = names
    .filter((name) => !name.startsWith('.'))
    .map((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      const before = text.replace(/^\uFEFF/, '').split('§');
      const lines = before[0]!.split('\n');
      if (before.length > 1) mark = { file: name.replace(/\.link$/, ''), line: lines.length, column: lines.at(-1)!.length + 1 };
      return { name, text: text.replace('§', '') };
    });
  return { files, mark, isAlone: names.includes('.alone'), isAbsent: names.includes('.absent') };
}

/** The largest fixture is too large to be kept. */
function textOf(rule: RuleId, side: 'bad' | 'good', text: string): string {
  return rule === 'file-too-large' && side === 'bad' ? text + `${'#'.repeat(99)}\n`.repeat(10_001) : text;
}

export function checkFixture(rule: RuleId, side: 'bad' | 'good'): CheckedMapping {
  const { files, isAlone, isAbsent } = readFixture(rule, side);
  const texts = files.map(({ name, text }) => ({ file: name, text: textOf(rule, side, text) }));
  const yaml = texts.filter(({ file }) => file.endsWith('.yaml'));
  const set = isAlone ? yaml : [...yaml, ...baseOf(yaml.map(({ text }) => text))];
  if (yaml.length > 0 && yaml.length === texts.length) return checkFiles(set);
  // What is about the folder itself needs one.
  const folder = mkdtempSync(join(tmpdir(), 'compat-rule-'));
  try {
    const others = texts.filter(({ file }) => !file.endsWith('.yaml'));
    for (const { file, text } of [...set, ...others]) {
      if (file.endsWith('.link')) symlinkSync(text.trim(), join(folder, file.replace(/\.link$/, '')));
      else writeFileSync(join(folder, file), text);
    }
    if (!isAbsent) mkdirSync(join(folder, 'mappings'));
    const { problems, ...checked } = checkFolder(isAbsent || isAlone ? join(folder, 'mappings') : folder);
    return {
      ...checked,
      problems: problems.map((problem) => ({
        ...problem,
        file: basename(problem.file),
        message: problem.message.replaceAll(`${folder}/`, '').replace(': Error: ', ': '),
      })),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function baseOf(texts: readonly string[]): { file: string; text: string }[] {
  const base = filesWith(...texts.map((text) => text.replace(/^\uFEFF/, '')))
    .filter(({ file }) => file.startsWith('base-'))
    .map(({ file, text }) => ({ file, text }));
  // Every list includes it.
  const words = { file: 'base-words-block.yaml', text: 'blocks: { words: { always: { status: $words.status } } }' };
  return texts.some((text) => /^blocks:/m.test(text)) ? base : [...base, words];
}
