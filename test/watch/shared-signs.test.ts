import type { Processes } from '../../src/journal/journal';
import { giveSharedSigns } from '../../src/watch/shared-signs';
import { createVirtualClock, settlePromises } from '../domain/virtual-clock';

const SECOND = 1_000;

/** The rows of a journal, and each gateway's way to them. */
function createTable() {
  const rows = new Map<string, number>();
  const processesOf = (own: string): Processes => ({
    own,
    sign: async (atMs) => void rows.set(own, atMs),
    list: async () => [...rows].map(([id, signedAtMs]) => ({ id, signedAtMs })),
    remove: async (id) => void rows.delete(id),
  });
  return { rows, processesOf };
}

function gateway(own: string, table: ReturnType<typeof createTable>, clock = createVirtualClock()) {
  const dead: [string, number][] = [];
  const troubles: unknown[] = [];
  const state = { isWritable: true, isDeaf: false };
  const signs = giveSharedSigns({
    processes: table.processesOf(own),
    clock,
    journal: { isWritable: () => state.isWritable },
    onDead: async (id, signMs) => {
      if (state.isDeaf) throw new Error('the journal is away');
      dead.push([id, signMs]);
    },
    onTrouble: (_what, error) => troubles.push(error),
  });
  return { signs, dead, troubles, clock, state };
}

test('a gateway signs every five seconds while its journal takes anything, and leaves nothing after a clean stop', async () => {
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

test('a stop that left something open leaves its sign for the others', async () => {
  const table = createTable();
  const { signs, clock } = gateway('one', table);
  await (
    await signs
  )(false);
  expect([...table.rows]).toEqual([['one', clock.now()]]);
});

test('whoever lives deals with one that went silent, once, and a start with those that were silent before', async () => {
  const table = createTable();
  const clock = createVirtualClock();
  table.rows.set('long gone', clock.now() - 60 * SECOND);
  table.rows.set('alive a moment ago', clock.now() - 19 * SECOND);
  const { signs, dead } = gateway('one', table, clock);
  await signs;
  expect(dead).toEqual([['long gone', clock.now() - 60 * SECOND]]);
  await clock.advance(30 * SECOND);
  expect(dead.map(([id]) => id)).toEqual(['long gone', 'alive a moment ago']);
  expect([...table.rows.keys()]).toEqual(['one']);
});

test('what could not be dealt with is tried again', async () => {
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
