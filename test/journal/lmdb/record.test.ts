import { decodeOrder, encodeIntent, encodeOrder, intentOf, RECORD_BYTES_MAX } from '../../../src/journal/lmdb/record';
import { createFieldSeal } from '../../../src/journal/lmdb/sealed-fields';
import type { Order } from '../../../src/domain/order';
import { newOrder, OPENED_AT_MS } from '../new-order';

const seal = createFieldSeal(undefined);
const place = { openedAtMs: OPENED_AT_MS, number: 7 };
const order: Order = { ...newOrder(), ...place, tries: 2 };

function withoutTrail(whole: Order): Order {
  return Object.fromEntries(Object.entries(whole).filter(([name]) => name !== 'trail')) as unknown as Order;
}

describe('records', () => {
  test('an order comes back as it was, before and after its outcome', () => {
    const bytes = encodeOrder(order, encodeIntent(order, seal));
    expect(decodeOrder(bytes, order.owner, place, seal)).toEqual(order);
    const settled: Order = { ...order, outcome: { kind: 'unknown', reason: 'réseau ₦' }, settledAtMs: 5 };
    expect(decodeOrder(encodeOrder(settled, intentOf(bytes)), order.owner, place, seal)).toEqual(settled);
  });

  test('the hash of what was asked comes back, with and without the trail', () => {
    for (const asked of [
      { ...order, askedHash: 'a1' },
      { ...withoutTrail(order), askedHash: 'a1' },
    ])
      expect(decodeOrder(encodeOrder(asked, encodeIntent(asked, seal)), order.owner, place, seal)).toEqual(asked);
  });

  test('a record of another version is refused', () => {
    const bytes = encodeOrder(order, encodeIntent(order, seal));
    bytes[0] = 9;
    expect(() => decodeOrder(bytes, order.owner, place, seal)).toThrow('version 9');
  });

  test('a record beyond its bound is refused', () => {
    const large = { ...order, fields: { note: 'x'.repeat(RECORD_BYTES_MAX) } };
    expect(() => encodeOrder(large, encodeIntent(large, seal))).toThrow(RangeError);
  });
});
