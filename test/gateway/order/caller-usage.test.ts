import { kobo } from '../../../src/domain/amount';
import { createDays } from '../../../src/domain/day';
import type { NewOrder } from '../../../src/domain/order';
import type { Outcome } from '../../../src/domain/outcome';
import { createCallerUsage } from '../../../src/gateway/order/caller-usage';
import type { Journal } from '../../../src/journal/journal';
import { createMemoryJournal } from '../../../src/journal/memory-journal';
import { newOrder } from '../../journal/new-order';
import { turnsDuring } from '../../until';
import { shippedMapping } from '../../mapping/mapping-set';

const OWNER = newOrder().owner;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = Date.parse('2026-11-25T12:00:00+01:00');
const sold = (naira?: number): Outcome => ({
  kind: 'succeeded',
  reference: 'v1',
  ...(naira === undefined ? {} : { delivery: { charged: kobo(naira * 100) } }),
});

/** More reads than any test needs: a loop without an end would hang the tests silently. */
const FINDS_MAX = 1_000;

/** A journal on a clock that the test sets, and how often an order was read from it. */
function openUsage() {
  let nowMs = NOON;
  let mapping = shippedMapping();
  let orders = 0;
  let finds = 0;
  let looks = 0;
  let lookTakesMs = 0;
  const unreadable: Error[] = [];
  const troubles: string[] = [];
  const journal = createMemoryJournal();
  const counted: Pick<Journal, 'listOfOwner' | 'listUnsettled' | 'find'> = {
    async listUnsettled(options) {
      looks += 1;
      nowMs += lookTakesMs;
      for (const error of unreadable) options.onUnreadable!(error);
      return journal.listUnsettled(options);
    },
    async find(owner, requestId) {
      finds += 1;
      if (finds > FINDS_MAX) throw new Error('the same orders are looked at without an end');
      return journal.find(owner, requestId);
    },
    async *listOfOwner(options) {
      for (const error of unreadable) {
        if (options.onUnreadable === undefined) throw error;
        options.onUnreadable(error);
      }
      for await (const order of journal.listOfOwner(options)) {
        orders += 1;
        yield order;
      }
    },
  };
  const usage = createCallerUsage({
    journal: counted,
    mapping: () => mapping,
    setOf: (hash) => (hash === newOrder().trail!.mapping ? shippedMapping() : undefined),
    clock: { now: () => nowMs },
    dayOf: createDays(),
    onTrouble: (what, error) => void troubles.push(`${what}: ${String(error)}`),
  });
  return {
    journal,
    troubles,
    unreadable,
    setNow: (ms: number) => (nowMs = ms),
    takeReads: () => [orders, (orders = 0)][0],
    takeFinds: () => [finds, (finds = 0)][0],
    dropOperations: () => (mapping = { ...mapping, operations: new Map() }),
    takeLooks: () => [looks, (looks = 0)][0],
    setLookTakes: (ms: number) => (lookTakesMs = ms),
    order: async (requestId: string, atMs: number, outcome?: Outcome, more: Partial<NewOrder> = {}) => {
      await journal.open(newOrder({ requestId, openedAtMs: atMs, ...more }));
      if (outcome !== undefined) await journal.settle(OWNER, requestId, outcome, atMs + 1);
    },
    today: async (without?: string) => {
      const { today } = await usage.read(OWNER, without);
      return [today.orders, today.amount / 100];
    },
    lastMinute: async () => (await usage.read(OWNER)).lastMinute.map(({ requestId }) => requestId),
    forget: () => usage.forget(OWNER),
  };
}

test('an order counts what v1 charged, else what was asked for, and nothing if it took no money', async () => {
  const { order, today } = openUsage();
  await order('charged', NOON - 1, sold(98));
  await order('face value', NOON - 1, sold());
  await order('under way', NOON - 1);
  await order('unknown', NOON - 1, { kind: 'unknown', reason: 'reset' });
  await order('refused', NOON - 1, { kind: 'rejected', httpStatus: 400 });
  await order('given back', NOON - 1, { kind: 'declined' });
  await order('never sent', NOON - 1, { kind: 'not_sent', reason: 'no way' });
  // A plan whose price only v1's list has.
  await order('plan', NOON - 1, undefined, { operation: 'buy_data', fields: { plan: 102 } });
  await order('of another', NOON - 1, sold(5_000), { owner: 'f'.repeat(32) }).catch(() => undefined);
  expect(await today()).toEqual([5, 98 + 3 * 100]);
  expect(await today('charged')).toEqual([4, 300]);
});

