/** Pairs the items without a name of one set with those of the other. */
import { canonicalOf, type Branch, type Meaning } from './meaning';

type Pair = readonly [Branch | undefined, Branch | undefined];

/** Equal items are left out. The others are paired by how much they have in common; items that share nothing stay alone. */
export function pairItems(before: readonly Branch[], after: readonly Branch[]): Pair[] {
  const rest = [...after];
  const changed = before.filter((item) => {
    const text = canonicalOf(item);
    const index = rest.findIndex((other) => canonicalOf(other) === text);
    if (index !== -1) rest.splice(index, 1);
    return index === -1;
  });
  const candidates = changed
    .flatMap((one) => rest.map((other) => ({ one, other, common: inCommon(one, other) })))
    .filter(({ common }) => common > 0)
    .sort((a, b) => b.common - a.common);
  const pairs: Pair[] = [];
  const taken = new Set<Branch>();
  for (const { one, other } of candidates) {
    if (taken.has(one) || taken.has(other)) continue;
    taken.add(one).add(other);
    pairs.push([one, other]);
  }
  return [
    ...pairs,
    ...changed.filter((one) => !taken.has(one)).map((one): Pair => [one, undefined]),
    ...rest.filter((other) => !taken.has(other)).map((other): Pair => [undefined, other]),
  ];
}

/** How many values two items share. Values that many items share, such as a weight, do not count. */
function inCommon(one: Branch, other: Branch): number {
  let common = 0;
  for (const [key, part] of one.entries) {
    const counterpart = other.entries.get(key);
    if (key !== 'weight' && key !== 'table' && counterpart !== undefined) common += commonParts(part, counterpart);
  }
  return common;
}

function commonParts(one: Meaning, other: Meaning): number {
  if (one.kind === 'set' && other.kind === 'set') return [...one.items.keys()].filter((key) => other.items.has(key)).length;
  if (one.kind === 'branch' && other.kind === 'branch')
    return [...one.entries].filter(([key, part]) => {
      const counterpart = other.entries.get(key);
      return counterpart !== undefined && canonicalOf(counterpart) === canonicalOf(part);
    }).length;
  return canonicalOf(one) === canonicalOf(other) ? 1 : 0;
}
