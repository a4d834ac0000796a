/** Time as a part that is passed in, so that a test can move it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that only ever go forward, for durations: the time of day may be set back while somebody waits. */
  elapsed(): number;
  /** Runs once after so many milliseconds; the result calls it off. */
  after(delayMs: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(delayMs, run) {
    // What is over by a fraction of a millisecond: Node 24 prints a warning where that is below zero.
    const timer = setTimeout(run, Math.max(0, delayMs));
    return () => clearTimeout(timer);
  },
};

/** Resolves after so many milliseconds. */
export function pause(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => clock.after(delayMs, resolve));
}

/** So many milliseconds for all that a stop waits for, one after the other; they count from `begin`. */
export function createDeadline(clock: Clock, limitMs: number): { begin(): void; leftMs(): number } {
  let age = (): number => 0;
  return { begin: () => void (age = startAge(clock)), leftMs: () => Math.max(0, limitMs - age()) };
}

/** The promise's value, or `undefined` when it takes longer. The promise goes on either way. */
export async function within<T>(clock: Clock, delayMs: number, promise: Promise<T>): Promise<T | undefined> {
  let cancel: () => void = () => undefined;
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.after(delayMs, () => resolve(undefined));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    cancel();
  }
}

/**
 * Counts from now on: milliseconds by whichever of the two clocks says more. `elapsed` may stand still while the machine is
 * suspended, `now` may be set back: where too late is what does harm, the longer time is the safe one.
 */
export function startAge(clock: Clock): () => number {
  const fromMs = clock.now();
  const fromElapsedMs = clock.elapsed();
  return () => Math.max(clock.now() - fromMs, clock.elapsed() - fromElapsedMs);
}

/** A change that several wait for. */
export interface Signal {
  emit(): void;
  /** Resolves at the next change, or after so many milliseconds. Whoever has stopped waiting leaves nothing behind. */
  within(clock: Clock, delayMs: number): Promise<void>;
}

export function createSignal(): Signal {
  const waiting = new Set<() => void>();
  return {
    emit() {
      for (const wake of waiting) wake();
    },
    within: (clock, delayMs) =>
      new Promise((resolve) => {
        const wake = (): void => {
          cancel();
          waiting.delete(wake);
          resolve();
        };
        waiting.add(wake);
        const cancel = clock.after(delayMs, wake);
      }),
  };
}

/**
 * A change that a few wait for, in very many places at once: those of one place share one promise and one timer, which is a third of the memory.
 * They wake together, at the change or when the shortest of their waits is over, so that each looks again at what it waits for.
 */
export class CommonSignal {
  readonly #clock: Clock;
  #next: Promise<void> | undefined;
  #wake: () => void = nothing;
  #cancel: () => void = nothing;
  #dueAtMs = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A function by itself, to be handed on. */
  readonly emit = (): void => {
    if (this.#next === undefined) return;
    const wake = this.#wake;
    this.#cancel();
    this.#next = undefined;
    this.#wake = this.#cancel = nothing;
    this.#dueAtMs = Infinity;
    wake();
  };

  /** Resolves at the next change, or after so many milliseconds, or sooner where another one waits for less. */
  within(delayMs: number): Promise<void> {
    this.#next ??= new Promise((resolve) => (this.#wake = resolve));
    const dueAtMs = this.#clock.elapsed() + delayMs;
    if (dueAtMs < this.#dueAtMs) {
      this.#cancel();
      this.#dueAtMs = dueAtMs;
      this.#cancel = this.#clock.after(delayMs, this.emit);
    }
    return this.#next;
  }
}

function nothing(): void {}

/** A clock that nobody has set right shows another time by at most a day and a zone. */
export const CLOCK_ERROR_MS = 26 * 3_600_000;

/**
 * How long the time of day has run evenly. Proofs that rest on "so long ago" are worth nothing when somebody has set the
 * clock in between: a day may have passed on the wall and a second in truth.
 */

export interface Steadiness {
  /** Milliseconds since this was first asked, or since a clock that had been set was first seen. */
  steadyForMs(): number;
}

/** Clocks that are disciplined drift by milliseconds between two looks; what is more was set by somebody. */
const JUMP_MS = 2_000;

export function createSteadiness(clock: Clock): Steadiness {
  let seen: { readonly offsetMs: number; readonly sinceMs: number } | undefined;
  return {
    steadyForMs() {
      const elapsed = clock.elapsed();
      const offsetMs = clock.now() - elapsed;
      const isSteady = seen !== undefined && Math.abs(offsetMs - seen.offsetMs) <= JUMP_MS;
      seen = { offsetMs, sinceMs: isSteady ? seen!.sinceMs : elapsed };
      return elapsed - seen.sinceMs;
    },
  };
}
