import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { checkFiles, checkSource } from '../../../src/mapping/check';
import { editSource } from '../../../src/operator/mutant/mutant';
import { compareSources } from '../../../src/operator/plan/compare-sources';
import { mergeFiles } from '../../../src/mapping/load';
import { hasErrors, type Problem } from '../../../src/mapping/problem';
import { checkTexts } from '../../../src/mapping/rules/check-texts';
import type { MappingSource } from '../../../src/mapping/source';
import { filesOf, SET_NAMES, type Breakage, breakText, sourceOf } from './breakage';
import { generatedBreakages } from './generated';

/** Every twentieth breakage; `LONG_TESTS=1` plays all of them, which takes a minute. */
const EVERY = process.env['LONG_TESTS'] === '1' ? 1 : 20;

const all = allBreakages();

test.each(SET_NAMES)('the unbroken set has no problem: %s', (set) => {
  expect(checkFiles(filesOf(set)).problems).toEqual([]);
});

test('there are more than 250 breakages, for every set, and no two are equal', () => {
  expect(all.length).toBeGreaterThan(250);
  expect(new Set(all.map(({ set }) => set))).toEqual(new Set(SET_NAMES));
  const edits = all.map(({ set, edit }) => JSON.stringify([set, edit], (_key, value: unknown) => value ?? 'taken out'));
  expect(edits.filter((edit, index) => edits.indexOf(edit) !== index)).toEqual([]);
});

describe('the breakages', () => {
  let verdicts: readonly Verdict[];
  beforeAll(() => {
    verdicts = all.filter((_, index) => index % EVERY === 0).map(judgeBreakage);
  }, 600_000);

  test('each breakage that `check` should notice is an error of `check`', () => {
    const passed = verdicts.filter(({ breakage, by }) => breakage.caught === 'check' && by !== 'check');
    expect(passed.map(verdictText)).toEqual([]);
  });

  test('each breakage that costs money and passes `check` is shown as a money change by `plan`', () => {
    expect(verdicts.filter(({ breakage, by }) => breakage.isMoney && by === 'nobody').map(verdictText)).toEqual([]);
  });

  test('`check` should notice more than 95 % of the breakages that cost money', () => {
    const money = all.filter(({ isMoney }) => isMoney);
    expect(money.filter(({ caught }) => caught === 'check').length / money.length).toBeGreaterThan(0.95);
  });
});

function verdictText({ breakage: { set, kind, words }, codes }: Verdict): string {
  return `${set}, ${kind}: ${words} ${codes.join()}`;
}

/**
 * The generated breakages, and those of a list written by hand.
 * `by-hand.txt` has one breakage a line: the file, what stood there, and what stands there now. The line above them names their kind and,
 * in brackets, the set (`own`; as shipped unless said), who notices (`plan`; `check` unless said) and whether it costs no money.
 */
function allBreakages(): Breakage[] {
  let kind = '';
  let flags: readonly string[] = [];
  const written = readFileSync(join(__dirname, 'by-hand.txt'), 'utf8')
    .split('\n')
    .flatMap((line): Breakage[] => {
      const heading = /^# (.*?)(?: \(([^)]*)\))?$/.exec(line);
      if (heading !== null) [kind, flags] = [heading[1]!, heading[2]?.split(', ') ?? []];
      const [, file, find, put] = /^([\w/.-]+): (.*) => (.*)$/.exec(line)?.map(unescaped) ?? [];
      if (heading !== null || file === undefined) return [];
      return [
        {
          set: flags.includes('own') ? 'own' : 'shipped',
          kind,
          words: `${file}: ${find!} -> ${put!}`,
          isMoney: !flags.includes('no money'),
          caught: flags.includes('plan') ? 'plan' : 'check',
          edit: { file, find: find!, put: put! },
        },
      ];
    });
  return [...generatedBreakages(), ...written];
}

/** Escapes stand for line breaks, and for characters that a reader of the list could not see or tell apart. */
function unescaped(text: string): string {
  return text
    .replaceAll('\\n', '\n')
    .replace(/\\u([0-9A-F]{4})/g, (_whole, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
}

interface Verdict {
  readonly breakage: Breakage;
  /** `nobody`: the set would be taken into use, and `plan` would not show a money change. */
  readonly by: 'check' | 'plan' | 'nobody';
  /** Codes of the errors, then of the warnings. */
  readonly codes: readonly string[];
}

function judgeBreakage(breakage: Breakage): Verdict {
  const { problems, source } = checkBroken(breakage);
  const codes = (severity: Problem['severity']): string[] =>
    problems.filter((problem) => problem.severity === severity).map(({ code }) => code);
  const errors = codes('error');
  const told = [...new Set([...errors, ...codes('warning').map((code) => `(${code})`)])];
  if (errors.length > 0) return { breakage, by: 'check', codes: told };
  const isNamed = compareSources(sourceOf(breakage.set), source!).some(({ money }) => money !== undefined);
  return { breakage, by: isNamed ? 'plan' : 'nobody', codes: told };
}

function checkBroken({ set, edit, words }: Breakage): { problems: readonly Problem[]; source?: MappingSource } {
  if ('put' in edit) {
    // The steps of `checkFiles`, which would find every problem: one error is enough.
    const texts = checkTexts(breakText(set, edit));
    const merged = mergeFiles(texts.files);
    const problems = [...texts.problems, ...merged.problems];
    if (merged.source === undefined || hasErrors(problems)) return { problems };
    return { problems: [...problems, ...checkSource(merged.source)], source: merged.source };
  }
  const source = editSource(sourceOf(set), edit);
  if (isDeepStrictEqual(source, sourceOf(set))) throw new Error(`nothing was broken: ${words}`);
  return { problems: checkSource(source), source };
}
