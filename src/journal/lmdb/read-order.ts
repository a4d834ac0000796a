/** From an index to the order it points at. Inside a write transaction these read what that transaction sees. */
import type { Order } from '../../domain/order';
import type { Environment } from './environment';
import { orderKey, parsePlace, textKey } from './keys';
import { decodeOrder, intentOf } from './record';
import type { FieldSeal } from './sealed-fields';

/** The trees and the means to read them. */
export interface Store extends Environment {
  readonly seal: FieldSeal;
}

export interface StoredOrder {
  readonly order: Order;
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
  const bytes = store.orders.get(orderKey(owner, at));
  return bytes === undefined ? undefined : { order: decodeOrder(bytes, owner, at, store.seal), intent: intentOf(bytes) };
}
