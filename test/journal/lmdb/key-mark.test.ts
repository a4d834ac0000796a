import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Secret } from '../../../src/domain/credentials';
import type { Journal, JournalEvent } from '../../../src/journal/journal';
import { openLmdbJournal, openLmdbReader } from '../../../src/journal/lmdb-journal';
import { newOrder, OPENED_AT_MS } from '../new-order';
import { newFolder } from '../../new-folder';
import { closedAfterEach } from '../../opened';

const KEY = new Secret('a key of more than thirty-two characters');
const OTHER = new Secret('another key of more than thirty-two characters');
const ABSENT = 'is encrypted, and the encryption key is absent';
const ANOTHER = 'is encrypted, and the encryption key is another one';
const { owner, fields } = newOrder();
const refused = (words: string): object =>
  expect.objectContaining({
    code: 'journal_unavailable',
    cause: expect.objectContaining({ message: expect.stringContaining(words) }),
  });

const kept = closedAfterEach();

async function openGateway(dir: string, encryptionKey?: Secret, onEvent: (event: JournalEvent) => void = () => undefined) {
  // Without retention: in one process the write of one journal would wait for ever for a background write of another.
  const options = { dir, onEvent, retentionMs: Infinity, ...(encryptionKey === undefined ? {} : { encryptionKey }) };
  return kept(await openLmdbJournal(options));
}

async function openReader(dir: string, encryptionKey?: Secret): Promise<Journal> {
  return kept(await openLmdbReader({ dir, ...(encryptionKey === undefined ? {} : { encryptionKey }) }));
}

/** Gateways on one folder, which open one order each, in this order; all are closed afterwards. */
async function makeJournal(...keys: readonly (Secret | undefined)[]): Promise<string> {
  const dir = newFolder();
  for (const [index, key] of keys.entries()) {
    const journal = await openGateway(dir, key);
    await journal.open(newOrder({ requestId: `r${index + 1}` }));
    await journal.close();
  }
  return dir;
}

async function bytesOf(dir: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(join(dir, 'data.mdb')))
    .digest('hex');
}

async function phonesOf(journal: Journal): Promise<unknown[]> {
  const phones: unknown[] = [];
  for await (const order of journal.list({ fromMs: 0, untilMs: OPENED_AT_MS + 1, limit: 9 })) phones.push(order.fields.phone);
  return phones;
}

describe('a journal that was written without a key', () => {
  test.each([
    ['no key', undefined],
    ['a key', KEY],
  ])('is read with %s, and not a byte of it changes', async (_, key) => {
    const dir = await makeJournal(undefined);
    const before = await bytesOf(dir);
    const reader = await openReader(dir, key);
    expect(await phonesOf(reader)).toEqual([fields.phone]);
    expect(await reader.find(owner, 'r1')).toMatchObject({ fields });
    expect(await reader.listUnsettled({ limit: 9 })).toHaveLength(1);
    await reader.close();
    expect(await bytesOf(dir)).toBe(before);
    await (await openGateway(dir)).close();
  });

  test('stays unencrypted when a gateway starts with a key and opens no order', async () => {
    const dir = await makeJournal(undefined);
    await (await openGateway(dir, OTHER)).close();
    const journal = await openGateway(dir, KEY);
    await journal.settle(owner, 'r1', { kind: 'succeeded', reference: 'v1-1' }, OPENED_AT_MS);
    expect((await journal.open(newOrder())).kind).toBe('found');
    await journal.close();
    await (await openReader(dir)).close();
  });

  test('is encrypted from the first order of a gateway with a key on; earlier orders stay as they are', async () => {
    const dir = await makeJournal(undefined, KEY);
    const reader = await openReader(dir, KEY);
    expect(await phonesOf(reader)).toEqual([fields.phone, fields.phone]);
    await reader.close();
    for (const open of [openGateway, openReader]) {
      await expect(open(dir)).rejects.toThrow(ABSENT);
      await expect(open(dir, OTHER)).rejects.toThrow(ANOTHER);
    }
  });
});

