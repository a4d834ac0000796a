/** A clock that stands still until a test moves it. Timers run in the order of their time. */
import type { Clock } from '../../src/domain/clock';

export interface VirtualClock extends Clock {
  /** Moves the time and runs the timers that fall due; promises settle in between. */
  advance(ms: number): Promise<void>;
  /** How many timers are waiting. */
  readonly waiting: number;
}

/** Runs everything that waits only for other promises. */
export async function settlePromises(): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) await Promise.resolve();
}

export function createVirtualClock(startMs = 1_800_000_000_000): VirtualClock {
  let now = startMs;
  let timers: { readonly at: number; readonly run: () => void }[] = [];
  return {
    now: () => now,
    elapsed: () => now,
    after(delayMs, run) {
      const timer = { at: now + Math.max(0, delayMs), run };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    async advance(ms) {
      const until = now + ms;
      await settlePromises();
      for (;;) {
        const [next] = timers.filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers = timers.filter((one) => one !== next);
        now = next.at;
        next.run();
        await settlePromises();
      }
      now = until;
    },
    get waiting() {
      return timers.length;
    },
  };
}
