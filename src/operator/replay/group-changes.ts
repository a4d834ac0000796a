/** Groups changes with one cause into one change with its places and its frequency, and describes it for the command line and the console. */
import type { SeenShape } from '../../domain/traffic';
import type { ReplyOutcome } from '../../mapping/mapping';

/** One thing that a script or v1 would notice of a change of mappings, for one request. */
export interface NoticedChange {
  readonly operation: string;
  readonly part: 'fate' | 'operation' | 'format' | 'call' | 'reply';
  /** Of the v1 call or of the reply. */
  readonly field?: string | undefined;
  readonly outcome?: ReplyOutcome;
  readonly before: string;
  readonly after: string;
  /** Why it can move money. */
  readonly money: string | undefined;
}

export interface ReplayChange {
  readonly part: NoticedChange['part'];
  /** Every operation that it happens to. */
  readonly operations: readonly string[];
  /** Every field of the v1 call, or of the reply, that changes in the same way. */
  readonly fields: readonly string[];
  readonly outcomes: readonly ReplyOutcome[];
  /** A few of the values, with a request for which it happens. Its values are made up. */
  readonly examples: readonly { readonly before: string; readonly after: string; readonly request: string }[];
  /** How many further pairs of values there are. */
  readonly moreExamples: number;
  /** How many remembered shapes can meet it, and how many requests came in them. */
  readonly shapes: number;
  readonly requests: number;
  readonly money?: string;
}

/** A change, the shapes whose request met it, and that request in words. */
export interface Met {
  readonly change: NoticedChange;
  readonly seen: readonly SeenShape[];
  readonly request: string;
}

interface Group {
  readonly change: NoticedChange;
  readonly operations: Set<string>;
  readonly fields: Set<string>;
  readonly outcomes: Set<ReplyOutcome>;
  readonly seen: Set<SeenShape>;
  readonly pairs: Map<string, ReplayChange['examples'][number]>;
}

const EXAMPLES_MAX = 4;

/** What moves money first, then what v1 is asked, then what is met most. */
export function groupChanges(met: Iterable<Met>): ReplayChange[] {
  const groups = new Map<string, Group>();
  for (const { change, seen, request } of met) {
    const { operation, part, field = '', outcome = '' } = change;
    const fate = part === 'fate' ? `${change.before} ${change.after}` : '';
    const key = [operation, part, field, outcome, fate].join('\0');
    const group = groups.get(key) ?? groupOf(change);
    groups.set(key, group);
    for (const one of seen) group.seen.add(one);
    const pair = `${change.before}\0${change.after}`;
    if (!group.pairs.has(pair)) group.pairs.set(pair, { before: change.before, after: change.after, request });
  }
  const merged = WHERE.reduce((all, where) => mergeAlike(all, where), [...groups.values()]);
  return merged.map(toChange).sort(byWeight);
}

function groupOf(change: NoticedChange): Group {
  return {
    change,
    operations: new Set([change.operation]),
    fields: new Set(change.field === undefined ? [] : [change.field]),
    outcomes: new Set(change.outcome === undefined ? [] : [change.outcome]),
    seen: new Set(),
    pairs: new Map(),
  };
}

const WHERE = ['operations', 'outcomes', 'fields'] as const;

/** Groups that differ in nothing but where they happen, in one of these ways. */
function mergeAlike(groups: readonly Group[], where: (typeof WHERE)[number]): Group[] {
  const merged = new Map<string, Group>();
  for (const group of groups) {
    const { part, money = '' } = group.change;
    const rest = WHERE.filter((one) => one !== where).map((one) => [...group[one]].sort().join());
    const key = [part, money, ...rest, ...[...group.pairs.keys()].sort()].join('\0\0');
    const known = merged.get(key);
    if (known === undefined) merged.set(key, group);
    else {
      for (const item of group[where]) (known[where] as Set<string>).add(item);
      for (const seen of group.seen) known.seen.add(seen);
    }
  }
  return [...merged.values()];
}

function toChange({ change, operations, fields, outcomes, seen, pairs }: Group): ReplayChange {
  const examples = [...pairs.values()];
  return {
    part: change.part,
    operations: [...operations].sort(),
    fields: [...fields],
    outcomes: [...outcomes],
    examples: examples.slice(0, EXAMPLES_MAX),
    moreExamples: Math.max(0, examples.length - EXAMPLES_MAX),
    shapes: seen.size,
    requests: [...seen].reduce((sum, { count }) => sum + count, 0),
    ...(change.money === undefined ? {} : { money: change.money }),
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

/** Of which part of the walk it is; empty for an order that is taken or refused, whose values say so. */
export function partWords({ part, fields, outcomes }: Pick<ReplayChange, 'part' | 'fields' | 'outcomes'>): string {
  if (part === 'fate') return '';
  if (part === 'call') return fields.includes('endpoint') ? 'v1 call' : `v1 call, ${fields.join(', ')}`;
  if (part !== 'reply') return part;
  return `reply to ${outcomes.join(', ')}, ${fields.includes('') ? 'the list' : fields.join(', ')}`;
}

const SHOWN_MAX = 60;
/** How much of what is the same stands before the first difference of two long texts. */
const LEAD = 24;

/** Two lists begin alike: shown is the place where they differ. */
export function shownPair(before: string, after: string): readonly [before: string, after: string] {
  let same = 0;
  while (same < Math.min(before.length, after.length) && before[same] === after[same]) same += 1;
  const isLong = before.length > SHOWN_MAX || after.length > SHOWN_MAX;
  const from = isLong ? same - LEAD : 0;
  const show = (text: string): string => (from > 0 ? `…${short(text.slice(from))}` : short(text));
  return [show(before), show(after)];
}

function short(text: string): string {
  const shown = text === '' ? "''" : text;
  return shown.length > SHOWN_MAX ? `${shown.slice(0, SHOWN_MAX - 1)}…` : shown;
}
