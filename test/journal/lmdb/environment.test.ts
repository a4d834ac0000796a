import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { open } from 'lmdb';
import { openByteFolder } from '../../../src/journal/lmdb/environment';
import { openLmdbJournal } from '../../../src/journal/lmdb-journal';
import { newOrder } from '../new-order';
import { outputOf } from '../start-child';
import { newFolder } from '../../new-folder';

const OPENING = join(__dirname, 'open-as-another-user.ts');

async function digest(dir: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(join(dir, 'data.mdb')))
    .digest('hex');
}

/** The folder is refused with these words and its name, and the file is unchanged. */
async function expectRefusal(dir: string, words: string): Promise<void> {
  const before = await digest(dir);
  const error = await openLmdbJournal({ dir }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Error);
  expect((error as Error).message).toContain(words);
  expect((error as Error).message).toContain(dir);
  expect(await digest(dir)).toBe(before);
}

async function makeLmdb(dir: string, entries: Readonly<Record<string, string>>): Promise<void> {
  const root = open<Buffer, Buffer>({
    path: dir,
    noSubdir: false,
    encoding: 'binary',
    keyEncoding: 'binary',
    overlappingSync: false,
  });
  for (const [key, value] of Object.entries(entries)) root.putSync(Buffer.from(key), Buffer.from(value));
  await root.close();
}

async function makeFilled(orders: number): Promise<string> {
  const dir = newFolder();
  const journal = await openLmdbJournal({ dir });
  await Promise.all(Array.from({ length: orders }, (_, index) => journal.open(newOrder({ requestId: `r${index}` }))));
  await journal.close();
  return dir;
}

describe('the folder of the LMDB journal', () => {
  test('a new folder belongs to its owner only', async () => {
    const dir = join(newFolder(), 'data', 'journal.d');
    await (await openLmdbJournal({ dir })).close();
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    expect((await stat(join(dir, 'data.mdb'))).isFile()).toBe(true);
  });

  test('a journal grows beyond the map with which it was opened', async () => {
    const root = openByteFolder(newFolder(), 2 ** 20);
    const value = Buffer.alloc(8_000, 1);
    for (let key = 0; key < 1_000; key += 1) await root.put(Buffer.from(`${key}`), value);
    for (const key of [0, 1, 999]) expect(root.get(Buffer.from(`${key}`))).toEqual(value);
    await root.close();
  });

  test('a file in the place of the folder is refused', async () => {
    const dir = join(newFolder(), 'journal');
    await writeFile(dir, 'notes');
    await expect(openLmdbJournal({ dir })).rejects.toThrow(/journal folder .* cannot be used/);
    expect(await readFile(dir, 'utf8')).toBe('notes');
  });

  test.each([
    ['', 'SQLite format 3\0'.padEnd(20_000, 'x')],
    ['short ', 'x'],
  ])('a %sfile of unknown content is refused and left unchanged', async (_size, content) => {
    const dir = newFolder();
    await writeFile(join(dir, 'data.mdb'), content);
    await expectRefusal(dir, 'holds a data.mdb that is no LMDB data file');
  });

  test('an emptied file is refused, because a lost journal must not look like a new one', async () => {
    const dir = await makeFilled(1);
    await truncate(join(dir, 'data.mdb'), 0);
    await expectRefusal(dir, 'holds an empty data.mdb');
  });

  test('an LMDB file of another program is refused and left unchanged', async () => {
    const dir = newFolder();
    await makeLmdb(dir, { theirs: 'data' });
    await expectRefusal(dir, 'belongs to another program');
  });

  test('a journal of a newer build is refused and left unchanged', async () => {
    const dir = newFolder();
    await makeLmdb(dir, { 'compat-gateway': JSON.stringify({ magic: 'compat-gateway journal', version: 2 }) });
    await expectRefusal(dir, 'was written by a newer build (layout 2, this one knows 1)');
  });

  test.each(['not json', '{}', 'null', '{"magic":"compat-gateway journal","version":"1"}'])(
    'an unreadable mark (%s) is refused',
    async (mark) => {
      const dir = newFolder();
      await makeLmdb(dir, { 'compat-gateway': mark });
      await expectRefusal(dir, 'unreadable first record');
    },
  );

  test.each([0.9, 0.5, 0.01])('a journal cut off to %d of its size is refused and left unchanged', async (part) => {
    const dir = await makeFilled(600);
    const { size } = await stat(join(dir, 'data.mdb'));
    await truncate(join(dir, 'data.mdb'), Math.floor(size * part));
    await expectRefusal(dir, part === 0.01 ? 'data.mdb' : 'holds a data.mdb that is cut off');
  });

  test.each(['data.mdb', 'lock.mdb'])(
    'a %s that this user may not write is named, and ends no process without a message',
    async (file) => {
      const dir = await makeFilled(1);
      await chmod(dir, 0o777);
      for (const name of ['data.mdb', 'lock.mdb']) await chmod(join(dir, name), name === file ? 0o444 : 0o666);
      const child = spawn(process.execPath, ['-r', join(__dirname, '..', 'run-typescript.cjs'), OPENING, dir]);
      expect(await outputOf(child)).toEqual([
        `The journal folder . cannot be written (EACCES: permission denied, access '${file}').`,
      ]);
    },
  );

  test('a folder that was never a journal keeps its other files', async () => {
    const dir = newFolder();
    await mkdir(join(dir, 'lost+found'));
    await (await openLmdbJournal({ dir })).close();
    expect((await stat(join(dir, 'lost+found'))).isDirectory()).toBe(true);
  });
});
