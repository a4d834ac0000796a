import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createMemoryJournal } from '../../src/journal/memory-journal';
import { openLmdbJournal } from '../../src/journal/lmdb-journal';
import { type Journal, type Processes, WriteFailure } from '../../src/journal/journal';
import { keepAnswers } from '../../src/journal/kept-answers';
import { TOLD_PENDING } from '../../src/domain/order';
import { signsOfLife } from '../../src/start/data-folder';
import { refusesRestore } from '../../src/start/backup';
import { findEnd, markUntold, watchUntold } from '../../src/watch/mark-untold';
import { toldFiles } from '../../src/watch/told-log';
import { createVirtualClock, settlePromises, type VirtualClock } from '../domain/virtual-clock';
import { toldLine } from '../../src/journal/told-sales';
import { configFor } from '../flows/house';
import { newOrder } from '../journal/new-order';
import { newFolder } from '../new-folder';

const NOW = Date.UTC(2026, 10, 22, 8);
const SECOND = 1_000;
let folder: string;
beforeEach(() => (folder = newFolder()));

/** Opens an order and, with `settledAtMs`, settles it as sold. */
async function sell(journal: Journal, requestId: string, openedAtMs: number, settledAtMs?: number): Promise<void> {
  const { owner } = newOrder();
  await journal.open(newOrder({ requestId, openedAtMs }));
  if (settledAtMs !== undefined) await journal.settle(owner, requestId, { kind: 'succeeded', reference: requestId }, settledAtMs);
}

const toldAt = async (journal: Journal, requestId: string) => (await journal.find(newOrder().owner, requestId))?.toldAtMs;

/** When each of these orders was told; 0 is the mark of one that may not have been. */
async function expectTold(journal: Journal, expected: Readonly<Record<string, number | undefined>>): Promise<void> {
  const times = Object.keys(expected).map(async (id) => [id, await toldAt(journal, id)] as const);
  expect(Object.fromEntries(await Promise.all(times))).toEqual(expected);
}

/** What the living processes have told. */
const toldLines = (...lines: readonly string[]) => ({ append: () => Promise.resolve(), read: () => Promise.resolve(lines) });

const STORES = [
  ['memory', async () => createMemoryJournal()],
  ['lmdb', () => openLmdbJournal({ dir: join(folder, 'journal'), retentionMs: Infinity })],
] as const;

test.each(STORES)(
  'orders that were open or sold in the last seconds of a killed process are marked as untold (%s)',
  async (_name, open) => {
    const journal = await open();
    const end = NOW - 90 * 60 * SECOND;
    await sell(journal, 'long-before', end - 700 * SECOND, end - 119 * SECOND);
    await sell(journal, 'held for minutes', end - 152 * SECOND, end - 2 * SECOND);
    await sell(journal, 'before', end - 90 * SECOND, end - 80 * SECOND);
    await sell(journal, 'held', end - 41 * SECOND, end - 2 * SECOND);
    await sell(journal, 'last', end - SECOND, end);
    await sell(journal, 'open', end - 50 * SECOND);
    expect(await markUntold(journal, [end])).toBe(4);
    const marked = { held: 0, 'held for minutes': 0, last: 0, open: 0 };
    await expectTold(journal, { 'long-before': undefined, before: undefined, ...marked });
    expect(await markUntold(journal, [end])).toBe(0);
    await journal.close();
  },
);

test('a sale that a living process tells at the moment of the mark is not marked', async () => {
  const journal = createMemoryJournal();
  const clock = createVirtualClock(NOW);
  const written: string[] = [];
  await sell(journal, 'told', NOW - SECOND, NOW);
  await sell(journal, 'lost', NOW - SECOND, NOW);
  const marking = markUntold(journal, [NOW], { toldSales: { ...toldLines(), read: async () => written }, clock });
  await settlePromises();
  written.push(toldLine((await journal.find(newOrder().owner, 'told'))!));
  await clock.advance(SECOND);
  expect(await marking).toBe(1);
  await expectTold(journal, { told: undefined, lost: 0 });
});

test('the mark of a sale that a living process has told since, or that stood still, is taken back', async () => {
  const journal = createMemoryJournal();
  const clock = createVirtualClock(NOW);
  const lines: string[] = [];
  const toldSales = { append: () => Promise.resolve(), read: () => Promise.resolve(lines) };
  for (const id of ['at once', 'with its receipt', 'of the dead']) await sell(journal, id, NOW - SECOND, NOW);
  const marking = markUntold(journal, [NOW], { toldSales, clock });
  await clock.advance(100);
  expect(await marking).toBe(3);
  for (const [id, afterMs] of [
    ['at once', 3 * SECOND],
    ['with its receipt', 80 * SECOND],
  ] as const) {
    lines.push(toldLine((await journal.find(newOrder().owner, id))!));
    await clock.advance(afterMs);
  }
  const [atOnce, later] = [NOW + 2_100, NOW + 75_100];
  await expectTold(journal, { 'at once': atOnce, 'with its receipt': later, 'of the dead': 0 });
});

