/** The machine's time, put forward by hand: as if so much had passed and nothing had happened meanwhile. */
import { systemClock, type Clock } from '../../src/domain/clock';

export interface ForwardClock extends Clock {
  /** Both hands at once: it is no clock that somebody has set. */
  forward(byMs: number): void;
}

export function createForwardClock(): ForwardClock {
  let aheadMs = 0;
  return {
    now: () => systemClock.now() + aheadMs,
    elapsed: () => systemClock.elapsed() + aheadMs,
    after: (delayMs, run) => systemClock.after(delayMs, run),
    forward: (byMs) => void (aheadMs += byMs),
  };
}
