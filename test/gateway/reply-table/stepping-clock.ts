/** A clock that never waits: whenever nothing else is to be done, it jumps to its next timer. */
import type { Clock } from '../../../src/domain/clock';

export interface SteppingClock extends Clock {
  /** Forgets every timer, now and later: what still runs stands still for ever. */
  stop(): void;
}

interface Timer {
  readonly atMs: number;
  readonly run: () => void;
}

export function createSteppingClock(startMs: number): SteppingClock {
  let nowMs = startMs;
  let isStopped = false;
  const timers = new Set<Timer>();

  // One timer for each turn of the event loop: all that a timer set off has settled before the next one runs.
  const step = (): void => {
    const [first] = [...timers].sort((one, other) => one.atMs - other.atMs);
    if (first === undefined) return;
    timers.delete(first);
    nowMs = Math.max(nowMs, first.atMs);
    first.run();
  };

  return {
    now: () => nowMs,
    elapsed: () => nowMs,
    after(delayMs, run) {
      const timer = { atMs: nowMs + Math.max(0, delayMs), run };
      if (isStopped) return () => undefined;
      timers.add(timer);
      setImmediate(step);
      return () => void timers.delete(timer);
    },
    stop() {
      isStopped = true;
      timers.clear();
    },
  };
}
