/** What is written when an answer about an order comes in. Runs inside the write transaction. */
import type { Order } from '../../domain/order';
import type { Outcome } from '../../domain/outcome';
import { isUnsettled, referenceOf, settleOrder, withoutGoods } from '../settle-order';
import type { Plan, Write } from './group-commit';
import { orderKey, placeBytes, textKey, unsettledKey } from './keys';
import { PRESENT } from './plan-opening';
import { readAt, type Store, type StoredOrder } from './read-order';
import { encodeOrder } from './record';

/** Strips the answer at once, while an earlier flush is still under way; the plan itself is left with little to do. */
export function planSettling(store: Store, owner: string, requestId: string, latest: Outcome, atMs: number): () => Plan<Order> {
  const storable = withoutGoods(latest);
  const idKey = textKey(owner, requestId);
  return () => {
    const stored = readAt(store, owner, store.ids.get(idKey));
    if (stored === undefined) throw new Error('The journal has no order with this request id to settle.');
    const after = settleOrder(stored.order, storable, atMs);
    return { result: after, writes: after === stored.order ? [] : writesOf(store, stored, after) };
  };
}

function writesOf(store: Store, { order: before, intent }: StoredOrder, after: Order): readonly Write[] {
  const { owner } = after;
  const writes: Write[] = [{ tree: store.orders, key: orderKey(owner, after), value: encodeOrder(after, intent) }];
  const wasUnsettled = isUnsettled(before);
  if (wasUnsettled !== isUnsettled(after)) {
    writes.push({ tree: store.unsettled, key: unsettledKey(owner, after), value: wasUnsettled ? undefined : PRESENT });
  }
  const reference = referenceOf(after);
  if (reference !== undefined && reference !== referenceOf(before)) {
    const key = textKey(owner, reference);
    // The first order that v1 gave this reference keeps it.
    if (!store.references.doesExist(key)) writes.push({ tree: store.references, key, value: placeBytes(after) });
  }
  return writes;
}
