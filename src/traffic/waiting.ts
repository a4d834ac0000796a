import type { ErrorCode } from '../domain/errors';
import { mergeTallies, type Tally, type TallyKind } from './tally';

/** What may wait for the store, in all and of one owner: a few megabytes at the very most. */
const WAITING_MAX = 1_000;
const WAITING_OF_OWNER_MAX = 100;

type Counter = { -readonly [Key in keyof Tally]: Tally[Key] };

/** What was seen since the last writing: bounded, because strangers decide how much new there is. */
export interface Waiting {
  /** `signature` names what was seen; `body` is asked for only when it is new. */
  count(kind: TallyKind, owner: string, signature: string, nowMs: number, body: () => object, refusal?: ErrorCode): void;
  /** Adds what another one holds. */
  take(other: Waiting): void;
  tallies(): readonly Tally[];
  forgotten(): number;
  isEmpty(): boolean;
}

export function createWaiting(): Waiting {
  const counters = new Map<string, Counter>();
  const ofOwner = new Map<string, number>();
  let forgotten = 0;

  const owned = (kind: TallyKind, owner: string): number => ofOwner.get(`${kind}\0${owner}`) ?? 0;
  const hasRoom = (kind: TallyKind, owner: string): boolean =>
    counters.size < WAITING_MAX && owned(kind, owner) < WAITING_OF_OWNER_MAX;
  const insert = (key: string, counter: Counter): void => {
    const { kind, owner } = counter;
    counters.set(key, counter);
    ofOwner.set(`${kind}\0${owner}`, owned(kind, owner) + 1);
  };

  return {
    count(kind, owner, signature, nowMs, body, refusal) {
      const key = `${kind}\0${owner}\0${signature}`;
      let counter = counters.get(key);
      if (counter === undefined) {
        // The body costs more than all the rest: not even made when there is no room.
        if (!hasRoom(kind, owner)) {
          forgotten += 1;
          return;
        }
        counter = { kind, owner, body: JSON.stringify(body()), count: 0, firstSeenMs: nowMs, lastSeenMs: nowMs, refusals: {} };
        insert(key, counter);
      }
      counter.count += 1;
      counter.lastSeenMs = nowMs;
      if (refusal !== undefined) counter.refusals = { ...counter.refusals, [refusal]: (counter.refusals[refusal] ?? 0) + 1 };
    },
    take(other) {
      forgotten += other.forgotten();
      for (const tally of other.tallies()) {
        const key = `again\0${tally.kind}\0${tally.owner}\0${tally.body}`;
        const before = counters.get(key);
        if (before !== undefined) counters.set(key, mergeTallies(before, tally));
        else if (hasRoom(tally.kind, tally.owner)) insert(key, { ...tally });
        else forgotten += tally.count;
      }
    },
    tallies: () => [...counters.values()],
    forgotten: () => forgotten,
    isEmpty: () => counters.size === 0 && forgotten === 0,
  };
}
