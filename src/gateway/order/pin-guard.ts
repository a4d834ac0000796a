/**
 * Keeps wrong PINs from locking an account. v1 locks purchases for ten minutes after three wrong PINs, whoever sent them
 * (specification, section 5). So a PIN that v1 called wrong is not sent again, and after two wrong PINs only the PIN that v1 accepted
 * last is sent. The refusal has v1's own message and status, which scripts and their owners know (decision 0034).
 */
import { createLru } from '../../domain/lru';
import type { Clock } from '../../domain/clock';
import type { Credentials, Secret } from '../../domain/credentials';
import { GatewayError } from '../../domain/errors';
import { isAtV1, type Outcome } from '../../domain/outcome';
import type { CallContext } from '../../upstream/upstream';
import type { Keyring } from '../read/keyring';

export interface PinGuard {
  /** Why a purchase with this PIN is not sent now, or `undefined` when the PIN may be tried. */
  refusalOf(credentials: Credentials): GatewayError | undefined;
  /** True when this is the PIN of the key that v1 accepted last. */
  isTrusted(credentials: Credentials): boolean;
  /** True when v1 has accepted a PIN of the key, this one or another. */
  hasTrusted(credentials: Credentials): boolean;
  /**
   * Learns from v1's answer to a purchase. Do not call it for a duplicate, for which v1 judged no PIN. Returns the verdict if it is new,
   * for the guards of other processes.
   */
  note(visit: Pick<CallContext, 'credentials' | 'clientAddress'>, outcome: Outcome): PinVerdict | undefined;
  /** Learns from a verdict that another process noted. */
  applyVerdict(verdict: PinVerdict): void;
  /** A keyed hash that stands for a PIN in verdicts. It is the same in all processes that share the gateway's secret. */
  hashOf(pin: Secret): string;
}

/** v1's verdict about a PIN. */
export interface PinVerdict {
  readonly fingerprint: string;
  /** By `hashOf`. */
  readonly pin: string;
  /** v1's message about a wrong PIN; absent for a right one. */
  readonly refusal?: string;
}

/** v1 has called a PIN wrong. `count`: how many wrong PINs of this key v1 may still count. */
export interface WrongPin {
  readonly fingerprint: string;
  readonly address: string;
  readonly count: number;
}

const WRONG_MAX = 2;
const LOCK_MS = 10 * 60_000;
/** v1 may count wrong PINs until a right one comes. A wrong PIN that came after the key's last right one counts for this long. */
const SILENT_MS = 60 * 60_000;
const KEYS_MAX = 10_000;
/** How many wrong PINs of one key are kept. */
const WRONGS_KEPT = 20;
/** The message and status of section 7. */
export const WRONG_PIN_STATUS = 400;
const WRONG_PIN = /invalid (?:transaction )?pin/i;

interface RefusedPin {
  readonly pin: string;
  readonly atMs: number;
  /** v1's message. */
  readonly message: string;
}

interface AcceptedPin {
  readonly pin: string;
  readonly atMs: number;
}

