/** The differences of meaning between two mapping sets, not of spelling, in the order of the running set. */
import { fill, groupAt, MODEL } from '../../mapping/language/model';
import { shorten } from '../../domain/shown-words';
import type { MappingSource } from '../../mapping/source';
import { judgeMoney, type Sides } from './judge-money';
import { KIND_ORDER_PATTERN, leavesOf, readMeaning, type Branch, type Item, type Meaning, type SetOfItems } from './read-meaning';

type FilePlace = ReturnType<MappingSource['places']['find']>;

/** One difference of meaning between two mapping sets. */
export interface Difference {
  readonly kind: 'added' | 'removed' | 'changed';
  /** The path in the merged source: `operations.buy_airtime.fields.phone.from`. */
  readonly path: string;
  /** In the operator's words. */
  readonly words: string;
  /** The leaves of a new part, because its name alone does not show its meaning. */
  readonly leaves?: readonly string[];
  readonly before?: string;
  readonly after?: string;
  /** The places in the running set and in the candidate. */
  readonly placeBefore?: FilePlace;
  readonly placeAfter?: FilePlace;
  /** Why the difference can move money; absent if it cannot. */
  readonly money?: string;
}

/** A meaning of either set; undefined where the set has none. */
type Maybe<Kind extends Meaning = Meaning> = Kind | undefined;

export function compareSources(before: MappingSource, after: MappingSource): Difference[] {
  return compare(readMeaning(before), readMeaning(after), { before, after });
}

function compare(before: Maybe, after: Maybe, sides: Sides): Difference[] {
  if (before?.canonical === after?.canonical) return [];
  const isOneSided = before === undefined || after === undefined;
  const any = (before ?? after)!;
  if (before?.kind === 'set' || after?.kind === 'set') {
    const hasItemWords = MODEL.keys.get(any.pattern)?.added !== undefined;
    if (isOneSided && !hasItemWords) return [compareWhole(before, after, sides)];
    return compareSets(before as Maybe<SetOfItems>, after as Maybe<SetOfItems>, sides);
  }
  if (any.kind === 'branch' && any.isBag === true)
    return pairItems(itemsIn(before), itemsIn(after)).flatMap(([one, other]) => compare(one, other, sides));
  const isSplit = isOneSided ? isSeparable(any) : before.kind === 'branch' && after.kind === 'branch';
  return isSplit ? compareBranches(before as Maybe<Branch>, after as Maybe<Branch>, sides) : [compareWhole(before, after, sides)];
}

function compareBranches(before: Maybe<Branch>, after: Maybe<Branch>, sides: Sides): Difference[] {
  const keys = new Set([...(before?.entries.keys() ?? []), ...(after?.entries.keys() ?? [])]);
  return [...keys].flatMap((key) => {
    const [one, other] = [before?.entries.get(key), after?.entries.get(key)];
    return isSpreadAlike(one, other, before, after) ? [] : compare(one, other, sides);
  });
}

/**
 * Whether `"*"` differs only because a field that it overwrites is new or gone. That field is reported by itself, so the change
 * of `"*"` is not reported as well.
 */
function isSpreadAlike(one: Maybe, other: Maybe, before: Maybe<Branch>, after: Maybe<Branch>): boolean {
  if (one?.kind !== 'leaf' || other?.kind !== 'leaf' || one.over === undefined || other.over === undefined) return false;
  const inBoth = (keys: readonly string[]): string =>
    keys.filter((key) => before?.entries.has(key) === true && after?.entries.has(key) === true).join();
  return one.value === other.value && inBoth(one.over) === inBoth(other.over);
}

function compareSets(before: Maybe<SetOfItems>, after: Maybe<SetOfItems>, sides: Sides): Difference[] {
  const only = (set: Maybe<SetOfItems>, other: Maybe<SetOfItems>, kind: 'added' | 'removed'): Difference[] =>
    [...(set?.items ?? [])].flatMap(([key, item]) => (other?.items.has(key) === true ? [] : [itemOf(set!, item, kind, sides)]));
  return [...only(before, after, 'removed'), ...only(after, before, 'added')];
}

function itemOf(set: SetOfItems, item: Item, kind: 'added' | 'removed', sides: Sides): Difference {
  const rule = MODEL.keys.get(set.pattern)!;
  const words = fill(rule[kind] ?? `${rule.title}: {item} ${kind}`, set.names).replace('{item}', item.shown);
  const parts = kind === 'added' ? { after: item } : { before: item };
  return { ...found(set, parts, sides), ...withMoney(judgeMoney(sides, set, undefined)), words };
}

