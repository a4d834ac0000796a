import { openLmdbJournal } from '../../src/journal/lmdb-journal';
import type { JournalEvent } from '../../src/journal/journal';
import { newOrder, OPENED_AT_MS } from './new-order';
import { newFolder } from '../new-folder';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

test('settled orders beyond their age are swept with all their indexes; unsettled and younger ones stay', async () => {
  const dir = newFolder();
  const { owner } = newOrder();
  const before = await openLmdbJournal({ dir, now: () => OPENED_AT_MS });
  const placeOrder = async (index: number): Promise<void> => {
    await before.open(newOrder({ requestId: `old${index}`, openedAtMs: OPENED_AT_MS + index }));
    const reference = `v1-${index}`;
    if (index % 3 !== 0) await before.settle(owner, `old${index}`, { kind: 'succeeded', reference }, OPENED_AT_MS + index);
    else if (index % 2 === 0) await before.settle(owner, `old${index}`, { kind: 'pending', reference }, OPENED_AT_MS + index);
  };
  await Promise.all(Array.from({ length: 300 }, (_, index) => placeOrder(index)));
  const number = (await before.find(owner, 'old1'))?.number ?? 0;
  await before.open(newOrder({ requestId: 'young', openedAtMs: OPENED_AT_MS + 2 * DAY_MS }));
  await before.settle(owner, 'young', { kind: 'succeeded' }, OPENED_AT_MS + 2 * DAY_MS);
  await before.close();

  let journal: Awaited<ReturnType<typeof openLmdbJournal>> | undefined;
  const swept = new Promise<JournalEvent>((resolve, reject) => {
    openLmdbJournal({ dir, retentionMs: 90 * DAY_MS, now: () => OPENED_AT_MS + 91 * DAY_MS, steadyMs: 0, onEvent: resolve }).then(
      (opened) => (journal = opened),
      reject,
    );
  });
  expect(await swept).toEqual({ kind: 'swept', orders: 200 });
  expect(await journal?.find(owner, 'old1')).toBeUndefined();
  expect(await journal?.findByReference(owner, 'v1-1')).toBeUndefined();
  expect(await journal?.findByNumber(owner, number)).toBeUndefined();
  expect(await journal?.findByReference(owner, 'v1-6')).toMatchObject({ requestId: 'old6' });
  expect(await journal?.find(owner, 'young')).toBeDefined();
  expect(await journal?.listUnsettled({ limit: 1000 })).toHaveLength(100);
  // A request id that was swept is free again.
  expect((await journal?.open(newOrder({ requestId: 'old1' })))?.kind).toBe('opened');
  await journal?.close();
});

test('the days of an order count from its end: one that v1 confirmed late is kept as long as any other', async () => {
  const dir = newFolder();
  const { owner } = newOrder();
  const before = await openLmdbJournal({ dir, now: () => OPENED_AT_MS });
  for (const requestId of ['ended at once', 'ended late']) await before.open(newOrder({ requestId }));
  await before.settle(owner, 'ended at once', { kind: 'succeeded' }, OPENED_AT_MS);
  await before.settle(owner, 'ended late', { kind: 'succeeded' }, OPENED_AT_MS + 3 * DAY_MS);
  await before.close();
  const swept: JournalEvent[] = [];
  const onEvent = (event: JournalEvent): void => void swept.push(event);
  const journal = await openLmdbJournal({
    dir,
    retentionMs: 2 * DAY_MS,
    now: () => OPENED_AT_MS + 4 * DAY_MS,
    steadyMs: 0,
    onEvent,
  });
  while (swept.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(swept).toEqual([{ kind: 'swept', orders: 1 }]);
  expect(await journal.find(owner, 'ended late')).toMatchObject({ outcome: { kind: 'succeeded' } });
  await journal.close();
});

test.each<[string, number]>([
  ['was set forward before its start', 100 * DAY_MS],
  ['is set forward while it runs', 0],
])('a gateway whose clock %s deletes nothing', async (_title, aheadFirstMs) => {
  const [spoken, order] = [[] as JournalEvent[], newOrder({ openedAtMs: Date.now() })];
  let aheadMs = aheadFirstMs;
  const journal = await openLmdbJournal({
    ...{ dir: newFolder(), retentionMs: 90 * DAY_MS, now: () => Date.now() + aheadMs },
    onEvent: (event) => spoken.push(event),
  });
  await journal.open(order);
  await journal.settle(order.owner, order.requestId, { kind: 'succeeded' }, order.openedAtMs);
  aheadMs = 100 * DAY_MS;
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(await journal.find(order.owner, order.requestId)).toBeDefined();
  expect(spoken).toEqual([]);
  await journal.close();
});

test.each<[string, number, boolean]>([
  ['restarted every ten minutes deletes what is due after an hour', 10 * MINUTE_MS, true],
  ['restarted every ten minutes by a clock that is set forward each time deletes nothing', DAY_MS, false],
  ['restarted every ten minutes by a clock that is set back each time deletes nothing', -10 * MINUTE_MS, false],
])('a gateway that is %s', async (_title, stepMs, deletes) => {
  const [dir, spoken, order] = [newFolder(), [] as JournalEvent[], newOrder()];
  const onEvent = (event: JournalEvent): void => void spoken.push(event);
  for (let nowMs = OPENED_AT_MS + 100 * DAY_MS, lives = 0; lives < 7; lives += 1, nowMs += stepMs) {
    expect(spoken).toEqual([]);
    const journal = await openLmdbJournal({ dir, retentionMs: 90 * DAY_MS, now: () => nowMs, onEvent });
    if (lives === 0) {
      await journal.open(order);
      await journal.settle(order.owner, order.requestId, { kind: 'succeeded' }, order.openedAtMs);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
    await journal.close();
  }
  expect(spoken).toEqual(deletes ? [{ kind: 'swept', orders: 1 }] : []);
});
