/** Remembers traffic until the process ends: for tests, and when the folder cannot be used. */
import { mergeTallies, TALLY_KINDS, TALLY_ROOM, whatGivesWay, type Tally, type TallyKind, type TallyRoom } from './tally';
import { UNSEEN_MS_MAX, type TrafficStore } from './traffic-store';

export function createMemoryStore(nowMs: number, room: TallyRoom = TALLY_ROOM): TrafficStore {
  const kept = new Map<TallyKind, Map<string, Tally>>(TALLY_KINDS.map((kind) => [kind, new Map<string, Tally>()]));
  let sinceMs = nowMs;
  let forgotten = 0;

  const add = (tally: Tally): void => {
    const entries = kept.get(tally.kind)!;
    const key = `${tally.owner}\0${tally.body}`;
    const before = entries.get(key);
    entries.set(key, before === undefined ? tally : mergeTallies(before, tally));
  };

  const drop = (entries: Map<string, Tally>, tallies: readonly Tally[]): void => {
    for (const { owner, body, count } of tallies) {
      entries.delete(`${owner}\0${body}`);
      forgotten += count;
    }
  };

  /** Of the owners that grew, then of all. */
  const makeRoom = (kind: TallyKind, owners: ReadonlySet<string>): void => {
    const entries = kept.get(kind)!;
    const { max, ofOwnerMax } = room[kind];
    for (const owner of owners) {
      const own = [...entries.values()].filter((tally) => tally.owner === owner);
      drop(entries, whatGivesWay(own, own.length - ofOwnerMax));
    }
    drop(entries, whatGivesWay([...entries.values()], entries.size - max));
  };

  return {
    add: async (tallies, more, now) => {
      const before = forgotten;
      for (const entries of kept.values())
        for (const [key, { lastSeenMs }] of entries) if (now - lastSeenMs > UNSEEN_MS_MAX) entries.delete(key);
      for (const tally of tallies) add(tally);
      for (const kind of TALLY_KINDS)
        makeRoom(kind, new Set(tallies.flatMap((tally) => (tally.kind === kind ? [tally.owner] : []))));
      const driven = forgotten - before;
      forgotten += more;
      return { shapes: kept.get('shape')!.size, forgotten: driven };
    },
    read: async () => ({ sinceMs, forgotten, tallies: [...kept.values()].flatMap((entries) => [...entries.values()]) }),
    forget: async (now) => {
      for (const entries of kept.values()) entries.clear();
      sinceMs = now;
      forgotten = 0;
    },
    close: () => Promise.resolve(),
  };
}
