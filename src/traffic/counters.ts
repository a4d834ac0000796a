/**
 * Counts what was seen in requests, in memory and within bounds, because strangers decide how many different requests come. Only
 * `trafficOf` reads the bodies of tallies, and converts them for operators and tools.
 */
import type { SeenShape, Traffic, UnknownAddress, UnlistedWord, UsedWord } from '../domain/traffic';

/** Shapes of requests; words that are in no table; addresses without a route; words of tables that scripts sent. */
export const TALLY_KINDS = ['shape', 'unlisted', 'address', 'used'] as const;
export type TallyKind = (typeof TALLY_KINDS)[number];

export interface Tally {
  readonly kind: TallyKind;
  /** The owner whose bound it counts against: the caller of a shape, the table of a word. */
  readonly owner: string;
  /** The counted thing as JSON; equal things have equal texts. */
  readonly body: string;
  readonly count: number;
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
  /** The number of refusals by error code. */
  readonly refusals: Readonly<Record<string, number>>;
}

/** How many tallies of each kind are kept, in total and for one owner. */
export type TallyRoom = Readonly<Record<TallyKind, { readonly max: number; readonly ofOwnerMax: number }>>;

/** About ten megabytes if full of large shapes. A gateway with a thousand scripts has a few thousand shapes. */
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
 * The entries to drop if there is no more room: first those that were seen only once, so that noise does not displace known ones,
 * then those that were not seen for the longest time.
 */
export function entriesToDrop<T extends Seen>(entries: readonly T[], howMany: number): readonly T[] {
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

/** Adds two tallies of the same thing. */
export function mergeTallies(one: Tally, other: Tally): Tally {
  return {
    ...one,
    count: one.count + other.count,
    firstSeenMs: Math.min(one.firstSeenMs, other.firstSeenMs),
    lastSeenMs: Math.max(one.lastSeenMs, other.lastSeenMs),
    refusals: addRefusals(one.refusals, other.refusals),
  };
}

export interface Added {
  /** The number of shapes that are kept now. */
  readonly shapes: number;
  /** The number of requests in counters that were dropped because there was no room. */
  readonly forgotten: number;
}

/** A counter that has not risen for this long is dropped. */
export const UNSEEN_MS_MAX = 90 * 24 * 3_600_000;

export class Counters {
  /** When counting began. */
  readonly sinceMs: number;
  readonly #room: TallyRoom;
  readonly #kept = new Map<TallyKind, Map<string, Tally>>(TALLY_KINDS.map((kind) => [kind, new Map<string, Tally>()]));
  #forgotten = 0;

  constructor(sinceMs: number, room: TallyRoom = TALLY_ROOM) {
    this.sinceMs = sinceMs;
    this.#room = room;
  }

  /** The number of requests that were not counted because there was no room, here or in the recorder. */
  get forgotten(): number {
    return this.#forgotten;
  }

  *tallies(): Generator<Tally> {
    for (const entries of this.#kept.values()) yield* entries.values();
  }

  add(tallies: Iterable<Tally>, forgotten: number, nowMs: number): Added {
    for (const tally of tallies) this.#count(tally);
    let driven = 0;
    for (const [kind, entries] of this.#kept) {
      for (const [key, { lastSeenMs }] of entries) if (nowMs - lastSeenMs > UNSEEN_MS_MAX) entries.delete(key);
      driven += this.#makeRoom(kind, entries);
    }
    this.#forgotten += forgotten + driven;
    return { shapes: this.#kept.get('shape')!.size, forgotten: driven };
  }

  #count(tally: Tally): void {
    const entries = this.#kept.get(tally.kind);
    const before = entries?.get(keyOf(tally));
    entries?.set(keyOf(tally), before === undefined ? tally : mergeTallies(before, tally));
  }

  /** Applies the limit of each owner, then that of all. Gives the number of requests in the counters that were dropped. */
  #makeRoom(kind: TallyKind, entries: Map<string, Tally>): number {
    const { max, ofOwnerMax } = this.#room[kind];
    const ofOwner = new Map<string, Tally[]>();
    for (const tally of entries.values()) {
      const own = ofOwner.get(tally.owner);
      if (own === undefined) ofOwner.set(tally.owner, [tally]);
      else own.push(tally);
    }
    const gone = [...ofOwner.values()].flatMap((own) => entriesToDrop(own, own.length - ofOwnerMax));
    for (const tally of gone) entries.delete(keyOf(tally));
    const more = entriesToDrop([...entries.values()], entries.size - max);
    for (const tally of more) entries.delete(keyOf(tally));
    return [...gone, ...more].reduce((sum, { count }) => sum + count, 0);
  }
}

function keyOf({ owner, body }: Tally): string {
  return `${owner}\0${body}`;
}

/** The content of the counters in the form for operators and tools. */
export function trafficOf(counters: Counters): Traffic {
  const { sinceMs, forgotten } = counters;
  const of = <T>(kind: TallyKind, build: (body: object, tally: Tally) => T): T[] =>
    [...counters.tallies()]
      .filter((tally) => tally.kind === kind)
      .sort((a, b) => b.count - a.count || b.lastSeenMs - a.lastSeenMs)
      .map((tally) => build(JSON.parse(tally.body) as object, tally));
  const seen = ({ count, lastSeenMs }: Tally): { count: number; lastSeenMs: number } => ({ count, lastSeenMs });
  return {
    sinceMs,
    shapes: of('shape', (body, tally) => ({
      // A key that JSON left out is undefined.
      ...({ format: undefined, caller: undefined, ...body } as Pick<
        SeenShape,
        'shape' | 'operation' | 'format' | 'family' | 'caller'
      >),
      ...seen(tally),
      firstSeenMs: tally.firstSeenMs,
      refusals: tally.refusals,
    })),
    unlistedWords: of('unlisted', (body, tally) => ({
      ...({ format: undefined, ...body } as Omit<UnlistedWord, 'count' | 'lastSeenMs'>),
      ...seen(tally),
    })),
    unknownAddresses: of('address', (body, tally) => ({
      ...(body as Omit<UnknownAddress, 'count' | 'lastSeenMs'>),
      ...seen(tally),
    })),
    usedWords: of('used', (body, tally) => ({ ...(body as Omit<UsedWord, 'count' | 'lastSeenMs'>), ...seen(tally) })),
    forgotten,
  };
}
