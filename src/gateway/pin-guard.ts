/**
 * Keeps a script with a wrong PIN from locking its own account: v1 locks purchases for ten minutes after three wrong
 * PINs (specification, section 5), so after two the gateway says no itself, for that PIN and as long as the lock would last.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../domain/clock';
import type { Credentials } from '../domain/credentials';
import { GatewayError } from '../domain/errors';
import type { Outcome } from '../domain/outcome';
import type { Keyring } from './keyring';

export interface PinGuard {
  /** Refuses a purchase whose PIN v1 has called wrong twice of late. */
  check(credentials: Credentials): void;
  /** Takes note of v1's answer to a purchase. */
  note(credentials: Credentials, outcome: Outcome): void;
}

const WRONG_MAX = 2;
const LOCK_MS = 10 * 60_000;
const KEYS_MAX = 10_000;
/** The message of section 7, for HTTP 400. */
const WRONG_PIN = /invalid (?:transaction )?pin/i;

interface Wrong {
  readonly count: number;
  readonly lastAtMs: number;
}

export function createPinGuard(clock: Clock, keyring: Keyring): PinGuard {
  // By fingerprint and keyed hash of the PIN: neither is the secret itself.
  const wrongs = new LRUCache<string, Wrong>({ max: KEYS_MAX });
  const keyOf = ({ fingerprint, pin }: Credentials): string =>
    `${fingerprint} ${keyring.hash(`pin ${pin?.revealForUseOnly() ?? ''}`)}`;
  const recent = (key: string): Wrong | undefined => {
    const wrong = wrongs.get(key);
    return wrong !== undefined && clock.now() - wrong.lastAtMs < LOCK_MS ? wrong : undefined;
  };
  return {
    check(credentials) {
      if (credentials.pin === undefined || wrongs.size === 0) return;
      const wrong = recent(keyOf(credentials));
      if (wrong === undefined || wrong.count < WRONG_MAX) return;
      const minutes = Math.ceil((LOCK_MS - (clock.now() - wrong.lastAtMs)) / 60_000);
      throw new GatewayError(
        'wrong_pin',
        `The transaction PIN in your key field was wrong ${wrong.count} times. Correct it; this PIN is not tried again for ${minutes} minutes, so that your account is not locked. Nothing was charged.`,
      );
    },
    note(credentials, outcome) {
      if (credentials.pin === undefined) return;
      const isWrong = outcome.kind === 'rejected' && outcome.httpStatus === 400 && WRONG_PIN.test(outcome.message ?? '');
      if (!isWrong) {
        // Whatever else v1 judged, it judged it after the PIN.
        if (wrongs.size > 0 && (outcome.kind === 'succeeded' || outcome.kind === 'pending' || outcome.kind === 'declined'))
          wrongs.delete(keyOf(credentials));
        return;
      }
      const key = keyOf(credentials);
      wrongs.set(key, { count: (recent(key)?.count ?? 0) + 1, lastAtMs: clock.now() });
    },
  };
}
