/** For how long a repeat under the id of a sold order is told that order's success, and the refusals of ids that are used. (Decision 0024.) */
import type { Steadiness } from '../../domain/clock';
import { GatewayError } from '../../domain/errors';
import { isEndUntold, type Order } from '../../domain/order';
import { isPerhapsUntold, UNMARKED_MS } from '../../journal/told-sales';
import type { CallerKey, Mapping } from '../../mapping/mapping';
import type { LookParts } from './look-for-unheard';

/** For how long a repeat of a sold order is told that order's success. After that the same id is refused as used. Infinity: never refused. */
export function replayMsOf(mapping: Mapping, callerKey: CallerKey | undefined): number {
  return callerKey?.replayMs ?? mapping.replayMs;
}

/** By how much the clock may have been set before this process could notice it: days, hardly more than a week. */
const CLOCK_SET_MOST_MS = 7 * 24 * 3_600_000;

export interface UsedIdParts extends Pick<LookParts, 'clock' | 'toldSales' | 'unmarkedMs'> {
  readonly steadiness: Pick<Steadiness, 'steadyForMs' | 'setByMs' | 'agoMs'>;
}

/**
 * True if the success was told so long ago that a request with its id must mean another sale. False while no script is known to
 * have heard the success: then it is told, however late. `unread` while the list of told sales would show which of the two, and cannot be read.
 */
export async function isUsedUp(
  order: Order,
  replayMs: number,
  { clock, steadiness, toldSales, unmarkedMs = () => UNMARKED_MS }: UsedIdParts,
): Promise<boolean | 'unread'> {
  if (order.outcome?.kind !== 'succeeded' || isEndUntold(order)) return false;
  const nowMs = clock.now();
  const agoMs = nowMs - (order.toldAtMs ?? order.settledAtMs ?? nowMs);
  // After a start, or after somebody has set the clock, the time of day shows only roughly how long ago that was.
  const settingMs = steadiness.steadyForMs() > replayMs ? 0 : Math.max(CLOCK_SET_MOST_MS, steadiness.setByMs());
  // Where a success is told only once, its age does not count: the clock may have been set back since.
  if (replayMs > 0 && agoMs <= replayMs + settingMs) return false;
  // Its process may have died before it told the sale, and no other one have marked that yet.
  const settledAgoMs = steadiness.agoMs(order.settledAtMs ?? 0) || undefined;
  const reading = isPerhapsUntold(order, toldSales?.(), { nowMs, unmarkedMs: unmarkedMs() }, settledAgoMs);
  return reading.then(
    (isUntold) => !isUntold,
    () => 'unread' as const,
  );
}

/** The refusal of a request id that belongs to another order. It happens: one old server family fills missing ids with the current second. */
export function requestIdReused(): GatewayError {
  return new GatewayError(
    'request_id_reused',
    'This request-id was already used for another order. Nothing was charged for this one: send it again with an id of its own.',
  );
}

/** The refusal of a used-up id, as the original servers word it (facts 9.1). `mayHear`: v1 accepts the script, so it may hear that the order was sold. */
export function requestIdUsed({ settledAtMs }: Order, mayHear: boolean): GatewayError {
  const when = settledAtMs === undefined ? '' : ` on ${new Date(settledAtMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return new GatewayError(
    'request_id_used',
    `This request-id was already used${mayHear ? `: the order with it was sold${when}` : ''}. Nothing was charged for this request. Send a new sale with an id of its own.`,
  );
}
