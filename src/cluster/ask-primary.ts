/**
 * What a worker asks its primary before it tries a key or PIN that may be wrong, or sells without a request id, so that all workers act as one; and what it
 * tells the others of how long scripts wait.
 */
import { type Clock, startAge, within } from '../domain/clock';
import { GatewayError } from '../domain/errors';
import { createLru } from '../domain/lru';
import { noteVerdicts, type KeyGuard } from '../gateway/key-guard';
import { type PinGuard, type PinVerdict, WRONG_PIN_STATUS } from '../gateway/order/pin-guard';
import { takePinTurns } from '../gateway/order/pin-turns';
import type { LearntPatience } from '../gateway/order/learnt-patience';
import type { SharedRepeats } from '../gateway/order/content-turns';
import type { Journal } from '../journal/journal';
import type { Upstream } from '../upstream/upstream';
import type { Visit } from '../upstream/visitors';
import type { Channel, KeyRefusal, PinTurn, RepeatTurn, Waited } from './channel';

const KEYS_MAX = 10_000;

type Asking = Pick<Channel, 'ask' | 'tell'>;

interface Shared {
  readonly channel: Asking;
  readonly clock: Clock;
}

/** Admits a key at once when v1 has accepted it, in this process or by the journal; asks the primary's guard for any other. */
export function shareKeyGuard(channel: Asking, journal: Pick<Journal, 'hasReference'>): KeyGuard {
  const accepted = createLru<string, true>(KEYS_MAX);
  const note: KeyGuard['note'] = ({ credentials: { fingerprint, isLookupKey }, clientAddress: address }, verdict) => {
    if (isLookupKey === true || accepted.has(fingerprint)) return;
    if (verdict === 'accepted') accepted.set(fingerprint, true);
    channel.tell('keyVerdict', { fingerprint, address, verdict });
  };
  const askGuard = async ({ credentials: { fingerprint }, clientAddress: address }: Visit): Promise<void> => {
    if (await journal.hasReference(fingerprint).catch(() => false)) {
      accepted.set(fingerprint, true);
      return;
    }
    const asked = channel.ask('keyEnter', { fingerprint, address }) as Promise<KeyRefusal | undefined>;
    // No answer: the primary is gone, and this process is stopping.
    const refusal = await asked.catch(() => undefined);
    if (refusal === undefined) return;
    const { code, detail, retryAfterSeconds } = refusal;
    throw new GatewayError(code, detail, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
  };
  return {
    enter: (visit) =>
      visit.credentials.isLookupKey === true || accepted.has(visit.credentials.fingerprint) ? undefined : askGuard(visit),
    listener: noteVerdicts(note),
    note,
  };
}

type Send = Upstream['send'];

/** Sends a PIN at once when v1 accepted it here last; any other PIN waits for its turn among all processes. Alone when the primary is gone. */
export function sharePinTurns({ channel, clock }: Shared, upstream: Upstream, guard: PinGuard): Send {
  const alone = takePinTurns(upstream, guard, clock);
  const trySend = async (...[call, requestId, context]: Parameters<Send>) => {
    const sent = await upstream.send(call, requestId, context);
    // v1 returns an order that it already had whatever the PIN, so a duplicate is no verdict.
    return { sent, verdict: sent.isDuplicate ? undefined : guard.note(context, sent.outcome) };
  };
  return async (call, requestId, context) => {
    const { credentials, timeoutMs } = context;
    const { fingerprint, pin } = credentials;
    if (pin === undefined) return upstream.send(call, requestId, context);
    if (guard.isTrusted(credentials)) {
      const { sent, verdict } = await trySend(call, requestId, context);
      if (verdict !== undefined) channel.tell('pinVerdict', verdict);
      return sent;
    }
    const age = startAge(clock);
    const asked = channel.ask('pinTurn', { fingerprint, pin: guard.hashOf(pin), timeoutMs }) as Promise<PinTurn>;
    const turn = await asked.catch(() => undefined);
    const waitedMs = age();
    const leaveWithinMs = (context.leaveWithinMs ?? timeoutMs) - waitedMs;
    const inTimeLeft = { ...context, timeoutMs: timeoutMs - waitedMs, leaveWithinMs };
    if (turn === undefined) return alone(call, requestId, inTimeLeft);
    if ('refusal' in turn)
      return { outcome: { kind: 'rejected', httpStatus: WRONG_PIN_STATUS, message: turn.refusal }, isDuplicate: false };
    let verdict: PinVerdict | undefined;
    try {
      const tried = await trySend(call, requestId, inTimeLeft);
      verdict = tried.verdict;
      return tried.sent;
    } finally {
      channel.tell('pinDone', { turn: turn.turn, verdict });
    }
  };
}

const NO_PRIMARY: RepeatTurn = { turn: 0, kept: [] };

export function shareRepeats({ channel, clock }: Shared): SharedRepeats {
  return {
    async takeTurn(content, waitMs) {
      const asked = (channel.ask('repeatTurn', content) as Promise<RepeatTurn>).catch(() => NO_PRIMARY);
      const turn = await within(clock, waitMs, asked);
      // A turn that comes too late ends at once.
      return { kept: turn?.kept, end: () => void asked.then((late) => channel.tell('repeatDone', late.turn)) };
    },
    keep: (content, kept, windowMs) => channel.tell('repeatKept', { content, kept, windowMs }),
  };
}

/** Tells the other workers of each wait that shows a limit or disproves one: a shop's connections come to all of them. */
export function sharePatience(channel: Pick<Asking, 'tell'>, learnt: LearntPatience): LearntPatience {
  return {
    ...learnt,
    hangUp(fingerprint, kind, ageMs) {
      const isLearnt = learnt.hangUp(fingerprint, kind, ageMs);
      if (isLearnt) channel.tell('hungUp', { fingerprint, kind, ageMs } satisfies Waited);
      return isLearnt;
    },
    answered(fingerprint, kind, ageMs) {
      const isLongest = learnt.answered(fingerprint, kind, ageMs);
      if (isLongest) channel.tell('answered', { fingerprint, kind, ageMs } satisfies Waited);
      return isLongest;
    },
  };
}
