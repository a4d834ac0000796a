import { kobo } from '../../../src/domain/amount';
import { createDays } from '../../../src/domain/day';
import type { NewOrder, Order } from '../../../src/domain/order';
import { createCallerLimits, type Entry, pauseOf } from '../../../src/gateway/order/caller-limits';
import type { Journal } from '../../../src/journal/journal';
import { createMemoryJournal } from '../../../src/journal/memory-journal';
import { plainCallerKey } from '../../../src/mapping/compile-callers';
import { newOrder, OPENED_AT_MS } from '../../journal/new-order';
import { shippedMapping } from '../../mapping/mapping-set';

const { owner } = newOrder();

interface Limited {
  readonly purchases?: number;
  readonly naira?: number;
  readonly dress?: Partial<Journal>;
}

/** The limits of one key over a journal; each order has a face value of 100 naira. */
function openLimits({ purchases, naira, dress }: Limited = {}) {
  let nowMs = OPENED_AT_MS;
  const journal = createMemoryJournal();
  const limits = createCallerLimits({
    journal: { ...journal, ...dress },
    mapping: shippedMapping,
    clock: { now: () => nowMs },
    dayOf: createDays(),
  });
  const limit = {
    purchasesPerMinute: purchases ?? Infinity,
    nairaPerDay: naira === undefined ? undefined : kobo(naira * 100),
  };
  const callerKey = { ...plainCallerKey(owner), limit };
  const enter = (requestId: string, more: Partial<NewOrder> = {}): Promise<Entry> =>
    limits.enter(newOrder({ requestId, openedAtMs: nowMs, ...more }), { callerKey })!;
  return {
    journal,
    limits,
    enter,
    advance: (ms: number) => (nowMs += ms),
    buy: async (requestId: string) => {
      const entry = await enter(requestId);
      await journal.open(newOrder({ requestId, openedAtMs: nowMs }));
      entry.leave();
    },
  };
}

test('a key without limits is not looked at', () => {
  const { limits } = openLimits();
  expect(limits.enter(newOrder(), { callerKey: plainCallerKey(owner) })).toBeUndefined();
  expect(limits.enter(newOrder(), { callerKey: undefined })).toBeUndefined();
});

test('purchases beyond those of a minute are refused until one of them is a minute old', async () => {
  const { buy, enter, advance } = openLimits({ purchases: 2 });
  await buy('one');
  advance(20_000);
  await buy('two');
  advance(10_000);
  await expect(enter('three')).rejects.toMatchObject({ code: 'too_many_purchases', retryAfterSeconds: 30 });
  advance(30_001);
  await buy('three');
  await expect(enter('four')).rejects.toMatchObject({
    code: 'too_many_purchases',
    detail: 'This account may make 2 purchases a minute, and has. Nothing was charged. Try again in a minute.',
  });
});

test('of many purchases at once exactly as many as may be are let in, whether or not the journal has them yet', async () => {
  const { enter, journal } = openLimits({ purchases: 3 });
  const judged = await Promise.allSettled(
    Array.from({ length: 10 }, async (_, index) => {
      const entry = await enter(`r${index}`);
      await journal.open(newOrder({ requestId: `r${index}` }));
      if (index % 2 === 0) entry.leave();
    }),
  );
  expect(judged.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
});

test('what was not written takes no place', async () => {
  const { enter } = openLimits({ purchases: 1 });
  (await enter('lost')).leave();
  await expect(enter('next')).resolves.toBeDefined();
});

test('no purchase goes beyond the naira of a day, one that fits exactly is taken', async () => {
  const { buy, enter } = openLimits({ naira: 250 });
  await buy('one');
  await buy('two');
  await expect(enter('three')).rejects.toMatchObject({
    code: 'daily_limit_reached',
    status: 403,
    detail: 'This purchase would go beyond the NGN 250.00 that this account may buy for in a day. Nothing was charged.',
  });
  const fits = { fields: { phone: '08030000001', network: 'MTN', amount: 5_000 } };
  const entry = await enter('fits', fits);
  await expect(enter('beside it', fits)).rejects.toMatchObject({ code: 'daily_limit_reached' });
  entry.leave();
});

test('what has no known price is taken while anything is left of the day', async () => {
  const { buy, enter } = openLimits({ naira: 100 });
  const plan = { operation: 'buy_data', fields: { plan: 102 } };
  (await enter('plan', plan)).leave();
  await buy('all of it');
  await expect(enter('plan', plan)).rejects.toMatchObject({ code: 'daily_limit_reached' });
});

test('an order that is tried again does not stand in its own way', async () => {
  const { buy, enter, journal } = openLimits({ purchases: 1, naira: 100 });
  await buy('one');
  await journal.settle(owner, 'one', { kind: 'rejected', httpStatus: 400 }, OPENED_AT_MS + 1);
  const entry = await enter('one');
  entry.reopened();
  entry.leave();
});

test('a journal that cannot be read lets nothing through a limit, and the next is judged anew', async () => {
  let isAway = true;
  const journal = createMemoryJournal();
  const dress: Partial<Journal> = {
    async *listOfOwner(options) {
      if (isAway) throw new Error('the disk is away');
      yield* journal.listOfOwner(options);
    },
  };
  const { enter } = openLimits({ purchases: 1, dress });
  await expect(enter('one')).rejects.toMatchObject({ code: 'journal_unavailable' });
  isAway = false;
  await expect(enter('two')).resolves.toBeDefined();
});

test('a paused key is refused with its text, any other is not', () => {
  expect(pauseOf({ ...plainCallerKey(owner), pausedText: 'Please pay your bill' })).toMatchObject({
    code: 'caller_paused',
    status: 403,
    detail: 'Please pay your bill',
  });
  expect(pauseOf(plainCallerKey(owner))).toBeUndefined();
  expect(pauseOf(undefined)).toBeUndefined();
});

test('an order that reaches the journal while it is read for the next one is counted', async () => {
  const journal = createMemoryJournal();
  let arrive: () => Promise<void> = async () => undefined;
  const dress: Partial<Journal> = {
    async *listOfOwner(options) {
      const seen: Order[] = [];
      for await (const order of journal.listOfOwner(options)) seen.push(order);
      // The last minute is read; what comes now is not in it.
      if (options.beforeNumber === undefined) await arrive();
      yield* seen;
    },
  };
  const { enter } = openLimits({ purchases: 1, dress });
  const first = await enter('one');
  arrive = async () => {
    await journal.open(newOrder({ requestId: 'one' }));
    first.leave();
  };
  await expect(enter('two')).rejects.toMatchObject({ code: 'too_many_purchases' });
});
