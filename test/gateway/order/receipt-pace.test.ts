import { createReceiptPace } from '../../../src/gateway/order/receipt-pace';

test('a key reads two hundred receipts a second, however many orders it has; others do not wait for it', () => {
  let nowMs = 1_000;
  const pace = createReceiptPace({ elapsed: () => nowMs });
  const waits = Array.from({ length: 10_000 }, () => pace.nextInMs('a'));
  expect(waits.slice(0, 3)).toEqual([0, 5, 10]);
  expect(waits.filter((waitMs) => waitMs < 1_000)).toHaveLength(200);
  expect(pace.nextInMs('b')).toBe(0);
  nowMs += 60_000;
  expect(pace.nextInMs('a')).toBe(0);
});
