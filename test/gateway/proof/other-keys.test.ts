/**
 * v1's history is that of an account, while the journal knows orders by key: a regenerated key, or two shops that sell from one
 * wallet. A row of the history may be the order of another key.
 */
import { systemClock } from '../../../src/domain/clock';
import { Secret, type Credentials } from '../../../src/domain/credentials';
import type { Journal, ListOptions } from '../../../src/journal/journal';
import { openLmdbJournal } from '../../../src/journal/lmdb-journal';
import { createMemoryJournal } from '../../../src/journal/memory-journal';
import { createPriceLists } from '../../../src/price-lists/price-lists';
import { newFolder } from '../../new-folder';
import { createOtherKeys } from '../../../src/gateway/proof/other-keys';
import { createVirtualClock } from '../../domain/virtual-clock';
import { CREDENTIALS } from '../scripted-upstream';
import { airtime, MINUTE_MS, openRoom, QUIET_MS, START, UNKNOWN, type Row } from './history-room';

const OLD: Credentials = { ...CREDENTIALS, apiKey: new Secret('acme_live_0ld'), fingerprint: 'a'.repeat(32) };

const stores: readonly (readonly [string, () => Promise<Journal>])[] = [
  ['in memory', async () => createMemoryJournal()],
  ['in LMDB', async () => openLmdbJournal({ dir: newFolder(), retentionMs: Infinity })],
];

