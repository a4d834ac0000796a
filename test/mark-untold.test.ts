import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryJournal } from '../src/journal/memory-journal';
import { openLmdbJournal } from '../src/journal/lmdb-journal';
import type { Journal } from '../src/journal/journal';
import { markUntold, noteCleanStop } from '../src/mark-untold';
import { newOrder } from './journal/new-order';

const NOW = Date.UTC(2026, 10, 22, 8);
const SECOND = 1_000;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'compat-told-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Opened and sold so many seconds before the end of its process. */
async function sell(journal: Journal, requestId: string, openedAtMs: number, settledAtMs?: number): Promise<void> {
  const { owner } = newOrder();
  await journal.open(newOrder({ requestId, openedAtMs }));
  if (settledAtMs !== undefined) await journal.settle(owner, requestId, { kind: 'succeeded', reference: requestId }, settledAtMs);
}

const toldAt = async (journal: Journal, requestId: string) => (await journal.find(newOrder().owner, requestId))?.toldAtMs;

test.each([
  ['memory', async () => createMemoryJournal()],
  ['lmdb', () => openLmdbJournal({ dir: join(folder, 'journal'), retentionMs: Infinity })],
])('after a kill, what was open or sold in its last seconds is not told (%s)', async (_name, open) => {
  const journal = await open();
  const end = NOW - 90 * 60 * SECOND;
  await sell(journal, 'long-before', end - 120 * SECOND, end - 119 * SECOND);
  await sell(journal, 'before', end - 40 * SECOND, end - 30 * SECOND);
  await sell(journal, 'held', end - 41 * SECOND, end - 2 * SECOND);
  await sell(journal, 'last', end - SECOND, end);
  await sell(journal, 'open', end - 50 * SECOND);
  expect(await markUntold(journal, folder, NOW)).toBe(3);
  const ids = ['long-before', 'before', 'held', 'last', 'open'];
  expect(await Promise.all(ids.map((id) => toldAt(journal, id)))).toEqual([undefined, undefined, 0, 0, 0]);
  expect(await markUntold(journal, folder, NOW)).toBe(0);
  await journal.close();
});

test('after a stop in which everything came to its end nothing is marked, and the next start is judged anew', async () => {
  const journal = createMemoryJournal();
  await sell(journal, 'last', NOW - SECOND, NOW);
  noteCleanStop(folder);
  expect(await markUntold(journal, folder, NOW)).toBe(0);
  expect(await markUntold(journal, folder, NOW)).toBe(1);
});

test('an empty journal has nothing to mark', async () => {
  expect(await markUntold(createMemoryJournal(), folder, NOW)).toBe(0);
});
