import type { Journal } from '../../src/journal/journal';
import { createMemoryJournal } from '../../src/journal/memory-journal';
import { watchOpenOrders } from '../../src/watch/watch-orders';
import { createLog } from '../../src/telemetry/log';
import { createMetrics } from '../../src/telemetry/metrics';
import { createVirtualClock } from '../domain/virtual-clock';
import { newOrder, OPENED_AT_MS } from '../journal/new-order';
import { shippedMapping } from '../mapping/mapping-set';

const mapping = shippedMapping();
const MINUTE_MS = 60_000;
const OVERDUE_MS = mapping.timing.overdue;

async function open(journal: Journal, requestId: string, changes: Parameters<typeof newOrder>[0] = {}): Promise<void> {
  await journal.open(newOrder({ requestId, contentHash: requestId, ...changes }));
}

type Line = Readonly<Record<string, unknown>>;

/** The watch over this journal, on a clock that begins here. */
function watch(journal: Journal, atMs: number) {
  const clock = createVirtualClock(atMs);
  const lines: Line[] = [];
  const log = createLog('debug', { write: (text: string) => void lines.push(JSON.parse(text) as Line) });
  const metrics = createMetrics();
  const watching = watchOpenOrders({ journal, sets: () => ({ mapping }), clock, log, metrics });
  return {
    ...{ clock, lines, stop: () => watching.stop() },
    said: (event: string) => lines.filter((line) => line['event'] === event),
    gauge: async () => /^compat_unknown_orders (\d+)$/m.exec(await metrics.registry.metrics())?.[1],
  };
}

test.each([
  [[], { level: 'info', count: 0, atRiskNaira: 0, withoutPrice: 0 }],
  [
    [
      { requestId: 'first' },
      { requestId: 'later', openedAtMs: OPENED_AT_MS + MINUTE_MS },
      { requestId: 'data', operation: 'buy_data', fields: { plan: '7' } },
      { requestId: 'odd', fields: { amount: 12_345 } },
    ],
    { level: 'warn', count: 4, atRiskNaira: 323.45, withoutPrice: 1, oldestMs: 5 * MINUTE_MS },
  ],
])('the start logs once how many orders are open, the age of the oldest and the money in all (%j)', async (orders, line) => {
  const journal = createMemoryJournal();
  for (const { requestId, ...changes } of orders) await open(journal, requestId, changes);
  const { clock, stop, said } = watch(journal, OPENED_AT_MS + 5 * MINUTE_MS);
  await clock.advance(3 * MINUTE_MS);
  stop();
  const event = 'orders_found_open';
  expect(said(event)).toEqual([{ time: expect.any(String) as string, event, ...line }]);
});

test('an overdue order is logged once an hour until it is settled, and the gauge shows the open orders', async () => {
  const journal = createMemoryJournal();
  await open(journal, 'lost');
  const { clock, stop, said, gauge } = watch(journal, OPENED_AT_MS);
  await clock.advance(OVERDUE_MS - MINUTE_MS);
  expect([said('order_overdue'), await gauge()]).toEqual([[], '1']);
  await clock.advance(2 * MINUTE_MS);
  expect(said('order_overdue')).toMatchObject([{ requestId: 'lost', operation: 'buy_airtime', outcome: 'open' }]);
  await clock.advance(50 * MINUTE_MS);
  expect(said('order_overdue')).toHaveLength(1);
  await clock.advance(20 * MINUTE_MS);
  expect(said('order_overdue')).toHaveLength(2);
  await journal.settle(newOrder().owner, 'lost', { kind: 'succeeded' }, OPENED_AT_MS);
  await clock.advance(120 * MINUTE_MS);
  expect([said('order_overdue').length, await gauge()]).toEqual([2, '0']);
  stop();
  expect(clock.waiting).toBe(0);
});

test('of thousands of overdue orders each is logged once an hour, some hundred at a time', async () => {
  const journal = createMemoryJournal();
  for (let nth = 0; nth < 1_200; nth += 1) await open(journal, `lost ${nth}`);
  const { clock, stop, said } = watch(journal, OPENED_AT_MS + OVERDUE_MS);
  await clock.advance(1);
  expect(said('order_overdue')).toHaveLength(500);
  await clock.advance(50 * MINUTE_MS);
  expect(new Set(said('order_overdue').map(({ requestId }) => requestId)).size).toBe(1_200);
  expect(said('order_overdue')).toHaveLength(1_200);
  stop();
});

test('an unreadable journal is logged, and read again a minute later', async () => {
  const journal = createMemoryJournal();
  let isAway = true;
  const failing: Journal = {
    ...journal,
    listUnsettled: (options) => (isAway ? Promise.reject(new Error('the disk is away')) : journal.listUnsettled(options)),
  };
  const { clock, stop, lines, gauge } = watch(failing, OPENED_AT_MS);
  await clock.advance(1);
  expect(JSON.stringify(lines)).toContain('the disk is away');
  isAway = false;
  await open(journal, 'r1');
  await clock.advance(2 * MINUTE_MS);
  expect(await gauge()).toBe('1');
  // The count of open orders is logged as soon as the journal can be read.
  expect(lines.at(-1)).toMatchObject({ count: 1, event: 'orders_found_open' });
  stop();
});
