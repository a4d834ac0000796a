/** How long after its last try an order that v1 does not list counts as never sent, whatever the quiet time of who sent it is. */
import type { Order } from '../../domain/order';
import type { Mapping } from '../../mapping/mapping';

/** How long an attempt may begin after the note of it, at most; then it is over within as long again. */
export const LEASE_MOST_MS = 60_000;

/**
 * By the mapping in use now. An order of another one may be pursued by its longer quiet time: a reload has made it shorter, or a gateway
 * that shares the journal has other files. No attempt outlasts two of the longest leases.
 */
export function quietMsOf({ trail }: Pick<Order, 'trail'>, { hash, timing }: Pick<Mapping, 'hash' | 'timing'>): number {
  return trail === undefined || trail.mapping === hash ? timing.quiet : Math.max(timing.quiet, 2 * LEASE_MOST_MS);
}
