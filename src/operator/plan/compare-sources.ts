/** Two mapping sets → what they say differently, never how they are written. In the order of the running set. */
import type { YamlPath } from '../../mapping/read-yaml';
import type { MappingSource } from '../../mapping/source';
import type { Difference } from './difference';
import { judgeMoney, type Sides } from './judge-money';
import { fill, groupAt, MODEL } from '../../mapping/language/model';
import { canonicalOf, showMeaning, type Bag, type Branch, type Item, type Meaning, type SetOfItems } from './meaning';
import { pairItems } from './pair-items';
import { readMeaning, TURN } from './read-meaning';

export function compareSources(before: MappingSource, after: MappingSource): Difference[] {
  const comparison = new Comparison({ before, after });
  comparison.compare(readMeaning(before), readMeaning(after));
  return comparison.found;
}

class Comparison {
  readonly found: Difference[] = [];
  readonly #sides: Sides;

  constructor(sides: Sides) {
    this.#sides = sides;
  }

  compare(before: Meaning | undefined, after: Meaning | undefined): void {
    if (before !== undefined && after !== undefined && canonicalOf(before) === canonicalOf(after)) return;
    if (before?.kind === 'set' || after?.kind === 'set') {
      if (isOneSide(before, after) && !hasItemWords(before ?? after!)) return this.#whole(before, after);
      return this.#sets(before as SetOfItems | undefined, after as SetOfItems | undefined);
    }
    if (before?.kind === 'bag' || after?.kind === 'bag') return this.#bags(before as Bag | undefined, after as Bag | undefined);
    const isSplit =
      before === undefined || after === undefined
        ? isSeparable(before ?? after!)
        : before.kind === 'branch' && after.kind === 'branch';
    if (isSplit) this.#branches(before as Branch | undefined, after as Branch | undefined);
    else this.#whole(before, after);
  }

  #branches(before: Branch | undefined, after: Branch | undefined): void {
    for (const [key, part] of before?.entries ?? []) {
      const counterpart = after?.entries.get(key);
      if (!isSpreadAlike(part, counterpart, before!, after)) this.compare(part, counterpart);
    }
    for (const [key, part] of after?.entries ?? []) if (before?.entries.has(key) !== true) this.compare(undefined, part);
  }

  #sets(before: SetOfItems | undefined, after: SetOfItems | undefined): void {
    for (const [key, item] of before?.items ?? []) if (after?.items.has(key) !== true) this.#item(before!, item, 'removed');
    for (const [key, item] of after?.items ?? []) if (before?.items.has(key) !== true) this.#item(after!, item, 'added');
  }

  #bags(before: Bag | undefined, after: Bag | undefined): void {
    for (const [one, other] of pairItems(before?.items ?? [], after?.items ?? [])) this.compare(one, other);
  }

  #item(set: SetOfItems, item: Item, kind: 'added' | 'removed'): void {
    const rule = MODEL.keys.get(set.pattern)!;
    const money = judgeMoney(this.#sides, set, set);
    this.found.push({
      kind,
      path: set.path.map(String).join('.'),
      words: fill(rule[kind] ?? `${rule.says}: {item} ${kind}`, set.names).replace('{item}', item.shown),
      ...(kind === 'added'
        ? { after: item.shown, placeAfter: this.#placeIn('after', item.path) }
        : { before: item.shown, placeBefore: this.#placeIn('before', item.path) }),
      ...(money === undefined ? {} : { money }),
    });
  }

  #whole(before: Meaning | undefined, after: Meaning | undefined): void {
    const any = (before ?? after)!;
    const money = judgeMoney(this.#sides, before, after);
    this.found.push({
      kind: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
      path: any.path.map(String).join('.'),
      words: describe(before, after),
      ...(before === undefined && any.kind === 'branch' && groupAt(any.pattern).named !== undefined
        ? { leaves: leavesOf(any) }
        : {}),
      ...(before === undefined ? {} : { before: showMeaning(before), placeBefore: this.#placeIn('before', before.path) }),
      ...(after === undefined ? {} : { after: showMeaning(after), placeAfter: this.#placeIn('after', after.path) }),
      ...(money === undefined ? {} : { money }),
    });
  }

  #placeIn(side: keyof Sides, path: YamlPath): { file: string; line: number; column: number } {
    return this.#sides[side].places.find(path, 'key');
  }
}

/** A field that is new or gone is reported by itself; the change of what `"*"` is spread over is not reported again. */
function isSpreadAlike(one: Meaning, other: Meaning | undefined, before: Branch, after: Branch | undefined): boolean {
  if (one.kind !== 'leaf' || other?.kind !== 'leaf' || one.over === undefined || other.over === undefined) return false;
  const inBoth = (keys: readonly string[]): string =>
    keys.filter((key) => before.entries.has(key) && after?.entries.has(key)).join();
  return one.value === other.value && inBoth(one.over) === inBoth(other.over);
}

const isOneSide = (before: Meaning | undefined, after: Meaning | undefined): boolean =>
  before === undefined || after === undefined;
const hasItemWords = ({ pattern }: Meaning): boolean => MODEL.keys.get(pattern)?.added !== undefined;

/** A new or removed branch without a name is reported key by key; a field of a reply is reported as one. */
function isSeparable({ kind, pattern, names }: Meaning): boolean {
  return kind === 'branch' && groupAt(pattern).named === undefined && names.length <= starsOf(pattern);
}

const starsOf = (pattern: string): number => pattern.split('.').filter((step) => step === '*').length;

function describe(before: Meaning | undefined, after: Meaning | undefined): string {
  const any = (before ?? after)!;
  const named = before === undefined || after === undefined ? groupAt(any.pattern).named : undefined;
  if (named !== undefined && any.kind === 'branch')
    return `${fill(named, any.names)} is ${before === undefined ? 'new' : 'gone'}`;
  const show = (meaning: Meaning | undefined): string => (meaning === undefined ? 'none' : showMeaning(meaning));
  return `${subjectOf(any)}: ${show(before)} -> ${show(after)}`;
}

function leavesOf(meaning: Meaning): string[] {
  if (meaning.kind === 'branch') return [...meaning.entries.values()].flatMap(leavesOf);
  return meaning.kind === 'bag' ? meaning.items.flatMap(leavesOf) : [`${subjectOf(meaning)}: ${showMeaning(meaning)}`];
}

function subjectOf({ pattern, names }: Meaning): string {
  if (pattern === TURN) return `callers ${names[0]!}: tried before`;
  const rule = MODEL.keys.get(pattern);
  // Names beyond those of the language are fields inside a value.
  const inside = names.slice(starsOf(pattern)).join('.');
  const says = fill(rule?.says ?? pattern, names);
  return inside === '' || rule?.compared === 'numbers' ? says : `${says}, \`${inside}\``;
}
