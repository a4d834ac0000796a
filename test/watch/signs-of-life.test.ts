import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../src/domain/clock';
import { startSharedSigns, startSigns, readSigns, SIGN_EVERY_MS } from '../../src/watch/signs-of-life';
import type { Processes } from '../../src/journal/journal';
import { createVirtualClock, settlePromises } from '../domain/virtual-clock';
import { newFolder } from '../new-folder';
import { until } from '../until';

const START = Date.UTC(2026, 10, 22, 8);
let folder: string;
beforeEach(() => {
  silent = [];
  allMarked = [];
  neighbours = [];
  folder = newFolder();
});

let silent: number[];
let allMarked: number[];
let neighbours: boolean[];
let isJournalAway = false;
const give = (clock: Clock, journal = { isWritable: () => true }, seen = neighbours) =>
  startSigns({
    ...{ dataDir: folder, clock, journal },
    onSilent: async (signMs) => {
      silent.push(signMs);
      if (isJournalAway) throw new Error('away');
    },
    onAllMarked: (atMs) => void allMarked.push(atMs),
    onNeighbours: (hasNeighbours) => seen.push(hasNeighbours),
    onTrouble: () => undefined,
  });
const files = (): readonly string[] => readdirSync(join(folder, 'processes'));

/** Resolves when the real file has been touched. */
async function expectSigns(expected: readonly number[]): Promise<void> {
  const signs = (): readonly number[] => [...readSigns(folder, 0)].sort();
  for (let tries = 0; tries < 500 && signs().join() !== expected.join(); tries += 1) await sleep(10);
  expect(signs()).toEqual(expected);
}

test('a process that is killed leaves the time of its last sign', async () => {
  const clock = createVirtualClock(START);
  give(clock);
  expect(readSigns(folder, clock.now())).toEqual([START]);
  for (let nth = 1; nth <= 3; nth += 1) {
    await clock.advance(SIGN_EVERY_MS);
    await expectSigns([START + nth * SIGN_EVERY_MS]);
  }
});

test('a folder that cannot be listed when a neighbour comes or goes ends nothing', async () => {
  const clock = createVirtualClock(START);
  const endSigns = give(clock);
  const place = join(folder, 'processes');
  rmSync(place, { recursive: true });
  writeFileSync(place, '');
  // The system tells of changes in the folder on later turns of the event loop.
  await sleep(100);
  rmSync(place);
  expect(neighbours).toEqual([false]);
  endSigns(true);
});

test('a clean stop removes the sign of its process, and keeps those of other processes', async () => {
  const clock = createVirtualClock(START);
  const endSigns = give(clock);
  give(clock);
  endSigns(true);
  expect(readSigns(folder, clock.now())).toEqual([START]);
  expect(clock.waiting).toBe(1);
});

test('a process sees other processes on its data folder, and a stopped one counts for a minute', async () => {
  const clock = createVirtualClock(START);
  give(clock);
  await clock.advance(SIGN_EVERY_MS);
  expect(neighbours).toEqual([false, false]);
  const standsStill = createVirtualClock(clock.now());
  give(standsStill);
  expect(neighbours.pop()).toBe(true);
  for (let secondMs = 0; secondMs < 55_000; secondMs += SIGN_EVERY_MS) await clock.advance(SIGN_EVERY_MS);
  expect(neighbours.splice(2)).not.toContain(false);
  await clock.advance(2 * SIGN_EVERY_MS);
  expect(neighbours.at(-1)).toBe(false);
});

test('a process sees one that comes to its data folder at once, because that one may sell and die before the next sign', async () => {
  let hasNeighbours = false;
  const endSigns = startSigns({
    ...{ dataDir: folder, clock: createVirtualClock(START), journal: { isWritable: () => true } },
    ...{ onSilent: () => Promise.resolve(), onTrouble: () => undefined },
    onAllMarked: () => undefined,
    onNeighbours: (isBeside) => (hasNeighbours = isBeside),
  });
  expect(hasNeighbours).toBe(false);
  const endOthers = give(createVirtualClock(START));
  await until(() => hasNeighbours);
  endSigns(true);
  endOthers(true);
});

test('a stop that left orders open leaves its sign', () => {
  give(createVirtualClock(START))(false);
  expect(readSigns(folder, START)).toEqual([START]);
});

