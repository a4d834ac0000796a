/** What the Overview counts as money at risk. */
import { systemClock } from '../../../src/domain/clock';
import type { ConsoleParts } from '../../../src/console/console-parts';
import { readOverview } from '../../../src/console/overview/read-overview';
import type { Mapping } from '../../../src/mapping/mapping';
import type { Sample } from '../../../src/telemetry/samples';
import { createMemoryJournal } from '../../../src/journal/memory-journal';
import { plainCallerKey } from '../../../src/mapping/compile-callers';
import { newOrder } from '../../journal/new-order';
import { shippedMapping } from '../../mapping/mapping-set';

const [SHOP, PLAYING] = ['a'.repeat(32), 'b'.repeat(32)];

const partsOf = (journal: ConsoleParts['journal'], mapping: Mapping, latest?: Partial<Sample>) =>
  ({
    ...{ clock: systemClock, journal, isJournalWritable: () => true, facts: { dataDir: __dirname } },
    live: { current: () => mapping, problems: () => [], history: {} },
    samples: { latest: () => latest, hour: () => [] },
    orders: { find: async () => ({ rows: [] }) },
  }) as unknown as ConsoleParts;

test('an order of a key in the sandbox is no money at risk, and never overdue', async () => {
  const shipped = shippedMapping();
  const callerKeys = new Map([[PLAYING, { ...plainCallerKey(PLAYING), sandboxOf: 'f'.repeat(32) }]]);
  const mapping = { ...shipped, callerKeys };
  const journal = createMemoryJournal();
  const openedAtMs = Date.now() - 2 * shipped.timing.overdue;
  await journal.open(newOrder({ owner: PLAYING, requestId: 'play', contentHash: 'play', openedAtMs }));
  await journal.open(newOrder({ owner: SHOP, requestId: 'sale', contentHash: 'sale', openedAtMs: Date.now() }));
  const parts = partsOf(async () => journal, mapping);
  const { openOrders, checks } = await readOverview(parts);
  expect(openOrders).toMatchObject({ count: 1, naira: 100, overdue: 0 });
  expect(openOrders.oldest.map(({ requestId }) => requestId)).toEqual(['sale']);
  expect(openOrders.areAllPriced).toBe(true);
  const data = { requestId: 'data', contentHash: 'data', operation: 'buy_data', fields: { plan: '7' } };
  await journal.open(newOrder({ owner: SHOP, ...data, openedAtMs: Date.now() }));
  expect((await readOverview(parts)).openOrders).toMatchObject({ count: 2, naira: 100, areAllPriced: false });
  expect(checks.map(({ words }) => words)).toContain('No order is overdue');
});

test('of more open orders than the page reads, the figures are those of all, also where the journal cannot be read', async () => {
  const mapping = shippedMapping();
  const journal = createMemoryJournal();
  const openedAtMs = Date.now() - 2 * mapping.timing.overdue;
  const open = (nth: number) => journal.open(newOrder({ owner: SHOP, requestId: `r${nth}`, contentHash: `c${nth}`, openedAtMs }));
  await Promise.all(Array.from({ length: 130 }, (_, nth) => open(nth)));
  const latest = { openOrders: 130, openNaira: 13_000, openOverdue: 130 };
  const figures = { count: 130, naira: 13_000, overdue: 130 };
  const { openOrders, checks } = await readOverview(partsOf(async () => journal, mapping, latest));
  expect(openOrders).toMatchObject({ ...figures, areAllPriced: false });
  expect(checks.map(({ words }) => words)).toContain('130 overdue');
  const unread = partsOf(() => Promise.reject(new Error('closed')), mapping, latest);
  expect((await readOverview(unread)).openOrders).toMatchObject({ ...figures, problem: 'closed' });
});