test('"pending" that a killed process had marked counts as told only where the reply has left', async () => {
  const journal = createMemoryJournal();
  const { owner } = newOrder();
  await sell(journal, 'heard', NOW - 20 * SECOND, NOW);
  await sell(journal, 'cut off', NOW - 20 * SECOND, NOW);
  await sell(journal, 'open, cut off', NOW - 20 * SECOND);
  await sell(journal, 'older than the list', NOW - 80 * SECOND, NOW);
  const expected = { heard: TOLD_PENDING, 'cut off': 0, 'open, cut off': 0, 'older than the list': TOLD_PENDING };
  for (const id of Object.keys(expected)) await journal.tell(owner, id, TOLD_PENDING);
  const toldSales = toldLines(toldLine((await journal.find(owner, 'heard'))!, 'pending'));
  expect(await markUntold(journal, [NOW], { toldSales })).toBe(2);
  await expectTold(journal, expected);
});

test('an end that a killed process was to tell to a repeat counts as told only where the reply has left', async () => {
  const journal = createMemoryJournal();
  const { owner } = newOrder();
  await sell(journal, 'heard', NOW - 20 * SECOND, NOW - 20 * SECOND);
  await sell(journal, 'cut off', NOW - 200 * SECOND, NOW - 180 * SECOND);
  await sell(journal, 'older than the list', NOW - 90 * SECOND, NOW - 20 * SECOND);
  const expected = { heard: NOW, 'cut off': 0, 'older than the list': NOW - 80 * SECOND };
  for (const id of ['heard', 'cut off']) await journal.tell(owner, id, NOW);
  await journal.tell(owner, 'older than the list', NOW - 80 * SECOND);
  const toldSales = toldLines(toldLine((await journal.find(owner, 'heard'))!));
  expect(await markUntold(journal, [NOW], { toldSales })).toBe(1);
  await expectTold(journal, expected);
});

test('an open order from before the clock was set back is marked; one of a living process is not', async () => {
  const journal = createMemoryJournal();
  await sell(journal, 'before the step', NOW + 180 * SECOND);
  await sell(journal, 'of another process', NOW - SECOND);
  const clock = createVirtualClock(NOW);
  const marking = markUntold(journal, [NOW - 60 * SECOND], { toldSales: toldLines(), clock });
  await settlePromises();
  await clock.advance(SECOND);
  expect(await marking).toBe(1);
  await expectTold(journal, { 'before the step': 0, 'of another process': undefined });
});

test('an order that a living process ends, or tells as pending, while the mark waits is left to that process', async () => {
  const journal = createMemoryJournal();
  const clock = createVirtualClock(NOW);
  const { owner } = newOrder();
  for (const requestId of ['sold since', 'pending since', 'open']) await sell(journal, requestId, NOW - SECOND);
  const marking = markUntold(journal, [NOW], { toldSales: toldLines(), clock });
  await settlePromises();
  await journal.settle(owner, 'sold since', { kind: 'succeeded', reference: 'r1' }, NOW);
  await journal.tell(owner, 'pending since', TOLD_PENDING);
  await clock.advance(SECOND);
  expect(await marking).toBe(1);
  await expectTold(journal, { 'sold since': undefined, 'pending since': TOLD_PENDING, open: 0 });
});

test.each(STORES)(
  'an order that a living process sells at the moment of its mark is left to that process (%s)',
  async (_name, open) => {
    const journal = await open();
    await sell(journal, 'sold now', NOW - SECOND);
    const tell: Journal['tell'] = async (owner, requestId, ...telling) => {
      await journal.settle(owner, requestId, { kind: 'succeeded', reference: 'r1' }, NOW);
      return journal.tell(owner, requestId, ...telling);
    };
    await markUntold({ ...journal, tell }, [NOW]);
    expect(await toldAt(journal, 'sold now')).toBeUndefined();
    await journal.close();
  },
);