test('a data folder without signs counts as that of a process that died just now', () => {
  expect(readSigns(folder, START)).toEqual([START]);
});

test('a sign is removed after a minute by the neighbour that has dealt with it, so that no later start marks again what was told since', async () => {
  give(createVirtualClock(START));
  const clock = createVirtualClock(START + 2_000);
  give(clock);
  isJournalAway = true;
  for (let secondMs = 0; secondMs < 70_000; secondMs += SIGN_EVERY_MS) await clock.advance(SIGN_EVERY_MS);
  expect([silent.length > 1, files().length]).toEqual([true, 2]);
  expect(Math.max(...allMarked)).toBeLessThan(clock.elapsed() - 40_000);
  isJournalAway = false;
  await clock.advance(SIGN_EVERY_MS);
  expect(allMarked.at(-1)).toBe(clock.elapsed());
  await clock.advance(SIGN_EVERY_MS);
  expect(files()).toHaveLength(1);
});

test('a start removes signs older than a minute, and keeps fresh ones, which may be of a running process', () => {
  give(createVirtualClock(START));
  give(createVirtualClock(START + 50_000));
  expect(files()).toHaveLength(2);
  give(createVirtualClock(START + 70_000));
  expect(readSigns(folder, START)).toHaveLength(2);
  expect(Math.min(...readSigns(folder, START))).toBe(START + 50_000);
});

test('a process whose file was removed writes it again', async () => {
  const clock = createVirtualClock(START);
  give(clock);
  rmSync(join(folder, 'processes'), { recursive: true });
  await clock.advance(SIGN_EVERY_MS);
  await expectSigns([START + SIGN_EVERY_MS]);
});

test('a process gives no sign while its journal cannot be written', async () => {
  const clock = createVirtualClock(START);
  let isWritable = true;
  give(clock, { isWritable: () => isWritable });
  await clock.advance(SIGN_EVERY_MS);
  await expectSigns([START + SIGN_EVERY_MS]);
  isWritable = false;
  await clock.advance(4 * SIGN_EVERY_MS);
  await sleep(50);
  expect(readSigns(folder, 0)).toEqual([START + SIGN_EVERY_MS]);
  isWritable = true;
  await clock.advance(SIGN_EVERY_MS);
  await expectSigns([START + 6 * SIGN_EVERY_MS]);
});

test('a process that stops giving signs is reported once, also after it gave signs again', async () => {
  const [clock, neighbour] = [createVirtualClock(START), createVirtualClock(START)];
  give(neighbour);
  give(clock);
  // Signs given at once would be written in any order.
  for (let beat = 1; beat <= 4; beat += 1) {
    await clock.advance(SIGN_EVERY_MS);
    await expectSigns([START, START + beat * SIGN_EVERY_MS]);
  }
  expect(silent).toEqual([START]);
  for (let beat = 1; beat <= 5; beat += 1) {
    await neighbour.advance(SIGN_EVERY_MS);
    await expectSigns([START + beat * SIGN_EVERY_MS, clock.now()].sort());
  }
  await clock.advance(20 * SIGN_EVERY_MS);
  expect(silent).toEqual([START, START + 5 * SIGN_EVERY_MS]);
});

test('after an outage of the journal, living processes are not reported, and one that died during it is', async () => {
  const clock = createVirtualClock(START);
  let isWritable = true;
  const journal = { isWritable: () => isWritable };
  give(clock, journal);
  give(clock, journal);
  const dies = createVirtualClock(START);
  give(dies);
  await clock.advance(SIGN_EVERY_MS);
  await expectSigns([START, START + SIGN_EVERY_MS, START + SIGN_EVERY_MS]);
  isWritable = false;
  await clock.advance(8 * SIGN_EVERY_MS);
  isWritable = true;
  for (let beat = 1; beat <= 6; beat += 1) {
    await clock.advance(SIGN_EVERY_MS);
    await expectSigns([START, clock.now(), clock.now()]);
  }
  // Each of the two reports it.
  expect(silent).toEqual([START, START]);
});

