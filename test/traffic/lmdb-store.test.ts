import { randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { openLmdbStore } from '../../src/traffic/lmdb-store';
import { makeFolder, removeFolders } from '../journal/temporary-folder';
import { NOW, ROOM, tally, testTrafficStore } from './store-suite';

afterAll(removeFolders);

describe('as any store', () => {
  testTrafficStore(async () => openLmdbStore(join(await makeFolder(), 'traffic'), NOW, ROOM));
});

async function written(): Promise<string> {
  const dir = join(await makeFolder(), 'traffic');
  const store = await openLmdbStore(dir, NOW);
  await store.add(
    Array.from({ length: 2_000 }, (_, index) => tally({ owner: `o${index % 50}`, body: `"${index}"` })),
    0,
    NOW,
  );
  await store.close();
  return dir;
}

test('what was written is there after a restart, with the day it began', async () => {
  const store = await openLmdbStore(await written(), NOW + 99);
  const { sinceMs, tallies } = await store.read();
  expect([sinceMs, tallies.length]).toEqual([NOW, 2_000]);
  await store.close();
});

test('two stores on one folder add up', async () => {
  const dir = join(await makeFolder(), 'traffic');
  const [one, other] = [await openLmdbStore(dir, NOW), await openLmdbStore(dir, NOW + 5)];
  // In turns: LMDB keeps two processes from each other, not two of its environments in one process.
  for (let turn = 0; turn < 20; turn += 1) await (turn % 2 === 0 ? one : other).add([tally({ count: turn })], 1, NOW);
  const { tallies, forgotten } = await other.read();
  expect([tallies.map(({ count }) => count), forgotten]).toEqual([[190], 20]);
  await one.close();
  await other.close();
});

test('nobody else may look into the folder', async () => {
  expect(statSync(await written()).mode & 0o077).toBe(0);
});

test.each<[string, (dir: string) => unknown]>([
  ['empty', (dir) => writeFileSync(join(dir, 'data.mdb'), '')],
  ['cut off', (dir) => writeFileSync(join(dir, 'data.mdb'), readFileSync(join(dir, 'data.mdb')).subarray(0, 20_000))],
  ['noise', (dir) => writeFileSync(join(dir, 'data.mdb'), randomBytes(50_000))],
  [
    'zeros in the middle',
    (dir) => {
      const bytes = readFileSync(join(dir, 'data.mdb'));
      writeFileSync(join(dir, 'data.mdb'), bytes.fill(0, 16_384, bytes.length - 16_384));
    },
  ],
  [
    'noise in the middle',
    (dir) => {
      const bytes = readFileSync(join(dir, 'data.mdb'));
      randomBytes(bytes.length - 30_000).copy(bytes, 16_384);
      writeFileSync(join(dir, 'data.mdb'), bytes);
    },
  ],
])('a file that is %s is refused in a sentence and left alone', async (_what, damage) => {
  const dir = await written();
  damage(dir);
  const before = readFileSync(join(dir, 'data.mdb'));
  await expect(openLmdbStore(dir, NOW)).rejects.toThrow(/^The traffic folder .*; nothing in it was changed\.$/);
  expect(readFileSync(join(dir, 'data.mdb')).equals(before)).toBe(true);
});

test('the folder of another program is refused', async () => {
  const dir = join(await makeFolder(), 'other');
  const other = open<string, string>({ path: dir, noSubdir: false });
  await other.put('mine', 'yes');
  await other.close();
  await expect(openLmdbStore(dir, NOW)).rejects.toThrow('belongs to another program');
});

test('a record that cannot be read hides no other, and is written anew when its thing is seen again', async () => {
  const dir = join(await makeFolder(), 'traffic');
  const store = await openLmdbStore(dir, NOW);
  await store.add([tally({ body: '"one"', count: 3 }), tally({ body: '"two"' })], 0, NOW);
  const raw = open<Buffer, Buffer>({ path: dir, noSubdir: false, encoding: 'binary', keyEncoding: 'binary', maxDbs: 8 });
  const tree = raw.openDB<Buffer, Buffer>({ name: 'shape', encoding: 'binary', keyEncoding: 'binary' });
  for (const { key, value } of tree.getRange()) if (value.includes('one')) await tree.put(Buffer.from(key), Buffer.from([9, 9]));
  await raw.close();
  expect((await store.read()).tallies.map(({ body }) => body)).toEqual(['"two"']);
  await store.add([tally({ body: '"one"', count: 4 })], 0, NOW);
  expect((await store.read()).tallies.map(({ body, count }) => `${body} ${count}`).sort()).toEqual(['"one" 4', '"two" 1']);
  await store.close();
});
