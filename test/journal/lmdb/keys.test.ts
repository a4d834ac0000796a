import { openEnvironment } from '../../../src/journal/lmdb/environment';
import {
  numberKey,
  orderKey,
  ownerBytes,
  parseOrderKey,
  parseUnsettledKey,
  readOpenAttempt,
  textKey,
  unsettledKey,
  type Store,
} from '../../../src/journal/lmdb/keys';
import { createFieldSeal, encodeOpening, encodeOrder } from '../../../src/journal/record';
import type { Order } from '../../../src/domain/order';
import { newOrder } from '../new-order';
import { newFolder } from '../../new-folder';

const places = [
  { openedAtMs: 0, number: 1 },
  { openedAtMs: 0, number: 2 ** 32 },
  { openedAtMs: 1, number: 5 },
  { openedAtMs: 2 ** 40, number: Number.MAX_SAFE_INTEGER },
  { openedAtMs: 2 ** 48 - 1, number: 3 },
];
const owners = ['0123456789abcdef0123456789abcdef', 'ABCDEF', 'o', '₦'];

describe('keys', () => {
  test('an order key gives back its place and owner', () => {
    for (const owner of owners) {
      for (const place of places) {
        expect(parseOrderKey(orderKey(owner, place))).toEqual({ ...place, owner });
        expect(parseUnsettledKey(unsettledKey(owner, place))).toEqual({ ...place, owner });
      }
    }
  });

  test('keys sort by time and number', () => {
    const keys = places.map((place) => orderKey('o', place));
    expect([...keys].sort((one, other) => Buffer.compare(one, other))).toEqual(keys);
    expect(Buffer.compare(numberKey('o', 2 ** 32 - 1), numberKey('o', 2 ** 32))).toBe(-1);
  });

  test('a fingerprint takes 17 bytes', () => {
    expect(ownerBytes('0123456789abcdef0123456789abcdef')).toHaveLength(17);
  });

  test('no owner is the beginning of another and no two texts share a key', () => {
    expect(textKey('a', 'bc')).not.toEqual(textKey('ab', 'c'));
    expect(textKey('a', '\ud800')).not.toEqual(textKey('a', '\ufffd'));
  });
});

const seal = createFieldSeal(undefined);
const order: Order = { ...newOrder(), number: 7, attempts: 1 };

async function withStore(run: (store: Store) => Promise<void>): Promise<void> {
  const store = { ...(await openEnvironment({ dir: newFolder(), keyCheck: undefined })), seal };
  try {
    await run(store);
  } finally {
    await store.root.close();
  }
}

const write = (store: Store, written: Order): Promise<boolean> =>
  store.orders.put(orderKey(written.owner, written), encodeOrder(written, encodeOpening(written, seal), seal));

describe('an open attempt of this process', () => {
  // lmdb lends its own larger buffer with a `length` set by hand: Node 20 respects it, Node 24 and 26 decode text to the buffer's real end.
  test('is recognised by its record without parsing it, whatever follows the record in the borrowed memory', () =>
    withStore(async (store) => {
      const longer: Order = { ...order, requestId: 'r2', number: 8, fields: { note: 'x'.repeat(99) } };
      await write(store, longer);
      await write(store, order);
      expect(readOpenAttempt(store, longer)?.order).toBe(longer);
      const read = readOpenAttempt(store, order);
      expect(read?.order).toBe(order);
      expect(read?.record).toEqual(encodeOpening(order, seal));
    }));

  test('ends once its record holds an answer, another attempt, or nothing', () =>
    withStore(async (store) => {
      expect(readOpenAttempt(store, order)).toBeUndefined();
      await write(store, { ...order, attempts: 2 });
      expect(readOpenAttempt(store, order)).toBeUndefined();
      await write(store, { ...order, outcome: { kind: 'pending' }, settledAtMs: 5 });
      expect(readOpenAttempt(store, order)).toBeUndefined();
    }));
});
