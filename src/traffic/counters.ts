/** Counters of what was seen, in memory and within a room: strangers decide how much new there is. */
import { mergeTallies, TALLY_KINDS, TALLY_ROOM, whatGivesWay, type Tally, type TallyKind, type TallyRoom } from './tally';

export interface Added {
  /** Shapes that are kept now. */
  readonly shapes: number;
  /** Requests of counters that were dropped for want of room. */
  readonly forgotten: number;
}

/** A counter that has not risen for this long is dropped. */
export const UNSEEN_MS_MAX = 90 * 24 * 3_600_000;

export class Counters {
  /** Since when it has been counted. */
  readonly sinceMs: number;
  readonly #room: TallyRoom;
  readonly #kept = new Map<TallyKind, Map<string, Tally>>(TALLY_KINDS.map((kind) => [kind, new Map<string, Tally>()]));
  #forgotten = 0;

  constructor(sinceMs: number, room: TallyRoom = TALLY_ROOM) {
    this.sinceMs = sinceMs;
    this.#room = room;
  }

  /** Requests that were not counted for want of room, here or before they came here. */
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
    const gone = [...ofOwner.values()].flatMap((own) => whatGivesWay(own, own.length - ofOwnerMax));
    for (const tally of gone) entries.delete(keyOf(tally));
    const more = whatGivesWay([...entries.values()], entries.size - max);
    for (const tally of more) entries.delete(keyOf(tally));
    return [...gone, ...more].reduce((sum, { count }) => sum + count, 0);
  }
}

function keyOf({ owner, body }: Tally): string {
  return `${owner}\0${body}`;
}
