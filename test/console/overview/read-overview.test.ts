/** What the Overview counts as money at risk. */
import { systemClock } from '../../../src/domain/clock';
import type { ConsoleParts } from '../../../src/console/console-parts';
import { readOverview } from '../../../src/console/overview/read-overview';
import { createMemoryJournal } from '../../../src/journal/memory-journal';
import { plainCallerKey } from '../../../src/mapping/compile-callers';
import { newOrder } from '../../journal/new-order';
import { shippedMapping } from '../../mapping/mapping-set';

const [SHOP, PLAYING] = ['a'.repeat(32), 'b'.repeat(32)];

test('an order of a key in the sandbox is no money at risk, and never overdue', async () => {
  const shipped = shippedMapping();
  const callerKeys = new Map([[PLAYING, { ...plainCallerKey(PLAYING), sandboxOf: 'f'.repeat(32) }]]);
  const mapping = { ...shipped, callerKeys };
  const journal = createMemoryJournal();
  const openedAtMs = Date.now() - 2 * shipped.timing.overdue;
  await journal.open(newOrder({ owner: PLAYING, requestId: 'play', contentHash: 'play', openedAtMs }));
  await journal.open(newOrder({ owner: SHOP, requestId: 'sale', contentHash: 'sale', openedAtMs: Date.now() }));
  const parts = {
    ...{ clock: systemClock, journal: async () => journal, isJournalWritable: () => true, facts: { dataDir: __dirname } },
    live: { current: () => mapping, problems: () => [], history: {} },
    samples: { latest: () => undefined, hour: () => [] },
    orders: { find: async () => ({ rows: [] }) },
  } as unknown as ConsoleParts;
  const { openOrders, checks } = await readOverview(parts);
  expect(openOrders).toMatchObject({ count: 1, naira: 100, overdue: 0 });
  expect(openOrders.oldest.map(({ requestId }) => requestId)).toEqual(['sale']);
  expect(openOrders.areAllPriced).toBe(true);
  const data = { requestId: 'data', contentHash: 'data', operation: 'buy_data', fields: { plan: '7' } };
  await journal.open(newOrder({ owner: SHOP, ...data, openedAtMs: Date.now() }));
  expect((await readOverview(parts)).openOrders).toMatchObject({ count: 2, naira: 100, areAllPriced: false });
  expect(checks.map(({ words }) => words)).toContain('No order is overdue');
});
