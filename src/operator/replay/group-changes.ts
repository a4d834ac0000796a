/** Groups the changes of a replay that have one cause into one change with its places and its frequency, and describes it for people. */
import { shorten } from '../../domain/shown-words';
import type { SeenShape } from '../../domain/traffic';
import type { ReplyOutcome } from '../../mapping/mapping';

/** One effect of a change of mappings on one request that a script or v1 would notice. */
export interface NoticedChange {
  readonly operation: string;
  readonly part: 'fate' | 'operation' | 'format' | 'call' | 'reply';
  /** A field of the v1 call or of the reply. */
  readonly field?: string | undefined;
  readonly outcome?: ReplyOutcome | undefined;
  readonly before: string;
  readonly after: string;
  /** Why the change can move money; undefined if it cannot. */
  readonly money: string | undefined;
}

export type ReplayChange = ReturnType<typeof toChange>;

/** A change, the shapes from which its request was made, and that request in words. */
export interface FoundChange {
  readonly change: NoticedChange;
  readonly seen: readonly SeenShape[];
  readonly request: string;
}

type Group = ReturnType<typeof groupOf>;

const EXAMPLES_MAX = 4;

/** The groups in order of weight: changes that move money first, then by the part of the walk, then by the number of requests. */
export function groupChanges(found: Iterable<FoundChange>): ReplayChange[] {
  const groups = new Map<string, Group>();
  for (const { change, seen, request } of found) {
    const { operation, part, field = '', outcome = '' } = change;
    const fate = part === 'fate' ? `${change.before} ${change.after}` : '';
    const key = [operation, part, field, outcome, fate].join('\0');
    const group = groups.get(key) ?? groupOf(change);
    groups.set(key, group);
    // Values of one field may differ in whether they tell how an order ended.
    group.money ??= change.money;
    for (const one of seen) group.seen.add(one);
    const pair = `${change.before}\0${change.after}`;
    if (!group.pairs.has(pair)) group.pairs.set(pair, { before: change.before, after: change.after, request });
  }
  const merged = DIMENSIONS.reduce((all, dimension) => mergeAlike(all, dimension), [...groups.values()]);
  return merged.map(toChange).sort(byWeight);
}

function groupOf({ part, money, operation, field, outcome }: NoticedChange) {
  return {
    ...{ part, money, operations: new Set([operation]), seen: new Set<SeenShape>() },
    /** The pairs of values, each with a made-up request that has this change. */
    pairs: new Map<string, { readonly before: string; readonly after: string; readonly request: string }>(),
    fields: new Set(field === undefined ? [] : [field]),
    outcomes: new Set(outcome === undefined ? [] : [outcome]),
  };
}

const DIMENSIONS = ['operations', 'outcomes', 'fields'] as const;

/** Merges groups that differ in this dimension only. */
function mergeAlike(groups: readonly Group[], dimension: (typeof DIMENSIONS)[number]): Group[] {
  const merged = new Map<string, Group>();
  for (const group of groups) {
    const { part, money = '' } = group;
    const rest = DIMENSIONS.filter((one) => one !== dimension).map((one) => [...group[one]].sort().join());
    const key = [part, money, ...rest, ...[...group.pairs.keys()].sort()].join('\0\0');
    const known = merged.get(key);
    if (known === undefined) merged.set(key, group);
    else {
      for (const item of group[dimension]) (known[dimension] as Set<string>).add(item);
      for (const seen of group.seen) known.seen.add(seen);
    }
  }
  return [...merged.values()];
}

function toChange({ part, money, operations, fields, outcomes, seen, pairs }: Group) {
  const examples = [...pairs.values()];
  return {
    part,
    operations: [...operations].sort(),
    fields: [...fields] as readonly string[],
    outcomes: [...outcomes] as readonly ReplyOutcome[],
    examples: examples.slice(0, EXAMPLES_MAX),
    moreExamples: Math.max(0, examples.length - EXAMPLES_MAX),
    // The remembered shapes that can have this change, and the requests with these shapes.
    shapes: seen.size,
    requests: [...seen].reduce((sum, { count }) => sum + count, 0),
    ...(money === undefined ? {} : { money }),
  };
}

const PARTS: readonly NoticedChange['part'][] = ['call', 'fate', 'operation', 'format', 'reply'];

function byWeight(one: ReplayChange, other: ReplayChange): number {
  return (
    Number(other.money !== undefined) - Number(one.money !== undefined) ||
    PARTS.indexOf(one.part) - PARTS.indexOf(other.part) ||
    other.requests - one.requests
  );
}

/** The part of the walk and the fields that change. Empty for part `fate`: its values `taken` and `refused` say enough. */
export function partWords({ part, fields, outcomes }: Pick<ReplayChange, 'part' | 'fields' | 'outcomes'>): string {
  if (part === 'fate') return '';
  if (part === 'call') return fields.includes('endpoint') ? 'v1 call' : `v1 call, ${fields.join(', ')}`;
  if (part !== 'reply') return part;
  return `reply to ${outcomes.join(', ')}, ${fields.includes('') ? 'the list' : fields.join(', ')}`;
}

const SHOWN_MAX = 60;
/** The number of equal characters that are shown before the first difference of two long texts. */
const LEAD = 24;

/** Shortens two texts so that their first difference is visible: long lists often begin alike. */
export function shownPair(before: string, after: string): readonly [before: string, after: string] {
  let same = 0;
  while (same < Math.min(before.length, after.length) && before[same] === after[same]) same += 1;
  const isLong = before.length > SHOWN_MAX || after.length > SHOWN_MAX;
  const from = isLong ? same - LEAD : 0;
  const short = (text: string): string => shorten(text === '' ? "''" : text, SHOWN_MAX);
  const show = (text: string): string => (from > 0 ? `…${short(text.slice(from))}` : short(text));
  return [show(before), show(after)];
}
