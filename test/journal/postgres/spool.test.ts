/** What v1 has said while the database is away, on a disk that takes half of a line. */
import { appendFile, open, readdir, readFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeptChange } from '../../../src/journal/kept-answers';
import { createSpool, replaySpool } from '../../../src/journal/postgres/away';
import { createFieldSeal } from '../../../src/journal/record';
import { newFolder } from '../../new-folder';

const seal = createFieldSeal(undefined);

const wordOf = (requestId: string): KeptChange => ({
  ...{ owner: 'ada', requestId, attempt: 1 },
  said: { latest: { kind: 'succeeded', reference: `TXN-${requestId}` }, atMs: 1 },
});

const fail = (error: unknown): void => {
  throw error;
};

async function spyOnAppends(dir: string) {
  const file = await open(join(dir, 'probe'), 'a');
  const handles = Object.getPrototypeOf(file) as FileHandle;
  await file.close();
  return jest.spyOn(handles, 'appendFile');
}

/** The next line is written up to its middle. */
async function fillDisk(dir: string): Promise<void> {
  (await spyOnAppends(dir)).mockImplementationOnce(async function (this: FileHandle, text) {
    await this.write(String(text).slice(0, String(text).length / 2));
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  });
}

test('a line has the names that earlier builds wrote, and read', async () => {
  const dir = newFolder();
  await createSpool({ dir, seal, onTrouble: () => undefined }).append(wordOf('r1'));
  const [name] = await readdir(dir);
  const { attempt, ...kept } = wordOf('r1');
  expect(JSON.parse(await readFile(join(dir, name!), 'utf8'))).toEqual({ ...kept, tries: attempt });
  const replayed: KeptChange[] = [];
  await replaySpool(dir, seal, async (one) => void replayed.push(one));
  expect(replayed).toEqual([wordOf('r1')]);
});

test('a line of which the disk has only half spoils no later line', async () => {
  const dir = newFolder();
  const troubles: unknown[] = [];
  const spool = createSpool({ dir, seal, onTrouble: (error) => troubles.push(error) });
  await spool.append(wordOf('before'));
  await fillDisk(dir);
  await spool.append(wordOf('meanwhile'));
  expect(troubles).toMatchObject([{ code: 'ENOSPC' }]);
  await spool.append(wordOf('after'));

  const replayed: string[] = [];
  const replay = await replaySpool(dir, seal, async ({ requestId }) => void replayed.push(requestId));
  // That one stands in memory alone.
  expect([replayed, replay]).toEqual([['before', 'after'], { changes: 2, unreadable: 0 }]);
});

test('a line that comes when those before it are in the journal is not deleted with them, however slow the disk is', async () => {
  const dir = newFolder();
  const spool = createSpool({ dir, seal, onTrouble: fail });
  void spool.append(wordOf('on its way'));
  await new Promise(setImmediate);
  void spool.append(wordOf('waits for its turn'));
  const clearing = spool.clear();
  await Promise.all([spool.append(wordOf('after')), clearing]);
  const replayed: string[] = [];
  await replaySpool(dir, seal, async ({ requestId }) => void replayed.push(requestId));
  expect(replayed).toEqual(['after']);
});

test('a line that a running process writes while another one starts and takes its file is left for the next start', async () => {
  const dir = newFolder();
  const spool = createSpool({ dir, seal, onTrouble: fail });
  await spool.append(wordOf('before'));
  const replayed: string[] = [];
  const start = () => replaySpool(dir, seal, async ({ requestId }) => void replayed.push(requestId));
  // The file is open by then.
  (await spyOnAppends(dir)).mockImplementationOnce(async function (this: FileHandle, text) {
    await start();
    await this.write(String(text));
  });
  await spool.append(wordOf('meanwhile'));
  expect(replayed).toEqual(['before']);
  await start();
  expect(replayed).toEqual(['before', 'meanwhile']);
  expect((await readdir(dir)).filter((name) => name !== 'probe')).toEqual([]);
});

test('of two processes that start at once in one folder neither fails, and no line is lost', async () => {
  const dir = newFolder();
  const spool = createSpool({ dir, seal, onTrouble: fail });
  for (const requestId of ['r1', 'r2']) await spool.append(wordOf(requestId));
  const replayed: string[] = [];
  const second = () => replaySpool(dir, seal, async ({ requestId }) => void replayed.push(`second ${requestId}`));
  const first = replaySpool(dir, seal, async ({ requestId }) => {
    if (requestId === 'r1') await second();
    replayed.push(`first ${requestId}`);
  });
  expect(await first).toEqual({ changes: 2, unreadable: 0 });
  expect(replayed).toEqual(['second r1', 'second r2', 'first r1', 'first r2']);
  expect(await readdir(dir)).toEqual([]);
});

test('of a file with lines that a disk has spoiled only these are left: the others are not applied again at each start', async () => {
  const dir = newFolder();
  const spool = createSpool({ dir, seal, onTrouble: fail });
  await spool.append(wordOf('before'));
  const [name] = await readdir(dir);
  await appendFile(join(dir, name!), '{"owner":"ad\0\0\n');
  await spool.append(wordOf('after'));
  const replayed: string[] = [];
  const start = () => replaySpool(dir, seal, async ({ requestId }) => void replayed.push(requestId));
  expect(await start()).toEqual({ changes: 2, unreadable: 1 });
  expect(await start()).toEqual({ changes: 0, unreadable: 1 });
  expect(replayed).toEqual(['before', 'after']);
  const [left] = await readdir(dir);
  expect(await readFile(join(dir, left!), 'utf8')).toBe('{"owner":"ad\0\0\n');
});
