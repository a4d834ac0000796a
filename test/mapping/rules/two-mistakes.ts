/** Two fixtures of rules in one set: what each breaks alone, and what both break together. */
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'yaml';
import { checkFiles } from '../../../src/mapping/check';
import { RULES, type RuleId } from '../../../src/mapping/rules/rules';
import { filesWith } from '../mapping-set';
import { readFixture } from './fixture';

type Side = 'bad' | 'good';
type Sections = Readonly<Record<string, unknown>>;

/** A fixture whose files can be read as YAML and stand beside others; undefined for mistakes of bytes and of whole files. */
function sectionsOf(rule: RuleId, side: Side, isSecond: boolean): Sections[] | undefined {
  const { files, isAlone, isAbsent } = readFixture(rule, side);
  if (isAlone || isAbsent || files.length === 0 || files.some(({ name }) => !name.endsWith('.yaml'))) return undefined;
  try {
    // The operation of the second is another one, or the two would be one mistake.
    return files.map(({ text }) => parse(isSecond ? text.replaceAll(/\bbuy\b/g, 'other') : text) as Sections);
  } catch {
    return undefined;
  }
}

const isPlain = (value: unknown): value is Sections => value !== null && typeof value === 'object' && !Array.isArray(value);

/** Throws when both say different things about one place. */
function merged(one: unknown, other: unknown): unknown {
  if (isDeepStrictEqual(one, other) || other === undefined) return one;
  if (one === undefined) return other;
  if (Array.isArray(one) && Array.isArray(other)) return [...(one as unknown[]), ...(other as unknown[])];
  if (!isPlain(one) || !isPlain(other)) throw new Error('one place, two meanings');
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...keys].map((key) => [key, merged(one[key], other[key])]));
}

/** All shared sections in one file, and one file for each format. */
function filesOf(sections: readonly Sections[]): string[] {
  const files = new Map<unknown, unknown>();
  for (const part of sections) {
    // A section without a name of its own is shared.
    const id = isPlain(part) ? part['format'] : undefined;
    files.set(id, merged(files.get(id), part));
  }
  return [...files.values()].map((file) => stringify(file));
}

export interface Told {
  readonly code: string;
  readonly message: string;
}

/** What `check` says of the two fixtures together; undefined when they cannot stand in one set. */
function checkTogether(first: readonly [RuleId, Side], second: readonly [RuleId, Side]): Told[] | undefined {
  const [one, other] = [sectionsOf(...first, false), sectionsOf(...second, true)];
  if (one === undefined || other === undefined) return undefined;
  try {
    const { problems } = checkFiles(filesWith(...filesOf([...one, ...other])));
    // What has no effect is told of a set without errors only.
    return problems.filter(({ code }) => !/unused/.test(code)).map(({ code, message }) => ({ code, message }));
  } catch (error) {
    if ((error as Error).message === 'one place, two meanings') return undefined;
    throw error;
  }
}

export type Verdict =
  | { readonly kind: 'incomparable' }
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong'; readonly hidden: readonly Told[]; readonly followUps: readonly Told[] };

/** Independent mistakes: each is told beside the mended other. Then both are told of a set that has both, and no more. */
export function judgePair(first: RuleId, second: RuleId): Verdict {
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

export const IDS = Object.keys(RULES) as RuleId[];