describe.each(stores)('with a journal %s', (_store, openJournal) => {
  let stored: Journal;
  beforeEach(async () => {
    stored = await openJournal();
  });
  afterEach(() => stored.close());

  const open = (rows: readonly Row[], journalOverrides: Partial<Journal> = {}) =>
    openRoom(rows, { stored, wrapJournal: () => journalOverrides });

  test('a lost order does not take the sale of another key, and is proven absent beside it', async () => {
    const room = open([{ reference: 'V1' }]);
    await room.sell('r-old', 'V1', { by: OLD });
    await room.lose('r-new', { afterMs: MINUTE_MS });
    expect(await room.look('r-new')).toEqual(UNKNOWN);
    expect(await room.look('r-new', 2 * QUIET_MS)).toMatchObject({ kind: 'not_sent', isProven: true });
  });

  test.each([
    ['sale', 'sell'],
    ['pending order', 'leavePending'],
  ] as const)('a lost order is found beside the %s of another key, which has its row already', async (_title, how) => {
    const room = open([{ reference: 'V2', atMs: START + MINUTE_MS }, { reference: 'V1' }]);
    await room[how]('r-old', 'V1', { by: OLD });
    await room.lose('r-new', { afterMs: MINUTE_MS });
    expect(await room.look('r-new')).toMatchObject({ kind: 'succeeded', reference: 'V2' });
  });

  test.each([
    ['lost', 'lose'],
    ['under way', 'open'],
  ] as const)('of two orders of two keys neither takes the only row while the other is %s', async (_title, how) => {
    const before = { phone: '08030000009' };
    const room = open([{ reference: 'V1' }, ...['V2', 'V3'].map((reference) => ({ reference, shows: before }))]);
    await room.sell('r-before-old', 'V2', { by: OLD, ...before });
    await room.sell('r-before-new', 'V3', before);
    await room[how]('r-old', { by: OLD });
    await room.lose('r-new');
    expect(await room.look('r-new', 2 * QUIET_MS)).toEqual(UNKNOWN);
    if (how === 'lose') await room.reconcile(OLD);
    expect((await room.outcomeOf('r-old', OLD))?.kind).toBe(how === 'lose' ? 'unknown' : undefined);
  });

  test('a lost order does not take a row that may be of an order of another key whose operation is gone', async () => {
    const before = { phone: '08030000009' };
    const room = open([{ reference: 'V1' }, ...['V2', 'V3'].map((reference) => ({ reference, shows: before }))]);
    await room.sell('r-before-old', 'V2', { by: OLD, ...before });
    await room.sell('r-before-new', 'V3', before);
    await room.lose('r-old', { by: OLD, operation: 'buy_what_is_gone' });
    await room.lose('r-new');
    expect(await room.look('r-new', 2 * QUIET_MS)).toEqual(UNKNOWN);
  });

  test('of the first orders of two keys that were sent at different times, the row is that of the nearer one', async () => {
    const room = open([{ reference: 'V1', atMs: START + 2 * MINUTE_MS }]);
    await room.lose('r-new');
    await room.lose('r-old', { by: OLD, afterMs: 2 * MINUTE_MS });
    expect(await room.look('r-new', 2 * QUIET_MS)).toEqual(UNKNOWN);
    await room.reconcile(OLD);
    expect(await room.outcomeOf('r-old', OLD)).toMatchObject({ kind: 'succeeded', reference: 'V1' });
  });

  test.each([
    [650, 'unknown'],
    [260, 'succeeded'],
  ])(
    'a row at the price of a lost exam order, where the other key has lost one whose price v1 has lowered to %i',
    async (NECO, kind) => {
      const data = { data_plans: [], cable_plans: [], discos: [], exam_prices: { NECO, WAEC: 1_300 }, recharge_card_prices: {} };
      const upstream = { find: async () => ({ kind: 'found', body: { status: 'success', data } }) as const };
      const priceLists = createPriceLists({ upstream, clock: systemClock });
      const before = { phone: '08030000009' };
      const shows = { phone: null, amount: 1_300, category: 'exam_pin', pins: [{ pin: '1234' }] };
      const rows = [{ reference: 'V1', shows }, ...['V2', 'V3'].map((reference) => ({ reference, shows: before }))];
      const room = openRoom(rows, { stored, priceLists });
      await room.sell('r-before-old', 'V2', { by: OLD, ...before });
      await room.sell('r-before-new', 'V3', before);
      await room.lose('r-old', { by: OLD, operation: 'buy_exam', fields: { exam: 'NECO', quantity: 1 } });
      await room.lose('r-new', { operation: 'buy_exam', fields: { exam: 'WAEC', quantity: 1 } });
      expect((await room.look('r-new'))?.kind).toBe(kind);
    },
  );

  test.each(['sold', 'lost'])(
    'an order that both keys sent under one request id, the first %s, is one order of v1',
    async (first) => {
      const room = open([{ reference: 'V1' }]);
      await (first === 'sold' ? room.sell('r-1', 'V1', { by: OLD }) : room.lose('r-1', { by: OLD }));
      await room.lose('r-1', { afterMs: MINUTE_MS });
      expect(await room.look('r-1')).toMatchObject({ kind: 'succeeded', reference: 'V1' });
    },
  );

  test('the lost order of a key of another account does not compete', async () => {
    const room = open([{ reference: 'V1' }, { reference: 'V0', isOfAnotherAccount: true }]);
    await room.sell('r-before', 'V0', { by: OLD, phone: '08030000009', afterMs: -2 * MINUTE_MS });
    await room.lose('r-other', { by: OLD });
    await room.lose('r-new');
    expect(await room.look('r-new')).toEqual(UNKNOWN);
    expect(await room.look('r-new', QUIET_MS)).toMatchObject({ kind: 'succeeded', reference: 'V1' });
  });

  test('a key to which v1 has sold nothing yet is treated as one of another account', async () => {
    const room = open([{ reference: 'V1' }]);
    await room.lose('r-other', { by: OLD });
    await room.lose('r-new', { afterMs: 20_000 });
    expect(await room.look('r-new')).toMatchObject({ kind: 'succeeded', reference: 'V1' });
  });

  test('no key is taken for one of another account while v1 shows no receipts at all', async () => {
    const rows: Row[] = [{ reference: 'V1' }, { reference: 'V0', shows: { phone: '08030000009' } }];
    const room = open(rows);
    await room.sell('r-before', 'V0', { by: OLD, phone: '08030000009' });
    await room.lose('r-other', { by: OLD });
    await room.lose('r-new');
    expect(await room.look('r-new', MINUTE_MS)).toEqual(UNKNOWN);
    const shown = rows.map((row) => ({ ...row }));
    for (const [at, row] of shown.entries()) rows[at] = { ...row, isWithoutReceipt: true };
    expect(await room.look('r-new', 10 * MINUTE_MS)).toEqual(UNKNOWN);
    for (const [at, row] of shown.entries()) rows[at] = row;
    expect(await room.look('r-new', 10 * MINUTE_MS)).toEqual(UNKNOWN);
  });

  test('a key is not taken for one of another account because v1 does not show its sale of a moment ago yet', async () => {
    const before = { reference: 'V0', shows: { phone: '08030000009' } };
    const rows: Row[] = [{ reference: 'V1' }, { ...before, isOfAnotherAccount: true }];
    const room = open(rows);
    await room.sell('r-before', 'V0', { by: OLD, phone: '08030000009' });
    await room.lose('r-other', { by: OLD });
    await room.lose('r-new');
    expect(await room.look('r-new', MINUTE_MS / 2)).toEqual(UNKNOWN);
    rows[1] = before;
    expect(await room.look('r-new', 10 * MINUTE_MS)).toEqual(UNKNOWN);
  });

  test.each([
    ['of minutes ago', 0, 0, 4],
    ['of minutes ago, ordered long before', -10, 2, 6],
    ['of minutes ago, after which the clock was put forward', 0, 0, 4, 9],
  ])(
    'nor because a copy of v1 that lags does not show its sale %s yet',
    async (_what, openedAfter, soldAfter, wait, forward = 0) => {
      const before = { reference: 'V0', shows: { phone: '08030000009' } };
      const rows: Row[] = [{ reference: 'V1' }, { ...before, isOfAnotherAccount: true }];
      const room = open(rows);
      await room.open('r-before', { by: OLD, phone: '08030000009', afterMs: openedAfter * MINUTE_MS });
      const sold = { kind: 'succeeded', reference: 'V0' } as const;
      await room.journal.settle(OLD.fingerprint, 'r-before', sold, START + soldAfter * MINUTE_MS);
      await room.lose('r-other', { by: OLD });
      await room.lose('r-new');
      room.setWall(forward * MINUTE_MS);
      expect(await room.look('r-new', wait * MINUTE_MS)).toEqual(UNKNOWN);
      rows[1] = before;
      expect(await room.look('r-new', 10 * MINUTE_MS)).toEqual(UNKNOWN);
    },
  );

  test('an order of another key with this reference, number and price, but of another day, may be of another v1: nothing is proven', async () => {
    const day = 25 * 60 * MINUTE_MS;
    const room = open([{ reference: 'V1', atMs: START + day }]);
    await room.sell('r-sandbox', 'V1', { by: OLD });
    await room.lose('r-new', { afterMs: day });
    expect(await room.look('r-new', day + 2 * QUIET_MS)).toEqual(UNKNOWN);
  });

  test.each([0, 300])('a key whose sales v1 shows to this key is of its account, also after %i refusals', async (refusals) => {
    const room = open([{ reference: 'V1' }, { reference: 'V0', shows: { phone: '08030000009' } }]);
    await room.sell('r-before', 'V0', { by: OLD, phone: '08030000009' });
    await room.clock.advance(1_000);
    for (let nth = 0; nth < refusals; nth += 1) await room.refuse(`refused-${nth}`, { by: OLD });
    await room.lose('r-other', { by: OLD });
    await room.lose('r-new');
    expect(await room.look('r-new')).toEqual(UNKNOWN);
  });

  test('of two rows, one sold by another key, a lost order does not take the one that fits another lost order of its key', async () => {
    const room = open([
      { reference: 'V2', shows: { amount: 98 } },
      { reference: 'V1', shows: { amount: 90 } },
    ]);
    await room.sell('r-old', 'V1', { by: OLD });
    await room.lose('r-new');
    await room.lose('r-more', { fields: { phone: '08030000001', amount: 12_000, network: 'MTN', ported: true } });
    expect(await room.look('r-new')).toEqual(UNKNOWN);
    expect(await room.outcomeOf('r-more')).toEqual(UNKNOWN);
  });

  test("another key's lost order that was opened a day before competes: the clock may have been wrong then", async () => {
    const day = 25 * 60 * MINUTE_MS;
    const room = open([
      { reference: 'V1', atMs: START + day },
      { reference: 'V0', shows: { phone: '08030000008' } },
    ]);
    await room.sell('r-before', 'V0', { by: OLD, phone: '08030000008' });
    await room.lose('r-early', { by: OLD });
    await room.lose('r-new', { afterMs: day });
    expect(await room.look('r-new', day)).toEqual(UNKNOWN);
  });

  test("another key's lost order that was opened while the clock was days behind competes, once it is set right", async () => {
    const days = 4 * 24 * 60 * MINUTE_MS;
    const room = open([{ reference: 'V1' }, { reference: 'V0', shows: { phone: '08030000008' } }]);
    await room.sell('r-before', 'V0', { by: OLD, phone: '08030000008' });
    room.setWall(-days);
    await room.lose('r-early', { by: OLD });
    await room.reconcile(OLD);
    room.setWall(0);
    await room.lose('r-new');
    expect(await room.look('r-new', MINUTE_MS)).toEqual(UNKNOWN);
  });

  test("another key's lost order that was opened days before, or of another number, does not compete", async () => {
    const days = 3 * 24 * 60 * MINUTE_MS;
    const room = open([
      { reference: 'V1', atMs: START + days },
      { reference: 'V0', shows: { phone: '08030000008' } },
    ]);
    await room.sell('r-before', 'V0', { by: OLD, phone: '08030000008' });
    await room.lose('r-early', { by: OLD });
    await room.lose('r-else', { by: OLD, phone: '08030000009', afterMs: days });
    await room.lose('r-new', { afterMs: days });
    expect(await room.look('r-new', days)).toMatchObject({ kind: 'succeeded', reference: 'V1' });
  });

  test.each([
    ['ahead', 61 * MINUTE_MS],
    ['behind', -61 * MINUTE_MS],
  ])("another key's lost order competes also where the clock was an hour %s when it was opened", async (_title, afterMs) => {
    const room = open([{ reference: 'V1' }, { reference: 'V0', shows: { phone: '08030000009' } }]);
    await room.sell('r-before', 'V0', { by: OLD, phone: '08030000009' });
    await room.lose('r-old', { by: OLD, afterMs });
    await room.lose('r-new');
    expect(await room.look('r-new', 2 * QUIET_MS)).toEqual(UNKNOWN);
  });

  test('an order of this reference with another number is of another v1', async () => {
    const room = open([{ reference: 'V1' }]);
    await room.sell('r-sandbox', 'V1', { by: OLD, phone: '08030000009' });
    await room.lose('r-new');
    expect(await room.look('r-new')).toMatchObject({ kind: 'succeeded', reference: 'V1' });
  });

  test("another key's sale that cannot be compared neither gives the row away nor proves anything", async () => {
    const room = open([{ reference: 'V1' }]);
    await room.sell('r-gone', 'V1', { by: OLD, operation: 'buy_what_was', fields: {} });
    await room.lose('r-new');
    expect(await room.look('r-new', 2 * QUIET_MS)).toEqual(UNKNOWN);
  });

  test('a lost order does not take a row that another key claims while its receipt is read', async () => {
    const rows: Row[] = [{ reference: 'V1' }];
    const room = open(rows, {
      // The order under way is listed as open, and ends right after.
      async listUnsettled(options: ListOptions & { readonly owner?: string }) {
        const listed = await stored.listUnsettled(options);
        if (options.owner === undefined)
          await stored.settle(OLD.fingerprint, 'r-old', { kind: 'succeeded', reference: 'V1' }, START);
        return options.owner === undefined ? listed.filter(({ owner }) => owner !== OLD.fingerprint) : listed;
      },
    });
    await room.open('r-old', { by: OLD });
    await room.lose('r-new');
    expect(await room.look('r-new')).toEqual(UNKNOWN);
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
  ])('no row is given away while the journal does not give %s', async (_title, journalOverrides) => {
    const room = open([{ reference: 'V1' }, { reference: 'V2', shows: { phone: '08030000002' } }], journalOverrides);
    await room.lose('r-new');
    await room.lose('r-absent', { phone: '08030000003' });
    expect(await room.look('r-new', 2 * QUIET_MS)).toEqual(UNKNOWN);
    // An order without a matching row needs neither.
    expect(await room.outcomeOf('r-absent')).toMatchObject({ kind: 'not_sent', isProven: true });
    expect(room.troubles).toContain('reconcile: the disk');
  });
});

