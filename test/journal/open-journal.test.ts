import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openJournal } from '../../src/journal/open-journal';
import { newOrder } from './new-order';
import { newFolder } from '../new-folder';

describe('the journal address', () => {
  test('lmdb: is the folder journal of the data folder', async () => {
    const dir = newFolder();
    const journal = await openJournal('lmdb:', dir);
    expect((await journal.open(newOrder())).kind).toBe('opened');
    await journal.close();
    expect((await stat(join(dir, 'journal', 'data.mdb'))).isFile()).toBe(true);
  });

  test.each(['lmdb:', 'lmdb://'])('%s and a path is that folder', async (prefix) => {
    const dir = join(newFolder(), 'orders');
    await (await openJournal(`${prefix}${dir}`, '/nowhere')).close();
    expect((await stat(join(dir, 'data.mdb'))).isFile()).toBe(true);
  });

  test('memory: keeps nothing on disk', async () => {
    const journal = await openJournal('memory:', '/nowhere');
    expect((await journal.open(newOrder())).kind).toBe('opened');
  });

  test.each([
    '',
    'redis://x',
    'postgres://u:hunter2@[host/db',
    'mysql://u:hunter2@host/db',
    '/var/lib',
    'memory:x',
    'lmdb:relative',
    'lmdb://host/path',
    'lmdb://u:hunter2@host/path',
    'lmdb:../up',
  ])('%p is refused with the name JOURNAL_URL, without its password', async (url) => {
    const error = await openJournal(url, '/nowhere').catch((reason: unknown) => reason);
    expect(String(error)).toContain('JOURNAL_URL must');
    expect(String(error)).not.toContain('hunter2');
  });
});
