/**
 * Virtual time and the only scheduler of a simulation. The seed decides the order of events of the same instant. Between two
 * events every promise that can settle does.
 */
import type { Clock } from '../../../src/domain/clock';
import type { Clock as SandboxClock } from '../../../src/sandbox/clock';
import type { Chance } from '../../chance';

interface Event {
  readonly at: number;
  readonly tie: number;
  run: (() => void) | undefined;
}

// Kept before a simulation replaces it for all other code.
const nextTurn = setImmediate;
const TURNS = 50;

export class Timeline {
  readonly #heap: Event[] = [];
  readonly #chance: Chance;
  #now: number;
  events = 0;

  constructor(startMs: number, chance: Chance) {
    this.#now = startMs;
    this.#chance = chance;
  }

  get now(): number {
    return this.#now;
  }

  /** Runs `work` once after the delay; the result cancels it. */
  after(delayMs: number, run: () => void): () => void {
    const event: Event = { at: this.#now + Math.max(0, delayMs), tie: this.#chance.next(), run };
    this.#push(event);
    return () => {
      event.run = undefined;
    };
  }

  pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve));
  }

  /** Runs what is due until that time, and leaves the clock there. */
  runUntil(endMs: number): Promise<void> {
    return this.#runWhile((next) => next !== undefined && next.at <= endMs).then(() => {
      this.#now = Math.max(this.#now, endMs);
    });
  }

  /** Runs until the promise has settled. Throws when no event is left that could settle it. */
  async runToEnd(goal: Promise<unknown>): Promise<void> {
    let isOver = false;
    void goal.finally(() => (isOver = true)).catch(() => undefined);
    await this.#runWhile((next) => {
      if (!isOver && next === undefined) throw new Error('the history stands still: a promise waits, and no event is left');
      return !isOver;
    });
    await goal;
  }

  /**
   * Runs one event in each turn of the immediate queue; between turns Node settles every promise that can settle. A dozen turns
   * are queued at a time, because a round of the event loop for each event would take longer than the event.
   */
  #runWhile(isWanted: (next: Event | undefined) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      const turn = (nth: number): void => {
        if (isOver) return;
        try {
          const next = this.#next();
          isOver = !isWanted(next);
          if (isOver) return resolve();
          this.#pop();
          this.#now = next!.at;
          this.events += 1;
          next!.run!();
          if (nth === TURNS) order();
        } catch (error) {
          isOver = true;
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      const order = (): void => {
        for (let nth = 1; nth <= TURNS; nth += 1) nextTurn(turn, nth);
      };
      order();
    });
  }

  /** The next event; cancelled events are dropped. */
  #next(): Event | undefined {
    for (let first = this.#heap[0]; first !== undefined; first = this.#heap[0]) {
      if (first.run !== undefined) return first;
      this.#pop();
    }
    return undefined;
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let index = heap.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = event;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.at < other.at || (one.at === other.at && one.tie < other.tie);
}

/** The life of a part that can end at any instant; nothing reaches it afterwards. */
export interface Life {
  isAlive: boolean;
  /** Set while the part stands still: all that would have reached it, in turn. */
  waiting?: (() => void)[] | undefined;
}

/** Lets something reach the part: never once it is dead, and later while it stands still. What is `first` then comes before all that waits. */
export function deliver(life: Life, run: () => void, isFirst = false): void {
  if (!life.isAlive) return;
  if (life.waiting === undefined) run();
  else if (isFirst) life.waiting.unshift(run);
  else life.waiting.push(run);
}

/** The part does nothing for this time, while the clocks go on. Then all that has waited reaches it, in turn. */
export function standStill(timeline: Timeline, life: Life, forMs: number): void {
  const waiting: (() => void)[] = [];
  life.waiting = waiting;
  const goOn = (): void => {
    const next = waiting.shift();
    if (!life.isAlive || next === undefined) return void (life.waiting = undefined);
    next();
    timeline.after(0, goOn);
  };
  timeline.after(forMs, goOn);
}

/** The gateway's clock: silent once its process is dead or while it stands still, and wrong about the time of day by `errorMs`. */
export function clockOf(timeline: Timeline, life: Life, errorMs: () => number): Clock {
  return {
    now: () => timeline.now + errorMs(),
    elapsed: () => timeline.now,
    after: (delayMs, run) => {
      let isWanted = true;
      const cancel = timeline.after(delayMs, () => deliver(life, () => (isWanted ? run() : undefined)));
      return () => {
        isWanted = false;
        cancel();
      };
    },
  };
}

/** The sandbox's clock on the same virtual time. */
export function sandboxClockOf(timeline: Timeline, life: Life): SandboxClock {
  return {
    now: () => timeline.now,
    setTimer: (delayMs, fire) => timeline.after(delayMs, () => (life.isAlive ? fire() : undefined)),
    advance: () => {
      throw new Error('a simulation moves its time itself');
    },
  };
}
