import type { Clock } from '../clock';
import type { Store } from '../store/store';
import { Refusal } from '../refusal';
import type { Account } from './account';

// Section 8: three wrong PINs lock for ten minutes.
const WRONG_PINS_MAX = 3;
const LOCK_MS = 10 * 60_000;

interface PinState {
  readonly wrong: number;
  readonly lockedUntil: number;
}

const CLEAN: PinState = { wrong: 0, lockedUntil: 0 };

/** Judges transaction PINs (section 5, points 3 and 4). Locks survive a restart. */
export class PinGuard {
  readonly #states = new Map<string, PinState>();
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    for (const [key, state] of store.entries<PinState>('setting')) {
      if (key.startsWith('pin:')) this.#states.set(key.slice(4), state);
    }
  }

  /** Throws unless the purchase may go on. The PIN of a listed address is not even looked at. */
  check(account: Account, pin: unknown): void {
    const state = this.#states.get(account.id) ?? CLEAN;
    if (this.#clock.now() < state.lockedUntil) throw new Refusal('purchases_locked');
    if (account.allowed_ips.length > 0) return;
    if (pin === undefined || pin === null) throw new Refusal('missing_field', 'pin');
    // Something that cannot be a PIN is a mistake in the request, not a guess, so it does not count towards the lock.
    if (typeof pin !== 'string' || !/^\d{4,6}$/.test(pin))
      throw new Refusal('invalid_field', 'pin', 'must be a string of 4 to 6 digits');
    if (pin === account.pin) {
      if (state !== CLEAN) this.#keep(account.id, CLEAN);
      return;
    }
    const wrong = (state.lockedUntil > 0 ? 0 : state.wrong) + 1;
    this.#keep(account.id, { wrong, lockedUntil: wrong >= WRONG_PINS_MAX ? this.#clock.now() + LOCK_MS : 0 });
    throw new Refusal('wrong_pin');
  }

  /** Forgets the wrong PINs of an account and lifts its lock. */
  unlock(accountId: string): void {
    this.#keep(accountId, CLEAN);
  }

  #keep(accountId: string, state: PinState): void {
    if (state === CLEAN) this.#states.delete(accountId);
    else this.#states.set(accountId, state);
    if (state === CLEAN) this.#store.remove('setting', `pin:${accountId}`);
    else this.#store.put('setting', `pin:${accountId}`, state);
  }
}
