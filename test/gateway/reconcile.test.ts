/** Orders that got no answer, looked for in v1's history. Times are v1's own: West Africa Time, one hour ahead of UTC. */
import type { JsonObject } from '../../src/domain/json';
import type { NewOrder } from '../../src/domain/order';
import type { Outcome } from '../../src/domain/outcome';
import { createReconciler } from '../../src/gateway/reconcile';
import type { Journal } from '../../src/journal/journal';
import { createMemoryJournal } from '../../src/journal/memory-journal';
import type { Finding, V1Call } from '../../src/upstream/upstream';
import { createVirtualClock, settlePromises } from '../domain/virtual-clock';
import { shippedMapping } from '../mapping/mapping-set';
import { CREDENTIALS, createScriptedUpstream } from './scripted-upstream';

const START = 1_800_000_000_000;
const UNKNOWN: Outcome = { kind: 'unknown', reason: 'HTTP 500' };
const QUIET_MS = 5 * 60_000;

interface Row {
  readonly reference: string;
  readonly atMs: number;
  readonly phone?: string;
}

const timeText = (atMs: number) => new Date(atMs + 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
const found = (body: JsonObject): Finding => ({ kind: 'found', body });

/** A v1 with this history; `onHistory` runs while the history is being read. */
function openRoom(rows: readonly Row[], onHistory: (journal: Journal) => Promise<unknown> = async () => undefined) {
  const clock = createVirtualClock(START);
  const journal = createMemoryJournal();
  const running = new Set<string>();
  const find = (call: V1Call): Finding => {
    if (call.path === '/transactions') {
      void onHistory(journal);
      const transactions = rows.map(({ reference, atMs }) => ({ transaction_ref: reference, created_at: timeText(atMs) }));
      return found({ status: 'success', data: { transactions } });
    }
    const row = rows.find(({ reference }) => reference === call.query?.['reference'])!;
    const data = {
      reference: row.reference,
      status: 'success',
      category: 'airtime',
      phone: row.phone ?? '08030000001',
      amount: 100,
    };
    return found({ status: 'success', data });
  };
  const reconciler = createReconciler({
    catalogs: { get: async () => undefined },
    journal,
    upstream: createScriptedUpstream(clock, [], find),
    clock,
    pursuits: {
      find: async (_owner: string, requestId: string) => (running.has(requestId) ? ({} as never) : undefined),
    } as never,
    mapping: () => shippedMapping(),
    onTrouble: (_what, error) => {
      throw error;
    },
  });
  return {
    clock,
    journal,
    running,
    async reconcile(): Promise<void> {
      await reconciler.reconcile(CREDENTIALS, '192.0.2.7');
      await settlePromises();
    },
    async outcomeOf(requestId: string): Promise<Outcome | undefined> {
      return (await journal.find(CREDENTIALS.fingerprint, requestId))?.outcome;
    },
    open: (requestId: string, phone = '08030000001') => journal.open(airtime(requestId, clock.now(), phone)),
    lose: (requestId: string) => journal.settle(CREDENTIALS.fingerprint, requestId, UNKNOWN, clock.now()),
  };
}

function airtime(requestId: string, openedAtMs: number, phone: string): NewOrder {
  return {
    owner: CREDENTIALS.fingerprint,
    requestId,
    operation: 'buy_airtime',
    format: 'b',
    fields: { phone, amount: 10_000, network: 'MTN', ported: true },
    echo: {},
    contentHash: requestId,
    openedAtMs,
  };
}

test('a lost order that v1 has is found by what its receipt shows', async () => {
  const room = openRoom([{ reference: 'V1', atMs: START }]);
  await room.open('r-1');
  await room.lose('r-1');
  await room.reconcile();
  expect(await room.outcomeOf('r-1')).toMatchObject({ kind: 'succeeded', reference: 'V1' });
});

test('an order that v1 does not have after the quiet time was never sent', async () => {
  const room = openRoom([]);
  await room.open('r-1');
  await room.lose('r-1');
  await room.reconcile();
  expect(await room.outcomeOf('r-1')).toEqual(UNKNOWN);
  await room.clock.advance(QUIET_MS);
  await room.reconcile();
  expect(await room.outcomeOf('r-1')).toMatchObject({ kind: 'not_sent', isProven: true });
});

test('of two lost orders that are alike none takes the only row', async () => {
  const room = openRoom([{ reference: 'V1', atMs: START }]);
  for (const id of ['r-1', 'r-2']) {
    await room.open(id);
    await room.lose(id);
  }
  await room.reconcile();
  expect([await room.outcomeOf('r-1'), await room.outcomeOf('r-2')]).toEqual([UNKNOWN, UNKNOWN]);
});

test('a lost order does not take the row of one that is still under way', async () => {
  const room = openRoom([{ reference: 'V1', atMs: START }]);
  await room.open('r-1');
  await room.lose('r-1');
  await room.open('r-2');
  room.running.add('r-2');
  await room.reconcile();
  expect(await room.outcomeOf('r-1')).toEqual(UNKNOWN);
});

test('a lost order does not take the row of one that was opened while the history was read', async () => {
  const room = openRoom([{ reference: 'V1', atMs: START }], (journal) => journal.open(airtime('r-2', START, '08030000001')));
  await room.open('r-1');
  await room.lose('r-1');
  await room.reconcile();
  expect(await room.outcomeOf('r-1')).toEqual(UNKNOWN);
});

test('a lost order does not take a row that was claimed while the history was read', async () => {
  const room = openRoom([{ reference: 'V1', atMs: START }], async (journal) => {
    // Late enough to be missed by the first look at the row.
    for (let turn = 0; turn < 6; turn += 1) await Promise.resolve();
    await journal.settle(CREDENTIALS.fingerprint, 'r-2', { kind: 'succeeded', reference: 'V1' }, START);
  });
  await room.open('r-1');
  await room.lose('r-1');
  await room.open('r-2');
  room.running.add('r-2');
  await room.reconcile();
  expect(await room.outcomeOf('r-1')).toEqual(UNKNOWN);
});

test('an order that is tried again while the history is read is not called unsent', async () => {
  const room = openRoom([], async (journal) => {
    await journal.settle(CREDENTIALS.fingerprint, 'r-1', UNKNOWN, START + QUIET_MS + 1);
  });
  await room.open('r-1');
  await room.lose('r-1');
  await room.clock.advance(QUIET_MS + 1);
  await room.reconcile();
  expect(await room.outcomeOf('r-1')).toEqual(UNKNOWN);
});

test('a row that two pages show is one row', async () => {
  const row = { reference: 'V1', atMs: START };
  const room = openRoom([row, row]);
  await room.open('r-1');
  await room.lose('r-1');
  await room.reconcile();
  expect(await room.outcomeOf('r-1')).toMatchObject({ kind: 'succeeded', reference: 'V1' });
});
