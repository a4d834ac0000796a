import { lastTriedAt } from '../../src/domain/order';
import { newOrder } from '../journal/new-order';

test('a try is as late as the last word about it', () => {
  const order = { ...newOrder({ openedAtMs: 5 }), number: 1, tries: 1 };
  expect(lastTriedAt(order)).toBe(5);
  expect(lastTriedAt({ ...order, settledAtMs: 9 })).toBe(9);
});
