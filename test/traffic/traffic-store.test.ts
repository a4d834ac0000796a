import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryStore, openTrafficStore, type TrafficStore } from '../../src/traffic/traffic-store';
import { bodiesOf, NOW, ROOM, tally } from './tallies';
import { newFolder } from '../new-folder';

let dir: string;
beforeEach(() => (dir = join(newFolder(), 'traffic')));

const file = (): string => join(dir, 'shapes.jsonl');

describe.each<[string, () => Promise<TrafficStore>]>([
  ['in memory', async () => createMemoryStore(NOW, ROOM)],
  ['in a file', () => openTrafficStore(dir, NOW, ROOM)],
])('a store %s', (_where, openStore) => {
  let store: TrafficStore;
  beforeEach(async () => (store = await openStore()));

  test('adds up the counts of one entry, and keeps its first and its last time', async () => {
    await store.add([tally({ count: 2, refusals: { missing_field: 1 } })], 0, NOW);
    const more = tally({ count: 3, firstSeenMs: NOW - 5, lastSeenMs: NOW + 9, refusals: { missing_field: 2, internal: 1 } });
    await store.add([more], 0, NOW);
    const counters = await store.read();
    expect([...counters.tallies()]).toEqual([
      tally({ count: 5, firstSeenMs: NOW - 5, lastSeenMs: NOW + 9, refusals: { missing_field: 3, internal: 1 } }),
    ]);
    expect(counters.sinceMs).toBe(NOW);
  });

  test('counts different kinds, owners and bodies separately', async () => {
    const all = [tally(), tally({ kind: 'used' }), tally({ owner: 'k2' }), tally({ body: '{"a":2}' })];
    expect(await store.add(all, 0, NOW)).toMatchObject({ shapes: 3, forgotten: 0 });
    expect(bodiesOf(await store.read())).toHaveLength(4);
  });
});

const many = Array.from({ length: 2_000 }, (_, index) => tally({ owner: `o${index % 50}`, body: `"${index}"` }));

test('counts are kept over a restart with their first day, in files that only their owner may read', async () => {
  await (await openTrafficStore(dir, NOW)).add(many, 4, NOW);
  const counters = await (await openTrafficStore(dir, NOW + 99)).read();
  expect([counters.sinceMs, counters.forgotten]).toEqual([NOW, 4]);
  expect(bodiesOf(counters)).toEqual(many.map(({ body }) => body).sort());
  expect([dir, file()].map((path) => statSync(path).mode & 0o077)).toEqual([0, 0]);
});

test('two stores on one folder add up their counts, also when both write at once', async () => {
  const stores = [await openTrafficStore(dir, NOW), await openTrafficStore(dir, NOW + 5)];
  for (let turn = 0; turn < 20; turn += 1) await stores[turn % 2]!.add([tally({ count: turn })], 1, NOW);
  await Promise.all(stores.flatMap((store) => [1, 2, 3].map(() => store.add([tally({ count: 10 })], 1, NOW))));
  for (const store of stores) {
    const counters = await store.read();
    expect([...counters.tallies()].map(({ count }) => count)).toEqual([250]);
    expect(counters.forgotten).toBe(26);
  }
});

test('an unfinished file of a gateway that died blocks other gateways for half a minute only', async () => {
  const store = await openTrafficStore(dir, NOW);
  writeFileSync(`${file()}.next`, '{"half');
  await expect(store.add([tally()], 0, NOW)).rejects.toThrow('EEXIST');
  const longAgo = Date.now() / 1_000 - 31;
  utimesSync(`${file()}.next`, longAgo, longAgo);
  await store.add([tally()], 0, NOW);
  expect(bodiesOf(await store.read())).toHaveLength(1);
  expect(existsSync(`${file()}.next`)).toBe(false);
});

test('counts of a failed write are not added', async () => {
  const store = await openTrafficStore(dir, NOW);
  await store.add([tally()], 0, NOW);
  const fails = function* () {
    yield tally();
    throw new Error('no more');
  };
  await expect(store.add(fails() as never, 0, NOW)).rejects.toThrow('no more');
  await store.add([tally()], 0, NOW);
  expect([...(await store.read()).tallies()].map(({ count }) => count)).toEqual([2]);
});

test.each<[string, string]>([
  ['of another program', '{"name":"x"}\n'],
  ['of noise', '\0\u0001\u0002noise\n\n'],
  ['of another build', '{"program":"compat-gateway traffic","version":7}\n'],
])('a file %s is refused with an error message and left unchanged', async (_what, text) => {
  mkdirSync(dir);
  writeFileSync(file(), text);
  await expect(openTrafficStore(dir, NOW)).rejects.toThrow(/nothing in it was changed\.$/);
  expect(readFileSync(file(), 'utf8')).toBe(text);
});

test('an unreadable line hides no other line, and an empty file counts as new', async () => {
  await (await openTrafficStore(dir, NOW)).add([tally({ body: '"one"', count: 3 }), tally({ body: '"two"' })], 0, NOW);
  writeFileSync(file(), readFileSync(file(), 'utf8').replace('"shape","k1","\\"one', '"shape",,,"\\"one'));
  expect(bodiesOf(await (await openTrafficStore(dir, NOW)).read())).toEqual(['"two"']);
  writeFileSync(file(), '');
  expect(bodiesOf(await (await openTrafficStore(dir, NOW)).read())).toEqual([]);
});
