/** Time in cases: nothing waits. When nothing else is to be done, the clock jumps to the next thing that was to happen. */
import type { Clock } from '../../domain/clock';

export interface JumpingClock extends Clock {
  /** Forgets all that was to happen, now and later. */
  stop(): void;
}

interface Timer {
  readonly atMs: number;
  readonly run: () => void;
}

export function createJumpingClock(startMs: number): JumpingClock {
  const timers = new Set<Timer>();
  let nowMs = startMs;
  let isStopped = false;

  // One timer a turn of the event loop: all that it sets off is done before the next one.
  const jump = (): void => {
    let first: Timer | undefined;
    for (const timer of timers) if (first === undefined || timer.atMs < first.atMs) first = timer;
    if (first === undefined) return;
    timers.delete(first);
    nowMs = Math.max(nowMs, first.atMs);
    first.run();
  };

  return {
    now: () => nowMs,
    elapsed: () => nowMs,
    after(delayMs, run) {
      if (isStopped) return () => undefined;
      const timer: Timer = { atMs: nowMs + Math.max(0, delayMs), run };
      timers.add(timer);
      setImmediate(jump);
      return () => void timers.delete(timer);
    },
    stop() {
      isStopped = true;
      timers.clear();
    },
  };
}
