/**
 * Whose turn it is to send a purchase again. An order's first attempt and its first repetition need no turn: whatever
 * the state of v1, each order is asked about once. Beyond that a repetition waits until v1 can bear it (`pace`). Orders that
 * a script waits for go first, then the key with the fewest repetitions in flight, then whoever came first.
 */
import { createLru } from '../../domain/lru';
import type { Clock } from '../../domain/clock';
import type { Outcome } from '../../domain/outcome';

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

/** What v1 can bear, learnt from its answers to purchases: how many at a time, and whether it answers at all. */

/**
 * What was wrong with an attempt: v1 could not be reached, its answer was of no use (an error page, a reset, half a reply),
 * or none came in time.
 */
export type Trouble = 'unreachable' | 'unusable' | 'silent';

/** An answer without trouble may be a refusal. */
export function troubleOf(outcome: Outcome, isOutOfTime: boolean): Trouble | undefined {
  if (outcome.kind === 'not_sent') return 'unreachable';
  if (outcome.kind !== 'unknown') return undefined;
  return isOutOfTime ? 'silent' : 'unusable';
}

export interface Pace {
  /** How many repetitions may be in flight. */
  readonly limit: number;
  /** Takes note of an attempt that has ended; without trouble v1 has answered, be it with a refusal. */
  learn(trouble: Trouble | undefined, tookMs: number): void;
  /** While the circuit is open: milliseconds until the next probe may go. 0 otherwise. */
  nextProbeInMs(): number;
  /** A repetition goes out now; while the circuit is open it is the probe. */
  probed(): void;
}

const LIMIT_FIRST = 16;
const LIMIT_LEAST = 2;
const LIMIT_MOST = 128;
/** After an outage. It grows by one with each answer, so it doubles with each round. */
const LIMIT_AFTER_OUTAGE = 4;
/** v1 is slow while its latest answers take so many times as long as they usually do. */
const SLOW_FACTOR = 3;
const USUAL_WEIGHT = 0.01;
const LATEST_WEIGHT = 0.2;
/** So many attempts in a row with one kind of trouble open the circuit; one answer closes it. */
const OPEN_AFTER = 20;
/** A hanging call holds a connection of v1, a refused one costs it next to nothing. */
const PROBE_EVERY_MS: Readonly<Record<Trouble, number>> = { unreachable: 250, unusable: 500, silent: 2_000 };

export function createPace(clock: Clock): Pace {
  const runs: Record<Trouble, number> = { unreachable: 0, unusable: 0, silent: 0 };
  let limit = LIMIT_FIRST;
  let usualMs: number | undefined;
  let latestMs = 0;
  let probedAt = Number.NEGATIVE_INFINITY;

  const openFor = (): Trouble | undefined => (Object.keys(runs) as Trouble[]).find((kind) => runs[kind] >= OPEN_AFTER);

  const learnAnswer = (tookMs: number): void => {
    if (openFor() !== undefined) limit = LIMIT_AFTER_OUTAGE;
    runs.unreachable = runs.unusable = runs.silent = 0;
    if (usualMs === undefined) latestMs = usualMs = tookMs;
    usualMs += (tookMs - usualMs) * USUAL_WEIGHT;
    latestMs += (tookMs - latestMs) * LATEST_WEIGHT;
    limit = latestMs > usualMs * SLOW_FACTOR ? Math.max(LIMIT_LEAST, limit * 0.95) : Math.min(LIMIT_MOST, limit + 1);
  };

  return {
    get limit() {
      return limit;
    },
    learn(trouble, tookMs) {
      if (trouble === undefined) return learnAnswer(tookMs);
      runs[trouble] += 1;
      // Silence is what a v1 shows that has more to do than it can; an error page costs it little.
      if (trouble === 'silent') limit = Math.max(LIMIT_LEAST, limit * 0.7);
    },
    nextProbeInMs() {
      const trouble = openFor();
      return trouble === undefined ? 0 : Math.max(0, probedAt + PROBE_EVERY_MS[trouble] - clock.elapsed());
    },
    probed() {
      probedAt = clock.elapsed();
    },
  };
}

/**
 * How often receipts are read with one key. Each pending order asks again on its own, more and more seldom; thousands held at
 * once would ask v1 thousands of times a second all the same. The last reading before a script's patience ends is never put off.
 */

export interface ReceiptPace {
  /** Milliseconds until the key's next turn, which is thereby taken. */
  nextInMs(owner: string): number;
}

/** One reading in so many milliseconds, of all processes that serve as one: 200 a second. */
const EVERY_MS = 5;
const KEYS_MAX = 10_000;

export function createReceiptPace(clock: Pick<Clock, 'elapsed'>, processes = 1): ReceiptPace {
  const nextAtMs = createLru<string, number>(KEYS_MAX);
  return {
    nextInMs(owner) {
      const nowMs = clock.elapsed();
      const atMs = Math.max(nowMs, nextAtMs.get(owner) ?? 0);
      nextAtMs.set(owner, atMs + EVERY_MS * processes);
      return atMs - nowMs;
    },
  };
}
