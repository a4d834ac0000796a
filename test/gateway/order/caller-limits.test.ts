import { kobo } from '../../../src/domain/amount';
import { createDays } from '../../../src/domain/day';
import type { NewOrder, Opened } from '../../../src/domain/order';
import { createCallerLimits, pauseOf } from '../../../src/gateway/order/caller-limits';
import type { Journal } from '../../../src/journal/journal';
import { createMemoryJournal } from '../../../src/journal/memory-journal';
import { plainCallerKey } from '../../../src/mapping/compile-callers';
import { newOrder, OPENED_AT_MS } from '../../journal/new-order';
import { shippedMapping } from '../../mapping/mapping-set';

const { owner } = newOrder();

interface Limited {
  readonly purchases?: number;
  readonly naira?: number;
  readonly journalOverrides?: Partial<Journal>;
}

/** The limits of one key over a journal; each order has a face value of 100 naira. */
function openLimits({ purchases, naira, journalOverrides }: Limited = {}) {
  let nowMs = OPENED_AT_MS;
  const journal = createMemoryJournal();
  const limits = createCallerLimits({
    journal: { ...journal, ...journalOverrides },
    mapping: shippedMapping,
    clock: { now: () => nowMs },
    dayOf: createDays(),
    onTrouble: () => undefined,
  });
  const limit = {
    purchasesPerMinute: purchases ?? Infinity,
    nairaPerDay: naira === undefined ? undefined : kobo(naira * 100),
  };
  const callerKey = { ...plainCallerKey(owner), limit };
  const buy = (requestId: string, more: Partial<NewOrder> = {}): Promise<Opened> => {
    return limits.open(newOrder({ requestId, openedAtMs: nowMs, ...more }), { callerKey });
  };
  return {
    journal,
    limits,
    buy,
    advance: (ms: number) => (nowMs += ms),
    refuse: async (requestId: string) => {
      await buy(requestId);
      await journal.settle(owner, requestId, { kind: 'rejected', httpStatus: 400 }, nowMs + 1);
    },
  };
}

test.each([plainCallerKey(owner), undefined])('a key without limits is not looked at', async (callerKey) => {
  const journalOverrides = { listOfOwner: () => Promise.reject(new Error('it is read')) as never };
  const { limits } = openLimits({ journalOverrides });
  expect(await limits.open(newOrder(), { callerKey })).toMatchObject({ kind: 'opened' });
});

test('purchases beyond the limit of a minute are refused until one of them is a minute old', async () => {
  const { buy, advance } = openLimits({ purchases: 2 });
  await buy('one');
  advance(20_000);
  await buy('two');
  advance(10_000);
  await expect(buy('three')).rejects.toMatchObject({ code: 'too_many_purchases', retryAfterSeconds: 30 });
  advance(30_001);
  await buy('three');
  await expect(buy('four')).rejects.toMatchObject({
    code: 'too_many_purchases',
    detail: 'This account may make 2 purchases a minute, and has. Nothing was charged. Try again in a minute.',
  });
});

test('of many purchases at once exactly as many as the limit are let in', async () => {
  const { buy } = openLimits({ purchases: 3 });
  const judged = await Promise.allSettled(Array.from({ length: 10 }, (_, index) => buy(`r${index}`)));
  expect(judged.map(({ status }) => status === 'fulfilled')).toEqual([true, true, true, ...Array<boolean>(7).fill(false)]);
});

test('an order that was not written takes no place, and delays no other', async () => {
  const journal = createMemoryJournal();
  let isFull = true;
  const open: Journal['open'] = (order) => (isFull ? Promise.reject(new Error('the disk is full')) : journal.open(order));
  const { buy } = openLimits({ purchases: 1, journalOverrides: { ...journal, open } });
  const lost = buy('lost');
  await expect(lost).rejects.toThrow('the disk is full');
  isFull = false;
  await expect(buy('next')).resolves.toBeDefined();
});

test('no purchase exceeds the naira of a day, and one that fits exactly is accepted', async () => {
  const { buy } = openLimits({ naira: 250 });
  await buy('one');
  await buy('two');
  await expect(buy('three')).rejects.toMatchObject({
    code: 'daily_limit_reached',
    status: 403,
    detail: 'This purchase would go beyond the NGN 250.00 that this account may buy for in a day. Nothing was charged.',
  });
  const fits = { fields: { phone: '08030000001', network: 'MTN', amount: 5_000 } };
  const both = await Promise.allSettled([buy('fits', fits), buy('beside it', fits)]);
  expect(both).toMatchObject([{ status: 'fulfilled' }, { reason: { code: 'daily_limit_reached' } }]);
});

test('an order without a known price is accepted while anything is left of the day', async () => {
  const { buy } = openLimits({ naira: 100 });
  const plan = { operation: 'buy_data', fields: { plan: 102 } };
  await buy('plan', plan);
  await buy('all of it');
  await expect(buy('another plan', plan)).rejects.toMatchObject({ code: 'daily_limit_reached' });
});

test('an order that is tried again does not count against itself', async () => {
  const { buy, refuse } = openLimits({ purchases: 1, naira: 100 });
  await refuse('one');
  expect(await buy('one')).toMatchObject({ kind: 'reopened' });
  expect(await buy('one')).toMatchObject({ kind: 'found' });
});

test.each(['a moment ago', 'an hour ago'])(
  'of many orders that v1 refused %s and that come again at once, only as many as fit are let in',
  async (ago) => {
    const { buy, refuse, advance } = openLimits({ naira: 250 });
    const ids = Array.from({ length: 20 }, (_, index) => `r${index}`);
    for (const id of ids) await refuse(id);
    if (ago === 'an hour ago') {
      advance(3_600_000);
      // The older orders are counted by this purchase.
      await refuse('another');
    }
    const judged = await Promise.allSettled(ids.map((id) => buy(id)));
    expect(judged.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  },
);

test('two processes on one journal let in at most one order each of those that come at the same moment', async () => {
  const journal = createMemoryJournal();
  let writing = 0;
  /** A write takes a while, and both processes see an order only once it is written. */
  const open: Journal['open'] = async (order) => {
    writing += 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
    return journal.open(order);
  };
  const processes = [1, 2].map(() => openLimits({ naira: 1_000, journalOverrides: { ...journal, open } }));
  const judged = await Promise.allSettled(Array.from({ length: 60 }, (_, index) => processes[index % 2]!.buy(`r${index}`)));
  const taken = judged.filter(({ status }) => status === 'fulfilled').length;
  expect(taken).toBe(writing);
  expect([10, 11]).toContain(taken);
});

test('a journal that cannot be read lets nothing through a limit, and the next order is judged anew', async () => {
  let isAway = true;
  const journal = createMemoryJournal();
  const journalOverrides: Partial<Journal> = {
    async *listOfOwner(options) {
      if (isAway) throw new Error('the disk is away');
      yield* journal.listOfOwner(options);
    },
  };
  const { buy } = openLimits({ purchases: 1, journalOverrides });
  await expect(buy('one')).rejects.toMatchObject({ code: 'journal_unavailable' });
  isAway = false;
  await expect(buy('two')).resolves.toBeDefined();
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
