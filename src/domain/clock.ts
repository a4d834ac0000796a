/** The clock is a part that is passed in, so that tests can set the time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds for durations: they only go forward, even when the time of day (`now`) is set back. */
  elapsed(): number;
  /** When the time of day was last read, by `elapsed`, where it is another machine's and counted on in between; else it is read with each call of `now`. */
  readAtMs?(): number;
  /** Calls `run` once after `delayMs`. The returned function cancels that. */
  after(delayMs: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(delayMs, run) {
    // A deadline may be over by a fraction of a millisecond, and Node 24 prints a warning for a negative delay.
    const timer = setTimeout(run, Math.max(0, delayMs));
    return () => clearTimeout(timer);
  },
};

/** The clock of a serving process. Where machines share a journal, all of them go by the time of its database from when that is open. */
export interface FollowingClock extends Clock {
  follow(time: TimeOfAnother): void;
}

/** See `Clock`. */
export type TimeOfAnother = Required<Pick<Clock, 'now' | 'readAtMs'>>;

export function createFollowingClock(machine: Clock): FollowingClock {
  let followed: TimeOfAnother = { now: () => machine.now(), readAtMs: () => machine.elapsed() };
  return { ...machine, now: () => followed.now(), readAtMs: () => followed.readAtMs(), follow: (time) => void (followed = time) };
}

/** Resolves after `delayMs`. */
export function pause(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => clock.after(delayMs, resolve));
}

/** One time limit for several waits of a stop, one after another. It counts from `begin`. */
export function createDeadline(clock: Clock, limitMs: number): { begin(): void; leftMs(): number } {
  let age = (): number => 0;
  return { begin: () => void (age = startAge(clock)), leftMs: () => Math.max(0, limitMs - age()) };
}

/** The promise's value, or `undefined` when it takes longer than `delayMs`. The work behind the promise goes on. */
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
 * Returns a function that gives the milliseconds since now, by the clock that shows more. `elapsed` may stand still while the machine
 * is suspended, and `now` may be set back. Where acting too late does harm, the longer time is the safe one.
 */
export function startAge(clock: Clock): () => number {
  const fromMs = clock.now();
  const fromElapsedMs = clock.elapsed();
  return () => Math.max(clock.now() - fromMs, clock.elapsed() - fromElapsedMs);
}

/**
 * Wakes all that wait for a change. There may be very many signals with a few waits each: the waits of one share one promise and one timer, which
 * takes a third of the memory. They all wake together, at the change or when the shortest wait is over, so each must check again whether its own
 * wait is over.
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

  /** A function bound to this signal, so that it can be passed on. */
  readonly emit = (): void => {
    if (this.#next === undefined) return;
    const wake = this.#wake;
    this.#cancel();
    this.#next = undefined;
    this.#wake = this.#cancel = nothing;
    this.#dueAtMs = Infinity;
    wake();
  };

  /** Resolves at the next change, after `delayMs`, or when a shorter wait of this signal is over. */
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

/** By how much a wrong clock may differ: at most a day and a time zone. */
export const CLOCK_ERROR_MS = 26 * 3_600_000;

/**
 * Watches whether the time of day runs evenly. A proof by "so long ago" is worthless if somebody has set the clock in between:
 * the time of day may show a day more after one second.
 */
export interface Steadiness {
  /** Milliseconds for which the clock has not been set. They count from the beginning, or from the call that noticed a set clock. */
  steadyForMs(): number;
  /** By how many milliseconds the clock was set in all, as far as the calls of `steadyForMs` have noticed. */
  setByMs(): number;
  /** How many milliseconds ago this time of day was, by the clock as it was set then. If the clock may have shown it twice, the later time counts. */
  agoMs(atMs: number): number;
  /** A time of day that is not later than any that the clock has shown in the last `backMs` milliseconds, however it was set. */
  before(backMs: number): number;
}

/** A synchronised clock drifts by milliseconds between two calls. A larger difference means that somebody has set it. */
const JUMP_MS = 2_000;

/** By how much the times of two machines may differ: gateways of an earlier build go by their own clocks, within five seconds of the database's. */
export const CLOCKS_MS = 10_000;

const SETTINGS_MAX = 8;

/** One setting of the clock: the time of day is ahead of `clock.elapsed()` by `offsetMs`. Times are by `clock.elapsed()`. */
interface Setting {
  offsetMs: number;
  /** The earliest time at which the clock can have been set to this: it was last seen with the setting before at that time. */
  readonly fromMs: number;
  readonly noticedAtMs: number;
}

export function createSteadiness(clock: Clock): Steadiness {
  /** The newest first. Each of them may have held before this process too. */
  const settings: Setting[] = [];
  const beganAtMs = clock.elapsed();
  let seenAtMs = -Infinity;
  let setByMs = 0;
  const current = (): Setting => {
    const [last, fromMs] = [settings[0], seenAtMs];
    const elapsedMs = clock.elapsed();
    seenAtMs = clock.readAtMs?.() ?? elapsedMs;
    const offsetMs = clock.now() - elapsedMs;
    const jumpMs = last === undefined ? 0 : Math.abs(offsetMs - last.offsetMs);
    if (last !== undefined && jumpMs <= JUMP_MS) {
      last.offsetMs = offsetMs;
      return last;
    }
    setByMs += jumpMs;
    settings.unshift({ offsetMs, fromMs, noticedAtMs: elapsedMs });
    if (settings.length > SETTINGS_MAX) settings.pop();
    return settings[0]!;
  };
  current();
  return {
    setByMs: () => setByMs,
    steadyForMs: () => clock.elapsed() - current().noticedAtMs,
    agoMs(atMs) {
      const elapsedMs = clock.elapsed();
      // The time may be that of another machine, whose clock is ahead.
      let [latestMs, untilMs, offsetMs] = [-Infinity, elapsedMs + CLOCKS_MS, current().offsetMs];
      for (const setting of settings) {
        const thenMs = atMs - setting.offsetMs;
        const isOfSetting = thenMs >= setting.fromMs || thenMs < beganAtMs || setting === settings.at(-1);
        const isInTime = thenMs <= untilMs && isOfSetting;
        if (isInTime && thenMs > latestMs) [latestMs, offsetMs] = [thenMs, setting.offsetMs];
        untilMs = setting.noticedAtMs;
      }
      return Math.max(0, elapsedMs - (atMs - offsetMs));
    },
    before(backMs) {
      let { offsetMs } = current();
      const fromMs = clock.elapsed() - backMs;
      // Each earlier setting held until the next one was noticed, at the latest.
      for (let nth = 1; nth < settings.length && settings[nth - 1]!.noticedAtMs >= fromMs; nth += 1)
        offsetMs = Math.min(offsetMs, settings[nth]!.offsetMs);
      return fromMs + offsetMs;
    },
  };
}
