/** What is written when an answer about an order comes in. Runs inside the write transaction. */
import type { Order } from '../../domain/order';
import type { Outcome } from '../../domain/outcome';
import { isUnsettled, referenceOf, settleOrder } from '../settle-order';
import type { Plan, Write } from './group-commit';
import { orderKey, placeBytes, textKey, unsettledKey } from './keys';
import { PRESENT } from './plan-opening';
import { readById, type Store } from './read-order';
import { encodeOrder } from './record';

export function planSettling(store: Store, owner: string, requestId: string, latest: Outcome, atMs: number): Plan<Order> {
  const stored = readById(store, owner, requestId);
  if (stored === undefined) throw new Error('The journal has no order with this request id to settle.');
  const before = stored.order;
  const after = settleOrder(before, latest, atMs);
  if (after === before) return { result: after, writes: [] };

  const writes: Write[] = [{ tree: store.orders, key: orderKey(owner, after), value: encodeOrder(after, stored.intent) }];
  const wasUnsettled = isUnsettled(before);
  if (wasUnsettled !== isUnsettled(after)) {
    writes.push({ tree: store.unsettled, key: unsettledKey(owner, after), value: wasUnsettled ? undefined : PRESENT });
  }
  const reference = referenceOf(after);
  if (reference !== undefined && reference !== referenceOf(before)) {
    const key = textKey(owner, reference);
    // The first order that v1 gave this reference keeps it.
    if (store.references.get(key) === undefined) writes.push({ tree: store.references, key, value: placeBytes(after) });
  }
  return { result: after, writes };
}
