import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'yaml';
import { checkFiles } from '../../../src/mapping/check';
import type { MappingFileText } from '../../../src/mapping/load';
import { RULES, type RuleId } from '../../../src/mapping/rules/rules';
import { FORMAT, laidOut, SHARED } from './check-example';
import { readExample, type Side } from './example';

type Sections = Readonly<Record<string, unknown>>;

const isPlain = (value: unknown): value is Sections => value !== null && typeof value === 'object' && !Array.isArray(value);
/** The operations of the second example have other names; otherwise the two mistakes would be one. */
const renamed = (text: string): string => text.replaceAll(/\b(buy|cards|thing|plans)\b/g, '$1_too');
const SECOND: Sections = { ...SHARED, operations: parse(renamed(stringify(SHARED['operations']))) as Sections };

/** The sections in which an example differs from the common set; undefined for mistakes of bytes and of whole files. */
function sectionsOf(rule: RuleId, side: Side, isSecond: boolean): Sections[] | undefined {
  const example = readExample(rule, side);
  const { files, isAlone, isAbsent } = example;
  const isFile = files.every(({ name, linkTo }) => name.endsWith('.yaml') && linkTo === undefined);
  if (isAlone || isAbsent || files.length === 0 || !isFile) return undefined;
  try {
    return laidOut(example).own.map(({ text }) => {
      const sections = parse(isSecond ? renamed(text) : text) as Sections;
      if (!('format' in sections)) return isSecond ? difference(sections, SECOND, 'operations') : difference(sections, SHARED);
      return sections['format'] === FORMAT['format'] ? { ...difference(sections, FORMAT), format: FORMAT['format'] } : sections;
    });
  } catch {
    return undefined;
  }
}

/** Whole operations where needed: the common set does not have them under the names of the second example. */
function difference(said: Sections, common: Sections, whole?: string): Sections {
  return Object.fromEntries(
    Object.entries(said).flatMap(([key, value]): [string, unknown][] => {
      const other = common[key];
      if (isDeepStrictEqual(value, other)) return [];
      if (!isPlain(value) || !isPlain(other)) return [[key, value]];
      if (key !== whole) return [[key, difference(value, other)]];
      return [[key, Object.fromEntries(Object.entries(value).filter(([name, one]) => !isDeepStrictEqual(one, other[name])))]];
    }),
  );
}

/** Throws when the two examples say different things about one place. */
function merged(one: unknown, other: unknown): unknown {
  if (isDeepStrictEqual(one, other) || other === undefined) return one;
  if (one === undefined) return other;
  if (Array.isArray(one) && Array.isArray(other)) return [...(one as unknown[]), ...(other as unknown[])];
  if (!isPlain(one) || !isPlain(other)) throw new Error('one place, two meanings');
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...keys].map((key) => [key, merged(one[key], other[key])]));
}

const over = (common: unknown, said: unknown): unknown =>
  isPlain(common) && isPlain(said)
    ? Object.fromEntries(
        [...new Set([...Object.keys(common), ...Object.keys(said)])].map((key) => [
          key,
          key in said ? over(common[key], said[key]) : common[key],
        ]),
      )
    : said;

/** The common set with both examples, in one file for the shared sections and one for each format. */
function filesOf(sections: readonly Sections[]): MappingFileText[] {
  const files = new Map<unknown, unknown>();
  for (const part of sections) {
    // A section without names of its own is shared.
    const id = isPlain(part) ? part['format'] : undefined;
    files.set(id, merged(files.get(id), part));
  }
  const id = FORMAT['format'];
  const formats = [...files].filter(([format]) => format !== undefined);
  const all = [
    over(SHARED, files.get(undefined) ?? {}),
    ...(formats.length === 0 ? [FORMAT] : formats.map(([format, said]) => (format === id ? over(FORMAT, said) : said))),
  ];
  return all.map((file, index) => ({ file: `${index + 1}.yaml`, text: stringify(file) }));
}

interface Told {
  readonly code: string;
  readonly message: string;
}

/** The problems that `check` finds in the two examples together; undefined when they cannot be in one set. */
function checkTogether(first: readonly [RuleId, Side], second: readonly [RuleId, Side]): Told[] | undefined {
  const [one, other] = [sectionsOf(...first, false), sectionsOf(...second, true)];
  if (one === undefined || other === undefined) return undefined;
  try {
    const { problems } = checkFiles(filesOf([...one, ...other]));
    // Rules about unused entries are reported only for a set without errors.
    return problems.filter(({ code }) => !/unused/.test(code)).map(({ code, message }) => ({ code, message }));
  } catch (error) {
    if ((error as Error).message === 'one place, two meanings') return undefined;
    throw error;
  }
}

type Verdict =
  | { readonly kind: 'incomparable' }
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong'; readonly hidden: readonly Told[]; readonly followUps: readonly Told[] };

/** For independent mistakes: each is reported when the other is mended, then exactly both are reported for a set with both. */
function judgePair(first: RuleId, second: RuleId): Verdict {
  const neither = checkTogether([first, 'good'], [second, 'good']);
  const one = checkTogether([first, 'bad'], [second, 'good']);
  const other = checkTogether([first, 'good'], [second, 'bad']);
  const both = checkTogether([first, 'bad'], [second, 'bad']);
  const isComparable =
    both !== undefined &&
    neither?.length === 0 &&
    one?.length === 1 &&
    one[0]?.code === first &&
    other?.length === 1 &&
    other[0]?.code === second;
  if (!isComparable) return { kind: 'incomparable' };
  const expected = [...one, ...other];
  const isIn = (list: readonly Told[]) => (told: Told) => list.some((each) => isDeepStrictEqual(each, told));
  const hidden = expected.filter((told) => !isIn(both)(told));
  const followUps = both.filter((told) => !isIn(expected)(told));
  return hidden.length + followUps.length === 0 ? { kind: 'right' } : { kind: 'wrong', hidden, followUps };
}

const IDS = Object.keys(RULES) as RuleId[];

/** For mistakes that are not independent: together they change one numbering, list (whose items are counted) or name. */
const DEPENDENT = [
  ['prefix-shared', 'prefix-malformed'],
  ['numbering-identical', 'number-repeated'],
  ['numbering-identical', 'numbering-incomplete'],
  ['source-not-available', 'reserved-name'],
].map((pair) => pair.sort().join(' '));

/** Every fourth rule with one other; `EVERY_PAIR=1` pairs each with every other, which takes an hour on two cores. */
const IS_LONG = process.env['EVERY_PAIR'] === '1';
const STEPS = IS_LONG ? IDS.map((_, index) => index).slice(1) : [23];
const EVERY = IS_LONG ? 1 : 4;

test.each(STEPS)(
  'two mistakes in one set are both reported, and no problem follows from them (each rule with the rule %i further)',
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
