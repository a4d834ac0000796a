/** What v1 has said while the database is away, on a disk that takes half of a line. */
import { open, readdir, readFile, type FileHandle } from 'node:fs/promises';
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

/** The next line is written up to its middle. */
async function fillDisk(dir: string): Promise<void> {
  const file = await open(join(dir, 'probe'), 'a');
  const handles = Object.getPrototypeOf(file) as FileHandle;
  await file.close();
  jest.spyOn(handles, 'appendFile').mockImplementationOnce(async function (this: FileHandle, text) {
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