test('processes are not reported after their machine was suspended', async () => {
  const timers = createVirtualClock(START);
  let suspendedMs = 0;
  const clock: Clock = { ...timers, now: () => timers.now() + suspendedMs };
  give(clock);
  give(clock);
  await timers.advance(SIGN_EVERY_MS);
  await expectSigns([clock.now(), clock.now()]);
  suspendedMs = 60_000;
  for (let beat = 1; beat <= 7; beat += 1) {
    await timers.advance(SIGN_EVERY_MS);
    await expectSigns([clock.now(), clock.now()]);
  }
  expect(silent).toEqual([]);
});

const SECOND = 1_000;

/** The rows of a journal, and each gateway's access to them. */
function createTable() {
  const rows = new Map<string, number>();
  const processesOf = (own: string): Processes => ({
    own,
    now: () => 0,
    readAtMs: () => 0,
    sign: async (atMs) => void rows.set(own, atMs),
    list: async () => [...rows].map(([id, signedAtMs]) => ({ id, signedAtMs })),
    remove: async (id, signedAtMs = rows.get(id)) => void (rows.get(id) === signedAtMs && rows.delete(id)),
    toldSales: { append: () => Promise.resolve(), read: () => Promise.resolve([]) },
  });
  return { rows, processesOf };
}

function gateway(own: string, table: ReturnType<typeof createTable>, clock = createVirtualClock()) {
  const dead: [string, number][] = [];
  const troubles: unknown[] = [];
  const marked: number[] = [];
  const state = { isWritable: true, isDeaf: false, isLostAtMark: false, onDead: (): unknown => undefined };
  const signs = startSharedSigns({
    processes: table.processesOf(own),
    clock,
    journal: { isWritable: () => state.isWritable },
    onDead: async (id, signMs) => {
      if (state.isDeaf) throw new Error('the journal is away');
      dead.push([id, signMs]);
      state.onDead();
      if (state.isLostAtMark) state.isWritable = false;
    },
    onAllMarked: (atMs) => void marked.push(atMs),
    onTrouble: (_what, error) => troubles.push(error),
  });
  return { signs, dead, troubles, marked, clock, state };
}

test('a gateway gives a sign every five seconds while its journal can be written, and removes it at a clean stop', async () => {
  const table = createTable();
  const { signs, clock, state } = gateway('one', table);
  const end = await signs;
  const begun = clock.now();
  expect(table.rows.get('one')).toBe(begun);
  await clock.advance(12 * SECOND);
  expect(table.rows.get('one')).toBe(begun + 10 * SECOND);
  state.isWritable = false;
  await clock.advance(30 * SECOND);
  expect(table.rows.get('one')).toBe(begun + 10 * SECOND);
  state.isWritable = true;
  await clock.advance(5 * SECOND);
  expect(table.rows.get('one')).toBe(begun + 45 * SECOND);
  await end(true);
  await clock.advance(30 * SECOND);
  expect([...table.rows]).toEqual([]);
});

test('a stop that left orders open leaves its sign for the other gateways', async () => {
  const table = createTable();
  const { signs, clock } = gateway('one', table);
  await (
    await signs
  )(false);
  expect([...table.rows]).toEqual([['one', clock.now()]]);
});

test('a running gateway handles a dead one twice, and a start handles those that died before', async () => {
  const table = createTable();
  const clock = createVirtualClock();
  table.rows.set('long gone', clock.now() - 60 * SECOND);
  table.rows.set('alive a moment ago', clock.now() - 19 * SECOND);
  const { signs, dead } = gateway('one', table, clock);
  await signs;
  expect(dead).toEqual([['long gone', clock.now() - 60 * SECOND]]);
  await clock.advance(30 * SECOND);
  expect(dead.map(([id]) => id)).toEqual(['long gone', 'alive a moment ago']);
  await clock.advance(30 * SECOND);
  expect(dead.map(([id]) => id)).toEqual(['long gone', 'alive a moment ago', 'long gone', 'alive a moment ago']);
  expect([...table.rows.keys()]).toEqual(['one']);
});