test('an order counts what was asked for also when its operation has another name now', async () => {
  const { order, today, dropOperations } = openUsage();
  await order('under way', NOON - 1);
  await order('older', NOON - HOUR, { kind: 'pending' });
  dropOperations();
  expect(await today()).toEqual([2, 200]);
});

test('orders of absurd amounts leave the count of a key readable: their sum ends at the largest amount', async () => {
  const { order, today } = openUsage();
  const more = { operation: 'buy_recharge_cards', fields: { denomination: 900_000_000_000, quantity: 100 } };
  for (const id of ['s-1', 's-2']) await order(id, NOON - 1, { kind: 'unknown', reason: 'reset' }, more);
  expect(await today()).toEqual([2, Number.MAX_SAFE_INTEGER / 100]);
});

test('a record that this build cannot read is reported and adds nothing, and the other orders are counted', async () => {
  const { order, today, lastMinute, troubles, unreadable } = openUsage();
  await order('old', NOON - HOUR, sold(10));
  await order('new', NOON - 1, sold(20));
  unreadable.push(new Error('a record of version 9'));
  expect(await today()).toEqual([2, 30]);
  expect(await lastMinute()).toEqual(['new']);
  expect(new Set(troubles)).toEqual(new Set(['caller_usage: Error: a record of version 9']));
});

test('a day begins at midnight of the zone, and an order belongs to the day of its first attempt', async () => {
  const { order, today, setNow, journal } = openUsage();
  const midnight = NOON - 12 * HOUR;
  await order('yesterday', midnight - 1, sold(1));
  await order('refused yesterday', midnight - 1, { kind: 'rejected', httpStatus: 400 });
  setNow(midnight - 1);
  expect(await today()).toEqual([1, 1]);
  await order('first', midnight, sold(2));
  await journal.open(newOrder({ requestId: 'refused yesterday', openedAtMs: midnight + 5 }));
  for (const now of [midnight + 10, NOON]) {
    setNow(now);
    expect(await today()).toEqual([1, 2]);
  }
});

test('the last minute counts orders by their first attempt, whatever their outcome, across midnight too', async () => {
  const { order, lastMinute, setNow } = openUsage();
  const midnight = NOON - 12 * HOUR;
  await order('before', midnight - 61_000, sold(1));
  await order('old day', midnight - 30_000, { kind: 'rejected', httpStatus: 400 });
  await order('new day', midnight + 5);
  setNow(midnight + 10);
  expect(await lastMinute()).toEqual(['old day', 'new day']);
});

test('orders of an hour that a clock set back has not reached yet are not of the last minute', async () => {
  const { order, lastMinute, today, setNow } = openUsage();
  for (const id of ['one', 'two']) await order(id, NOON + HOUR, sold(10));
  // The clock of another machine is a little ahead.
  await order('theirs', NOON + 2_000, sold(20));
  setNow(NOON);
  expect(await lastMinute()).toEqual(['theirs']);
  expect(await today()).toEqual([3, 40]);
});

test('older orders are read once, and an outcome that comes later is seen', async () => {
  const { order, today, journal, setNow, takeReads } = openUsage();
  for (let index = 0; index < 40; index += 1) await order(`sold ${index}`, NOON - HOUR + index, sold(10));
  await order('open', NOON - HOUR, { kind: 'unknown', reason: 'reset' });
  await order('given back', NOON - HOUR, { kind: 'pending' });
  expect(await today()).toEqual([42, 600]);
  takeReads();
  expect(await today()).toEqual([42, 600]);
  expect(takeReads()).toBe(0);
  await journal.settle(OWNER, 'open', sold(90), NOON);
  await journal.settle(OWNER, 'given back', { kind: 'declined' }, NOON);
  setNow(NOON + 6_000);
  expect(await today()).toEqual([41, 490]);
  setNow(NOON + 2 * MINUTE);
  expect(await today()).toEqual([41, 490]);
  expect(takeReads()).toBe(0);
});