test('an older order of another key, listed for a look that reads further back, does not compete', async () => {
  const order = { ...airtime('r-new', START), number: 1, attempts: 1 };
  const older = { ...order, owner: OLD.fingerprint, requestId: 'r-old', openedAtMs: START - 1 };
  const otherKeys = createOtherKeys({
    journal: { ...createMemoryJournal(), listUnsettled: async () => [older], hasReference: async () => true },
    upstream: { find: async () => ({ kind: 'unavailable', reason: 'HTTP 502' }) },
    clock: createVirtualClock(START),
    onTrouble: () => undefined,
  });
  const row = { reference: 'V1', timesMs: [START], row: {}, receipt: undefined };
  const look = (fromMs: number) =>
    otherKeys({
      ...{ context: { credentials: CREDENTIALS, clientAddress: '192.0.2.7', timeoutMs: 1_000 }, fromMs, shownBeforeMs: 0 },
      ...{ compare: () => 'alike' as const, isTimely: () => true, phonesOf: () => undefined },
    });
  expect(await look(START).onlyFree(order, [row])).toBe(row);
  expect(await look(START - 1).onlyFree(order, [row])).toBeUndefined();
});

test('of the looks of many keys one compares at a time, so that sales come in between', async () => {
  const clock = createVirtualClock(START);
  const order = { ...airtime('r-new', START), number: 1, attempts: 1 };
  const others = Array.from({ length: 600 }, (_, nth) => ({ ...order, owner: OLD.fingerprint, requestId: `r-${nth}` }));
  const otherKeys = createOtherKeys({
    journal: { ...createMemoryJournal(), listUnsettled: async () => others },
    upstream: { find: async () => ({ kind: 'unavailable', reason: 'HTTP 502' }) },
    clock,
    onTrouble: () => undefined,
  });
  const compared: string[] = [];
  const look = (name: string) => {
    const compare = () => (compared.push(name), 'ruled out' as const);
    const context = { credentials: CREDENTIALS, clientAddress: '192.0.2.7', timeoutMs: 1_000 };
    const given = { context, compare, isTimely: () => true, phonesOf: () => undefined, fromMs: START, shownBeforeMs: 0 };
    return otherKeys(given).onlyFree(order, [{ reference: 'V1', timesMs: [START], row: {}, receipt: undefined }]);
  };
  const looks = Promise.all([look('one'), look('two')]);
  await clock.advance(1_000);
  await looks;
  const turns = compared.filter((name, index) => name !== compared[index - 1]);
  expect([compared.length, turns]).toEqual([1_200, ['one', 'two']]);
});
