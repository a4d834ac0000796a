import { checkFiles } from '../../../src/mapping/check';
import { allBreakages } from './all-breakages';
import { filesOf, SET_NAMES } from './breakage';
import { judgeBreakage, scoreOf, type Verdict } from './judge-breakage';

/** Every twentieth breakage; `LONG_TESTS=1` takes all of them, which is a minute, and prints the score. */
const IS_LONG = process.env['LONG_TESTS'] === '1';
const EVERY = IS_LONG ? 1 : 20;

const all = allBreakages();

test.each(SET_NAMES)('nothing is wrong with the set that is broken: %s', (set) => {
  expect(checkFiles(filesOf(set)).problems).toEqual([]);
});

test('there are many breakages, of every kind of set, and no two are the same', () => {
  expect(all.length).toBeGreaterThan(250);
  expect(new Set(all.map(({ set }) => set))).toEqual(new Set(SET_NAMES));
  const edits = all.map(({ set, edit }) => JSON.stringify([set, edit], (_key, value: unknown) => value ?? 'taken out'));
  expect(edits.filter((edit, index) => edits.indexOf(edit) !== index)).toEqual([]);
});

describe('a hand breaks one thing', () => {
  let verdicts: readonly Verdict[];
  beforeAll(() => {
    verdicts = all.filter((_, index) => index % EVERY === 0).map(judgeBreakage);
    if (IS_LONG) process.stdout.write(scoreOf(verdicts));
  }, 600_000);

  test('what check is to stop is an error of check', () => {
    const passed = verdicts.filter(({ breakage, by }) => breakage.caught === 'check' && by !== 'check');
    expect(passed.map(told)).toEqual([]);
  });

  test('what only its owner can know is named as money by plan', () => {
    expect(verdicts.filter(({ breakage, by }) => breakage.isMoney && by === 'nobody').map(told)).toEqual([]);
  });

  test('check stops 95 of 100 that lose money', () => {
    const money = all.filter(({ isMoney }) => isMoney);
    expect(money.filter(({ caught }) => caught === 'check').length / money.length).toBeGreaterThan(0.95);
  });
});

function told({ breakage: { set, kind, words }, codes }: Verdict): string {
  return `${set}, ${kind}: ${words} ${codes.join()}`;
}