test('the open orders of a killed process are marked many at a time, because the start waits', async () => {
  const journal = createMemoryJournal();
  for (let nth = 0; nth < 1_000; nth += 1) await sell(journal, `open-${nth}`, NOW - SECOND);
  let rounds = 0;
  let flush: Promise<void> | undefined;
  // Like a disk, it flushes together all writes that came since the last flush.
  const tell: Journal['tell'] = async (...telling) => {
    flush ??= new Promise((resolve) => setImmediate(resolve)).then(() => {
      rounds += 1;
      flush = undefined;
    });
    await flush;
    return journal.tell(...telling);
  };
  expect(await markUntold({ ...journal, tell }, [NOW])).toBe(1_000);
  expect(rounds).toBeLessThan(20);
});

test('recent open orders are marked also if the search of unsettled orders does not list them', async () => {
  const journal = createMemoryJournal();
  await sell(journal, 'open', NOW - SECOND);
  expect(await markUntold({ ...journal, listUnsettled: () => Promise.resolve([]) }, [NOW])).toBe(1);
  expect(await toldAt(journal, 'open')).toBe(0);
});

test('the last sales of a killed process are marked, however much another process has sold since', async () => {
  const journal = createMemoryJournal();
  const sign = NOW - 120 * SECOND;
  await sell(journal, 'long-before', sign - 120 * SECOND, sign - 119 * SECOND);
  await sell(journal, 'before', sign - 90 * SECOND, sign - 80 * SECOND);
  // By another process, while its attempt waited for v1.
  await sell(journal, 'settled-elsewhere', sign - 61 * SECOND, sign - 59 * SECOND);
  await sell(journal, 'held', sign - 50 * SECOND, sign - 2 * SECOND);
  await sell(journal, 'after-sign', sign + 4 * SECOND, sign + 5 * SECOND);
  await sell(journal, 'ended-elsewhere', sign + 4 * SECOND, NOW - 60 * SECOND);
  const neighbours = Array.from({ length: 90 }, (_, index) => `neighbour-${index}`);
  for (const [index, id] of neighbours.entries())
    await sell(journal, id, sign + (30 + index) * SECOND, sign + (30 + index) * SECOND);
  await sell(journal, 'open', sign - 3_600 * SECOND);
  await sell(journal, 'neighbours-open', NOW - SECOND);
  await markUntold(journal, [sign]);
  const marked = { 'settled-elsewhere': 0, held: 0, 'after-sign': 0, 'ended-elsewhere': 0, open: 0 };
  const others = { 'neighbour-20': undefined, 'neighbours-open': undefined };
  await expectTold(journal, { 'long-before': undefined, before: undefined, ...marked, ...others });
});

test('orders that several signs concern are read once, and marked as the earliest of these signs wants', async () => {
  const journal = createMemoryJournal();
  await sell(journal, 'before', NOW - 100 * SECOND, NOW - 99 * SECOND);
  await sell(journal, 'first', NOW - 90 * SECOND, NOW - 80 * SECOND);
  await sell(journal, 'between', NOW - 20 * SECOND, NOW - 19 * SECOND);
  await sell(journal, 'second', NOW - SECOND, NOW);
  const listed: string[] = [];
  const list: Journal['list'] = async function* (options) {
    for await (const order of journal.list(options)) {
      listed.push(order.requestId);
      yield order;
    }
  };
  expect(await markUntold({ ...journal, list }, [NOW, NOW - 20 * SECOND, NOW])).toBe(3);
  expect(listed).toEqual(['before', 'first', 'between', 'second']);
  await expectTold(journal, { before: undefined, first: 0, between: 0, second: 0 });
});

test('the last time in the journal counts as a time of death, for a machine that lost its last signs', async () => {
  const journal = createMemoryJournal();
  await sell(journal, 'last', NOW - 40 * SECOND, NOW - 39 * SECOND);
  expect(await findEnd(journal, NOW)).toBe(NOW - 39 * SECOND);
  expect(await findEnd(createMemoryJournal(), NOW)).toBe(0);
});

test('a mark whose write fails is kept by the gateway that has made it, and written later', async () => {
  const disk = createMemoryJournal();
  await sell(disk, 'last', NOW - 2 * SECOND, NOW - SECOND);
  let isAway = true;
  const tell: Journal['tell'] = (owner, requestId, toldAtMs, isDue) =>
    isAway
      ? Promise.reject(new WriteFailure(new Error('statement timeout')))
      : disk.tell(owner, requestId, toldAtMs, isDue && ((order) => isDue(order, 'dead')));
  const journal = keepAnswers({ ...disk, tell });
  await markUntold(journal, [NOW], { holder: 'dead' });
  expect(await toldAt(journal, 'last')).toBe(0);
  isAway = false;
  await journal.writeKept();
  expect(await toldAt(disk, 'last')).toBe(0);
});

