import type { Processes } from '../../src/journal/journal';
import { giveSharedSigns } from '../../src/watch/shared-signs';
import { watchUntold } from '../../src/watch/mark-untold';
import { openPostgresJournal } from '../../src/journal/postgres/postgres-journal';
import { createVirtualClock, settlePromises } from '../domain/virtual-clock';
import { newOrder } from '../journal/new-order';
import { makeFolder, removeFolders } from '../journal/temporary-folder';
import { describePostgres, startPostgres, type PostgresServer } from '../journal/postgres/start-postgres';

afterAll(removeFolders);

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

describePostgres('two gateways with folders of their own on one PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.end());

  test('the one that lives marks what the dead one may have told nobody, and nothing of its own', async () => {
    const url = await server.createDatabase();
    const open = async () => openPostgresJournal({ url, spoolDir: await makeFolder(), retentionMs: Infinity });
    const [lives, dies] = [await open(), await open()];
    const { owner } = newOrder();
    const now = Date.now();
    const sell = async (journal: typeof lives, requestId: string, isSold: boolean): Promise<void> => {
      await journal.open(newOrder({ requestId, openedAtMs: now }));
      if (isSold) await journal.settle(owner, requestId, { kind: 'succeeded', reference: requestId }, now);
    };
    await dies.processes!.sign(now);
    await sell(dies, 'its open', false);
    await sell(dies, 'its last', true);
    await sell(lives, 'my open', false);
    await sell(lives, 'my last', true);
    // The living one takes an attempt over that the other had begun.
    await sell(dies, 'taken over', false);
    await lives.settle(owner, 'taken over', { kind: 'unknown', reason: 'begins', isBeginning: true }, now);
    const marked: number[] = [];
    const endSigns = await watchUntold({
      dataDir: await makeFolder(),
      journal: lives,
      clock: createVirtualClock(now + 30 * SECOND),
      onMarked: (count) => marked.push(count),
      onTrouble: (_what, error) => expect(error).toBeUndefined(),
    });
    const ids = ['its open', 'its last', 'my open', 'my last', 'taken over'];
    const told = await Promise.all(ids.map(async (requestId) => (await lives.find(owner, requestId))?.toldAtMs));
    expect(told).toEqual([0, 0, undefined, undefined, undefined]);
    expect(marked).toEqual([2]);
    await endSigns(true);
    expect(await lives.processes!.list()).toEqual([]);
    await lives.close();
    await dies.close();
  });
});