export function createPinGuard(clock: Clock, keyring: Pick<Keyring, 'hash'>, onWrong?: (wrong: WrongPin) => void): PinGuard {
  // By fingerprint: the keyed hashes of wrong PINs, never the PINs, with times by `clock.elapsed()`.
  const wrongs = createLru<string, readonly RefusedPin[]>(KEYS_MAX);
  const rights = createLru<string, AcceptedPin>(KEYS_MAX);
  const hashOf = createPinHash(keyring);

  /** Milliseconds for which this wrong PIN still counts. */
  const leftOf = (fingerprint: string, { atMs }: RefusedPin): number => {
    const right = rights.get(fingerprint);
    return atMs + (right !== undefined && atMs > right.atMs ? SILENT_MS : LOCK_MS) - clock.elapsed();
  };
  const counting = (fingerprint: string): readonly RefusedPin[] =>
    (wrongs.get(fingerprint) ?? []).filter((wrong) => leftOf(fingerprint, wrong) > 0);

  const isTrusted = ({ fingerprint, pin }: Credentials): boolean =>
    pin !== undefined && rights.get(fingerprint)?.pin === hashOf(pin);

  function refusalOf(credentials: Credentials): GatewayError | undefined {
    const { fingerprint, pin } = credentials;
    if (pin === undefined || wrongs.size === 0 || isTrusted(credentials)) return undefined;
    const all = counting(fingerprint);
    const hash = hashOf(pin);
    const last = all.findLast((wrong) => wrong.pin === hash);
    if (last !== undefined) return new GatewayError('wrong_pin', wrongText(last, leftOf(fingerprint, last)));
    if (all.length < WRONG_MAX) return undefined;
    // Another PIN may be tried when only one wrong PIN still counts.
    const [, next = 0] = all.map((wrong) => leftOf(fingerprint, wrong)).sort((one, other) => other - one);
    return new GatewayError('pin_held', heldText(rights.has(fingerprint), next));
  }

  const noteWrong = (fingerprint: string, pin: string, message: string): number => {
    if (rights.get(fingerprint)?.pin === pin) rights.delete(fingerprint);
    const all = [...counting(fingerprint), { pin, atMs: clock.elapsed(), message }].slice(-WRONGS_KEPT);
    wrongs.set(fingerprint, all);
    return all.length;
  };
  const noteRight = (fingerprint: string, pin: string): void => {
    rights.set(fingerprint, { pin, atMs: clock.elapsed() });
    const others = counting(fingerprint).filter((wrong) => wrong.pin !== pin);
    if (others.length === 0) wrongs.delete(fingerprint);
    else wrongs.set(fingerprint, others);
  };

  return {
    refusalOf,
    isTrusted,
    hasTrusted: ({ fingerprint }) => rights.has(fingerprint),
    note({ credentials, clientAddress: address }, outcome) {
      const { fingerprint, pin } = credentials;
      if (pin === undefined) return undefined;
      const refusal = outcome.kind === 'rejected' && outcome.httpStatus === WRONG_PIN_STATUS ? (outcome.message ?? '') : '';
      if (WRONG_PIN.test(refusal)) {
        const count = noteWrong(fingerprint, hashOf(pin), refusal);
        onWrong?.({ fingerprint, address, count });
        return { fingerprint, pin: hashOf(pin), refusal };
      }
      // These outcomes prove that the PIN was right: v1 judges the PIN first.
      if (!isAtV1(outcome)) return undefined;
      const isNews = !isTrusted(credentials) || wrongs.has(fingerprint);
      noteRight(fingerprint, hashOf(pin));
      return isNews ? { fingerprint, pin: hashOf(pin) } : undefined;
    },
    applyVerdict({ fingerprint, pin, refusal }) {
      if (refusal === undefined) noteRight(fingerprint, pin);
      else noteWrong(fingerprint, pin, refusal);
    },
    hashOf,
  };
}

/** Hashes are kept per `Secret`, because one purchase needs the hash of its PIN several times. */
function createPinHash(keyring: Pick<Keyring, 'hash'>): (pin: Secret) => string {
  const hashes = new WeakMap<Secret, string>();
  return (pin) => {
    const hash = hashes.get(pin) ?? keyring.hash(`pin ${pin.revealForUseOnly()}`);
    hashes.set(pin, hash);
    return hash;
  };
}

function wrongText({ message }: RefusedPin, leftMs: number): string {
  const said = /[.!?]$/.test(message) ? message : `${message}.`;
  return `${said} Correct the PIN in your key field: this one is not tried again for ${minutes(leftMs)}, so that your account is not locked. Nothing was charged.`;
}

function heldText(hasTrusted: boolean, leftMs: number): string {
  const known = hasTrusted ? 'The PIN that sold last goes on selling. ' : '';
  const theft = hasTrusted ? ' If these PINs were not yours, somebody else has your key: ask for a new one.' : '';
  return `PINs sent with your key were wrong, and one more would lock your account, so that this PIN is not tried yet. Nothing was charged. ${known}If this PIN is right, send the order again in ${minutes(leftMs)}.${theft}`;
}

function minutes(ms: number): string {
  const count = Math.max(1, Math.ceil(ms / 60_000));
  return count === 1 ? '1 minute' : `${count} minutes`;
}
