/** One thing that was seen, and how often: what the stores of traffic add up. Stores know nothing of what it says. */

/** Shapes; words that no table has; addresses that nothing is served at; words of the tables that came. */
export const TALLY_KINDS = ['shape', 'unlisted', 'address', 'used'] as const;
export type TallyKind = (typeof TALLY_KINDS)[number];

export interface Tally {
  readonly kind: TallyKind;
  /** Whose room it takes: the caller of a shape, the table of a word. */
  readonly owner: string;
  /** What was seen, as JSON; equal things have equal texts. */
  readonly body: string;
  readonly count: number;
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
  /** By code. */
  readonly refusals: Readonly<Record<string, number>>;
}

/** How much of each kind is kept, in all and of one owner. */
export type TallyRoom = Readonly<Record<TallyKind, { readonly max: number; readonly ofOwnerMax: number }>>;

/** About ten megabytes when full of large shapes; a gateway with a thousand scripts has a few thousand shapes. */
export const TALLY_ROOM: TallyRoom = {
  shape: { max: 5_000, ofOwnerMax: 200 },
  unlisted: { max: 1_000, ofOwnerMax: 200 },
  address: { max: 500, ofOwnerMax: 500 },
  used: { max: 2_000, ofOwnerMax: 1_000 },
};

export interface Seen {
  readonly count: number;
  readonly lastSeenMs: number;
}

/**
 * What gives way when there is no more room: first what came only once, so that noise does not drive out what is known,
 * then what was not seen for the longest time.
 */
export function whatGivesWay<T extends Seen>(entries: readonly T[], howMany: number): readonly T[] {
  if (howMany <= 0) return [];
  return [...entries].sort((a, b) => Number(a.count > 1) - Number(b.count > 1) || a.lastSeenMs - b.lastSeenMs).slice(0, howMany);
}

export function addRefusals(
  one: Readonly<Record<string, number>>,
  other: Readonly<Record<string, number>>,
): Record<string, number> {
  const sum = { ...one };
  for (const [code, count] of Object.entries(other)) sum[code] = (sum[code] ?? 0) + count;
  return sum;
}

/** One and the same thing, counted in two places. */
export function mergeTallies(one: Tally, other: Tally): Tally {
  return {
    ...one,
    count: one.count + other.count,
    firstSeenMs: Math.min(one.firstSeenMs, other.firstSeenMs),
    lastSeenMs: Math.max(one.lastSeenMs, other.lastSeenMs),
    refusals: addRefusals(one.refusals, other.refusals),
  };
}
