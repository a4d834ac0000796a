/** The quiet time: how long after its last attempt an order must be missing in v1's history before it counts as never sent. */
import type { Order } from '../../domain/order';
import type { Mapping } from '../../mapping/mapping';

/** How long after its lease was written an attempt may begin, at most. It is over within the same time again. */
export const LEASE_MOST_MS = 60_000;

/**
 * The quiet time of an order, ms. An order of another mapping may be pursued with a longer quiet time than this mapping has: a reload has
 * shortened it, or a gateway that shares the journal has other files. No attempt is under way longer than two of the longest leases.
 */
export function quietMsOf({ trail }: Pick<Order, 'trail'>, { hash, timing }: Pick<Mapping, 'hash' | 'timing'>): number {
  return trail === undefined || trail.mapping === hash ? timing.quiet : Math.max(timing.quiet, 2 * LEASE_MOST_MS);
}
