import { IDS, judgePair } from './two-mistakes';

/** Two that are not independent: together they make something else of one numbering, list (whose items are counted) or name. */
const DEPENDENT = [
  ['prefix-shared', 'prefix-malformed'],
  ['numbering-identical', 'number-repeated'],
  ['numbering-identical', 'numbering-incomplete'],
  ['source-not-available', 'reserved-name'],
].map((pair) => pair.sort().join(' '));

/** Every fourth rule with one other; `EVERY_PAIR=1` takes each with every other, which is an hour on two cores. */
const IS_LONG = process.env['EVERY_PAIR'] === '1';
const STEPS = IS_LONG ? IDS.map((_, index) => index).slice(1) : [23];
const EVERY = IS_LONG ? 1 : 4;

test.each(STEPS)(
  'two mistakes in one set are both told, and nothing that they alone have caused (rule and rule + %i)',
  (step) => {
    const counts = { right: 0, wrong: 0, incomparable: 0 };
    const wrong: unknown[] = [];
    for (const [index, first] of IDS.entries()) {
      if (index % EVERY !== 0) continue;
      const second = IDS[(index + step) % IDS.length]!;
      if (DEPENDENT.includes([first, second].sort().join(' '))) continue;
      const verdict = judgePair(first, second);
      counts[verdict.kind] += 1;
      if (verdict.kind === 'wrong') wrong.push({ first, second, ...verdict });
    }
    expect(wrong).toEqual([]);
    expect(counts.right).toBeGreaterThan(IDS.length / EVERY / 3);
  },
);
