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
  const clock = createVirtualClock(OPENED_AT_MS + 5 * MINUTE_MS);
  const lines: string[] = [];
  const log = createLog('debug', { write: (text: string) => void lines.push(text) });
  const watch = watchOpenOrders({ journal, mapping: () => mapping, clock, log, metrics: createMetrics() });
  await clock.advance(3 * MINUTE_MS);
  watch.stop();
  const found = lines
    .map((text) => JSON.parse(text) as object)
    .filter((one) => 'event' in one && one.event === 'orders_found_open');
  expect(found).toEqual([{ time: expect.any(String) as string, event: 'orders_found_open', ...line }]);
});

test('an overdue order is logged once an hour until it is settled, and the gauge shows the open orders', async () => {
  const journal = createMemoryJournal();
  await open(journal, 'lost');
  const clock = createVirtualClock(OPENED_AT_MS);
  const lines: string[] = [];
  const metrics = createMetrics();
  const watch = watchOpenOrders({
    journal,
    mapping: () => mapping,
    clock,
    log: createLog('debug', { write: (line: string) => void lines.push(line) }),
    metrics,
  });
  const said = (): number => lines.filter((line) => line.includes('order_overdue')).length;
  const gauge = async (): Promise<string | undefined> =>
    /^compat_unknown_orders (\d+)$/m.exec(await metrics.registry.metrics())?.[1];

  await clock.advance(OVERDUE_MS - MINUTE_MS);
  expect([said(), await gauge()]).toEqual([0, '1']);
  await clock.advance(2 * MINUTE_MS);
  expect(said()).toBe(1);
  expect(JSON.parse(lines[1]!)).toMatchObject({ requestId: 'lost', operation: 'buy_airtime', outcome: 'open' });
  await clock.advance(50 * MINUTE_MS);
  expect(said()).toBe(1);
  await clock.advance(20 * MINUTE_MS);
  expect(said()).toBe(2);
  await journal.settle(newOrder().owner, 'lost', { kind: 'succeeded' }, OPENED_AT_MS);
  await clock.advance(120 * MINUTE_MS);
  expect([said(), await gauge()]).toEqual([2, '0']);
  watch.stop();
  expect(clock.waiting).toBe(0);
});

test('of thousands of overdue orders each is logged once an hour, some hundred at a time', async () => {
  const journal = createMemoryJournal();
  for (let nth = 0; nth < 1_200; nth += 1) await open(journal, `lost ${nth}`);
  const clock = createVirtualClock(OPENED_AT_MS + OVERDUE_MS);
  const said: string[] = [];
  const write = (line: string): void => void (line.includes('order_overdue') && said.push(line));
  const log = createLog('debug', { write });
  const watch = watchOpenOrders({ journal, mapping: () => mapping, clock, log, metrics: createMetrics() });
  await clock.advance(1);
  expect(said).toHaveLength(500);
  await clock.advance(50 * MINUTE_MS);
  expect(new Set(said.map((line) => (JSON.parse(line) as { requestId: string }).requestId)).size).toBe(1_200);
  expect(said).toHaveLength(1_200);
  watch.stop();
});

test('an unreadable journal is logged, and read again a minute later', async () => {
  const journal = createMemoryJournal();
  let isAway = true;
  const failing: Journal = {
    ...journal,
    listUnsettled: (options) => (isAway ? Promise.reject(new Error('the disk is away')) : journal.listUnsettled(options)),
  };
  const clock = createVirtualClock(OPENED_AT_MS);
  const lines: string[] = [];
  const metrics = createMetrics();
  const log = createLog('debug', { write: (line: string) => void lines.push(line) });
  const watch = watchOpenOrders({ journal: failing, mapping: () => mapping, clock, log, metrics });
  await clock.advance(1);
  expect(lines.join('')).toContain('the disk is away');
  isAway = false;
  await open(journal, 'r1');
  await clock.advance(2 * MINUTE_MS);
  expect(await metrics.registry.metrics()).toMatch(/^compat_unknown_orders 1$/m);
  // The count of open orders is logged as soon as the journal can be read.
  expect(lines.at(-1)).toMatch(/"count":1,.*"event":"orders_found_open"/);
  watch.stop();
});
