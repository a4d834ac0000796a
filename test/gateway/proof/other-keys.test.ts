/**
 * v1's history is that of an account, and the journal knows orders by key: a key that was made anew, or two shops that sell from one wallet.
 * What the history shows may be the order of another key. Times are v1's own: West Africa Time.
 */
import { createSteadiness } from '../../../src/domain/clock';
import { Secret, type Credentials } from '../../../src/domain/credentials';
import type { JsonObject } from '../../../src/domain/json';
import type { Outcome } from '../../../src/domain/outcome';
import { createReconciler } from '../../../src/gateway/proof/reconcile';
import type { Journal, ListOptions } from '../../../src/journal/journal';
import { openLmdbJournal } from '../../../src/journal/lmdb-journal';
import { createMemoryJournal } from '../../../src/journal/memory-journal';
import type { Finding, V1Call } from '../../../src/upstream/upstream';
import { createVirtualClock, settlePromises } from '../../domain/virtual-clock';
import { shippedMapping } from '../../mapping/mapping-set';
import { createScriptedUpstream, CREDENTIALS } from '../scripted-upstream';
import { newFolder } from '../../new-folder';
import { opened } from '../../opened';

const START = 1_800_000_000_000;
const QUIET_MS = 5 * 60_000;
const MINUTE_MS = 60_000;
const UNKNOWN: Outcome = { kind: 'unknown', reason: 'HTTP 500' };
const PHONE = '08030000001';

const NEW: Credentials = CREDENTIALS;
const OLD: Credentials = { ...CREDENTIALS, apiKey: new Secret('acme_live_0ld'), fingerprint: 'a'.repeat(32) };

interface Row {
  readonly reference: string;
  readonly atMs?: number;
  readonly shows?: JsonObject;
  /** Not in the history of this account; its receipt is not shown either. */
  readonly isOfAnotherAccount?: true;
}

interface Asked {
  readonly by?: Credentials;
  readonly phone?: string;
  /** After the start. */
  readonly afterMs?: number;
  readonly operation?: string;
  readonly fields?: JsonObject;
}

const timeText = (atMs: number) => new Date(atMs + 3_600_000).toISOString().slice(0, 19).replace('T', ' ');

const stores: readonly (readonly [string, () => Promise<Journal>])[] = [
  ['in memory', async () => createMemoryJournal()],
  ['in LMDB', async () => openLmdbJournal({ dir: newFolder(), retentionMs: Infinity })],
];

