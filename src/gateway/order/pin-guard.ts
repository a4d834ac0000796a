/**
 * Keeps wrong PINs from locking an account. v1 locks purchases for ten minutes after three wrong PINs, whoever sent them
 * (specification, section 5). So a PIN that v1 called wrong is not sent again, and after two wrong PINs only the PIN that v1 accepted
 * last is sent. The refusal has v1's own message and status, which scripts and their owners know (decision 0034).
 */
import { createLru } from '../../domain/lru';
import { type Clock, startAge, within } from '../../domain/clock';
import type { Credentials, Secret } from '../../domain/credentials';
import { GatewayError } from '../../domain/errors';
import type { Outcome, OutcomeKind } from '../../domain/outcome';
import type { CallContext, SentOutcome, Upstream } from '../../upstream/upstream';
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
const JUDGED_AFTER_PIN: ReadonlySet<OutcomeKind> = new Set(['succeeded', 'pending', 'declined']);
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
    if (wrongs.size === 0) return;
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
      if (!JUDGED_AFTER_PIN.has(outcome.kind)) return undefined;
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

/**
 * Keeps purchases that come at once from sending wrong PINs together, before v1's first "wrong PIN" is back: v1 counts each of them
 * towards its lock. Until v1 has accepted a PIN of a key in this process, one purchase with that PIN is on its way at a time.
 * The others wait for v1's verdict, `WAIT_MOST_MS` at most. Purchases with an accepted PIN do not wait.
 */

/** The longest wait for another purchase's verdict. After it the purchase is sent without one, unless its PIN may be a guess. */
const WAIT_MOST_MS = 2_000;
const BUSY =
  'Another PIN of your key is being tried at this moment, so that this one is not. Nothing was charged. Send the order again in a minute.';

interface Turn {
  readonly pin: Secret;
}

interface Turns {
  readonly underWay: Set<Turn>;
  readonly waiting: Set<() => void>;
}

/** `send` of `upstream`, in turns while a PIN may be wrong. The guard learns from each answer. */
export function takePinTurns(upstream: Upstream, guard: PinGuard, clock: Clock): Upstream['send'] {
  const byOwner = new Map<string, Turns>();

  const sendAndNote: Upstream['send'] = async (call, requestId, context) => {
    const sent = await upstream.send(call, requestId, context);
    // v1 answers a duplicate with the order that it has, whatever the PIN.
    if (!sent.isDuplicate) guard.note(context, sent.outcome);
    return sent;
  };

  /** A turn, or the reason why there is none. No `await` may come between the last check and the entry: two at once would both find room. */
  const takeTurn = async (credentials: Credentials, pin: Secret, turns: Turns, waitMs: number): Promise<Turn | string> => {
    const until = clock.elapsed() + waitMs;
    while (!guard.isTrusted(credentials) && turns.underWay.size > 0) {
      const leftMs = until - clock.elapsed();
      if (leftMs <= 0) break;
      let wake: () => void = () => undefined;
      const woken = new Promise<void>((resolve) => (wake = resolve));
      turns.waiting.add(wake);
      await within(clock, leftMs, woken);
      turns.waiting.delete(wake);
    }
    const refusal = guard.refusalOf(credentials);
    if (refusal !== undefined) return refusal.detail;
    // A shop has one PIN. Several PINs at once, or another PIN than the one that sells, may be guesses, and three wrong ones lock the account.
    const mayBeGuess = guard.hasTrusted(credentials) || [...turns.underWay].some((other) => !other.pin.equals(pin));
    if (turns.underWay.size > 0 && mayBeGuess && !guard.isTrusted(credentials)) return BUSY;
    const turn = { pin };
    turns.underWay.add(turn);
    return turn;
  };

  const sendInTurn = async (pin: Secret, ...[call, requestId, context]: Parameters<Upstream['send']>): Promise<SentOutcome> => {
    const { credentials, timeoutMs } = context;
    const { fingerprint } = credentials;
    const turns = byOwner.get(fingerprint) ?? { underWay: new Set(), waiting: new Set() };
    byOwner.set(fingerprint, turns);
    const age = startAge(clock);
    const turn = await takeTurn(credentials, pin, turns, Math.min(WAIT_MOST_MS, timeoutMs / 2));
    try {
      if (typeof turn === 'string') {
        const outcome = { kind: 'rejected', httpStatus: WRONG_PIN_STATUS, message: turn } as const;
        return { outcome, isDuplicate: false };
      }
      const waitedMs = age();
      const leaveWithinMs = (context.leaveWithinMs ?? timeoutMs) - waitedMs;
      return await sendAndNote(call, requestId, { ...context, timeoutMs: timeoutMs - waitedMs, leaveWithinMs });
    } finally {
      if (typeof turn === 'object') turns.underWay.delete(turn);
      for (const wake of turns.waiting) wake();
      if (turns.underWay.size === 0 && turns.waiting.size === 0) byOwner.delete(fingerprint);
    }
  };

  return (call, requestId, context) => {
    const { credentials } = context;
    const { pin } = credentials;
    if (pin === undefined || guard.isTrusted(credentials)) return sendAndNote(call, requestId, context);
    return sendInTurn(pin, call, requestId, context);
  };
}
