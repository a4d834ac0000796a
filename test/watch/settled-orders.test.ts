import { kobo } from '../../src/domain/amount';
import { TOLD_PENDING, type NewOrder } from '../../src/domain/order';
import type { Outcome } from '../../src/domain/outcome';
import type { SetOf } from '../../src/gateway/read/earlier-set';
import type { Journal } from '../../src/journal/journal';
import { createMemoryJournal } from '../../src/journal/memory-journal';
import { plainCallerKey } from '../../src/mapping/compile-callers';
import type { Mapping } from '../../src/mapping/mapping';
import { createLog } from '../../src/telemetry/log';
import { createMetrics } from '../../src/telemetry/metrics';
import { countSales, listenToSettled, sayContraryEnds, type SettledListener } from '../../src/watch/settled-orders';
import { newOrder, OPENED_AT_MS } from '../journal/new-order';
import { shippedMapping } from '../mapping/mapping-set';
import { until } from '../until';

const { owner, requestId } = newOrder();
const SOLD: Outcome = { kind: 'succeeded', reference: 'v1', delivery: { charged: kobo(9_800) } };
const DECLINED: Outcome = { kind: 'declined', reference: 'v1' };
const PENDING: Outcome = { kind: 'pending', reference: 'v1' };

/** The journal with one listener, whose errors fail the test. */
const heardBy = (journal: Journal, listener: SettledListener): Journal =>
  listenToSettled(journal, [listener], (error) => {
    throw error;
  });

test('each hearer gets the settled order, and a hearer that throws changes nothing', async () => {
  const inner = createMemoryJournal();
  const troubles: unknown[] = [];
  const heard: unknown[] = [];
  const broken = (): never => {
    throw new Error('a bug');
  };
  const journal = listenToSettled(
    inner,
    [broken, (order, atMs) => void heard.push([order, atMs])],
    (error) => void troubles.push(error),
  );
  await journal.open(newOrder());
  const settled = await journal.settle(owner, requestId, SOLD, OPENED_AT_MS + 1);
  expect(settled.outcome).toEqual(SOLD);
  expect(await inner.find(owner, requestId)).toEqual(settled);
  expect(heard).toEqual([[settled, OPENED_AT_MS + 1]]);
  expect(troubles).toEqual([new Error('a bug')]);
});

test('the number of the attempt is passed on to the journal', async () => {
  const inner = createMemoryJournal();
  const asked: unknown[] = [];
  const settle: typeof inner.settle = (...said) => {
    asked.push(said);
    return inner.settle(...said);
  };
  const journal = listenToSettled({ ...inner, settle }, [], () => undefined);
  await journal.open(newOrder());
  await journal.settle(owner, requestId, SOLD, OPENED_AT_MS + 1, 7);
  expect(asked).toEqual([[owner, requestId, SOLD, OPENED_AT_MS + 1, 7]]);
});

/** Keys of callers in the sandbox. */
const [TRIED, ADA_TRIED] = ['d'.repeat(32), 'c'.repeat(32)];

