/** What is written when an answer about an order comes in. Runs inside the write transaction. */
import type { Order } from '../../domain/order';
import { referenceOf, type Outcome } from '../../domain/outcome';
import { isUnsettled, settleOrder, tellOrder, withoutGoods } from '../settle-order';
import type { Plan, Write } from './group-commit';
import { placeBytes, textKey, unsettledKey } from './keys';
import type { OpenAttempts } from './open-attempts';
import { PRESENT } from './plan-opening';
import { readById, readOpenAttempt, type Store, type StoredOrder } from './read-order';
import { encodeOrder } from './record';

export interface Settling {
  readonly owner: string;
  readonly requestId: string;
  readonly latest: Outcome;
  readonly atMs: number;
}

/** Strips the answer at once, while an earlier flush is still under way; the plan itself is left with little to do. */
export function planSettling(store: Store, openAttempts: OpenAttempts, settling: Settling): () => Plan<Order> {
  const { owner, requestId, atMs } = settling;
  const storable = withoutGoods(settling.latest);
  const mine = openAttempts.take(owner, requestId);
  return () => {
    const stored = (mine && readOpenAttempt(store, mine)) ?? readById(store, owner, requestId);
    if (stored === undefined) throw new Error('The journal has no order with this request id to settle.');
    const after = settleOrder(stored.order, storable, atMs);
    return { result: after, writes: after === stored.order ? [] : writesOf(store, stored, after) };
  };
}

/** An order that retention has swept meanwhile has nothing left to be told of. */
export function planTelling(store: Store, owner: string, requestId: string, toldAtMs: number): () => Plan<void> {
  return () => {
    const stored = readById(store, owner, requestId);
    const after = stored && tellOrder(stored.order, toldAtMs);
    return { result: undefined, writes: stored === undefined || after === stored.order ? [] : writesOf(store, stored, after!) };
  };
}

function writesOf(store: Store, { order: before, key, intent }: StoredOrder, after: Order): readonly Write[] {
  const { owner } = after;
  const writes: Write[] = [{ tree: store.orders, key, value: encodeOrder(after, intent, store.seal) }];
  const wasUnsettled = isUnsettled(before);
  if (wasUnsettled !== isUnsettled(after)) {
    writes.push({ tree: store.unsettled, key: unsettledKey(owner, after), value: wasUnsettled ? undefined : PRESENT });
  }
  const reference = referenceOf(after.outcome);
  if (reference !== undefined && reference !== referenceOf(before.outcome)) {
    // The first order that v1 gave this reference keeps it.
    writes.push({ tree: store.references, key: textKey(owner, reference), value: placeBytes(after), isOnlyIfAbsent: true });
  }
  return writes;
}