test('after clean stops no order is marked', async () => {
  const journal = createMemoryJournal();
  await sell(journal, 'last', NOW - SECOND, NOW);
  expect(await markUntold(journal, [])).toBe(0);
});

test('an empty journal has nothing to mark', async () => {
  expect(await markUntold(createMemoryJournal(), [NOW])).toBe(0);
});

/** A process that starts on this journal, and notes how many orders it has marked. */
async function startProcess(
  journal: Journal,
  clock: VirtualClock,
  marked: number[],
  toldSales = toldFiles(folder, clock),
): ReturnType<typeof watchUntold> {
  const starting = watchUntold({
    ...{ dataDir: folder, journal, clock, toldSales },
    onMarked: (count) => marked.push(count),
    onNeighbours: () => undefined,
    onTrouble: () => undefined,
  });
  await settlePromises();
  await clock.advance(100);
  return starting;
}

test('a running process marks what a dead one sold behind its last sign, just after the journal could be written again', async () => {
  let isWritable = true;
  const journal = { ...createMemoryJournal(), isWritable: () => isWritable };
  const [clock, dies] = [createVirtualClock(NOW), createVirtualClock(NOW)];
  const marked: number[] = [];
  for (const one of [clock, dies]) await startProcess(journal, one, marked);
  isWritable = false;
  await clock.advance(60 * SECOND);
  isWritable = true;
  await sell(journal, 'last', NOW + 61 * SECOND, NOW + 62 * SECOND);
  await clock.advance(35 * SECOND);
  // The log of told sales is on a real disk and needs real time.
  for (let tries = 0; tries < 1_000 && marked.length < 1; tries += 1) await setTimeout(1);
  expect(await toldAt(journal, 'last')).toBe(0);
});

test('a start marks the untold sales of dead processes, except those in the list of told ones, and so does a process that is running', async () => {
  const journal = createMemoryJournal();
  const [clock, neighbour] = [createVirtualClock(NOW), createVirtualClock(NOW)];
  const marked: number[] = [];
  for (const id of ['before-signs', 'heard']) await sell(journal, id, NOW - 2 * SECOND, NOW - SECOND);
  const toldSales = toldLines(toldLine((await journal.find(newOrder().owner, 'heard'))!));
  await startProcess(journal, neighbour, marked, toldSales);
  expect(marked).toEqual([1]);
  await expectTold(journal, { 'before-signs': 0, heard: undefined });
  const { endSigns, unmarkedMs } = await startProcess(journal, clock, marked, toldSales);
  await sell(journal, 'last', NOW + SECOND, NOW + 2 * SECOND);
  await clock.advance(25 * SECOND);
  while (marked.length < 2) await setTimeout(1);
  expect(await toldAt(journal, 'last')).toBe(0);
  await endSigns(true);
  expect(marked).toEqual([1, 1]);
  expect(unmarkedMs()).toBe(60 * SECOND);
  await clock.advance(100 * SECOND);
  expect([145, 150]).toContain(unmarkedMs() / SECOND);
  await clock.advance(3_600 * SECOND);
  expect(unmarkedMs()).toBe(600 * SECOND);
});

test('a gateway whose journal has the signs shows in its data folder that it runs, until its stop', async () => {
  const processes: Processes = {
    ...{ own: 'one', now: () => NOW, readAtMs: () => 0, toldSales: toldLines() },
    ...{ sign: () => Promise.resolve(), list: () => Promise.resolve([]), remove: () => Promise.resolve() },
  };
  // The database may be away: the gateway runs nevertheless.
  const journal: Journal = { ...createMemoryJournal(), processes, isWritable: () => false };
  const ignore = () => undefined;
  const { endSigns } = await watchUntold({
    ...{ dataDir: folder, journal, toldSales: processes.toldSales, clock: createVirtualClock(NOW) },
    ...{ onMarked: ignore, onNeighbours: ignore, onTrouble: ignore },
  });
  const config = configFor(folder, { JOURNAL_URL: 'postgres://gateway@127.0.0.1/orders', GATEWAY_SECRET: 'ab'.repeat(32) });
  const refusal = () => refusesRestore(config, newFolder(), { version: 1, madeAtMs: NOW, settings: {}, files: {} }, true);
  expect(await refusal()).toMatch(/^A gateway runs with DATA_DIR /);
  expect(signsOfLife(folder)).toBe(1);
  await endSigns(false);
  expect(await refusal()).toBeUndefined();
  expect(signsOfLife(folder)).toBe(0);
});
