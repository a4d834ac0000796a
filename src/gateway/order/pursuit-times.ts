/** How long a pursuit pauses, and how long one attempt may take. Milliseconds everywhere. */
import { isRefusedAsIdentical, type Outcome } from '../../domain/outcome';
import type { PursuitPlan } from './pursuit';

const RETRY_FIRST_MS = 200;
const RETRY_MOST_MS = 5_000;
/** The longest pause between two repetitions that no script waits for; at most a quarter of the quiet time, which must not pass between two leases. */
const RETRY_UNAWAITED_MOST_MS = 60_000;
const RECONNECT_MOST_MS = 1_000;
const LIMIT_FIRST_MS = 2_000;
/** The time for v1's answer after the last pause. A purchase sent later could be bought after the script was told "pending". */
export const ANSWER_MS = 1_000;
/** A call that has not begun to leave so long before the end of the patience is never sent. */
const LEAVE_MS = 250;
/**
 * While a script waits, an attempt takes at most half of the time left, so that a lost answer can still be asked for. If half of it
 * is less than this, the limit of the mapping holds.
 */
const ATTEMPT_LEAST_MS = 3_000;
const RECEIPT_FIRST_MS = 500;
const RECEIPT_MOST_MS = 5_000;
/** Between two readings of a receipt while less than `ANSWER_MS` is left. */
export const LAST_PAUSE_MS = 250;

/** The input for a pause, at this moment. */
interface TimeLeft {
  /** How long the most patient script will still wait. */
  readonly awaitedMs: number;
  /** How long repetitions may still be sent. */
  readonly leftMs: number;
  /** In [0, 1): spreads repetitions. */
  readonly random: () => number;
}

/** Whether a script waits long enough for one more answer of v1. */
export function hasTimeForAnswer(awaitedMs: number): boolean {
  return awaitedMs >= ANSWER_MS;
}

/** Milliseconds before the purchase is sent again with the same request id; `undefined` when it may not be sent again. */
export function pauseBeforeRepetition(
  outcome: Outcome,
  nth: number,
  quietMs: number,
  { awaitedMs, leftMs, random }: TimeLeft,
): number | undefined {
  const unawaitedMost = Math.min(RETRY_UNAWAITED_MOST_MS, quietMs / 4);
  const most = outcome.kind === 'not_sent' ? RECONNECT_MOST_MS : hasTimeForAnswer(awaitedMs) ? RETRY_MOST_MS : unawaitedMost;
  const pause = backoff(nth, RETRY_FIRST_MS, most, random);
  if (outcome.kind === 'not_sent') return pause < leftMs ? pause : undefined;
  // v1 answers a known request id with the same order, so sending again finds the outcome of an unknown order.
  // The last attempt is sent so early that v1 has just enough time to answer.
  if (outcome.kind === 'unknown') return Math.min(pause, Math.max(0, leftMs - ANSWER_MS));
  // After five seconds v1 would sell the same a second time.
  if (outcome.kind !== 'rejected' || outcome.httpStatus !== 429 || isRefusedAsIdentical(outcome)) return undefined;
  // A limit of v1 was reached and nothing was charged: the limit may be over within the script's patience.
  // v1 may always ask to come back at once, so the pause grows all the same.
  const asked =
    outcome.retryAfterSeconds === undefined
      ? backoff(nth, LIMIT_FIRST_MS, RETRY_MOST_MS, random)
      : Math.max(outcome.retryAfterSeconds * 1_000, pause);
  return asked + ANSWER_MS < awaitedMs ? asked : undefined;
}

/** Milliseconds before the receipt of a pending order is read again. */
export function pauseBeforeReceipt(nth: number, random: () => number): number {
  return backoff(nth, RECEIPT_FIRST_MS, RECEIPT_MOST_MS, random);
}

/** The time limit for reading a receipt. While a script waits it is half of the time left: after a hanging reading there is time for another. */
export function timeoutOfReceipt({ readMs }: PursuitPlan, awaitedMs: number): number {
  return awaitedMs > 0 ? Math.min(readMs, Math.max(ANSWER_MS, awaitedMs / 2)) : readMs;
}

/** How long v1 may take for an attempt, and within which time the call must begin to leave: shorter for an order that is not bought after "pending". */
export function timesOfAttempt({ attemptMs, lease }: PursuitPlan, awaitedMs: number, isBoughtAfterPending: boolean) {
  const half = awaitedMs / 2;
  // `lease.validMs` bounds the wait for a connection: no byte may leave once the quiet time since the lease is over.
  const timeoutMs = Math.max(1, Math.min(attemptMs, lease.validMs, half < ATTEMPT_LEAST_MS ? attemptMs : half));
  if (isBoughtAfterPending) return { timeoutMs, leaveWithinMs: timeoutMs };
  // If the call does not leave in time, the script can still be told that nothing was sent.
  return { timeoutMs, leaveWithinMs: Math.max(1, Math.min(timeoutMs, awaitedMs - LEAVE_MS)) };
}

function backoff(nth: number, firstMs: number, mostMs: number, random: () => number): number {
  const full = Math.min(mostMs, firstMs * 2 ** Math.min(nth, 10));
  return Math.round(full * (0.5 + random() / 2));
}
