import { NOT_TOLD, type Order, TOLD_PENDING } from '../../src/domain/order';
import {
  isPerhapsTold,
  isPerhapsUntold,
  toldLine,
  readTold,
  UNMARKED_MS,
  wasTold,
  type ToldStore,
} from '../../src/journal/told-sales';
import { newOrder } from './new-order';

const NOW = Date.UTC(2026, 10, 26, 12);
const SECOND = 1_000;
const AT = { nowMs: NOW, unmarkedMs: UNMARKED_MS };
const sold = (more: Partial<Order> = {}): Order => ({
  ...newOrder(),
  ...{ number: 17, attempts: 1, outcome: { kind: 'succeeded', reference: 'V1' }, settledAtMs: NOW - SECOND },
  ...more,
});
const storeOf = (...texts: readonly string[]): ToldStore & { readonly asked: number[] } => {
  const asked: number[] = [];
  const read = async (fromMs: number) => (asked.push(fromMs), texts);
  return { asked, read, append: () => Promise.resolve() };
};

test('each sale has a line of its own, and a line that was cut short is ignored', async () => {
  const { owner } = newOrder();
  const isTold = await readTold(storeOf(toldLine({ owner, number: 17 }), `${owner} 2`), 0);
  expect([17, 1, 2].map((number) => isTold({ owner, number }))).toEqual([true, false, false]);
});

test.each<[string, Order, ToldStore | undefined, boolean]>([
  ['that is recent', sold(), storeOf(), true],
  ['that is known to have been told', sold(), storeOf(toldLine(sold())), false],
  // Silent for 20 s; then they give signs of their own for 20 s before they believe that, and look every 5 s.
  ['whose neighbours lost the journal, or stood still, as it died', sold({ settledAtMs: NOW - 55 * SECOND }), storeOf(), true],
  ['settled by another process while its own waited for v1', sold({ settledAtMs: NOW - 120 * SECOND }), storeOf(), true],
  ['of a process that sells alone, and has marked all at its start', sold(), undefined, false],
])('whether a sale may be untold %s', async (_what, order, store, expected) => {
  expect(await isPerhapsUntold(order, store, AT)).toBe(expected);
});

test('a sale of a moment ago by a clock that was set back since may be untold', async () => {
  expect(await isPerhapsUntold(sold({ settledAtMs: NOW + 86_400 * SECOND }), storeOf(), AT, 7 * SECOND)).toBe(true);
});

test('after minutes in which nobody could write, a sale of before may be untold, and one that was about to be told may not be told', async () => {
  const at = { nowMs: NOW, unmarkedMs: 300 * SECOND };
  const order = sold({ settledAtMs: NOW - 330 * SECOND });
  expect([await isPerhapsUntold(order, storeOf(), at), await isPerhapsUntold(order, storeOf(toldLine(order)), at)]).toEqual([
    true,
    false,
  ]);
  const taken = sold({ settledAtMs: NOW - 900 * SECOND, toldAtMs: NOW - 290 * SECOND });
  expect([await isPerhapsTold(taken, storeOf(), at), await isPerhapsTold(taken, storeOf(toldLine(taken)), at)]).toEqual([
    true,
    false,
  ]);
});

test('clocks of two machines may differ', async () => {
  const store = storeOf();
  await isPerhapsUntold(sold({ settledAtMs: NOW - 135 * SECOND }), store, AT);
  expect(store.asked).toEqual([NOW - 145 * SECOND]);
});

test('the list is read from before the settling: the clock may have been set back before the sale was told', async () => {
  const store = storeOf();
  await isPerhapsUntold(sold(), store, AT);
  await isPerhapsUntold(sold({ settledAtMs: NOW + 100 * SECOND }), store, AT);
  expect(store.asked).toEqual([NOW - 145 * SECOND, NOW - 145 * SECOND]);
});

test.each<[string, Order]>([
  ['by now its neighbours have marked what they had to', sold({ settledAtMs: NOW - 136 * SECOND })],
  ['the clock was set back since, and the list may have lost it', sold({ settledAtMs: NOW + 3_600 * SECOND })],
  ['it has a mark of its own', sold({ toldAtMs: NOT_TOLD })],
  ['it is no success', sold({ outcome: { kind: 'pending', reference: 'V1' } })],
])('no file is read for an order where %s', async (_why, order) => {
  const store = storeOf();
  expect(await isPerhapsUntold(order, store, AT)).toBe(false);
  expect(store.asked).toEqual([]);
});

test.each([
  ['heard', 100, toldLine(sold(), 'pending'), false],
  ['may have missed', 100, toldLine(sold(), 'success'), true],
  ['was told before the list begins', 140, '', false],
])('"pending" that a script %s', async (_what, openedSecondsAgo, line, expected) => {
  const order = sold({ toldAtMs: TOLD_PENDING, openedAtMs: NOW - openedSecondsAgo * SECOND });
  expect(await isPerhapsUntold(order, storeOf(line), AT)).toBe(expected);
});

test.each<[string, Order | undefined, boolean]>([
  ['that stands in a line', sold(), true],
  ['that was told late', sold({ toldAtMs: NOW }), true],
  ['whose script has heard "pending" alone', sold({ toldAtMs: 1 }), false],
  ['that is open', sold({ outcome: { kind: 'pending', reference: 'V1' } }), false],
  ['that nobody has', undefined, false],
])('whether a sale %s was told', async (_what, order, expected) => {
  expect(await wasTold(order, storeOf(toldLine(sold())))).toBe(expected);
});