function watched({ chargeMs = 0 } = {}) {
  const sold: (readonly [string | undefined, number])[] = [];
  const callerKeys = new Map([
    [owner, { ...plainCallerKey(owner), title: 'Ada' }],
    [TRIED, { ...plainCallerKey(TRIED), sandboxOf: 'e'.repeat(32) }],
    [ADA_TRIED, { ...plainCallerKey(ADA_TRIED), title: 'Ada', sandboxOf: owner }],
  ]);
  const mapping = { ...shippedMapping(), callerKeys };
  const metrics = { callerSold: (...one: [string | undefined, number]) => void sold.push(one) };
  const journal = createMemoryJournal();
  const processOf = () => heardBy(journal, countSales({ sets: () => ({ mapping }), metrics, chargeMs }));
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
test('a sale counts once, with the amount that v1 charged, however often its success is settled', async () => {
  const { sold, settle } = watched();
  await settle('one', PENDING);
  expect(sold).toEqual([]);
  await settle('one', SOLD);
  await settle('one', { ...SOLD, message: 'more of it' });
  expect(sold).toEqual([['Ada', 98]]);
});

test('a sale that two processes settle counts once', async () => {
  const { sold, settle, other } = watched();
  await settle('one', PENDING);
  await settle('one', SOLD);
  await settle('one', { ...SOLD, message: 'more of it' }, owner, other);
  expect(sold).toEqual([['Ada', 98]]);
});

test('a sale without a known charge counts with the amount of the order, and an order that was not sold counts nothing', async () => {
  const { sold, settle } = watched();
  await settle('face value', { kind: 'succeeded', reference: 'v2' });
  await settle('declined', { kind: 'declined', reference: 'v3' });
  await settle('rejected', { kind: 'rejected', httpStatus: 400 });
  await settle('unnamed', SOLD, 'f'.repeat(32));
  await until(() => sold.length > 1);
  expect(sold).toEqual([
    [undefined, 98],
    ['Ada', 100],
  ]);
});

test('a sale with a face value counts once with what v1 charged, where its receipt shows that a moment later, as with recharge cards', async () => {
  const { sold, settle } = watched({ chargeMs: 10 });
  await settle('card', { kind: 'succeeded', reference: 'v1' });
  expect(sold).toEqual([]);
  for (const outcome of [SOLD, SOLD]) await settle('card', outcome);
  await settle('without a receipt', { kind: 'succeeded', reference: 'v2' });
  await until(() => sold.length > 1);
  expect(sold).toEqual([
    ['Ada', 98],
    ['Ada', 100],
  ]);
});

test('a sale whose price is only in its receipt counts once, when the receipt is known', async () => {
  const { sold, settle, other } = watched();
  const sms = { operation: 'send_sms', fields: { message: 'Hello' } };
  await settle('sms', { kind: 'succeeded', reference: 'v1' }, owner, undefined, sms);
  expect(sold).toEqual([]);
  for (const by of [other, undefined, undefined]) await settle('sms', SOLD, owner, by, sms);
  expect(sold).toEqual([['Ada', 98]]);
});

test('a sale in the sandbox counts under the title with `(sandbox)`, or not at all without a title', async () => {
  const { sold, settle } = watched();
  await settle('of a key without a title', SOLD, TRIED);
  await settle('of a key with one', SOLD, ADA_TRIED);
  expect(sold).toEqual([['Ada (sandbox)', 98]]);
});

/** The lines and metrics of the orders of one script whose order ends otherwise than it assumed, by one process and by another. */
function reported(mapping: Mapping, setOf?: SetOf) {
  const lines: Record<string, unknown>[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  const metrics = createMetrics({ hasProcessMetrics: false });
  const hearing = (showId: (id: string) => string) => sayContraryEnds({ sets: () => ({ mapping, setOf }), log, metrics, showId });
  const journal = heardBy(
    createMemoryJournal(),
    hearing((id) => `shown ${id}`),
  );
  const trail = { mapping: 'm', reason: 'r', spellings: {}, family: { id: 'adex-b', reason: 'key' } };
  const order = { ...newOrder({ fields: { network: 'MTN', phone: '08031234567', amount: 100_50 } }), trail };
  return {
    lines,
    metrics,
    other: heardBy(
      journal,
      hearing((id) => id),
    ),
    play: async () => {
      await journal.open(order);
      await journal.settle(owner, requestId, PENDING, 1);
      await journal.tell(owner, requestId, TOLD_PENDING);
      expect(lines).toEqual([]);
      await journal.settle(owner, requestId, DECLINED, 2);
      await journal.settle(owner, requestId, DECLINED, 3);
    },
  };
}

test('an order that ends otherwise than its script assumed is logged once, with the money in it', async () => {
  const { lines, metrics, other, play } = reported(shippedMapping());
  await play();
  // A process that finds it out a moment later does not log it again.
  await other.settle(owner, requestId, DECLINED, 4);
  expect(lines).toMatchObject([
    {
      ...{ level: 'error', event: 'contrary_end', detail: 'delivered by the script, not sold by v1' },
      ...{ atRiskNaira: 100.5, family: 'adex-b', requestId: `shown ${requestId}`, reference: 'v1' },
    },
  ]);
  const shown = await metrics.registry.metrics();
  expect(shown).toContain('compat_contrary_ends_total{end="delivered_not_sold"} 1');
  expect(shown).toContain('compat_contrary_ends_naira_total{end="delivered_not_sold"} 100.5');
});

test('an order of an operation that has another name now is logged as well when it ends otherwise than its script assumed', async () => {
  const shipped = shippedMapping();
  const { lines, play } = reported({ ...shipped, operations: new Map() }, () => shipped);
  await play();
  expect(lines).toMatchObject([{ event: 'contrary_end', atRiskNaira: 100.5 }]);
});

test('an order in the sandbox that ends otherwise than its script assumed is not logged', async () => {
  const callerKeys = new Map([[owner, { ...plainCallerKey(owner), sandboxOf: 'f'.repeat(32) }]]);
  const { lines, metrics, play } = reported({ ...shippedMapping(), callerKeys });
  await play();
  expect(lines).toEqual([]);
  expect(await metrics.registry.metrics()).not.toMatch(/compat_contrary_ends_total\{.*\} [1-9]/);
});
