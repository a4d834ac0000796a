/** For how long the id of a sold order is told that order's success, and when it is used up. (Decision 0024.) */
import type { Clock, Steadiness } from '../../domain/clock';
import { GatewayError } from '../../domain/errors';
import { isEndUntold, type Order } from '../../domain/order';
import type { CallerKey, Mapping } from '../../mapping/mapping';

/** How long a repeat of a sold order is told that order's success; after it the same id is a new sale under a used id. Infinity: for ever. */
export function replayMsOf(mapping: Mapping, callerKey: CallerKey | undefined): number {
  return callerKey?.replayMs ?? mapping.replayMs;
}

/** Somebody may have set the clock by days, hardly by more than a week. */
const CLOCK_SET_MOST_MS = 7 * 24 * 3_600_000;

/**
 * True for a success that was told so long ago that who sends its id again means another sale. While it cannot be known
 * that anybody has heard of it, it is told, however late.
 */
export function isUsedUp(
  order: Order,
  replayMs: number,
  { clock, steadiness }: { readonly clock: Clock; readonly steadiness: Steadiness },
): boolean {
  if (order.outcome?.kind !== 'succeeded' || isEndUntold(order)) return false;
  const nowMs = clock.now();
  const agoMs = nowMs - (order.toldAtMs ?? order.settledAtMs ?? nowMs);
  // After a start, or after somebody has set the clock, the time of day tells only roughly how long ago it was told.
  return agoMs > replayMs + (steadiness.steadyForMs() > replayMs ? 0 : CLOCK_SET_MOST_MS);
}

/** As the original servers answer such an id (facts 9.1). How it ended is for whom v1 accepts. */
export function requestIdUsed({ settledAtMs }: Order, mayHear: boolean): GatewayError {
  const when = settledAtMs === undefined ? '' : ` on ${new Date(settledAtMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return new GatewayError(
    'request_id_used',
    `This request-id was already used${mayHear ? `: the order with it was sold${when}` : ''}. Nothing was charged for this request. Send a new sale with an id of its own.`,
  );
}
