import { open as openLmdb } from 'lmdb';
import { openLmdbStore } from '../../src/sandbox/store/lmdb-store';
import { createMemoryStore } from '../../src/sandbox/store/store';
import { numberKey, type Store } from '../../src/sandbox/store/store';
import { newFolder } from '../new-folder';

const folder = newFolder();

let count = 0;
const stores: readonly (readonly [string, () => Store])[] = [
  ['memory', createMemoryStore],
  ['LMDB', () => openLmdbStore(`${folder}/${(count += 1)}`)],
];

describe.each(stores)('the %s store', (_name, open) => {
  let store: Store;
  beforeEach(() => {
    store = open();
  });
  afterEach(() => store.close());

  test('returns stored values at once and in order of keys', async () => {
    for (const key of [1, 2, 10]) store.put('order', numberKey(key), { key });
    expect([...store.entries('order')].map(([, value]) => value)).toEqual([{ key: 1 }, { key: 2 }, { key: 10 }]);
    await store.committed();
    expect([...store.entries('order')].map(([key]) => Number(key))).toEqual([1, 2, 10]);
  });

  test('keeps values of different kinds apart', () => {
    store.put('order', 'a', 1);
    store.put('posting', 'a', 2);
    expect([...store.entries('posting')]).toEqual([['a', 2]]);
  });

  test('returns the last of several writes, before and after they are on disk', async () => {
    store.put('setting', 'a', 1);
    await store.committed();
    store.put('setting', 'a', 2);
    expect([...store.entries('setting')]).toEqual([['a', 2]]);
    store.remove('setting', 'a');
    expect([...store.entries('setting')]).toEqual([]);
    await store.committed();
    expect([...store.entries('setting')]).toEqual([]);
  });
});

test('committed() waits until all writes of one turn are on disk', async () => {
  const path = `${folder}/together`;
  const store = openLmdbStore(path);
  const waits: Promise<void>[] = [];
  for (let index = 0; index < 200; index += 1) {
    store.put('order', numberKey(index), index);
    waits.push(store.committed());
  }
  await Promise.all(waits);
  await store.close();
  const again = openLmdbStore(path);
  expect([...again.entries('order')]).toHaveLength(200);
  await again.close();
});

test('a store folder of another layout is refused', async () => {
  const path = `${folder}/layout`;
  await openLmdbStore(path).close();
  const root = openLmdb<unknown, string>({ path: `${path}/sandbox.lmdb`, noSubdir: true, encoding: 'json' });
  await root.put('claim', { layout: 99, pid: null, started: '' });
  await root.close();
  expect(() => openLmdbStore(path)).toThrow(/another version of the sandbox \(layout 99/);
});
