import { kobo } from '../../src/domain/amount';
import type { NewOrder } from '../../src/domain/order';
import type { Outcome } from '../../src/domain/outcome';
import { createMemoryJournal } from '../../src/journal/memory-journal';
import { plainCallerKey } from '../../src/mapping/compile-callers';
import { listenToSettled } from '../../src/watch/listen-to-settled';
import { countSales } from '../../src/watch/watch-sales';
import { newOrder, OPENED_AT_MS } from '../journal/new-order';
import { shippedMapping } from '../mapping/mapping-set';

const { owner } = newOrder();
/** Keys of callers in the sandbox. */
const [TRIED, ADA_TRIED] = ['d'.repeat(32), 'c'.repeat(32)];

function watched() {
  const sold: (readonly [string | undefined, number])[] = [];
  const callerKeys = new Map([
    [owner, { ...plainCallerKey(owner), title: 'Ada' }],
    [TRIED, { ...plainCallerKey(TRIED), sandboxOf: 'e'.repeat(32) }],
    [ADA_TRIED, { ...plainCallerKey(ADA_TRIED), title: 'Ada', sandboxOf: owner }],
  ]);
  const mapping = { ...shippedMapping(), callerKeys };
  const metrics = { callerSold: (...one: [string | undefined, number]) => void sold.push(one) };
  const journal = createMemoryJournal();
  const processOf = () =>
    listenToSettled(journal, [countSales({ mapping: () => mapping, metrics })], (error) => {
      throw error;
    });
  const [one, other] = [processOf(), processOf()];
  let atMs = OPENED_AT_MS;
  return {
    sold,
    other,
    settle: async (requestId: string, outcome: Outcome, of = owner, by = one, more: Partial<NewOrder> = {}) => {
      await by.open(newOrder({ requestId, owner: of, ...more }));
      await by.settle(of, requestId, outcome, (atMs += 1));
    },
  };
}
const success: Outcome = { kind: 'succeeded', reference: 'v1', delivery: { charged: kobo(9_800) } };

test('a sale counts once, with the amount that v1 charged, however often its success is settled', async () => {
  const { sold, settle } = watched();
  await settle('one', { kind: 'pending', reference: 'v1' });
  expect(sold).toEqual([]);
  await settle('one', success);
  await settle('one', { ...success, message: 'more of it' });
  expect(sold).toEqual([['Ada', 98]]);
});

test('a sale that two processes settle counts once', async () => {
  const { sold, settle, other } = watched();
  await settle('one', { kind: 'pending', reference: 'v1' });
  await settle('one', success);
  await settle('one', { ...success, message: 'more of it' }, owner, other);
  expect(sold).toEqual([['Ada', 98]]);
});

test('a sale without a known charge counts with the amount of the order, and an order that was not sold counts nothing', async () => {
  const { sold, settle } = watched();
  await settle('face value', { kind: 'succeeded', reference: 'v2' });
  await settle('declined', { kind: 'declined', reference: 'v3' });
  await settle('rejected', { kind: 'rejected', httpStatus: 400 });
  await settle('unnamed', success, 'f'.repeat(32));
  expect(sold).toEqual([
    ['Ada', 100],
    [undefined, 98],
  ]);
});

test('a sale whose price is only in its receipt counts once, when the receipt is known', async () => {
  const { sold, settle, other } = watched();
  const sms = { operation: 'send_sms', fields: { message: 'Hello' } };
  await settle('sms', { kind: 'succeeded', reference: 'v1' }, owner, undefined, sms);
  expect(sold).toEqual([]);
  for (const by of [other, undefined, undefined]) await settle('sms', success, owner, by, sms);
  expect(sold).toEqual([['Ada', 98]]);
});

test('a sale in the sandbox counts under the title with `(sandbox)`, or not at all without a title', async () => {
  const { sold, settle } = watched();
  await settle('of a key without a title', success, TRIED);
  await settle('of a key with one', success, ADA_TRIED);
  expect(sold).toEqual([['Ada (sandbox)', 98]]);
});