test('a wrong key changes nothing', async () => {
  const dir = await makeJournal(KEY);
  const before = await bytesOf(dir);
  await expect(openGateway(dir, OTHER)).rejects.toThrow(ANOTHER);
  await expect(openReader(dir, OTHER)).rejects.toThrow(ANOTHER);
  await expect(openGateway(dir)).rejects.toThrow(ABSENT);
  expect(await bytesOf(dir)).toBe(before);
});

describe('of two gateways on one journal', () => {
  async function openTwo(key: Secret | undefined) {
    const [dir, told] = [newFolder(), [] as JournalEvent[]];
    const mine = await openGateway(dir, key, (event) => told.push(event));
    return { mine, sealing: await openGateway(dir, KEY), told, dir };
  }

  test.each([
    ['without a key', undefined, ABSENT],
    ['with another key', OTHER, ANOTHER],
  ])('the one %s opens no order once the other has sealed one, and logs that once', async (_, key, words) => {
    const { mine, sealing, told, dir } = await openTwo(key);
    await sealing.open(newOrder({ requestId: 'sealed' }));
    await expect(mine.open(newOrder({ fields: { phone: '08039999999' } }))).rejects.toEqual(refused(words));
    await expect(mine.open(newOrder())).rejects.toEqual(refused(words));
    expect(mine.isWritable()).toBe(false);
    expect(told).toEqual([{ kind: 'write_failed', error: expect.objectContaining({ message: expect.stringContaining(words) }) }]);
    expect(await sealing.find(owner, 'r1')).toBeUndefined();
    expect((await readFile(join(dir, 'data.mdb'))).toString('latin1')).not.toContain('08039999999');
    expect((await sealing.open(newOrder())).kind).toBe('opened');
    expect(sealing.isWritable()).toBe(true);
  });

  test('the one without a key still settles what it has under way', async () => {
    const { mine, sealing } = await openTwo(undefined);
    await mine.open(newOrder());
    await sealing.open(newOrder({ requestId: 'sealed' }));
    const settled = await mine.settle(owner, 'r1', { kind: 'succeeded', reference: 'v1-1' }, OPENED_AT_MS);
    expect(await sealing.find(owner, 'r1')).toEqual(settled);
    expect((await mine.open(newOrder())).kind).toBe('found');
  });

  test.each([undefined, OTHER])('the one that lacks the key never reads a sealed number as a number', async (key) => {
    const { mine, sealing } = await openTwo(key);
    await sealing.open(newOrder({ requestId: 'sealed' }));
    const sentence = 'The journal holds an order that was encrypted with another key than that of this process.';
    await expect(mine.find(owner, 'sealed')).rejects.toThrow(sentence);
    await expect(mine.open(newOrder({ requestId: 'sealed' }))).rejects.toEqual(refused(sentence));
    // A list that proves that v1 has no such order must be complete and readable.
    await expect(mine.listUnsettled({ owner, limit: 9 })).rejects.toThrow(sentence);
  });

  test('those with the same key both go on', async () => {
    const { mine, sealing } = await openTwo(KEY);
    await sealing.open(newOrder());
    expect((await mine.open(newOrder())).kind).toBe('found');
    expect((await mine.open(newOrder({ requestId: 'r2' }))).kind).toBe('opened');
    expect(mine.isWritable()).toBe(true);
  });

  test('a repeat of an order that cost nothing is not opened again by the one without a key', async () => {
    const { mine, sealing } = await openTwo(undefined);
    await mine.open(newOrder());
    const settled = await mine.settle(owner, 'r1', { kind: 'rejected', httpStatus: 400 }, OPENED_AT_MS);
    await sealing.open(newOrder({ requestId: 'sealed' }));
    await expect(mine.open(newOrder())).rejects.toEqual(refused(ABSENT));
    expect(await mine.find(owner, 'r1')).toEqual(settled);
    expect((await sealing.open(newOrder())).kind).toBe('reopened');
  });
});