test('open orders are read at once, and one by one only where they have ended', async () => {
  const { order, today, journal, setNow, takeFinds, takeLooks } = openUsage();
  const ids = Array.from({ length: 50 }, (_, index) => `open ${index}`);
  for (const id of ids) await order(id, NOON - HOUR, { kind: 'pending' });
  expect(await today()).toEqual([50, 5_000]);
  for (const ms of [6_000, MINUTE, 2 * MINUTE]) {
    setNow(NOON + ms);
    expect(await today()).toEqual([50, 5_000]);
    expect([takeLooks(), takeFinds()]).toEqual([1, 0]);
  }
  await journal.settle(OWNER, 'open 7', { kind: 'declined' }, NOON + 2 * MINUTE);
  setNow(NOON + 3 * MINUTE);
  expect(await today()).toEqual([49, 4_900]);
  expect([takeLooks(), takeFinds()]).toEqual([1, 1]);
});

test('a look at open orders that takes long is not due again at once', async () => {
  const { order, today, setNow, takeLooks, setLookTakes } = openUsage();
  await order('open', NOON - HOUR, { kind: 'pending' });
  await today();
  setLookTakes(7_000);
  setNow(NOON + 6_000);
  for (let purchases = 0; purchases < 3; purchases += 1) await today();
  expect(takeLooks()).toBe(1);
});

test('a record that this build cannot read stops no look at open orders', async () => {
  const { order, today, setNow, unreadable } = openUsage();
  await order('open', NOON - HOUR, { kind: 'pending' });
  unreadable.push(new Error('a record of version 9'));
  expect(await today()).toEqual([1, 100]);
  setNow(NOON + 6_000);
  expect(await today()).toEqual([1, 100]);
});

test('refused orders are not read again with each purchase', async () => {
  const { order, today, setNow, takeFinds, takeLooks } = openUsage();
  for (let index = 0; index < 50; index += 1)
    await order(`refused ${index}`, NOON - HOUR + index, { kind: 'rejected', httpStatus: 400 });
  expect(await today()).toEqual([0, 0]);
  setNow(NOON + 6_000);
  expect(await today()).toEqual([0, 0]);
  expect([takeLooks(), takeFinds()]).toEqual([0, 0]);
});

test('a long last minute is read in turns with other work', async () => {
  const { order, today } = openUsage();
  for (let index = 0; index < 2_000; index += 1) await order(`sold ${index}`, NOON - 1_000 + (index % 1_000));
  await today();
  expect(await turnsDuring(today())).toBeGreaterThanOrEqual(4);
});

test('orders that another process adds late are seen in the last minute, and are counted once when they grow old', async () => {
  const { order, today, setNow } = openUsage();
  await order('mine', NOON - 1_000, sold(10));
  expect(await today()).toEqual([1, 10]);
  // Its number is lower than that of the order that was counted already.
  await order('theirs', NOON - 20_000, sold(20));
  expect(await today()).toEqual([2, 30]);
  for (const ms of [30_000, MINUTE, 2 * MINUTE, 20 * MINUTE]) {
    setNow(NOON + ms);
    expect(await today()).toEqual([2, 30]);
  }
});

test('an order that is sold after all under its id is counted once when the sale is reported, and after a while without a report', async () => {
  const { order, today, journal, setNow, forget } = openUsage();
  await order('again', NOON - HOUR, { kind: 'rejected', httpStatus: 400 });
  expect(await today()).toEqual([0, 0]);
  await journal.open(newOrder({ requestId: 'again', openedAtMs: NOON }));
  await journal.settle(OWNER, 'again', sold(70), NOON);
  forget();
  expect(await today()).toEqual([1, 70]);
  await order('elsewhere', NOON - HOUR, { kind: 'rejected', httpStatus: 400 });
  setNow(NOON + 11 * MINUTE);
  expect(await today()).toEqual([1, 70]);
  await journal.open(newOrder({ requestId: 'elsewhere', openedAtMs: NOON + 11 * MINUTE }));
  await journal.settle(OWNER, 'elsewhere', sold(30), NOON + 11 * MINUTE);
  setNow(NOON + 22 * MINUTE);
  expect(await today()).toEqual([2, 100]);
});
