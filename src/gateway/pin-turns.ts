/**
 * Keeps purchases that come at once from trying one wrong PIN all together, before the first "wrong PIN" is back: v1 counts
 * each of them towards its lock. Until v1 has accepted a key's PIN in this process, no more of its purchases are on their
 * way than the account can bear; the others wait for a judgement, a short while at most. After that nobody waits.
 */
import { startAge, within, type Clock } from '../domain/clock';
import type { Credentials } from '../domain/credentials';
import type { SentOutcome, Upstream } from '../upstream/upstream';
import { WRONG_PIN_STATUS, type PinGuard } from './pin-guard';

/** A v1 that judges no PIN within this time holds up nobody: the PIN may well be right. */
const WAIT_MOST_MS = 2_000;

interface Turns {
  underWay: number;
  readonly waiting: Set<() => void>;
}

/** `send` of this v1, in turns while the PIN may be wrong. Tells the guard what v1 said of each. */
export function takePinTurns(upstream: Upstream, guard: PinGuard, clock: Clock): Upstream['send'] {
  const byOwner = new Map<string, Turns>();

  const sendAndNote: Upstream['send'] = async (call, requestId, context) => {
    const sent = await upstream.send(call, requestId, context);
    // An order that v1 had already is given back whatever the PIN.
    if (!sent.isDuplicate) guard.note(context.credentials, sent.outcome);
    return sent;
  };

  /** Nothing may come between the last look and the count: two at once would both find room. */
  const takeTurn = async (credentials: Credentials, turns: Turns, waitMs: number): Promise<void> => {
    const until = clock.elapsed() + waitMs;
    while (!guard.isTrusted(credentials) && turns.underWay >= guard.triesLeft(credentials)) {
      const leftMs = until - clock.elapsed();
      if (leftMs <= 0) break;
      let wake: () => void = () => undefined;
      const woken = new Promise<void>((resolve) => (wake = resolve));
      turns.waiting.add(wake);
      await within(clock, leftMs, woken);
      turns.waiting.delete(wake);
    }
    turns.underWay += 1;
  };

  return async (call, requestId, context): Promise<SentOutcome> => {
    const { credentials, timeoutMs } = context;
    const { fingerprint, pin } = credentials;
    if (pin === undefined || guard.isTrusted(credentials)) return sendAndNote(call, requestId, context);
    const turns = byOwner.get(fingerprint) ?? { underWay: 0, waiting: new Set() };
    byOwner.set(fingerprint, turns);
    const age = startAge(clock);
    await takeTurn(credentials, turns, Math.min(WAIT_MOST_MS, timeoutMs / 2));
    try {
      const message = guard.refusalOf(credentials);
      if (message !== undefined)
        return {
          outcome: { kind: 'rejected', httpStatus: WRONG_PIN_STATUS, message },
          isDuplicate: false,
          isDuplicateWindow: false,
        };
      const waitedMs = age();
      const leaveWithinMs = (context.leaveWithinMs ?? timeoutMs) - waitedMs;
      return await sendAndNote(call, requestId, { ...context, timeoutMs: timeoutMs - waitedMs, leaveWithinMs });
    } finally {
      turns.underWay -= 1;
      for (const wake of turns.waiting) wake();
      if (turns.underWay === 0 && turns.waiting.size === 0) byOwner.delete(fingerprint);
    }
  };
}
