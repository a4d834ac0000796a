/**
 * Keeps a script with a wrong PIN from locking its own account: v1 locks purchases for ten minutes after three wrong
 * PINs (specification, section 5), so after two the gateway says no itself, for that PIN and as long as the lock would last.
 * It says so as v1 did, with v1's message and status: scripts and their owners know that answer.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../domain/clock';
import type { Credentials, Secret } from '../domain/credentials';
import { GatewayError } from '../domain/errors';
import type { Outcome, OutcomeKind } from '../domain/outcome';
import type { Keyring } from './keyring';

export interface PinGuard {
  /** Refuses a purchase whose PIN v1 has called wrong, once v1 has called two of this key wrong of late. */
  check(credentials: Credentials): void;
  /** The words of that refusal, or `undefined` when the PIN may be tried. */
  refusalOf(credentials: Credentials): string | undefined;
  /** True when this is the PIN of the key that v1 accepted last. */
  isTrusted(credentials: Credentials): boolean;
  /** How many tries may be on their way at once while the PIN may be wrong; at least one, for it may be right. */
  triesLeft(credentials: Credentials): number;
  /** Takes note of v1's answer to a purchase, unless it gave back an order that it had already: then no PIN was judged. */
  note(credentials: Credentials, outcome: Outcome): void;
}

const WRONG_MAX = 2;
const LOCK_MS = 10 * 60_000;
const KEYS_MAX = 10_000;
/** Of one key, within the time of a lock. */
const WRONGS_KEPT = 20;
const JUDGED_AFTER_PIN: ReadonlySet<OutcomeKind> = new Set(['succeeded', 'pending', 'declined']);
/** The message and status of section 7. */
export const WRONG_PIN_STATUS = 400;
const WRONG_PIN = /invalid (?:transaction )?pin/i;

interface Wrong {
  readonly pin: string;
  readonly atMs: number;
  /** What v1 said of it. */
  readonly message: string;
}

export function createPinGuard(clock: Clock, keyring: Keyring): PinGuard {
  // By fingerprint, which PIN was wrong when: a keyed hash, never the PIN. On the clock that nobody can set.
  const wrongs = new LRUCache<string, readonly Wrong[]>({ max: KEYS_MAX });
  // A purchase asks for the hash of its PIN several times.
  const hashes = new WeakMap<Secret, string>();
  const hashOf = (pin: Secret): string => {
    const hash = hashes.get(pin) ?? keyring.hash(`pin ${pin.revealForUseOnly()}`);
    hashes.set(pin, hash);
    return hash;
  };
  const recent = (fingerprint: string): readonly Wrong[] =>
    (wrongs.get(fingerprint) ?? []).filter(({ atMs }) => clock.elapsed() - atMs < LOCK_MS);
  const trusted = new LRUCache<string, string>({ max: KEYS_MAX });
  const refusalOf = (credentials: Credentials): string | undefined => {
    if (credentials.pin === undefined || wrongs.size === 0) return undefined;
    const all = recent(credentials.fingerprint);
    // One more wrong PIN, this one or another, would lock the account. One that v1 never called wrong may be the right one.
    if (all.length < WRONG_MAX) return undefined;
    const pin = hashOf(credentials.pin);
    const last = all.findLast((wrong) => wrong.pin === pin);
    if (last === undefined) return undefined;
    const minutes = Math.ceil((LOCK_MS - (clock.elapsed() - last.atMs)) / 60_000);
    const said = /[.!?]$/.test(last.message) ? last.message : `${last.message}.`;
    return `${said} Correct the PIN in your key field: this one is not tried again for ${minutes} minutes, so that your account is not locked. Nothing was charged.`;
  };
  const noteWrong = (fingerprint: string, pin: string, message: string): void => {
    if (trusted.get(fingerprint) === pin) trusted.delete(fingerprint);
    wrongs.set(fingerprint, [...recent(fingerprint), { pin, atMs: clock.elapsed(), message }].slice(-WRONGS_KEPT));
  };
  const noteRight = (fingerprint: string, pin: string): void => {
    trusted.set(fingerprint, pin);
    if (wrongs.size === 0) return;
    const others = recent(fingerprint).filter((wrong) => wrong.pin !== pin);
    if (others.length === 0) wrongs.delete(fingerprint);
    else wrongs.set(fingerprint, others);
  };
  return {
    refusalOf,
    check(credentials) {
      const refusal = refusalOf(credentials);
      if (refusal !== undefined) throw new GatewayError('wrong_pin', refusal);
    },
    isTrusted: ({ fingerprint, pin }) => pin !== undefined && trusted.get(fingerprint) === hashOf(pin),
    triesLeft: ({ fingerprint }) => Math.max(1, WRONG_MAX - recent(fingerprint).length),
    note({ fingerprint, pin }, outcome) {
      if (pin === undefined) return;
      const refusal = outcome.kind === 'rejected' && outcome.httpStatus === WRONG_PIN_STATUS ? (outcome.message ?? '') : '';
      if (WRONG_PIN.test(refusal)) noteWrong(fingerprint, hashOf(pin), refusal);
      // Whatever else v1 judged, it judged it after the PIN.
      else if (JUDGED_AFTER_PIN.has(outcome.kind)) noteRight(fingerprint, hashOf(pin));
    },
  };
}
