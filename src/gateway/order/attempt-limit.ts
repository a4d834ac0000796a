/**
 * Whose turn it is to send a purchase again. An order's first attempt and its first repetition need no turn: whatever
 * the state of v1, each order is asked about once. Beyond that a repetition waits until v1 can bear it (`pace`). Orders that
 * a script waits for go first, then the key with the fewest repetitions in flight, then whoever came first.
 */
import type { Clock } from '../../domain/clock';
import { createPace, type Trouble } from './pace';

export interface AttemptLimit {
  /** An attempt that needs no turn. */
  begin(): Attempt;
  /** A turn, or `undefined` when none came within so many milliseconds. */
  admit(turn: Turn, waitMs: number): Promise<Attempt | undefined>;
}

export interface Attempt {
  /** Reports how v1 answered, after so many milliseconds. Without this `release` gives the turn back. */
  learn(trouble: Trouble | undefined, tookMs: number): void;
  release(): void;
}

export interface Turn {
  /** Fingerprint of the key. */
  readonly owner: string;
  /** Whether a script waits for the end of this order. */
  readonly isAwaited: () => boolean;
}

/** One key has at most this share of the limit, so that its bad line does not take the turns of all; more while no other waits. */
const SHARE_OF_KEY = 0.25;
const SHARE_OF_LONE_KEY = 0.75;

interface Waiting extends Turn {
  readonly grant: () => void;
}

export function createAttemptLimit(clock: Clock): AttemptLimit {
  const pace = createPace(clock);
  const waiting = new Set<Waiting>();
  const inFlightOf = new Map<string, number>();
  let inFlight = 0;
  let isTimed = false;

  const count = (owner: string, by: 1 | -1): void => {
    inFlight += by;
    const own = (inFlightOf.get(owner) ?? 0) + by;
    if (own === 0) inFlightOf.delete(owner);
    else inFlightOf.set(owner, own);
  };

  const hasRoom = (owner: string, share: number): boolean => {
    const own = inFlightOf.get(owner) ?? 0;
    // Others whose attempts hang keep nobody from sending one.
    return own === 0 || (inFlight < pace.limit && own < Math.max(1, Math.floor(pace.limit * share)));
  };

  const shareNow = (): number => {
    const [first, ...others] = waiting;
    return others.some(({ owner }) => owner !== first?.owner) ? SHARE_OF_KEY : SHARE_OF_LONE_KEY;
  };

  const isBefore = (one: Waiting, other: Waiting): boolean => {
    if (one.isAwaited() !== other.isAwaited()) return one.isAwaited();
    return (inFlightOf.get(one.owner) ?? 0) < (inFlightOf.get(other.owner) ?? 0);
  };

  const chooseNext = (): Waiting | undefined => {
    const share = shareNow();
    let best: Waiting | undefined;
    for (const one of waiting) if (hasRoom(one.owner, share) && (best === undefined || isBefore(one, best))) best = one;
    return best;
  };

  const grantAll = (): void => {
    while (waiting.size > 0) {
      const probeInMs = pace.nextProbeInMs();
      if (probeInMs > 0) return grantLater(probeInMs);
      const next = chooseNext();
      if (next === undefined) return;
      pace.probed();
      waiting.delete(next);
      count(next.owner, 1);
      next.grant();
    }
  };

  const grantLater = (delayMs: number): void => {
    if (isTimed) return;
    isTimed = true;
    clock.after(delayMs, () => {
      isTimed = false;
      grantAll();
    });
  };

  const attemptOf = (owner: string | undefined): Attempt => ({
    learn(trouble, tookMs) {
      pace.learn(trouble, tookMs);
      grantAll();
    },
    release() {
      if (owner !== undefined) count(owner, -1);
      grantAll();
    },
  });
  const free = attemptOf(undefined);

  return {
    begin: () => free,
    admit: (turn, waitMs) =>
      new Promise((resolve) => {
        const one: Waiting = {
          ...turn,
          grant() {
            cancel();
            resolve(attemptOf(turn.owner));
          },
        };
        const cancel = clock.after(waitMs, () => {
          waiting.delete(one);
          resolve(undefined);
        });
        waiting.add(one);
        grantAll();
      }),
  };
}
