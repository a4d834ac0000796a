/** The only source of time in the sandbox. Everything that waits uses its timers, so a test can move ten minutes at once. */
import { WAT_OFFSET_MS } from '../domain/day';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `fire` once, when `delayMs` have passed. A timer never keeps the process alive. Returns how to cancel it. */
  setTimer(delayMs: number, fire: () => void): () => void;
  /** Moves the time forward and fires the timers that fall due, in order of their times. */
  advance(ms: number): void;
}

interface Waiting {
  readonly dueAt: number;
  readonly fire: () => void;
  isCancelled: boolean;
}

// The longest delay of setTimeout. After it, a longer wait sets the timeout again.
const TIMEOUT_MAX_MS = 2_147_483_647;

/** A clock that changes only through `advance`. */
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

/** The machine's clock plus `offsetMs` and whatever `advance` has added. */
export function createRealClock(offsetMs = 0): Clock {
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
      const cancel = timers.add(now() + Math.max(0, delayMs), fire);
      arm();
      return cancel;
    },
    advance(ms) {
      offsetMs += ms;
      fireDue();
    },
  };
}

/** Timers in order of their times. Timers of the same time are in the order in which they were set. */
class TimerQueue {
  readonly #waiting: Waiting[] = [];

  add(dueAt: number, fire: () => void): () => void {
    const waiting: Waiting = { dueAt, fire, isCancelled: false };
    let from = 0;
    let to = this.#waiting.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#waiting[middle]?.dueAt ?? 0) <= dueAt) from = middle + 1;
      else to = middle;
    }
    this.#waiting.splice(from, 0, waiting);
    return () => void (waiting.isCancelled = true);
  }

  /** The time of the first timer. Cancelled timers count too: they stay in the queue until their time and then do nothing. */
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

/** `YYYY-MM-DD HH:MM:SS` (sections 2.3 and 2.4). The specification names no zone; the service is Nigerian. */
export function watText(ms: number): string {
  return new Date(ms + WAT_OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ');
}

/** ISO 8601 with offset (section 6). */
export function watIso(ms: number): string {
  return `${new Date(ms + WAT_OFFSET_MS).toISOString().slice(0, 19)}+01:00`;
}