describe.each(stores)('with a journal %s', (_store, openJournal) => {
  const stored = opened(openJournal, beforeEach, afterEach);

  function openRoom(rows: readonly Row[], dress: Partial<Journal> = {}) {
    const clock = createVirtualClock(START);
    const journal: Journal = { ...stored, ...dress };
    const own = rows.filter(({ isOfAnotherAccount }) => isOfAnotherAccount !== true);
    const find = (call: V1Call): Finding => {
      if (call.path === '/transactions') {
        const transactions = own.map(({ reference, atMs = START }) => ({
          transaction_ref: reference,
          created_at: timeText(atMs),
        }));
        const data = { transactions, page: Number(call.query!['page']), total_pages: 1 };
        return { kind: 'found', body: { status: 'success', data }, serverAtMs: clock.now() };
      }
      const row = own.find(({ reference }) => reference === call.query?.['reference']);
      if (row === undefined) return { kind: 'refused', httpStatus: 404, body: { status: 'error' } };
      const sale = { status: 'success', category: 'airtime', phone: PHONE, amount: 100, type: 'debit' };
      return { kind: 'found', body: { status: 'success', data: { reference: row.reference, ...sale, ...row.shows } } };
    };
    const upstream = createScriptedUpstream(clock, [], find);
    const troubles: string[] = [];
    const reconciler = createReconciler({
      priceLists: { get: async () => undefined },
      ...{ journal, upstream, clock },
      steadiness: createSteadiness(clock),
      pursuits: { isSending: async () => false },
      mapping: () => shippedMapping(),
      onTrouble: (what, error) => void troubles.push(`${what}: ${(error as Error).message}`),
    });
    reconciler.nudge({ ...CREDENTIALS, fingerprint: 'f'.repeat(32) }, '192.0.2.7');
    const ask = async (id: string, { by = NEW, phone = PHONE, afterMs = 0, ...other }: Asked): Promise<void> => {
      await stored.open({
        owner: by.fingerprint,
        requestId: id,
        operation: 'buy_airtime',
        format: 'b',
        fields: { phone, amount: 10_000, network: 'MTN', ported: true },
        echo: {},
        contentHash: id,
        openedAtMs: START + afterMs,
        ...other,
      });
    };
    return {
      clock,
      upstream,
      troubles,
      ask,
      async lose(id: string, asked: Asked = {}): Promise<void> {
        await ask(id, asked);
        await stored.settle((asked.by ?? NEW).fingerprint, id, UNKNOWN, START + (asked.afterMs ?? 0));
      },
      async sell(id: string, reference: string, asked: Asked = {}): Promise<void> {
        await ask(id, { by: OLD, ...asked });
        await stored.settle((asked.by ?? OLD).fingerprint, id, { kind: 'succeeded', reference }, START + (asked.afterMs ?? 0));
      },
      async reconcile(by: Credentials = NEW): Promise<void> {
        await reconciler.reconcile(by, '192.0.2.7');
        await settlePromises();
      },
      outcomeOf: async (id: string, by: Credentials = NEW) => (await stored.find(by.fingerprint, id))?.outcome,
    };
  }

  test('a lost order does not take the sale of another key', async () => {
    const room = openRoom([{ reference: 'V1' }]);
    await room.sell('r-old', 'V1');
    await room.lose('r-new', { afterMs: MINUTE_MS });
    await room.reconcile();
    expect(await room.outcomeOf('r-new')).toEqual(UNKNOWN);
  });

  test('a lost order is proven absent though another key has sold the same', async () => {
    const room = openRoom([{ reference: 'V1' }]);
    await room.sell('r-old', 'V1');
    await room.lose('r-new', { afterMs: MINUTE_MS });
    await room.clock.advance(2 * QUIET_MS);
    await room.reconcile();
    expect(await room.outcomeOf('r-new')).toMatchObject({ kind: 'not_sent', isProven: true });
  });

  test('a lost order is found beside the sale of another key', async () => {
    const room = openRoom([{ reference: 'V2', atMs: START + MINUTE_MS }, { reference: 'V1' }]);
    await room.sell('r-old', 'V1');
    await room.lose('r-new', { afterMs: MINUTE_MS });
    await room.reconcile();
    expect(await room.outcomeOf('r-new')).toMatchObject({ kind: 'succeeded', reference: 'V2' });
  });

  test.each([
    ['lost', 'lose'],
    ['under way', 'ask'],
  ] as const)('of two orders of two keys none takes the only row while the other is %s', async (_title, how) => {
    const before = { phone: '08030000009' };
    const room = openRoom([{ reference: 'V1' }, ...['V2', 'V3'].map((reference) => ({ reference, shows: before }))]);
    await room.sell('r-before-old', 'V2', before);
    await room.sell('r-before-new', 'V3', { by: NEW, ...before });
    await room[how]('r-old', { by: OLD });
    await room.lose('r-new');
    await room.clock.advance(2 * QUIET_MS);
    await room.reconcile(NEW);
    expect(await room.outcomeOf('r-new')).toEqual(UNKNOWN);
    if (how === 'lose') await room.reconcile(OLD);
    expect((await room.outcomeOf('r-old', OLD))?.kind).toBe(how === 'lose' ? 'unknown' : undefined);
  });

  test('an order that both keys have sent under one request id is one order of v1', async () => {
    const room = openRoom([{ reference: 'V1' }]);
    await room.sell('r-1', 'V1');
    await room.lose('r-1', { afterMs: MINUTE_MS });
    await room.reconcile();
    expect(await room.outcomeOf('r-1')).toMatchObject({ kind: 'succeeded', reference: 'V1' });
  });

  test('two lost orders of one request id are one order of v1', async () => {
    const room = openRoom([{ reference: 'V1' }]);
    await room.lose('r-1', { by: OLD });
    await room.lose('r-1', { afterMs: MINUTE_MS });
    await room.reconcile();
    expect(await room.outcomeOf('r-1')).toMatchObject({ kind: 'succeeded', reference: 'V1' });
  });

  test('the lost order of a key of another account takes nothing away', async () => {
    const room = openRoom([{ reference: 'V1' }, { reference: 'V0', isOfAnotherAccount: true }]);
    await room.sell('r-before', 'V0', { phone: '08030000009' });
    await room.lose('r-other', { by: OLD });
    await room.lose('r-new');
    await room.reconcile();
    expect(await room.outcomeOf('r-new')).toMatchObject({ kind: 'succeeded', reference: 'V1' });
  });

  test('a key to which v1 has sold nothing yet is taken for one of another account', async () => {
    const room = openRoom([{ reference: 'V1' }]);
    await room.lose('r-other', { by: OLD });
    await room.lose('r-new');
    await room.reconcile();
    expect(await room.outcomeOf('r-new')).toMatchObject({ kind: 'succeeded', reference: 'V1' });
  });

  test('a key whose sales v1 shows to this one is of its account', async () => {
    const room = openRoom([{ reference: 'V1' }, { reference: 'V0', shows: { phone: '08030000009' } }]);
    await room.sell('r-before', 'V0', { phone: '08030000009' });
    await room.lose('r-other', { by: OLD });
    await room.lose('r-new');
    await room.reconcile();
    expect(await room.outcomeOf('r-new')).toEqual(UNKNOWN);
  });

  test('a lost order of another key at another time, or of another number, is no rival', async () => {
    const room = openRoom([{ reference: 'V1', atMs: START + 3 * 3_600_000 }]);
    await room.lose('r-early', { by: OLD });
    await room.lose('r-else', { by: OLD, phone: '08030000009', afterMs: 3 * 3_600_000 });
    await room.lose('r-new', { afterMs: 3 * 3_600_000 });
    await room.clock.advance(3 * 3_600_000);
    await room.reconcile();
    expect(await room.outcomeOf('r-new')).toMatchObject({ kind: 'succeeded', reference: 'V1' });
  });

  test('a pending order of another key has its row already, and is no rival', async () => {
    const room = openRoom([{ reference: 'V2', atMs: START + MINUTE_MS }, { reference: 'V1' }]);
    await room.ask('r-pending', { by: OLD });
    await stored.settle(OLD.fingerprint, 'r-pending', { kind: 'pending', reference: 'V1' }, START);
    await room.lose('r-new', { afterMs: MINUTE_MS });
    await room.reconcile();
    expect(await room.outcomeOf('r-new')).toMatchObject({ kind: 'succeeded', reference: 'V2' });
  });

  test('an order of this reference whose number is another is of another v1', async () => {
    const room = openRoom([{ reference: 'V1' }]);
    await room.sell('r-sandbox', 'V1', { phone: '08030000009' });
    await room.lose('r-new');
    await room.reconcile();
    expect(await room.outcomeOf('r-new')).toMatchObject({ kind: 'succeeded', reference: 'V1' });
  });

  test('a sale of another key that nobody can compare neither gives the row away nor proves anything', async () => {
    const room = openRoom([{ reference: 'V1' }]);
    await room.sell('r-gone', 'V1', { operation: 'buy_what_was', fields: {} });
    await room.lose('r-new');
    await room.clock.advance(2 * QUIET_MS);
    await room.reconcile();
    expect(await room.outcomeOf('r-new')).toEqual(UNKNOWN);
  });

  test('a lost order does not take a row that another key claims while its receipt is read', async () => {
    const rows: Row[] = [{ reference: 'V1' }];
    const room = openRoom(rows, {
      // The order under way is listed as open, and has its end right after.
      async listUnsettled(options: ListOptions & { readonly owner?: string }) {
        const listed = await stored.listUnsettled(options);
        if (options.owner === undefined)
          await stored.settle(OLD.fingerprint, 'r-old', { kind: 'succeeded', reference: 'V1' }, START);
        return options.owner === undefined ? listed.filter(({ owner }) => owner !== OLD.fingerprint) : listed;
      },
    });
    await room.ask('r-old', { by: OLD });
    await room.lose('r-new');
    await room.reconcile();
    expect(await room.outcomeOf('r-new')).toEqual(UNKNOWN);
  });

  test.each<[string, Partial<Journal>]>([
    ['whose a reference is', { listByReference: () => Promise.reject(new Error('the disk')) }],
    [
      'what is open under all keys',
      {
        listUnsettled: (options: ListOptions & { readonly owner?: string }) =>
          options.owner === undefined ? Promise.reject(new Error('the disk')) : stored.listUnsettled(options),
      },
    ],
  ])('nothing is given away while the journal does not tell %s', async (_title, dress) => {
    const room = openRoom([{ reference: 'V1' }, { reference: 'V2', shows: { phone: '08030000002' } }], dress);
    await room.lose('r-new');
    await room.lose('r-absent', { phone: '08030000003' });
    await room.clock.advance(2 * QUIET_MS);
    await room.reconcile();
    expect(await room.outcomeOf('r-new')).toEqual(UNKNOWN);
    // What no row speaks for needs neither.
    expect(await room.outcomeOf('r-absent')).toMatchObject({ kind: 'not_sent', isProven: true });
    expect(room.troubles).toContain('reconcile: the disk');
  });
});
