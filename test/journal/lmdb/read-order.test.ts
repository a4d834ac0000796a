import { openEnvironment } from '../../../src/journal/lmdb/environment';
import { orderKey } from '../../../src/journal/lmdb/keys';
import { readOpenAttempt, type Store } from '../../../src/journal/lmdb/read-order';
import { encodeIntent, encodeOrder, intentOf } from '../../../src/journal/lmdb/record';
import { createFieldSeal } from '../../../src/journal/lmdb/sealed-fields';
import type { Order } from '../../../src/domain/order';
import { newOrder } from '../new-order';
import { makeFolder, removeFolders } from '../temporary-folder';

afterAll(removeFolders);

const seal = createFieldSeal(undefined);
const order: Order = { ...newOrder(), number: 7, tries: 1 };

async function withStore(run: (store: Store) => Promise<void>): Promise<void> {
  const store = { ...(await openEnvironment({ dir: await makeFolder(), keyCheck: undefined })), seal };
  try {
    await run(store);
  } finally {
    await store.root.close();
  }
}

const write = (store: Store, written: Order): Promise<boolean> =>
  store.orders.put(orderKey(written.owner, written), encodeOrder(written, encodeIntent(written, seal), seal));

describe('an open try of this process', () => {
  // lmdb lends its own larger buffer with a `length` set by hand: Node 20 heeds it, Node 24 and 26 make text to the buffer's real end.
  test('is known by its record without parsing it, whatever stands behind the record in the borrowed memory', () =>
    withStore(async (store) => {
      const longer: Order = { ...order, requestId: 'r2', number: 8, fields: { note: 'x'.repeat(99) } };
      await write(store, longer);
      await write(store, order);
      expect(readOpenAttempt(store, longer)?.order).toBe(longer);
      const read = readOpenAttempt(store, order);
      expect(read?.order).toBe(order);
      expect(read?.intent.toString()).toBe(intentOf(encodeOrder(order, encodeIntent(order, seal), seal)).toString());
    }));

  test('is none any more once its record holds an answer, another try, or nothing', () =>
    withStore(async (store) => {
      expect(readOpenAttempt(store, order)).toBeUndefined();
      await write(store, { ...order, tries: 2 });
      expect(readOpenAttempt(store, order)).toBeUndefined();
      await write(store, { ...order, outcome: { kind: 'pending' }, settledAtMs: 5 });
      expect(readOpenAttempt(store, order)).toBeUndefined();
    }));
});
