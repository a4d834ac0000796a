/** What is written when an intent comes in. Runs inside the write transaction, so that no other process can come between. */
import type { NewOrder, Opened } from '../../domain/order';
import { decideOpening } from '../decide-opening';
import type { TakeNumber } from '../order-number';
import type { Plan, Write } from './group-commit';
import type { KeyMark } from './key-mark';
import { numberKey, orderKey, placeBytes, textKey, unsettledKey } from './keys';
import { readAt, type Store } from './read-order';
import { encodeIntent, encodeOrder } from './record';

export const PRESENT = Buffer.from([1]);

/** Encodes at once, while an earlier flush is still under way; the plan itself is left with little to do. */
export function planOpening(store: Store, keyMark: KeyMark, takeNumber: TakeNumber, intent: NewOrder): () => Plan<Opened> {
  const { owner } = intent;
  const encoded = encodeIntent(intent, store.seal);
  const idKey = textKey(owner, intent.requestId);
  return () => {
    const existing = readAt(store, owner, store.ids.get(idKey))?.order;
    const opened = decideOpening(existing, intent, () =>
      takeNumber(intent.openedAtMs, (number) => store.numbers.doesExist(numberKey(owner, number))),
    );
    if (opened.kind === 'found' || opened.kind === 'conflict') return { result: opened, writes: [] };
    const { order } = opened;
    const place = placeBytes(order);
    const writes: Write[] = [
      ...keyMark.writesBesideOrder(),
      { tree: store.orders, key: orderKey(owner, order), value: encodeOrder(order, encoded, store.seal) },
      { tree: store.ids, key: idKey, value: place },
      { tree: store.numbers, key: numberKey(owner, order.number), value: place },
      { tree: store.unsettled, key: unsettledKey(owner, order), value: PRESENT },
    ];
    // A reopened order has a new time and so a new place.
    const isMoved = existing !== undefined && existing.openedAtMs !== order.openedAtMs;
    if (isMoved) writes.push({ tree: store.orders, key: orderKey(owner, existing), value: undefined });
    return { result: opened, writes };
  };
}
