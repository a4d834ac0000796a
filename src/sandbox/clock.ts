/** The one source of time in the sandbox. Everything that waits, waits on it, so that a test can move ten minutes at once. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `fire` once, when `delayMs` have passed. A timer never keeps the process alive. */
  setTimer(delayMs: number, fire: () => void): ClockTimer;
  /** Moves the time forward and fires what falls due, in order of time. */
  advance(ms: number): void;
}

export interface ClockTimer {
  cancel(): void;
}

interface Waiting {
  readonly dueAt: number;
  readonly fire: () => void;
  isCancelled: boolean;
}

// Longest delay that setTimeout takes; a longer wait is looked at again when this has passed.
const TIMEOUT_MAX_MS = 2_147_483_647;

/** Time that stands still until it is moved. */
export function createVirtualClock(startMs = Date.UTC(2026, 0, 1, 9)): Clock {
  let nowMs = startMs;
  const timers = new TimerQueue();
  return {
    now: () => nowMs,
    setTimer: (delayMs, fire) => timers.add(nowMs + Math.max(0, delayMs), fire),
    advance(ms) {
      const target = nowMs + ms;
      timers.fireUntil(target, (dueAt) => (nowMs = Math.max(nowMs, dueAt)));
      nowMs = target;
    },
  };
}

/** The machine's time, which can be moved forward as well. */
export function createRealClock(): Clock {
  let offsetMs = 0;
  let alarm: NodeJS.Timeout | undefined;
  const timers = new TimerQueue();
  const now = () => Date.now() + offsetMs;
  const fireDue = () => {
    timers.fireUntil(now(), () => undefined);
    arm();
  };
  const arm = () => {
    clearTimeout(alarm);
    const dueAt = timers.nextDueAt();
    if (dueAt === undefined) return;
    alarm = setTimeout(fireDue, Math.min(Math.max(0, dueAt - now()), TIMEOUT_MAX_MS));
    alarm.unref();
  };
  return {
    now,
    setTimer(delayMs, fire) {
      const timer = timers.add(now() + Math.max(0, delayMs), fire);
      arm();
      return timer;
    },
    advance(ms) {
      offsetMs += ms;
      fireDue();
    },
  };
}

/** Timers in order of their times; those of one time in the order in which they were set. */
class TimerQueue {
  readonly #waiting: Waiting[] = [];

  add(dueAt: number, fire: () => void): ClockTimer {
    const waiting: Waiting = { dueAt, fire, isCancelled: false };
    let from = 0;
    let to = this.#waiting.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#waiting[middle]?.dueAt ?? 0) <= dueAt) from = middle + 1;
      else to = middle;
    }
    this.#waiting.splice(from, 0, waiting);
    return { cancel: () => void (waiting.isCancelled = true) };
  }

  /** A cancelled timer stays until its time has come; then it does nothing. */
  nextDueAt(): number | undefined {
    return this.#waiting[0]?.dueAt;
  }

  fireUntil(target: number, onTime: (dueAt: number) => void): void {
    for (let next = this.#waiting[0]; next !== undefined && next.dueAt <= target; next = this.#waiting[0]) {
      this.#waiting.shift();
      onTime(next.dueAt);
      if (!next.isCancelled) next.fire();
    }
  }
}

// The specification gives times without an offset to a Nigerian service, so they are West Africa Time, which is UTC+1 all year.
const OFFSET_MS = 60 * 60_000;

/** `YYYY-MM-DD HH:MM:SS` (sections 2.3 and 2.4). */
export function watText(ms: number): string {
  return new Date(ms + OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ');
}

/** ISO 8601 with offset (section 6). */
export function watIso(ms: number): string {
  return `${new Date(ms + OFFSET_MS).toISOString().slice(0, 19)}+01:00`;
}
