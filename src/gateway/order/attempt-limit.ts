/**
 * Decides which purchase may be sent again next. An order's first attempt and first repetition need no turn, so each order is
 * asked about once whatever the state of v1. Further repetitions wait until v1 can bear them (`Pace`). Orders that a script waits
 * for go first, then the key with the fewest repetitions in flight, then the oldest.
 */
import type { Clock } from '../../domain/clock';
import type { Outcome } from '../../domain/outcome';

export interface Attempt {
  /** Reports how v1 answered and how long that took. Not called for an attempt that sent nothing. */
  learn(trouble: Trouble | undefined, tookMs: number): void;
  /** Gives the turn back. Call it once for every attempt. */
  release(): void;
}

/** A repetition that wants a turn. */
export interface Repetition {
  /** Fingerprint of the key. */
  readonly owner: string;
  /** Whether a script waits for the end of this order. */
  readonly isAwaited: () => boolean;
}

/** One key has at most this share of the limit, so that it does not take the turns of all others; more while no other key waits. */
const SHARE_OF_KEY = 0.25;
const SHARE_OF_LONE_KEY = 0.75;

interface Waiting extends Repetition {
  readonly grant: () => void;
}

export class AttemptLimit {
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

  /** An attempt that needs no turn. */
  begin(): Attempt {
    return this.#free;
  }

  /** An attempt with a turn, or `undefined` when no turn came within `waitMs`. */
  admit(repetition: Repetition, waitMs: number): Promise<Attempt | undefined> {
    return new Promise((resolve) => {
      const one: Waiting = {
        ...repetition,
        grant: () => {
          cancel();
          resolve(this.#attemptOf(repetition.owner));
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

  /** An attempt without `owner` has no turn to give back. */
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
    // Each key may have one repetition in flight, even while hanging attempts of other keys fill the limit.
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

/**
 * What was wrong with an attempt: v1 could not be reached (`unreachable`), its answer was an error page, a reset or half a reply
 * (`unusable`), or no answer came in time (`silent`).
 */
export type Trouble = 'unreachable' | 'unusable' | 'silent';

/** Undefined for a usable answer, which may be a refusal. */
export function troubleOf(outcome: Outcome, isOutOfTime: boolean): Trouble | undefined {
  if (outcome.kind === 'not_sent') return 'unreachable';
  if (outcome.kind !== 'unknown') return undefined;
  return isOutOfTime ? 'silent' : 'unusable';
}

/** How many repetitions v1 can bear, learnt from its answers to purchases. */
export interface Pace {
  /** How many repetitions may be in flight. */
  readonly limit: number;
  /** Reports an attempt that has ended; `trouble` is undefined if v1 gave a usable answer. */
  learn(trouble: Trouble | undefined, tookMs: number): void;
  /** While the circuit is open: milliseconds until the next probe may be sent. 0 otherwise. */
  nextProbeInMs(): number;
  /** Call it when a repetition is sent; while the circuit is open this is the probe. */
  probed(): void;
}

const LIMIT_FIRST = 16;
const LIMIT_LEAST = 2;
const LIMIT_MOST = 128;
/** The limit after an outage. It grows by one with each answer, so it doubles when all attempts in flight are answered. */
const LIMIT_AFTER_OUTAGE = 4;
/** v1 counts as slow while its latest answers take this many times as long as usual. */
const SLOW_FACTOR = 3;
const USUAL_WEIGHT = 0.01;
const LATEST_WEIGHT = 0.2;
/** This many attempts in a row with one kind of trouble open the circuit. One usable answer closes it. */
const OPEN_AFTER = 20;
/** A call without an answer holds a connection of v1. A refused connection costs v1 next to nothing. */
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
      // A missing answer is a sign of overload, so the limit shrinks. An error page costs v1 little.
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
