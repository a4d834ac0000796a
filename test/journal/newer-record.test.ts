import { open } from 'lmdb';
import type { Journal, JournalEvent } from '../../src/journal/journal';
import { openLmdbJournal } from '../../src/journal/lmdb-journal';
import { collect } from './journal-suite';
import { newOrder, OPENED_AT_MS } from './new-order';
import { newFolder } from '../new-folder';

const { owner } = newOrder();
const SENTENCE = 'The journal holds a record of version 9, which this build cannot read.';
const DAY_MS = 86_400_000;
const LONG_AFTER_MS = OPENED_AT_MS + 91 * DAY_MS;
const order = (requestId: string, at: number) => newOrder({ requestId, openedAtMs: OPENED_AT_MS + at });

interface Opening {
  readonly retentionMs?: number;
  readonly steadyMs?: number;
  readonly now?: () => number;
  readonly onEvent?: (event: JournalEvent) => void;
}

/** A journal of three orders, the second of which a newer build has written. Gives the versions of the records that are left in the end. */
async function withNewerRecord(work: (journal: Journal) => Promise<void>, opening: Opening = {}): Promise<readonly unknown[]> {
  const dir = newFolder();
  const before = await openLmdbJournal({ dir });
  for (const [at, requestId] of ['first', 'newer', 'last'].entries()) await before.open(order(requestId, at));
  await before.settle(owner, 'first', { kind: 'succeeded', reference: 'v1-first' }, OPENED_AT_MS);
  await before.close();
  await changeRecords(dir, (bytes, at) => (at === 1 ? Buffer.concat([Buffer.from([9]), bytes.subarray(1)]) : bytes));
  const journal = await openLmdbJournal({ dir, ...opening });
  try {
    await work(journal);
  } finally {
    await journal.close();
  }
  return (await changeRecords(dir, (bytes) => bytes)).map((bytes) => bytes[0]);
}

/** The records on the disk, read without the journal. */
async function changeRecords(dir: string, change: (bytes: Buffer, at: number) => Buffer): Promise<readonly Buffer[]> {
  const root = open<Buffer, Buffer>({ path: dir, keyEncoding: 'binary', encoding: 'binary', maxDbs: 8 });
  const orders = root.openDB<Buffer, Buffer>({ name: 'orders', keyEncoding: 'binary', encoding: 'binary' });
  const entries = [...orders.getRange({})].map(({ key, value }) => ({ key: Buffer.from(key), value: Buffer.from(value) }));
  for (const [at, { key, value }] of entries.entries()) await orders.put(key, change(value, at));
  await root.close();
  return entries.map(({ value }) => value);
}

test('it is reported with a sentence, whichever way it is asked for, and no attempt drops or overwrites it', async () => {
  const versions = await withNewerRecord(async (journal) => {
    await expect(journal.find(owner, 'newer')).rejects.toThrow(SENTENCE);
    await expect(journal.settle(owner, 'newer', { kind: 'succeeded' }, OPENED_AT_MS)).rejects.toThrow(SENTENCE);
    await expect(journal.open(order('newer', 9))).rejects.toMatchObject({
      code: 'journal_unavailable',
      cause: expect.objectContaining({ message: SENTENCE }),
    });
  });
  expect(versions).toEqual([1, 9, 1]);
});

test('the other orders of its key are opened, found and settled as usual', () =>
  withNewerRecord(async (journal) => {
    expect(await journal.find(owner, 'first')).toMatchObject({ outcome: { kind: 'succeeded' } });
    expect(await journal.findByReference(owner, 'v1-first')).toMatchObject({ requestId: 'first' });
    expect((await journal.open(order('another', 9))).kind).toBe('opened');
    expect(await journal.settle(owner, 'last', { kind: 'succeeded' }, OPENED_AT_MS)).toMatchObject({ requestId: 'last' });
  }));

test('a list that proves something fails as a whole; a list whose caller is told of it has the other orders', () =>
  withNewerRecord(async (journal) => {
    const told: string[] = [];
    const onUnreadable = ({ message }: Error): void => void told.push(message);
    const all = { fromMs: 0, untilMs: OPENED_AT_MS + 10, limit: 10 };
    await expect(journal.listUnsettled({ owner, limit: 10 })).rejects.toThrow(SENTENCE);
    await expect(collect(journal.list(all))).rejects.toThrow(SENTENCE);
    expect((await journal.listUnsettled({ owner, limit: 10, onUnreadable })).map(({ requestId }) => requestId)).toEqual(['last']);
    expect((await journal.listUnsettled({ limit: 10, onUnreadable })).map(({ requestId }) => requestId)).toEqual(['last']);
    expect(await collect(journal.list({ ...all, onUnreadable }))).toEqual(['first', 'last']);
    expect(told).toEqual([SENTENCE, SENTENCE, SENTENCE]);
  }));

test('retention keeps it, logs it, and deletes the others', async () => {
  const events: JournalEvent[] = [];
  let swept: () => void = () => undefined;
  const hasSwept = new Promise<void>((resolve) => (swept = resolve));
  const onEvent = (event: JournalEvent): void => {
    events.push(event);
    if (event.kind === 'swept' || event.kind === 'sweep_failed') swept();
  };
  const opening = { retentionMs: 90 * DAY_MS, now: () => LONG_AFTER_MS, steadyMs: 0, onEvent };
  const versions = await withNewerRecord(() => hasSwept, opening);
  expect(events).toEqual([
    { kind: 'record_unreadable', error: expect.objectContaining({ message: SENTENCE }) },
    { kind: 'swept', orders: 1 },
  ]);
  expect(versions).toEqual([9, 1]);
});