test('a gateway that sells again after it was taken for dead, and dies before its next sign, is handled once more before its row goes', async () => {
  const table = createTable();
  const clock = createVirtualClock();
  const signedAtMs = clock.now() - 60 * SECOND;
  table.rows.set('stood still', signedAtMs);
  const { signs, dead } = gateway('one', table, clock);
  await signs;
  expect([dead.length, table.rows.has('stood still')]).toEqual([1, true]);
  await clock.advance(45 * SECOND);
  expect([dead.length, table.rows.has('stood still')]).toEqual([1, true]);
  await clock.advance(5 * SECOND);
  expect(dead).toEqual([
    ['stood still', signedAtMs],
    ['stood still', signedAtMs],
  ]);
  expect(table.rows.has('stood still')).toBe(false);
});

test('a sign that a gateway gives while another one handles it as dead is not removed', async () => {
  const table = createTable();
  const clock = createVirtualClock();
  table.rows.set('slow', clock.now() - 60 * SECOND);
  const { signs, dead, state } = gateway('one', table, clock);
  await signs;
  await clock.advance(45 * SECOND);
  state.onDead = () => table.rows.set('slow', clock.now());
  await clock.advance(5 * SECOND);
  expect([dead.length, table.rows.get('slow')]).toEqual([2, clock.now()]);
});

test('a running gateway handles a dead one whose clock was an hour ahead, and not one that goes on signing', async () => {
  const table = createTable();
  const { signs, dead, clock } = gateway('one', table);
  await signs;
  const [ahead, hour] = [clock.now(), 3_600 * SECOND];
  table.rows.set('dead', ahead + hour);
  for (let beat = 1; beat <= 10; beat += 1) {
    table.rows.set('alive', clock.now() + hour);
    await clock.advance(5 * SECOND);
  }
  expect(dead).toEqual([['dead', ahead + hour]]);
});

test('after an outage of the journal for all gateways, only the one that died during it is handled as dead', async () => {
  const table = createTable();
  const [one, other] = [gateway('one', table), gateway('other', table)];
  await Promise.all([one.signs, other.signs]);
  table.rows.set('dies', one.clock.now());
  for (const { state } of [one, other]) state.isWritable = false;
  await Promise.all([one.clock.advance(32 * SECOND), other.clock.advance(32 * SECOND)]);
  const [died] = table.rows.values();
  // The other gateway tries the database less often by now.
  one.state.isWritable = true;
  await one.clock.advance(10 * SECOND);
  other.state.isWritable = true;
  await other.clock.advance(10 * SECOND);
  expect([...table.rows.keys()]).toEqual(['one', 'other', 'dies']);
  for (let beat = 1; beat <= 4; beat += 1) {
    await one.clock.advance(5 * SECOND);
    await other.clock.advance(5 * SECOND);
  }
  expect(one.dead).toEqual([['dies', died]]);
  expect(other.dead).toEqual(one.dead);
});

test('a dead gateway keeps its row while its marks are not written, and not all orders count as marked then', async () => {
  const table = createTable();
  const { signs, dead, marked, clock, state } = gateway('one', table);
  await signs;
  const startedAt = clock.elapsed();
  table.rows.set('gone', clock.now() - 60 * SECOND);
  state.isLostAtMark = true;
  await clock.advance(300 * SECOND);
  expect([dead.length, table.rows.has('gone'), marked]).toEqual([1, true, [startedAt]]);
  Object.assign(state, { isWritable: true, isLostAtMark: false });
  await clock.advance(20 * SECOND);
  // It must have signed for twenty seconds before the silence of others means anything.
  expect([table.rows.has('gone'), marked.length]).toEqual([true, 1]);
  await clock.advance(10 * SECOND);
  expect([dead.length, table.rows.has('gone'), marked.at(-1)]).toEqual([2, true, clock.elapsed()]);
  await clock.advance(50 * SECOND);
  expect([dead.length, table.rows.has('gone')]).toEqual([3, false]);
});

test('a dead gateway whose handling failed is handled again', async () => {
  const table = createTable();
  const { signs, dead, troubles, clock, state } = gateway('one', table);
  await signs;
  table.rows.set('gone', clock.now() - 60 * SECOND);
  state.isDeaf = true;
  await clock.advance(6 * SECOND);
  expect(troubles).toEqual([new Error('the journal is away')]);
  expect(table.rows.has('gone')).toBe(true);
  state.isDeaf = false;
  await clock.advance(5 * SECOND);
  expect(dead.map(([id]) => id)).toEqual(['gone']);
  await settlePromises();
});
