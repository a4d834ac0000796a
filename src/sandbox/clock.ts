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
  readonly sequence: number;
  readonly fire: () => void;
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

/** A binary heap by due time, then by the order in which timers were set. */
class TimerQueue {
  readonly #heap: Waiting[] = [];
  readonly #cancelled = new Set<Waiting>();
  #sequence = 0;

  add(dueAt: number, fire: () => void): ClockTimer {
    const waiting: Waiting = { dueAt, sequence: this.#sequence++, fire };
    let index = this.#heap.push(waiting) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(waiting, this.#at(parent))) break;
      this.#heap[index] = this.#at(parent);
      index = parent;
    }
    this.#heap[index] = waiting;
    let isOpen = true;
    const cancel = () => {
      if (isOpen) this.#cancelled.add(waiting);
      isOpen = false;
    };
    return { cancel };
  }

  nextDueAt(): number | undefined {
    this.#dropCancelled();
    return this.#heap[0]?.dueAt;
  }

  fireUntil(target: number, onTime: (dueAt: number) => void): void {
    for (;;) {
      this.#dropCancelled();
      const next = this.#heap[0];
      if (next === undefined || next.dueAt > target) return;
      this.#pop();
      onTime(next.dueAt);
      next.fire();
    }
  }

  #dropCancelled(): void {
    for (let first = this.#heap[0]; first !== undefined && this.#cancelled.delete(first); first = this.#heap[0]) this.#pop();
  }

  #pop(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= this.#heap.length) break;
      if (child + 1 < this.#heap.length && isBefore(this.#at(child + 1), this.#at(child))) child += 1;
      if (!isBefore(this.#at(child), last)) break;
      this.#heap[index] = this.#at(child);
      index = child;
    }
    this.#heap[index] = last;
  }

  #at(index: number): Waiting {
    const waiting = this.#heap[index];
    if (waiting === undefined) throw new Error(`no timer at ${index}`);
    return waiting;
  }
}

function isBefore(a: Waiting, b: Waiting): boolean {
  return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.sequence < b.sequence);
}