function compareWhole(before: Maybe, after: Maybe, sides: Sides): Difference {
  const any = (before ?? after)!;
  const isNamed = any.kind === 'branch' && groupAt(any.pattern).named !== undefined;
  return {
    ...found(any, { before, after }, sides),
    ...withMoney(judgeMoney(sides, before, after)),
    words: describe(before, after),
    ...(before === undefined && isNamed ? { leaves: leavesOf(any).map((leaf) => `${subjectOf(leaf)}: ${show(leaf)}`) } : {}),
  };
}

/** What is the same in every difference: its place, and the part of each set. */
function found({ path }: Meaning, { before, after }: { before?: Item | undefined; after?: Item | undefined }, sides: Sides) {
  return {
    kind: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
    path: path.map(String).join('.'),
    ...(before === undefined ? {} : { before: show(before), placeBefore: sides.before.places.find(before.path, 'key') }),
    ...(after === undefined ? {} : { after: show(after), placeAfter: sides.after.places.find(after.path, 'key') }),
  } as const;
}

const withMoney = (money: string | undefined): { readonly money?: string } => (money === undefined ? {} : { money });

/** A new or removed branch without a name is reported key by key; a field of a reply is reported as one. */
function isSeparable({ kind, pattern, names }: Meaning): boolean {
  return kind === 'branch' && groupAt(pattern).named === undefined && names.length <= starsOf(pattern);
}

const starsOf = (pattern: string): number => pattern.split('.').filter((step) => step === '*').length;

function describe(before: Maybe, after: Maybe): string {
  const any = (before ?? after)!;
  const named = before === undefined || after === undefined ? groupAt(any.pattern).named : undefined;
  if (named !== undefined && any.kind === 'branch')
    return `${fill(named, any.names)} is ${before === undefined ? 'new' : 'gone'}`;
  return `${subjectOf(any)}: ${show(before)} -> ${show(after)}`;
}

const SHOWN_MAX = 120;
const show = (part: Item | undefined): string => shorten(part?.shown ?? 'none', SHOWN_MAX);

function subjectOf({ pattern, names }: Meaning): string {
  if (pattern === KIND_ORDER_PATTERN) return `callers ${names[0]!}: tried before`;
  const rule = MODEL.keys.get(pattern);
  // Names beyond those of the language are fields inside a value.
  const inside = names.slice(starsOf(pattern)).join('.');
  const title = fill(rule?.title ?? pattern, names);
  return inside === '' || rule?.compared === 'numbers' ? title : `${title}, \`${inside}\``;
}

type Pair = readonly [Maybe, Maybe];

const itemsIn = (bag: Maybe): readonly Meaning[] => (bag?.kind === 'branch' ? [...bag.entries.values()] : []);

/**
 * The items without a name of one set beside those of the other, paired by how much they have in common. Items that share nothing
 * stay alone.
 */
function pairItems(before: readonly Meaning[], after: readonly Meaning[]): readonly Pair[] {
  const candidates = before
    .flatMap((one) => after.map((other) => ({ one, other, common: inCommon(one, other) })))
    .filter(({ common }) => common > 0)
    .sort((a, b) => b.common - a.common);
  const pairs: Pair[] = [];
  const taken = new Set<Meaning>();
  for (const { one, other } of candidates) {
    if (taken.has(one) || taken.has(other)) continue;
    taken.add(one).add(other);
    pairs.push([one, other]);
  }
  const alone = (items: readonly Meaning[]): readonly Meaning[] => items.filter((item) => !taken.has(item));
  return [
    ...pairs,
    ...alone(before).map((one): Pair => [one, undefined]),
    ...alone(after).map((other): Pair => [undefined, other]),
  ];
}

/** How many values two items share; equal items share all. */
function inCommon(one: Meaning, other: Meaning): number {
  if (one.canonical === other.canonical) return Infinity;
  const values = new Set(valuesIn(other));
  return valuesIn(one).filter((value) => values.has(value)).length;
}

/** The values of an item without those that many items share, such as a weight. */
function valuesIn(item: Meaning): readonly string[] {
  if (item.kind === 'set') return [...item.items.keys()];
  if (item.kind === 'leaf') return [item.canonical];
  return [...item.entries].flatMap(([key, part]) =>
    key === 'weight' || key === 'table' ? [] : valuesIn(part).map((value) => `${key} ${value}`),
  );
}
