import {
  decodeOrder,
  encodeIntent,
  encodeOrder,
  intentOf,
  isOpenAttempt,
  RECORD_BYTES_MAX,
} from '../../../src/journal/lmdb/record';
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
    const bytes = encodeOrder(order, encodeIntent(order, seal), seal);
    expect(decodeOrder(bytes, order.owner, place, seal)).toEqual(order);
    const settled: Order = { ...order, outcome: { kind: 'unknown', reason: 'réseau ₦' }, settledAtMs: 5 };
    expect(decodeOrder(encodeOrder(settled, intentOf(bytes), seal), order.owner, place, seal)).toEqual(settled);
  });

  test('the hash of what was asked comes back, with and without the trail', () => {
    for (const asked of [
      { ...order, askedHash: 'a1' },
      { ...withoutTrail(order), askedHash: 'a1' },
    ])
      expect(decodeOrder(encodeOrder(asked, encodeIntent(asked, seal), seal), order.owner, place, seal)).toEqual(asked);
  });

  test('the address it was placed from comes back, with and without what may be absent before it', () => {
    for (const placed of [
      { ...order, askedHash: 'a1', headerId: 'h1', addressHash: 'w1' },
      { ...withoutTrail(order), addressHash: 'w1' },
    ])
      expect(decodeOrder(encodeOrder(placed, encodeIntent(placed, seal), seal), order.owner, place, seal)).toStrictEqual(placed);
  });

  test('when its end was told comes back, with and without an end', () => {
    for (const told of [
      { ...order, toldAtMs: 0 },
      { ...order, outcome: { kind: 'succeeded', reference: 'v1-1' } as const, settledAtMs: 5, toldAtMs: 0 },
      { ...order, outcome: { kind: 'succeeded', reference: 'v1-1' } as const, settledAtMs: 5, toldAtMs: 9 },
    ])
      expect(decodeOrder(encodeOrder(told, encodeIntent(told, seal), seal), order.owner, place, seal)).toEqual(told);
  });

  test('the bytes are those that every build of this version has written and reads', () => {
    const asked: Order = { ...order, askedHash: 'a1', outcome: { kind: 'unknown', reason: 'réseau ₦' }, settledAtMs: 5 };
    const intent =
      '["r1","buy_airtime","b",{"phone":"08030000001","network":"MTN","amount":10000},{"request-id":"r1"},"hash-1",' +
      '{"mapping":"0123456789abcdef","reason":"field mobile_number","spellings":{"phone":"mobile_number"}},"a1"]';
    const fate = '[2,{"kind":"unknown","reason":"réseau ₦"},5]';
    const bytes = Buffer.concat([Buffer.from([1, intent.length >> 8, intent.length & 255]), Buffer.from(intent + fate)]);
    expect(encodeOrder(asked, encodeIntent(asked, seal), seal)).toEqual(bytes);
    expect(decodeOrder(bytes, order.owner, place, seal)).toEqual(asked);
  });

  test('a record of an earlier build, without trail and asked hash, is read', () => {
    const text = '["r1","buy_airtime","b",{"amount":5},{},"hash-1"][1]';
    const bytes = Buffer.concat([Buffer.from([1, 0, text.length - 3]), Buffer.from(text)]);
    const { owner } = order;
    expect(decodeOrder(bytes, owner, place, seal)).toStrictEqual({
      ...{ owner, requestId: 'r1', operation: 'buy_airtime', format: 'b', fields: { amount: 5 }, echo: {} },
      ...{ contentHash: 'hash-1', ...place, tries: 1 },
    });
  });

  test('a record tells whether it stands at a try without an answer', () => {
    const open = encodeOrder(order, encodeIntent(order, seal), seal);
    expect(isOpenAttempt(open, 2)).toBe(true);
    expect(isOpenAttempt(open, 1)).toBe(false);
    const settled: Order = { ...order, outcome: { kind: 'pending' }, settledAtMs: 5 };
    expect(isOpenAttempt(encodeOrder(settled, intentOf(open), seal), 2)).toBe(false);
  });

  test('a record of another version is refused', () => {
    const bytes = encodeOrder(order, encodeIntent(order, seal), seal);
    bytes[0] = 9;
    expect(() => decodeOrder(bytes, order.owner, place, seal)).toThrow('version 9');
  });

  test('a record beyond its bound is refused', () => {
    const large = { ...order, fields: { note: 'x'.repeat(RECORD_BYTES_MAX) } };
    expect(() => encodeOrder(large, encodeIntent(large, seal), seal)).toThrow(RangeError);
  });
});
