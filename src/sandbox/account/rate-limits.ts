import type { Clock } from '../clock';
import { Refusal } from '../refusal';

/** Section 8. */
const RATES = {
  purchase: { count: 30, windowMs: 60_000 },
  lookup: { count: 20, windowMs: 5 * 60_000 },
  bulk_sms: { count: 20, windowMs: 60 * 60_000 },
} as const;

export type RateName = keyof typeof RATES;

/**
 * Sliding windows per account. Held in memory only: a restart forgives, as a caller could not tell it from a slow minute.
 * A refused request does not count, so a caller that keeps knocking is let in as soon as its window has room.
 */
export class RateLimits {
  readonly #clock: Clock;
  readonly #isRelaxed: boolean;
  readonly #times = new Map<string, number[]>();

  constructor(clock: Clock, isRelaxed: boolean) {
    this.#clock = clock;
    this.#isRelaxed = isRelaxed;
  }

  /** Counts one request of each name, or throws 429 and counts none. */
  take(accountId: string, names: readonly RateName[]): void {
    if (this.#isRelaxed) return;
    const now = this.#clock.now();
    const windows = names.map((name) => this.#window(accountId, name, now));
    for (const [index, name] of names.entries()) {
      const times = windows[index];
      const { count, windowMs } = RATES[name];
      if (times === undefined || times.length < count) continue;
      const waitMs = (times[0] ?? now) + windowMs - now;
      throw new Refusal('too_many_requests', '', '', Math.max(1, Math.ceil(waitMs / 1000)));
    }
    for (const times of windows) times.push(now);
  }

  #window(accountId: string, name: RateName, now: number): number[] {
    const id = `${accountId}:${name}`;
    const times = (this.#times.get(id) ?? []).filter((time) => time > now - RATES[name].windowMs);
    this.#times.set(id, times);
    return times;
  }
}
