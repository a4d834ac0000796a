import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Secret } from '../../src/domain/credentials';
import { createFieldSeal } from '../../src/journal/record';
import type { Note, RefusedNote } from '../../src/orders/note';
import { createMemoryNotesStore, openNotesStore, type NotesStore } from '../../src/orders/notes-store';
import { newFolder } from '../new-folder';

const PLAIN = createFieldSeal(undefined);
const KEY = 'ab'.repeat(16);
const OTHER_KEY = 'cd'.repeat(16);

function refused(atMs: number): RefusedNote {
  const note = { code: 'missing_field', told: 'told of 08030000001', numbers: ['08030000001'] };
  return { kind: 'refused', atMs, owner: 'a'.repeat(32), ...note };
}

function refusedIn(store: NotesStore, fromMs = 0, untilMs = 1_000_000): readonly number[] {
  return [...store.refused({ fromMs, untilMs })].map(({ atMs }) => atMs);
}

describe.each([
  ['on disk', async () => openNotesStore({ dir: join(newFolder(), 'notes'), seal: PLAIN, now: () => 1_000 })],
  ['in memory', async () => createMemoryNotesStore()],
])('notes %s', (_where, open) => {
  let store: NotesStore;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => store.close());

  test('refused requests of a time span are returned newest first', async () => {
    await store.write([5, 1, 3, 2, 4].map((atMs) => ({ note: refused(atMs), keys: [] })));
    expect(refusedIn(store)).toEqual([5, 4, 3, 2, 1]);
    expect(refusedIn(store, 2, 4)).toEqual([3, 2]);
  });

  test('a list of 300 refused requests is returned in full', async () => {
    await store.write(Array.from({ length: 300 }, (_, atMs) => ({ note: refused(atMs), keys: [] })));
    expect(refusedIn(store)).toHaveLength(300);
  });

  test('notes of every kind are found by any of their keys, each once, newest first', async () => {
    const told: Note = { kind: 'told', atMs: 9, owner: 'a', number: 7, outcome: 'pending', http: 200, told: 'wait' };
    await store.write([
      { note: refused(1), keys: [KEY, OTHER_KEY] },
      { note: refused(2), keys: [OTHER_KEY] },
      { note: told, keys: [KEY] },
    ]);
    expect(store.under([KEY, OTHER_KEY], 10)).toEqual([told, refused(2), refused(1)]);
    expect(store.under([KEY], 1)).toEqual([told]);
    expect(store.under(['00'.repeat(16)], 10)).toEqual([]);
  });
});

test('beyond the bounds of count and age the oldest notes are deleted and no longer found by their keys', async () => {
  const dir = join(newFolder(), 'notes');
  let now = 1_000;
  const store = await openNotesStore({ dir, seal: PLAIN, bounds: { countMax: 10, ageMaxMs: 500 }, now: () => now });
  for (let atMs = 901; atMs <= 920; atMs += 1) await store.write([{ note: refused(atMs), keys: [KEY] }]);
  expect(refusedIn(store)).toEqual(Array.from({ length: 10 }, (_, index) => 920 - index));
  expect(store.under([KEY], 100)).toHaveLength(10);
  now = 1_416;
  await store.write([{ note: refused(1_416), keys: [KEY] }]);
  expect(refusedIn(store)).toEqual([1_416, 920, 919, 918, 917, 916]);
  expect(store.under([KEY], 100)).toHaveLength(6);
  await store.close();
});

test('with a JOURNAL_KEY the numbers and texts of notes are encrypted on disk, and without that key such notes are left out', async () => {
  const dir = join(newFolder(), 'notes');
  const sealed = createFieldSeal(new Secret('k'.repeat(32)));
  const store = await openNotesStore({ dir, seal: sealed, now: () => 10 });
  await store.write([{ note: refused(5), keys: [KEY] }]);
  expect([...store.refused({ fromMs: 0, untilMs: 10 })]).toEqual([refused(5)]);
  await store.close();
  expect((await readFile(join(dir, 'data.mdb'))).includes('08030000001')).toBe(false);
  const plain = await openNotesStore({ dir, seal: PLAIN, now: () => 10 });
  await plain.write([{ note: refused(4), keys: [OTHER_KEY] }]);
  await plain.close();
  const foreign = await openNotesStore({ dir, seal: PLAIN, isReadOnly: true });
  expect([refusedIn(foreign), foreign.under([KEY, OTHER_KEY], 9)]).toEqual([[4], [refused(4)]]);
  await foreign.close();
});

test('opening a missing folder for reading finds no notes and creates no folder', async () => {
  const store = await openNotesStore({ dir: join(newFolder(), 'notes'), seal: PLAIN, isReadOnly: true });
  expect(refusedIn(store)).toEqual([]);
  await expect(store.write([])).rejects.toThrow(/reading only/);
});

test.each<[string, (path: string, size: number) => Promise<void>]>([
  ['cut off', (path, size) => truncate(path, size / 2)],
  ['noise', (path) => writeFile(path, Buffer.alloc(8_192, 7))],
])('notes whose file is %s are refused with what to do, to writers and readers', async (_fault, damage) => {
  const dir = newFolder();
  const store = await openNotesStore({ dir, seal: PLAIN, now: () => 1_000 });
  await store.write(Array.from({ length: 300 }, (_, atMs) => ({ note: refused(atMs), keys: [KEY] })));
  await store.close();
  const path = join(dir, 'data.mdb');
  await damage(path, (await stat(path)).size);
  for (const isReadOnly of [false, true])
    await expect(openNotesStore({ dir, seal: PLAIN, isReadOnly })).rejects.toThrow(/holds a data\.mdb that is .*; delete it/);
});

test('opening the notes fails where a file has the name of their folder', async () => {
  const dir = join(newFolder(), 'notes');
  await writeFile(dir, 'a file');
  await expect(openNotesStore({ dir, seal: PLAIN })).rejects.toThrow(/EEXIST|ENOTDIR/);
});
