/**
 * Whose turn it is to send a purchase again. An order's first attempt and its first repetition need no turn: whatever
 * the state of v1, each order is asked about once. Beyond that a repetition waits until v1 can bear it (`pace`). Orders that
 * a script waits for go first, then the key with the fewest repetitions in flight, then whoever came first.
 */
import type { Clock } from '../../domain/clock';
import { createPace, type Pace, type Trouble } from './pace';

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
  return new Turns(clock);
}

class Turns implements AttemptLimit {
  readonly #clock: Clock;
  readonly #pace: Pace;
  readonly #waiting = new Set<Waiting>();
  readonly #inFlightOf = new Map<string, number>();
  readonly #free = this.#attemptOf(undefined);
  #inFlight = 0;
  #isTimed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#pace = createPace(clock);
  }

  begin(): Attempt {
    return this.#free;
  }

  admit(turn: Turn, waitMs: number): Promise<Attempt | undefined> {
    return new Promise((resolve) => {
      const one: Waiting = {
        ...turn,
        grant: () => {
          cancel();
          resolve(this.#attemptOf(turn.owner));
        },
      };
      const cancel = this.#clock.after(waitMs, () => {
        this.#waiting.delete(one);
        resolve(undefined);
      });
      this.#waiting.add(one);
      this.#grantAll();
    });
  }

  /** Without an owner it takes no turn and gives none back. */
  #attemptOf(owner: string | undefined): Attempt {
    return {
      learn: (trouble, tookMs) => {
        this.#pace.learn(trouble, tookMs);
        this.#grantAll();
      },
      release: () => {
        if (owner !== undefined) this.#count(owner, -1);
        this.#grantAll();
      },
    };
  }

  #grantAll(): void {
    while (this.#waiting.size > 0) {
      const probeInMs = this.#pace.nextProbeInMs();
      if (probeInMs > 0) return this.#grantLater(probeInMs);
      const next = this.#chooseNext();
      if (next === undefined) return;
      this.#pace.probed();
      this.#waiting.delete(next);
      this.#count(next.owner, 1);
      next.grant();
    }
  }

  #grantLater(delayMs: number): void {
    if (this.#isTimed) return;
    this.#isTimed = true;
    this.#clock.after(delayMs, () => {
      this.#isTimed = false;
      this.#grantAll();
    });
  }

  #chooseNext(): Waiting | undefined {
    const share = this.#shareNow();
    let best: Waiting | undefined;
    for (const one of this.#waiting)
      if (this.#hasRoom(one.owner, share) && (best === undefined || this.#isBefore(one, best))) best = one;
    return best;
  }

  #shareNow(): number {
    const [first, ...others] = this.#waiting;
    return others.some(({ owner }) => owner !== first?.owner) ? SHARE_OF_KEY : SHARE_OF_LONE_KEY;
  }

  #hasRoom(owner: string, share: number): boolean {
    const own = this.#inFlightOf.get(owner) ?? 0;
    // Others whose attempts hang keep nobody from sending one.
    return own === 0 || (this.#inFlight < this.#pace.limit && own < Math.max(1, Math.floor(this.#pace.limit * share)));
  }

  #isBefore(one: Waiting, other: Waiting): boolean {
    if (one.isAwaited() !== other.isAwaited()) return one.isAwaited();
    return (this.#inFlightOf.get(one.owner) ?? 0) < (this.#inFlightOf.get(other.owner) ?? 0);
  }

  #count(owner: string, by: 1 | -1): void {
    this.#inFlight += by;
    const own = (this.#inFlightOf.get(owner) ?? 0) + by;
    if (own === 0) this.#inFlightOf.delete(owner);
    else this.#inFlightOf.set(owner, own);
  }
}
