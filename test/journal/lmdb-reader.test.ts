import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { open } from 'lmdb';
import { openLmdbJournal, openLmdbReader } from '../../src/journal/lmdb-journal';
import { startChild } from './start-child';
import { newOrder, OPENED_AT_MS } from './new-order';
import { newFolder } from '../new-folder';

const { owner } = newOrder();

async function makeJournal(): Promise<string> {
  const dir = newFolder();
  const journal = await openLmdbJournal({ dir });
  await journal.open(newOrder());
  await journal.close();
  return dir;
}

test('a journal opened for reading accepts no order and no answer', async () => {
  const dir = await makeJournal();
  const reader = await openLmdbReader({ dir });
  await expect(reader.open(newOrder({ requestId: 'r2' }))).rejects.toMatchObject({
    code: 'journal_unavailable',
    cause: expect.objectContaining({ message: 'The journal was opened for reading only.' }),
  });
  await expect(reader.settle(owner, 'r1', { kind: 'succeeded' }, OPENED_AT_MS)).rejects.toThrow('for reading only');
  expect(reader.isWritable()).toBe(false);
  await reader.close();
  await reader.close();
  await expect(reader.find(owner, 'r1')).rejects.toThrow('closed');
});

test('a reader sees what another process writes beside it', async () => {
  const dir = await makeJournal();
  const reader = await openLmdbReader({ dir });
  expect(await reader.find(owner, 'k0')).toBeUndefined();
  const child = startChild('write', dir);
  await once(child.stdout, 'data');
  expect(await reader.find(owner, 'k0')).toMatchObject({ requestId: 'k0' });
  child.kill('SIGKILL');
  await once(child, 'close');
  await reader.close();
});

test('a reader makes no journal', async () => {
  const dir = newFolder();
  await expect(openLmdbReader({ dir })).rejects.toThrow(`The journal folder ${dir}`);
  expect(existsSync(join(dir, 'data.mdb'))).toBe(false);
});

test('a journal whose maker ended before it had made its trees is reported with a sentence', async () => {
  const dir = newFolder();
  const root = open<Buffer, Buffer>({ path: dir, noSubdir: false, encoding: 'binary', keyEncoding: 'binary' });
  await root.put(Buffer.from('compat-gateway'), Buffer.from('{"magic":"compat-gateway journal","version":1}'));
  await root.close();
  await expect(openLmdbReader({ dir })).rejects.toThrow('holds no journal yet');
  await (await openLmdbJournal({ dir })).close();
  await (await openLmdbReader({ dir })).close();
});
