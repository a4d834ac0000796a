/**
 * Keeps purchases that come at once from sending wrong PINs together, before v1's first "wrong PIN" is back: v1 counts each of them
 * towards its lock. Until v1 has accepted a PIN of a key in this process, one purchase with that PIN is on its way at a time.
 * The others wait for v1's verdict, `WAIT_MOST_MS` at most. Purchases with an accepted PIN do not wait.
 */
import { type Clock, startAge, within } from '../../domain/clock';
import type { Credentials, Secret } from '../../domain/credentials';
import type { SentOutcome, Upstream } from '../../upstream/upstream';
import { type PinGuard, WRONG_PIN_STATUS } from './pin-guard';

/** The longest wait for another purchase's verdict. After it the purchase is sent without one, unless its PIN may be a guess. */
const WAIT_MOST_MS = 2_000;
const BUSY =
  'Another PIN of your key is being tried at this moment, so that this one is not. Nothing was charged. Send the order again in a minute.';

interface Turn {
  readonly pin: Secret;
}

interface TurnsOfKey {
  readonly underWay: Set<Turn>;
  readonly waiting: Set<() => void>;
}

/** `send` of `upstream`, in turns while a PIN may be wrong. The guard learns from each answer. */
export function takePinTurns(upstream: Upstream, guard: PinGuard, clock: Clock): Upstream['send'] {
  const byOwner = new Map<string, TurnsOfKey>();

  const sendAndNote: Upstream['send'] = async (call, requestId, context) => {
    const sent = await upstream.send(call, requestId, context);
    // v1 answers a duplicate with the order that it has, whatever the PIN.
    if (!sent.isDuplicate) guard.note(context, sent.outcome);
    return sent;
  };

  /** A turn, or the reason why there is none. No `await` may come between the last check and the entry: two at once would both find room. */
  const takeTurn = async (credentials: Credentials, pin: Secret, turns: TurnsOfKey, waitMs: number): Promise<Turn | string> => {
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
