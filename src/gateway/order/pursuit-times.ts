/** How long a pursuit pauses, and how long one attempt may take. Milliseconds everywhere. */
import type { Outcome } from '../../domain/outcome';
import type { PursuitPlan } from './pursuit';

const RETRY_FIRST_MS = 200;
const RETRY_MOST_MS = 5_000;
/** Between two repetitions that nobody waits for; never so long that the quiet time could pass between two marks. */
const RETRY_UNAWAITED_MOST_MS = 60_000;
const RECONNECT_MOST_MS = 1_000;
const LIMIT_FIRST_MS = 2_000;
/** What is left for v1's answer after the last pause: what is sent later would be bought after "pending" was told. */
export const ANSWER_MS = 1_000;
/** What has not begun to leave so long before the end of the patience is given up. */
const LEAVE_MS = 250;
/** While a script waits no attempt takes more than half of what is left, so that a lost answer can still be asked for. */
const ATTEMPT_LEAST_MS = 3_000;
const RECEIPT_FIRST_MS = 500;
const RECEIPT_MOST_MS = 5_000;
/** Between two readings of a receipt while less than `ANSWER_MS` is left. */
export const LAST_PAUSE_MS = 250;

/** What a pause depends on at this moment. */
export interface TimeLeft {
  /** How long somebody will still wait. */
  readonly awaitedMs: number;
  /** How long repetitions may still be sent. */
  readonly leftMs: number;
  /** In [0, 1): spreads repetitions. */
  readonly random: () => number;
}

export function isAwaited(awaitedMs: number): boolean {
  return awaitedMs >= ANSWER_MS;
}

/** Until a repetition is safe and worth it, or `undefined` when there may be none. Always with the same request id. */
export function pauseBeforeRepetition(
  outcome: Outcome,
  nth: number,
  quietMs: number,
  { awaitedMs, leftMs, random }: TimeLeft,
): number | undefined {
  const unawaitedMost = Math.min(RETRY_UNAWAITED_MOST_MS, quietMs / 4);
  const most = outcome.kind === 'not_sent' ? RECONNECT_MOST_MS : isAwaited(awaitedMs) ? RETRY_MOST_MS : unawaitedMost;
  const pause = backoff(nth, RETRY_FIRST_MS, most, random);
  // v1 gives the same order back under the same id, so asking again is how an unknown one is found out.
  if (outcome.kind === 'not_sent') return pause < leftMs ? pause : undefined;
  // The last attempt leaves v1 just the time for its answer.
  if (outcome.kind === 'unknown') return Math.min(pause, Math.max(0, leftMs - ANSWER_MS));
  if (outcome.kind !== 'rejected' || outcome.httpStatus !== 429) return undefined;
  // Nothing was charged: the limit is v1's, and within the script's patience it may pass.
  // A v1 that says "at once" every time is not asked in a tight circle.
  const asked =
    outcome.retryAfterSeconds === undefined
      ? backoff(nth, LIMIT_FIRST_MS, RETRY_MOST_MS, random)
      : Math.max(outcome.retryAfterSeconds * 1_000, pause);
  return asked + ANSWER_MS < awaitedMs ? asked : undefined;
}

/** Before the receipt of a pending order is read once more. */
export function pauseBeforeReceipt(nth: number, random: () => number): number {
  return backoff(nth, RECEIPT_FIRST_MS, RECEIPT_MOST_MS, random);
}

/** A reading that hangs leaves time for another while somebody waits. */
export function timeoutOfReceipt({ readMs }: PursuitPlan, awaitedMs: number): number {
  return awaitedMs > 0 ? Math.min(readMs, Math.max(ANSWER_MS, awaitedMs / 2)) : readMs;
}

/** How long v1 may take, and by when the request must have begun to leave. */
export function timesOfAttempt({ afterPending, tryMs, lease }: PursuitPlan, awaitedMs: number) {
  const half = awaitedMs / 2;
  // Also what waits for a connection leaves before the quiet time since its lease is over, or not at all.
  const timeoutMs = Math.max(1, Math.min(tryMs, lease.validMs, half < ATTEMPT_LEAST_MS ? tryMs : half));
  if (afterPending === 'buy') return { timeoutMs, leaveWithinMs: timeoutMs };
  // Early enough to tell the script that nothing was sent.
  return { timeoutMs, leaveWithinMs: Math.max(1, Math.min(timeoutMs, awaitedMs - LEAVE_MS)) };
}

function backoff(nth: number, firstMs: number, mostMs: number, random: () => number): number {
  const full = Math.min(mostMs, firstMs * 2 ** Math.min(nth, 10));
  return Math.round(full * (0.5 + random() / 2));
}
