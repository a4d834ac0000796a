import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Secret } from '../../src/domain/credentials';
import { createKeyring } from '../../src/gateway/read/keyring';
import { openNumberIndex } from '../../src/orders/number-index';
import { newFolder } from '../new-folder';

const keyring = createKeyring(new Secret('s'.repeat(32)));
const [KEY, OTHER] = ['ab'.repeat(16), 'cd'.repeat(16)];
const [ADA, OBI] = ['a'.repeat(32), 'b'.repeat(32)];
const ALL = Number.MAX_SAFE_INTEGER;
const STATE = { fromMs: 5, untilMs: 9 };

test('orders are found by any of their number keys, newest first, each once, page by page', async () => {
  const index = await openNumberIndex({ dir: join(newFolder(), 'index'), keyring });
  expect(index.indexed()).toBeUndefined();
  await index.add(
    [
      { key: KEY, owner: ADA, number: 3 },
      { key: KEY, owner: OBI, number: 3 },
      { key: OTHER, owner: ADA, number: 7 },
      { key: KEY, owner: ADA, number: 7 },
      { key: 'ee'.repeat(16), owner: ADA, number: 8 },
    ],
    STATE,
  );
  expect(index.indexed()).toEqual(STATE);
  expect(index.find([KEY, OTHER], ALL, 10).map(({ number }) => number)).toEqual([7, 3, 3]);
  expect(
    index
      .find([KEY], 7, 10)
      .map(({ owner }) => owner)
      .sort(),
  ).toEqual([ADA, OBI]);
  expect(index.find([KEY], 3, 10)).toEqual([]);
  expect(index.find([KEY], ALL, 1)).toEqual([{ owner: ADA, number: 7 }]);
  await index.close();
});

test('the number index has its entries after a restart, and is empty under another gateway secret', async () => {
  const dir = join(newFolder(), 'index');
  const before = await openNumberIndex({ dir, keyring });
  await before.add([{ key: KEY, owner: ADA, number: 3 }], STATE);
  await before.close();
  const reader = await openNumberIndex({ dir, keyring, isReadOnly: true });
  expect([reader.indexed(), reader.find([KEY], ALL, 5)]).toEqual([STATE, [{ owner: ADA, number: 3 }]]);
  await reader.close();
  const another = createKeyring(new Secret('t'.repeat(32)));
  const foreign = await openNumberIndex({ dir, keyring: another, isReadOnly: true });
  expect([foreign.indexed(), foreign.find([KEY], ALL, 5)]).toEqual([undefined, []]);
  const anew = await openNumberIndex({ dir, keyring: another });
  expect([anew.indexed(), anew.find([KEY], ALL, 5)]).toEqual([undefined, []]);
  await anew.close();
});

test('a removed entry is not found, and a reader of a missing index finds nothing', async () => {
  const dir = join(newFolder(), 'index');
  const index = await openNumberIndex({ dir, keyring });
  await index.add(
    [1, 2, 3].map((number) => ({ key: KEY, owner: ADA, number })),
    STATE,
  );
  const [first, second] = index.some(undefined, 2);
  expect([first!.number, second!.number]).toEqual([1, 2]);
  expect(index.some(second!.at, 9).map(({ number }) => number)).toEqual([3]);
  await index.remove([second!.at]);
  expect(index.find([KEY], ALL, 9).map(({ number }) => number)).toEqual([3, 1]);
  await index.close();
  await rm(dir, { recursive: true });
  const reader = await openNumberIndex({ dir, keyring, isReadOnly: true });
  expect([reader.indexed(), reader.find([KEY], ALL, 9)]).toEqual([undefined, []]);
});
