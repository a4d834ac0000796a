import type { Account } from './account';
import { Refusal } from './answer';
import type { Clock } from './clock';
import type { Store } from './store/store';

// Section 8: three wrong PINs lock for ten minutes.
const WRONG_PINS_MAX = 3;
const LOCK_MS = 10 * 60_000;

/** The wrong PINs of an account since its last right one. An account without wrong PINs has no record. */
interface WrongPins {
  readonly wrong: number;
  readonly lockedUntil: number;
}

/** Judges transaction PINs (section 5, points 3 and 4). Locks survive a restart. */
export class PinGuard {
  readonly #records = new Map<string, WrongPins>();
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    for (const [key, record] of store.entries<WrongPins>('setting')) {
      if (key.startsWith('pin:')) this.#records.set(key.slice(4), record);
    }
  }

  /** Throws if the purchase must be refused. An account with an allowlist needs no PIN, so its PIN is not read. */
  check(account: Account, pin: unknown): void {
    const record = this.#records.get(account.id);
    const lockedUntil = record?.lockedUntil ?? 0;
    if (this.#clock.now() < lockedUntil) throw new Refusal('purchases_locked');
    if (account.allowed_ips.length > 0) return;
    if (pin === undefined || pin === null) throw new Refusal('missing_field', 'pin');
    // A value that cannot be a PIN is a mistake in the request, not a guess: it does not count towards the lock.
    if (typeof pin !== 'string' || !/^\d{4,6}$/.test(pin))
      throw new Refusal('invalid_field', 'pin', 'must be a string of 4 to 6 digits');
    if (pin === account.pin) {
      if (record !== undefined) this.unlock(account.id);
      return;
    }
    // After a lock has ended, counting starts again: the wrong PINs that led to the lock do not count.
    const wrong = record === undefined || lockedUntil > 0 ? 1 : record.wrong + 1;
    const counted = { wrong, lockedUntil: wrong >= WRONG_PINS_MAX ? this.#clock.now() + LOCK_MS : 0 };
    this.#records.set(account.id, counted);
    this.#store.put('setting', `pin:${account.id}`, counted);
    throw new Refusal('wrong_pin');
  }

  isLocked(accountId: string): boolean {
    return this.#clock.now() < (this.#records.get(accountId)?.lockedUntil ?? 0);
  }

  /** Forgets the wrong PINs of an account and lifts its lock. */
  unlock(accountId: string): void {
    this.#records.delete(accountId);
    this.#store.remove('setting', `pin:${accountId}`);
  }
}

/** The limits of section 8: at most `count` requests in `windowMs`. */
const RATES = {
  purchase: { count: 30, windowMs: 60_000 },
  lookup: { count: 20, windowMs: 5 * 60_000 },
  bulk_sms: { count: 20, windowMs: 60 * 60_000 },
} as const;

type RateName = keyof typeof RATES;

/**
 * Sliding windows per account. They are kept in memory only, because for a caller a restart looks like a quiet minute. A
 * refused request does not count, so a caller that keeps trying is served as soon as its window has room.
 */
export class RateLimits {
  readonly #clock: Clock;
  readonly #isRelaxed: boolean;
  readonly #times = new Map<string, number[]>();

  constructor(clock: Clock, isRelaxed: boolean) {
    this.#clock = clock;
    this.#isRelaxed = isRelaxed;
  }

  /** Counts the request in each named window, or throws the 429 refusal and counts it in none. */
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
