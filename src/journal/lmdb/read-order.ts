/** From an index to the order it points at. Inside a write transaction these read what that transaction sees. */
import type { Order } from '../../domain/order';
import type { Environment } from './environment';
import { orderKey, parsePlace, textKey } from './keys';
import { decodeOrder, intentOf, isOpenAttempt } from './record';
import type { FieldSeal } from './sealed-fields';

/** The trees and the means to read them. */
export interface Store extends Environment {
  readonly seal: FieldSeal;
}

export interface StoredOrder {
  readonly order: Order;
  /** Of its record. */
  readonly key: Buffer;
  /** The encoded intent, to be written again as it is. */
  readonly intent: Buffer;
}

export function readById(store: Store, owner: string, requestId: string): StoredOrder | undefined {
  return readAt(store, owner, store.ids.get(textKey(owner, requestId)));
}

/** `place` is what an index holds; undefined gives undefined, so that lookups chain. */
export function readAt(store: Store, owner: string, place: Buffer | undefined): StoredOrder | undefined {
  if (place === undefined) return undefined;
  const at = parsePlace(place);
  const key = orderKey(owner, at);
  const bytes = store.orders.get(key);
  return bytes === undefined ? undefined : { order: decodeOrder(bytes, owner, at, store.seal), key, intent: intentOf(bytes) };
}

/**
 * An order that this process opened, without parsing its record; undefined when that is no longer this attempt without an
 * answer. The intent lies in memory that the next read takes for itself: to be copied at once.
 */
export function readOpenAttempt(store: Store, order: Order): StoredOrder | undefined {
  const key = orderKey(order.owner, order);
  const borrowed = store.orders.getBinaryFast(key);
  if (borrowed === undefined) return undefined;
  // lmdb sets `length` by hand on a larger buffer, and not every version of Node heeds that: a view ends where the record does.
  const bytes = borrowed.subarray(0, borrowed.length);
  return isOpenAttempt(bytes, order.tries) ? { order, key, intent: intentOf(bytes) } : undefined;
}
