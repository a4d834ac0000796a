/** Orders without an answer, looked for in v1's history. */
import { pause, systemClock } from '../../../src/domain/clock';
import type { JsonObject } from '../../../src/domain/json';
import { NOT_TOLD, type Order, TOLD_PENDING } from '../../../src/domain/order';
import { ATTEMPT_BEGINS, type Outcome } from '../../../src/domain/outcome';
import type { Journal, JournalEvent, ListOptions } from '../../../src/journal/journal';
import { openLmdbJournal, type LmdbJournalOptions } from '../../../src/journal/lmdb-journal';
import type { CallContext, V1Call } from '../../../src/upstream/upstream';
import { createPriceLists } from '../../../src/price-lists/price-lists';
import { settlePromises } from '../../domain/virtual-clock';
import { mappingBeside } from '../../mapping/mapping-set';
import { generateRequestId } from '../../../src/gateway/read/read-raw';
import { cannedCatalog } from '../reply-table/canned-v1';
import { newFolder } from '../../new-folder';
import { until } from '../../until';
import { CREDENTIALS } from '../scripted-upstream';
import { airtime, MINUTE_MS, openRoom, QUIET_MS, START, UNKNOWN, type Lost, type RoomOptions, type Row } from './history-room';

const FOUND: unknown = expect.objectContaining({ kind: 'succeeded', reference: 'V1' });
const ABSENT: unknown = expect.objectContaining({ kind: 'not_sent', isProven: true });
const V1_ROW: Row = { reference: 'V1' };
const FAILED_ROW: Row = { reference: 'V1', shows: { status: 'failed' } };
const SMS_ROW: Row = { reference: 'V1', phone: '', shows: { amount: 12, category: 'bulk_sms' } };

const CARDS: Lost = { operation: 'buy_recharge_cards', fields: { network: 'MTN', denomination: 100, quantity: 1 } };
const DATA: Lost = { operation: 'buy_data', fields: { plan: 102, phone: '08030000001', ported: true } };
const SMS: Lost = {
  operation: 'send_sms',
  fields: { sender: 'Shop', recipients: ['08030000001', '08030000002'], message: 'Hello' },
};
const IN_DOUBT = { ...UNKNOWN, isDoubted: true } as const;

const CATALOG = (cannedCatalog as { readonly body: JsonObject }).body['data'] as JsonObject;

/** v1's price list, which differs from the canned one in these parts. */
const priceListsWith = (changes: JsonObject = {}) => {
  const body = { status: 'success', data: { ...CATALOG, ...changes } };
  return createPriceLists({ upstream: { find: async () => ({ kind: 'found', body }) }, clock: systemClock });
};

test.each([
  ['is read as it shows a known sale', '08030000001', undefined, ABSENT],
  ['shows another phone for a known sale as well', '08039999999', undefined, UNKNOWN],
  ['cannot be read for a known sale', '08030000001', true, UNKNOWN],
] as const)('a row whose receipt shows another phone, where v1 %s', async (_title, phone, isUnreadable, expected) => {
  const known: Row = isUnreadable ? { reference: 'V1', isUnreadable } : { reference: 'V1', phone };
  const room = openRoom([{ reference: 'V2', phone: '08039999999' }, known]);
  await room.sell('known', 'V1');
  await room.lose('lost');
  expect(await room.look('lost', QUIET_MS)).toEqual(expected);
});

test.each<[string, Outcome | undefined]>([
  ['which no order of this journal has', undefined],
  ['of an order that v1 declined without its reference', { kind: 'declined' }],
  ['of an order that v1 refused', { kind: 'rejected', httpStatus: 402 }],
])('a lost order is not ended by a failed row %s, but only when it is proven absent', async (_title, outcome) => {
  const room = openRoom([FAILED_ROW]);
  if (outcome !== undefined) await room.lose('before', { outcome });
  await room.lose('lost', { afterMs: 10_000 });
  expect(await room.look('lost', MINUTE_MS)).toEqual(UNKNOWN);
  expect(await room.look('lost', QUIET_MS)).toEqual(ABSENT);
});

test('nor is it kept open by the refund of v1 under the reference of the row, whose receipt shows that it failed', async () => {
  const room = openRoom([{ ...FAILED_ROW, listed: { status: 'success' } }, FAILED_ROW]);
  await room.lose('lost');
  expect(await room.look('lost', MINUTE_MS)).toEqual(UNKNOWN);
  expect(await room.look('lost', QUIET_MS)).toEqual(ABSENT);
});

test.each([
  ['two lost orders that are alike open', {}, {}],
  [
    'an order of exam PINs open, which shows no number',
    { operation: 'buy_exam', fields: { exam: 'WAEC', quantity: 1 } },
    { category: 'exam', phone: null, amount: 3_500, pins: [] },
  ],
] as const)('nor does such a refund keep %s', async (_title, lost, shows) => {
  const failed: Row = { reference: 'V1', shows: { ...shows, status: 'failed' } };
  const room = openRoom([{ ...failed, listed: { status: 'success' } }, failed]);
  for (const id of ['r-1', 'r-2']) await room.lose(id, lost);
  expect(await room.look('r-1', MINUTE_MS)).toEqual(UNKNOWN);
  expect(await room.look('r-1', QUIET_MS)).toEqual(ABSENT);
});

test('a failed row ends no lost order while v1 does not show yet what waits for its provider', async () => {
  const room = openRoom([FAILED_ROW]);
  await room.leavePending('waits', 'V3', { phone: '08030000002' });
  await room.lose('lost', { afterMs: 10_000 });
  expect(await room.look('lost', 2 * QUIET_MS)).toEqual(UNKNOWN);
});

test.each<[string, Outcome | undefined]>([
  ['was opened', undefined],
  ['was begun again', ATTEMPT_BEGINS],
])('an order that %s at another process gets no row while that may be sending it', async (_title, outcome) => {
  const room = openRoom([V1_ROW]);
  await (outcome === undefined ? room.open('lost') : room.lose('lost', { outcome }));
  expect((await room.look('lost', MINUTE_MS))?.kind).toBe(outcome?.kind);
  expect(await room.look('lost', QUIET_MS)).toEqual(FOUND);
});

test.each([
  ['the category of cards', 'recharge_card', FOUND],
  ['the word for airtime', 'airtime', UNKNOWN],
])(
  'cards whose receipt shows no PINs at the first look, and has them a moment later, under %s',
  async (_title, category, expected) => {
    const shows: JsonObject = { category, pins: [] };
    const room = openRoom([{ reference: 'V1', phone: '', shows }]);
    await room.lose('lost', CARDS);
    expect(await room.look('lost', 10_000)).toEqual(UNKNOWN);
    Object.assign(shows, { pins: [{ pin: '1', serial: '2' }] });
    expect(await room.look('lost', QUIET_MS)).toEqual(expected);
  },
);

interface Looked extends RoomOptions {
  /** How the lost order differs from one of airtime that was opened at the start. */
  readonly lost?: Lost;
  /** Before the look. */
  readonly waitMs?: number;
}
const QUIET = { waitMs: QUIET_MS };

test.each<[string, readonly Row[], unknown, Looked?]>([
  ['a lost order that v1 has is found by its receipt', [V1_ROW], FOUND],
  ['a row that two pages show is one row', [V1_ROW, V1_ROW], FOUND],
  ['of two rows that are alike neither is taken', [V1_ROW, { reference: 'V2' }], UNKNOWN],
  ['no row is taken while another possible receipt cannot be read', [V1_ROW, { reference: 'V2', isUnreadable: true }], UNKNOWN],
  ['a history with an unreadable row proves no order absent', [{ reference: 'V1', timeText: 'yesterday' }], UNKNOWN, QUIET],
  [
    'nor does one with readable rows before and after it',
    [
      { reference: 'V2', phone: '08030000002' },
      { reference: 'V1', timeText: 'yesterday' },
      { reference: 'V3', phone: '08030000003' },
    ],
    UNKNOWN,
    QUIET,
  ],
  // It may be of another customer, who has bought the same.
  ...[null, '', '0803****001'].map((phone): [string, readonly Row[], unknown, Looked] => [
    `a row that shows no number (${JSON.stringify(phone)}) is neither given to an order with one nor does it let it be proven absent`,
    [{ reference: 'V1', shows: { phone } }],
    UNKNOWN,
    QUIET,
  ]),
  ['a row that shows its number as a JSON number is given to it', [{ reference: 'V1', shows: { phone: 8030000001 } }], FOUND],
  ['one of another such number is not', [{ reference: 'V1', shows: { phone: 8039999999 } }], ABSENT, QUIET],
  // No charge of v1 explains it.
  ['a lost sale of airtime takes no row of twice its amount', [{ reference: 'V1', shows: { amount: 200 } }], UNKNOWN, QUIET],
  [
    'a row of another service is not the order',
    [{ reference: 'V1', shows: { phone: null, category: 'electricity' } }],
    ABSENT,
    QUIET,
  ],
  [
    'the row of data cards of another lost order does not keep a lost data bundle open',
    [{ reference: 'V1', shows: { phone: '', amount: 860, category: 'data_card', pins: [{ pin: '1', serial: '2' }] } }],
    ABSENT,
    { lost: DATA, ...QUIET },
  ],
  ...['success', 'failed'].map((status): [string, readonly Row[], unknown, Looked] => [
    `airtime (${status}) whose receipt has no PINs keeps no order of cards from being told as not sent`,
    [{ reference: 'V1', shows: { amount: 98, category: 'airtime', status, pins: [] } }],
    ABSENT,
    { lost: CARDS, ...QUIET },
  ]),
  ['a message to many, which has neither number nor price, is found by its service', [SMS_ROW], FOUND, { lost: SMS }],
  ['a message to many is not, where it is in doubt', [SMS_ROW], IN_DOUBT, { lost: { ...SMS, outcome: IN_DOUBT } }],
  [
    'an order in doubt does not take a sale of about its amount of a minute before',
    [{ reference: 'V1', atMs: START - MINUTE_MS, shows: { amount: 110 } }],
    IN_DOUBT,
    { lost: { fields: { network: 'MTN', phone: '08030000001', amount: 12_000 }, outcome: IN_DOUBT } },
  ],
  [
    'it takes one since it was opened by the clock of v1, which is behind',
    [{ reference: 'V1', atMs: START - MINUTE_MS, shows: { amount: 97 } }],
    FOUND,
    { lost: { outcome: IN_DOUBT }, serverErrorMs: -MINUTE_MS },
  ],
  ['it takes one since it was opened', [{ reference: 'V1', shows: { amount: 97 } }], FOUND, { lost: { outcome: IN_DOUBT } }],
  [
    'an order is found by the time of a v1 whose clock is minutes behind',
    [{ reference: 'V1', atMs: START - 5 * MINUTE_MS }],
    FOUND,
    { serverErrorMs: -5 * MINUTE_MS },
  ],
  [
    'so it is where v1 shows its times in UTC',
    [{ reference: 'V1', timeText: new Date(START - 5 * MINUTE_MS).toISOString().slice(0, 19).replace('T', ' ') }],
    FOUND,
    { serverErrorMs: -5 * MINUTE_MS },
  ],
  ['an order that v1 does not have has no outcome at once', [], UNKNOWN],
  ['an order that v1 does not have after the quiet time was never sent', [], ABSENT, QUIET],
  ['so was one that is in doubt because v1 has refused it as known', [], ABSENT, { lost: { outcome: IN_DOUBT }, ...QUIET }],
  // It shows the same number and amount.
  ['a refund belongs to no order', [{ reference: 'V2', shows: { type: 'credit' } }], UNKNOWN],
  [
    'a refund does not keep an order from being told as not sent',
    [{ reference: 'V2', shows: { type: 'credit' } }],
    ABSENT,
    QUIET,
  ],
  ...['refund', 'wallet_funding'].flatMap((category): [string, readonly Row[], unknown, Looked?][] => {
    const row: Row = { reference: 'V2', isWithoutReceipt: true, listed: { category, amount: '100.00' } };
    return [
      [`a row of the category ${category}, of which v1 has no receipt, keeps no row from a lost order`, [row, V1_ROW], FOUND],
      [`nor does it (${category}) keep one from being told as not sent`, [row], ABSENT, QUIET],
    ];
  }),
  [
    'an order whose fields all have other names by now takes no row of another number',
    [{ reference: 'V1', phone: '08099999999' }],
    UNKNOWN,
    { lost: { fields: { msisdn: '08030000001', value: 10_000, net: 'MTN' } } },
  ],
  [
    'an order whose number alone has another name by now takes no row of another number',
    [{ reference: 'V1', phone: '08099999999' }],
    UNKNOWN,
    { lost: { fields: { msisdn: '08030000001', amount: 10_000, network: 'MTN' } } },
  ],
  [
    'a lost order does not take the row of an order that was opened while the history was read',
    [V1_ROW],
    UNKNOWN,
    { onHistory: (journal) => journal.open(airtime('r-2', START)) },
  ],
  [
    'an order that is tried again while the history is read is not told as not sent',
    [],
    UNKNOWN,
    {
      waitMs: QUIET_MS + 1,
      onHistory: (journal) => journal.settle(CREDENTIALS.fingerprint, 'r-1', UNKNOWN, START + QUIET_MS + 1),
    },
  ],
  [
    'where a key has more open orders than are listed, no row is taken',
    [V1_ROW],
    UNKNOWN,
    {
      wrapJournal: (stored) => ({
        listUnsettled: async (query: ListOptions & { readonly owner?: string }) => {
          const open = await stored.listUnsettled(query);
          const other = { ...open[0]!, fields: { ...open[0]!.fields, phone: '08030000002' } };
          return query.owner === undefined ? open : [...open, ...Array<Order>(query.limit - open.length).fill(other)];
        },
      }),
    },
  ],
  // The sale of the row may have been deleted from the journal.
  ['an order from before JOURNAL_DAYS gets no row', [V1_ROW], UNKNOWN, { waitMs: 90 * 24 * 3_600_000, journalDays: 90 }],
])('%s', async (_title, rows, outcome, { lost, waitMs = 0, ...options } = {}) => {
  const room = openRoom(rows, options);
  await room.lose('r-1', lost);
  expect(await room.look('r-1', waitMs)).toEqual(outcome);
});

describe.each([
  ['UTC-5', -5, 'unknown', 'unknown'],
  ['UTC', 0, 'succeeded', 'not_sent'],
  ['West Africa Time', 1, 'succeeded', 'not_sent'],
  ['UTC+2', 2, 'unknown', 'unknown'],
])("where v1's times are in %s", (_zone, hours, found, absent) => {
  const timeText = new Date(START + hours * 60 * MINUTE_MS).toISOString().slice(0, 19).replace('T', ' ');
  const known: Row = { reference: 'V2', phone: '08030000002', timeText };

  test.each<[string, readonly Row[], string]>([
    ['that v1 has sold', [known, { ...V1_ROW, timeText }], found],
    ['that v1 does not have', [known], absent],
  ])(`a lost order %s is judged only where a known sale shows that they are read rightly`, async (_title, rows, kind) => {
    const room = openRoom(rows);
    await room.sell('known', 'V2', { phone: '08030000002' });
    await room.lose('lost');
    expect((await room.look('lost', QUIET_MS))?.kind).toBe(kind);
    const said = kind === 'unknown' ? [expect.stringMatching(/^clock: v1's times /)] : [];
    expect(room.troubles).toEqual(said);
  });
});

test('a row of the future keeps no lost order open where a known sale shows that times are read rightly', async () => {
  const future: Row = { reference: 'V3', phone: '08030000003', timeText: '2099-01-01 00:00:00' };
  const room = openRoom([future, { reference: 'V2', phone: '08030000002' }]);
  await room.sell('known', 'V2', { phone: '08030000002' });
  await room.lose('lost');
  expect(await room.look('lost', QUIET_MS)).toEqual(ABSENT);
  expect(room.troubles).toEqual([]);
});

test('a sale of a time when the clock was hours wrong keeps lost orders open only until the next sale', async () => {
  const rows: Row[] = [
    { reference: 'V3', phone: '08030000002' },
    { reference: 'V2', phone: '08030000002' },
  ];
  const room = openRoom(rows);
  await room.sell('wrong', 'V2', { phone: '08030000002', afterMs: -10 * 60 * MINUTE_MS });
  await room.lose('lost');
  expect(await room.look('lost', QUIET_MS)).toEqual(UNKNOWN);
  await room.sell('right', 'V3', { phone: '08030000002', afterMs: 1 });
  expect(await room.look('lost')).toEqual(ABSENT);
});

test('a history without the last sale that v1 confirmed, of whatever service, proves no order absent', async () => {
  const exam = { operation: 'buy_exam', fields: { exam: 'WAEC', quantity: 1 } };
  const rows: Row[] = [{ reference: 'V1', phone: '08030000002' }];
  const room = openRoom(rows);
  await room.sell('r-1', 'V1', exam);
  await room.lose('r-2');
  await room.clock.advance(1_000);
  await room.sell('r-3', 'V3', exam);
  await room.clock.advance(QUIET_MS);
  // A replica that lags by more than the quiet time, or a v1 that has lost its accounts for a moment.
  expect(await room.look('r-2')).toEqual(UNKNOWN);
  rows.unshift({ reference: 'V3', phone: '08030000002' });
  expect(await room.look('r-2')).toEqual(ABSENT);
});

test('nor does such a history where the key has had thousands of refusals since that sale', async () => {
  const room = openRoom([]);
  await room.sell('r-1', 'V1', { phone: '08030000002' });
  await room.clock.advance(1_000);
  for (let nth = 0; nth < 5_000; nth += 1) await room.refuse(`refused-${nth}`);
  await room.lose('r-2');
  expect(await room.look('r-2', QUIET_MS)).toEqual(UNKNOWN);
});

test.each([
  ['of refusals since proves no order absent', 'refuse', UNKNOWN],
  // v1 keeps them on pages that no look reads.
  ['of sales since does not keep an order from being proven absent', 'sell', ABSENT],
] as const)('a last sale of the same service behind thousands %s', async (_title, how, expected) => {
  const power = { operation: 'buy_electricity', fields: { meter: '0045', amount: 100_00 } };
  const room = openRoom([{ reference: 'LATE', phone: '08030000002' }]);
  // v1 writes a number of the account into these receipts, as it would into that of the lost order.
  await room.sell('known', 'V1', { ...power, afterMs: -7 * 60 * MINUTE_MS });
  for (let nth = 0; nth < 5_000; nth += 1) {
    const asked = { phone: '08030000002', afterMs: nth - 6 * 60 * MINUTE_MS };
    await (how === 'sell' ? room.sell(`r-${nth}`, `S${nth}`, asked) : room.refuse(`r-${nth}`, asked));
  }
  await room.sell('late', 'LATE', { phone: '08030000002' });
  await room.lose('lost', power);
  expect(await room.look('lost', QUIET_MS)).toEqual(expected);
});

test.each([
  ['before it', -MINUTE_MS],
  ['after it', 1_000],
])(
  'a history that is cut off after so many rows proves nothing of an order older than these (first sale %s)',
  async (_title, firstAfterMs) => {
    const rows: Row[] = [];
    const room = openRoom(rows, { rowsMax: 60 });
    const sell = async (nth: number, afterMs: number): Promise<void> => {
      rows.unshift({ reference: `S${nth}`, atMs: START + afterMs });
      await room.sell(`sold-${nth}`, `S${nth}`, { phone: '08030000002', afterMs });
    };
    await sell(0, firstAfterMs);
    await room.lose('r-1');
    for (let nth = 1; nth <= 60; nth += 1) await sell(nth, nth * 2_000);
    // v1 has sold it, and shows sixty newer rows.
    await room.clock.advance(MINUTE_MS * 40);
    expect(await room.look('r-1')).toEqual(UNKNOWN);
  },
);

test.each([
  ['the first sale that v1 confirmed after it', 2_000],
  ['a sale of the same second, which v1 lists in any order', 0],
])('nor does a history that is cut off between the order and %s', async (_title, firstAfterMs) => {
  const rows: Row[] = [];
  const room = openRoom(rows, { rowsMax: 5 });
  const sell = async (nth: number): Promise<void> => {
    const afterMs = firstAfterMs + nth * 2_000;
    rows.unshift({ reference: `S${nth}`, atMs: START + afterMs });
    await room.sell(`sold-${nth}`, `S${nth}`, { phone: '08030000002', afterMs });
  };
  await sell(0);
  await room.lose('r-1', { afterMs: 900 });
  // v1 has sold it, and shows the other five.
  for (const nth of [1, 2, 3, 4]) await sell(nth);
  await room.clock.advance(MINUTE_MS * 40);
  expect(await room.look('r-1')).toEqual(UNKNOWN);
});

test('a history without rows proves nothing where retention may have deleted the sale that shows that it is cut off', async () => {
  const dir = newFolder();
  const openStored = (more: Partial<LmdbJournalOptions>) => openLmdbJournal({ dir, retentionMs: Infinity, ...more });
  const written = await openStored({});
  // v1 has sold both, and shows the rows of today alone.
  const before = openRoom([], { stored: written, rowsMax: 0 });
  await before.sell('sold-0', 'S0', { phone: '08030000002', afterMs: -600 * MINUTE_MS });
  await before.lose('r-1');
  await before.clock.advance(26 * 60 * MINUTE_MS);
  expect(await before.look('r-1')).toEqual(UNKNOWN);
  await written.close();

  const events: string[] = [];
  const onEvent = ({ kind }: JournalEvent): void => void events.push(kind);
  const stored = await openStored({ retentionMs: 24 * 60 * MINUTE_MS, steadyMs: 0, now: () => before.clock.now(), onEvent });
  await until(() => events.includes('swept'));
  expect(await stored.find(CREDENTIALS.fingerprint, 'sold-0')).toBeUndefined();
  const after = openRoom([], { stored, journalDays: 1, rowsMax: 0 });
  await after.clock.advance(26 * 60 * MINUTE_MS);
  expect(await after.look('r-1')).toEqual(UNKNOWN);
  await stored.close();
});

test('an order that is younger than the rows of such a history is proven absent', async () => {
  const rows: Row[] = [{ reference: 'S1', atMs: START + MINUTE_MS }];
  const room = openRoom(rows, { rowsMax: 1 });
  await room.sell('sold-0', 'S0', { phone: '08030000002' });
  await room.sell('sold-1', 'S1', { phone: '08030000002', afterMs: MINUTE_MS });
  await room.clock.advance(30 * 60 * MINUTE_MS);
  await room.lose('r-1');
  expect(await room.look('r-1', QUIET_MS)).toEqual(ABSENT);
});

test.each<[string, { afterMs?: number; rowsMax?: number; openedBy?: 'another process' }, unknown]>([
  ['two minutes after the first sale, whatever the clocks', {}, ABSENT],
  ['a minute after it: clocks of v1 may differ', { afterMs: MINUTE_MS }, UNKNOWN],
  ['after it, where the history is cut off and no longer shows that sale', { rowsMax: 1 }, UNKNOWN],
  ['by another process', { openedBy: 'another process' }, UNKNOWN],
])('in the first minutes of an account: an order opened %s', async (_title, { afterMs, rowsMax, openedBy }, expected) => {
  const rows: Row[] = [{ reference: 'V1', phone: '08030000002' }];
  const room = openRoom(rows, { rowsMax: rowsMax ?? 2, hasHistory: false });
  await room.sell('r-1', 'V1', { phone: '08030000002' });
  room.reconciler.noteSale(CREDENTIALS.fingerprint, 'V1');
  await room.clock.advance(afterMs ?? 2 * MINUTE_MS);
  // The clock is set, so it shows nothing of what came first.
  room.setWall(MINUTE_MS);
  await room.lose('r-2');
  const opened = openedBy === undefined ? { requestId: 'r-2', atMs: room.clock.elapsed() } : undefined;
  room.reconciler.watch(CREDENTIALS, '192.0.2.7', opened);
  await room.clock.advance(MINUTE_MS);
  rows.unshift({ reference: 'V3', atMs: room.clock.now(), phone: '08030000003' });
  await room.sell('r-3', 'V3', { phone: '08030000003', afterMs: room.clock.now() - START });
  room.reconciler.noteSale(CREDENTIALS.fingerprint, 'V3');
  expect(await room.look('r-2', 2 * QUIET_MS)).toEqual(expected);
  room.reconciler.stop();
});

test.each<[string, Partial<Row>, unknown]>([
  ['shows', {}, ABSENT],
  ['lacks', { isUnlisted: true }, UNKNOWN],
  ['shows with an amount of another meaning', { listed: { amount: '2.50' } }, UNKNOWN],
  ['shows under the name of another service', { listed: { category: 'data' } }, UNKNOWN],
])('where the history %s the last sale of the same service', async (_title, known, expected) => {
  const room = openRoom([{ reference: 'V2' }, { reference: 'V1', phone: '08030000002', ...known }]);
  await room.sell('known', 'V1', { phone: '08030000002' });
  await room.lose('lost');
  await room.sell('other', 'V2', { operation: 'buy_exam', fields: { exam: 'WAEC', quantity: 1 } });
  expect(await room.look('lost', QUIET_MS)).toEqual(expected);
});

test.each([
  ['20 hours ago', 20, UNKNOWN],
  ['six days ago', 144, UNKNOWN],
  // As a v1 that shows the rows of a week alone.
  ['before all that the history shows', 180, ABSENT],
])('where the history does not show the last sale of the same service, made %s', async (_title, soldHoursAgo, expected) => {
  const HOUR_MS = 60 * MINUTE_MS;
  const exam = { operation: 'buy_exam', fields: { exam: 'WAEC', quantity: 1 } };
  const rows = [1, 60, 61, 165, 166].map((hours): Row => ({ reference: `A${hours}`, atMs: START - hours * HOUR_MS }));
  const room = openRoom(rows);
  for (const { reference, atMs = START } of rows)
    await room.sell(reference, reference, { phone: '08030000001', afterMs: atMs - START });
  await room.sell('known', 'V1', { ...exam, afterMs: -soldHoursAgo * HOUR_MS });
  await room.lose('lost', exam);
  expect(await room.look('lost', QUIET_MS)).toEqual(expected);
});

test('nor is an order of it proven absent where v1 shows a row without a time on the way back to that sale', async () => {
  const HOUR_MS = 60 * MINUTE_MS;
  const exam = { operation: 'buy_exam', fields: { exam: 'WAEC', quantity: 1 } };
  const rows = [1, 40, 41, 42, 43].map((hours): Row => ({ reference: `A${hours}`, atMs: START - hours * HOUR_MS }));
  const room = openRoom([...rows.slice(0, 4), { ...rows[3]!, reference: 'B', timeText: 'yesterday' }, rows[4]!]);
  await room.sell('known', 'V1', { ...exam, afterMs: -60 * HOUR_MS });
  await room.lose('lost', exam);
  expect(await room.look('lost', QUIET_MS)).toEqual(UNKNOWN);
});

test('a history that lacks a sale which waits for its provider proves no order absent', async () => {
  const row: Row = { reference: 'V1', phone: '08030000002', shows: { status: 'pending' }, isUnlisted: true };
  const rows = [row];
  const room = openRoom(rows);
  await room.leavePending('waits', 'V1', { phone: '08030000002' });
  await room.lose('lost');
  expect(await room.look('lost', QUIET_MS)).toEqual(UNKNOWN);
  rows[0] = { reference: 'V1', phone: '08030000002', shows: { status: 'pending' } };
  expect(await room.look('lost')).toEqual(ABSENT);
});

test('a very recent sale need not be in the history yet', async () => {
  const room = openRoom([]);
  await room.lose('r-1');
  await room.clock.advance(QUIET_MS);
  await room.sell('r-2', 'V2', { phone: '08030000002' });
  expect(await room.look('r-1')).toEqual(ABSENT);
});

describe('a row in which v1 may have written the order in its own way', () => {
  const exam = { exam: 'WAEC', quantity: 2 };
  const meter = { disco: 1, meter: '45021234567', meter_type: 'prepaid', amount: 100_000 };
  const airtimeSale = { phone: '08030000001', amount: 10_000, network: 'MTN', ported: true };
  const cards = { network: 'MTN', denomination: 100, quantity: 5 };

  test.each<[string, string, JsonObject, JsonObject]>([
    ['under a category that is not listed', 'buy_exam', exam, { phone: '', amount: 7_000, category: 'education' }],
    ["with the customer's phone for the meter", 'buy_electricity', meter, { amount: 1_000, category: 'electricity' }],
    ['with a service charge', 'buy_electricity', meter, { phone: '45021234567', amount: 1_250, category: 'electricity' }],
    [
      'with any service charge, while the price list is away',
      'buy_electricity',
      meter,
      { phone: '45021234567', amount: 1_600, category: 'electricity' },
    ],
    ['with a masked number', 'buy_airtime', airtimeSale, { phone: '0803****001' }],
    ['with a country code and a zero', 'buy_airtime', airtimeSale, { phone: '+234 (0) 803 000 0001' }],
    ['as a debit with a minus', 'buy_airtime', airtimeSale, { amount: -98, phone: null }],
    ['with an empty list of PINs', 'buy_airtime', airtimeSale, { phone: null, category: 'top-up', pins: [] }],
    ['at the price of one card', 'buy_recharge_cards', cards, { phone: '', amount: 98, category: 'print_voucher' }],
    [
      'of cards with their PINs under a word that is not listed',
      'buy_recharge_cards',
      cards,
      { phone: '', amount: 490, category: 'vouchers', pins: [{ pin: '1234567890', serial: '1' }] },
    ],
    ['of airtime on cards by the word for airtime', 'buy_recharge_cards', cards, { phone: '', amount: 98, category: 'airtime' }],
  ])('%s keeps the order from being told as not sent', async (_title, operation, fields, shows) => {
    const room = openRoom([{ reference: 'V1', shows }]);
    await room.lose('r-1', { operation, fields });
    expect((await room.look('r-1', QUIET_MS))?.kind).not.toBe('not_sent');
  });
});

test.each<[string, JsonObject, string, string]>([
  ['without PINs is given to a lost data bundle for its phone, and not to a lost data card', {}, 'succeeded', 'not_sent'],
  ['with the phone masked is given to neither', { phone: '0803****001' }, 'unknown', 'unknown'],
])('a finished record %s', async (_title, shown, data, card) => {
  const plan = (CATALOG['data_plans'] as readonly JsonObject[]).find(({ id }) => id === 102)!;
  const shows = { amount: Number(plan['selling_price']), category: 'data', pins: [], ...shown };
  const room = openRoom([{ reference: 'V1', shows }], { priceLists: priceListsWith() });
  await room.lose('r-1', DATA);
  await room.lose('r-2', { operation: 'buy_data_cards', fields: { plan: 102, quantity: 1 } });
  expect((await room.look('r-1'))?.kind).toBe(data);
  expect((await room.look('r-2', QUIET_MS))?.kind).toBe(card);
});

test('a pending record of data cards at its price is not given to a lost data bundle', async () => {
  const plan = (CATALOG['data_plans'] as readonly JsonObject[]).find(({ id }) => id === 102)!;
  const shows = { phone: '', amount: Number(plan['selling_price']), category: 'data_card', status: 'pending' };
  const room = openRoom([{ reference: 'V1', shows }], { priceLists: priceListsWith() });
  await room.lose('r-1', DATA);
  expect(await room.look('r-1', QUIET_MS)).toEqual(UNKNOWN);
});

test.each([
  ['to half of it', 650, 'unknown'],
  ['to a fifth of it', 260, 'succeeded'],
])(
  'a row at the price of one lost exam order, while another one is lost whose list price v1 may have lowered %s since',
  async (_title, NECO, kind) => {
    const shows = { phone: null, amount: 1_300, category: 'exam_pin', pins: [{ pin: '1234' }] };
    const priceLists = priceListsWith({ exam_prices: { NECO, WAEC: 1_300 } });
    const room = openRoom([{ reference: 'V1', shows }], { priceLists });
    await room.lose('r-1', { operation: 'buy_exam', fields: { exam: 'WAEC', quantity: 1 } });
    await room.lose('r-2', { operation: 'buy_exam', fields: { exam: 'NECO', quantity: 1 } });
    expect((await room.look('r-1'))?.kind).toBe(kind);
  },
);

test.each<[string, JsonObject | undefined]>([
  ['while the list is away', undefined],
  [
    'where v1 sells the plan no more',
    { ...((cannedCatalog as { readonly body: JsonObject }).body['data'] as JsonObject), data_plans: [] },
  ],
])('nor does such a row, where the list does not tell the price of the other one: %s', async (_title, data) => {
  const upstream = { find: async () => ({ kind: 'found', body: { status: 'success', data: data ?? null } }) as const };
  const shows = { phone: null, amount: 330, category: 'data_card', pins: [{ pin: '1234' }] };
  const room = openRoom([{ reference: 'V1', shows }], { priceLists: createPriceLists({ upstream, clock: systemClock }) });
  await room.lose('r-1', { operation: 'buy_recharge_cards', fields: { network: '9MOBILE', denomination: 200, quantity: 2 } });
  await room.lose('r-2', { operation: 'buy_data_cards', fields: { plan: 402, quantity: 1 } });
  expect(await room.look('r-1')).toEqual(UNKNOWN);
});

test.each([
  [600, 'succeeded'],
  [0, 'unknown'],
])(
  'a lost order of power whose receipt shows 600 naira more, where the price list has a charge of %i, which v1 may have changed since',
  async (charge, kind) => {
    const shows = { phone: '45021234567', amount: 1_600, category: 'electricity' };
    const discos = [{ disco_id: 1, disco_name: 'Ikeja Electric', charge: `${charge}.00` }];
    const room = openRoom([{ reference: 'V1', shows }], { priceLists: priceListsWith({ discos }) });
    const fields = { disco: 1, meter: '45021234567', meter_type: 'postpaid', amount: 100_000 };
    await room.lose('r-1', { operation: 'buy_electricity', fields });
    expect((await room.look('r-1', QUIET_MS))?.kind).toBe(kind);
  },
);

describe('an operation of the operator that buys the same as a shipped one', () => {
  const QUICK = `operations:
  buy_vtu:
    title: VTU
    kind: purchase
    categories: [vtu]
    routes: [POST /quick/vtu]
    fields:
      network: { from: [network], as: network, required: true }
      phone: { from: [phone], as: phone, required: true }
      amount: { from: [amount], as: naira, required: true }
    numbering_guard: { number: network, phone: phone }
    call: { to: POST /airtime, send: { network: $network, phone: $phone, amount: $amount | naira } }
    reply: { include: [purchase] }`;

  test('is found, and not told as not sent, though v1 names the order as the other service', async () => {
    const room = openRoom([V1_ROW], { mapping: mappingBeside(QUICK) });
    await room.lose('r-1', { operation: 'buy_vtu', fields: { phone: '08030000001', amount: 10_000, network: 'MTN' } });
    expect(await room.look('r-1', QUIET_MS)).toEqual(FOUND);
  });

  test('is found by the set that read it when it was removed since, and leaves the row of another sale to its order', async () => {
    const earlier = mappingBeside(QUICK);
    const room = openRoom([{ reference: 'V1' }, { reference: 'V2', phone: '08030000002' }], { setOf: () => earlier });
    const trail = { mapping: earlier.hash, reason: '', spellings: {} };
    const fields = { phone: '08030000001', amount: 10_000, network: 'MTN' };
    await room.lose('r-1', { operation: 'buy_vtu', fields, trail });
    await room.lose('r-2', { phone: '08030000002' });
    expect(await room.look('r-1')).toEqual(FOUND);
    expect(await room.outcomeOf('r-2')).toMatchObject({ kind: 'succeeded', reference: 'V2' });
  });

  const EXAM = `operations:
  buy_checker:
    title: Result checker
    kind: purchase
    categories: [exam]
    routes: [POST /quick/checker]
    fields: { exam: { from: [exam], as: exam, required: true } }
    call: { to: POST /exam_pin, send: { exam_name: $exam, quantity: 1 } }
    reply:
      include: [purchase]
      success: { pin: $order.pins | pin_serial, serial: $order.pins | serials }`;

  test('does not get the PINs of another order because it looks up no price', async () => {
    const pins = [{ pin: '1', serial: '2' }];
    const shows = { phone: '', amount: 1_300, category: 'exam', description: 'NECO', pins };
    const room = openRoom([{ reference: 'V1', shows }], { mapping: mappingBeside(EXAM) });
    await room.lose('r-1', { operation: 'buy_checker', fields: { exam: 'WAEC' } });
    expect((await room.look('r-1'))?.kind).toBe('unknown');
  });
});

test('a message is not found by its service where the row may be that of another one in doubt', async () => {
  const room = openRoom([SMS_ROW]);
  await room.lose('r-1', { ...SMS, outcome: IN_DOUBT });
  await room.lose('r-2', SMS);
  expect(await room.look('r-2')).toEqual(UNKNOWN);
});

test('an open order of a removed operation may be any row', async () => {
  const room = openRoom([V1_ROW]);
  await room.lose('r-0', { operation: 'buy_what_was', fields: {} });
  await room.lose('r-1');
  expect(await room.look('r-1')).toEqual(UNKNOWN);
});

test.each<[string, readonly Row[], number, unknown]>([
  ['takes the only row', [V1_ROW], 0, UNKNOWN],
  ['was declined yet where v1 declined the only row', [FAILED_ROW], MINUTE_MS, UNKNOWN],
  ['was charged where v1 declined the only row', [FAILED_ROW], QUIET_MS, ABSENT],
  ['is told as not sent where v1 declined one and sold the other', [{ reference: 'V2' }, FAILED_ROW], QUIET_MS, UNKNOWN],
])('of two lost orders that are alike neither %s', async (_title, rows, waitMs, outcome) => {
  const room = openRoom(rows);
  for (const id of ['r-1', 'r-2']) await room.lose(id);
  expect([await room.look('r-1', waitMs), await room.outcomeOf('r-2')]).toEqual([outcome, outcome]);
});

describe('of two lost orders of one sale, which two processes opened', () => {
  const sale: Lost = { contentHash: 'sale' };
  const later: Lost = { ...sale, afterMs: 5 };
  const [earlierId, laterId] = [generateRequestId(1), generateRequestId(2)] as const;

  test('the one opened first takes the only row once no attempt of either can be under way, and the other one was never sent', async () => {
    const room = openRoom([V1_ROW]);
    await room.lose(laterId, later);
    await room.lose(earlierId, sale);
    const outcomes = async () => [await room.outcomeOf(earlierId), await room.outcomeOf(laterId)];
    await room.look(earlierId, MINUTE_MS);
    expect(await outcomes()).toEqual([UNKNOWN, UNKNOWN]);
    await room.look(earlierId, QUIET_MS);
    expect(await outcomes()).toEqual([FOUND, UNKNOWN]);
    await room.look(laterId, MINUTE_MS);
    expect(await outcomes()).toEqual([FOUND, ABSENT]);
  });

  test.each([
    ['opened first', 0],
    ['opened later', 1],
  ])('the one %s takes it where a script has heard of that one alone that it is pending', async (_title, told) => {
    const room = openRoom([V1_ROW]);
    const ids = [earlierId, laterId];
    await room.lose(earlierId, sale);
    await room.lose(laterId, later);
    await room.journal.tell(CREDENTIALS.fingerprint, ids[told]!, TOLD_PENDING);
    await room.journal.tell(CREDENTIALS.fingerprint, ids[1 - told]!, NOT_TOLD);
    await room.look(earlierId, QUIET_MS);
    await room.look(laterId, MINUTE_MS);
    await room.look(earlierId, MINUTE_MS);
    expect([await room.outcomeOf(ids[told]!), await room.outcomeOf(ids[1 - told]!)]).toEqual([FOUND, ABSENT]);
  });

  test('neither takes it where scripts have heard of both that they are pending', async () => {
    const room = openRoom([V1_ROW]);
    for (const [id, lost] of [
      [earlierId, sale],
      [laterId, later],
    ] as const) {
      await room.lose(id, lost);
      await room.journal.tell(CREDENTIALS.fingerprint, id, TOLD_PENDING);
    }
    expect([await room.look(earlierId, QUIET_MS), await room.outcomeOf(laterId)]).toEqual([UNKNOWN, UNKNOWN]);
  });

  test.each<[string, string, Lost, Lost]>([
    ['has an id of its script in a field', 'r-1', { ...sale, echo: { ref: 'r-1' } }, later],
    ['has an id of its script in a header', 'r-1', sale, later],
    ['is of another content', earlierId, { ...sale, contentHash: 'another' }, later],
    ['was tried just now', earlierId, sale, { ...later, afterMs: QUIET_MS - 1_000 }],
  ])('neither takes it where one %s', async (_title, firstId, first, second) => {
    const room = openRoom([V1_ROW]);
    await room.lose(firstId, first);
    await room.lose(laterId, second);
    expect([await room.look(firstId, QUIET_MS), await room.outcomeOf(laterId)]).toEqual([UNKNOWN, UNKNOWN]);
  });
});

test('a lost order does not take the row of an order that is under way', async () => {
  const room = openRoom([V1_ROW]);
  await room.lose('r-1');
  await room.open('r-2');
  room.running.add('r-2');
  expect(await room.look('r-1')).toEqual(UNKNOWN);
});

test('a lost order does not take a row that was claimed while the history was read', async () => {
  const room = openRoom([V1_ROW], {
    onHistory: async (journal) => {
      // Claimed late enough to be missed by the first check of the row.
      for (let turn = 0; turn < 6; turn += 1) await Promise.resolve();
      await journal.settle(CREDENTIALS.fingerprint, 'r-2', { kind: 'succeeded', reference: 'V1' }, START);
    },
  });
  await room.lose('r-1');
  await room.open('r-2');
  room.running.add('r-2');
  expect(await room.look('r-1')).toEqual(UNKNOWN);
});

test.each<[string, readonly Row[], number]>([
  ['takes no row', [V1_ROW], 0],
  ['is not proven absent', [], QUIET_MS],
])('an order that is sent again while the history is read %s', async (_title, rows, waitMs) => {
  const room = openRoom(rows, { onHistory: async () => void room.running.add('r-1') });
  await room.lose('r-1');
  expect(await room.look('r-1', waitMs)).toEqual(UNKNOWN);
});

test('an order whose purchase is under way is not looked for', async () => {
  const room = openRoom([V1_ROW]);
  await room.lose('r-1');
  room.running.add('r-1');
  await room.reconcile();
  expect(room.upstream.asked).toEqual([]);
});

test('an order that is still pending has no outcome yet', async () => {
  const room = openRoom([{ reference: 'V1', shows: { status: 'pending', balance_after: 900 } }]);
  await room.leavePending('r-1', 'V1');
  expect(await room.reconciler.reconcile(CREDENTIALS, '192.0.2.7')).toMatchObject({ settled: 0 });
});

test('a lost order is found at once, however slowly v1 gives the pending ones', async () => {
  const slow = Array.from({ length: 20 }, (_, nth) => `P${nth}`);
  const shows = { status: 'pending', balance_after: 900 };
  const room = openRoom([{ reference: 'V1', phone: '08030000099' }, ...slow.map((reference) => ({ reference, shows }))]);
  const quick = { ...room.upstream };
  Object.assign(room.upstream, {
    async find(call: V1Call, context: CallContext) {
      if (slow.includes(call.query?.['reference'] ?? '')) await pause(room.clock, 8_000);
      return quick.find(call, context);
    },
  });
  for (const reference of slow) await room.leavePending(reference, reference);
  await room.lose('lost', { phone: '08030000099' });
  const looking = room.reconcile();
  for (let nth = 0; nth < 20; nth += 1) await room.clock.advance(50);
  expect(await room.outcomeOf('lost')).toEqual(FOUND);
  for (let nth = 0; nth < 5; nth += 1) await room.clock.advance(8_000);
  await looking;
});

test('of two lost sales of airtime for one number each is found by its amount', async () => {
  const room = openRoom([
    { reference: 'V200', shows: { amount: 200 } },
    { reference: 'V100', shows: { amount: 98 } },
  ]);
  const airtimeFor = (amount: number): JsonObject => ({ phone: '08030000001', amount, network: 'MTN', ported: true });
  await room.lose('r-100', { operation: 'buy_airtime', fields: airtimeFor(100_00) });
  await room.lose('r-200', { operation: 'buy_airtime', fields: airtimeFor(200_00) });
  expect(await room.look('r-100')).toMatchObject({ kind: 'succeeded', reference: 'V100' });
  expect(await room.outcomeOf('r-200')).toMatchObject({ kind: 'succeeded', reference: 'V200' });
});

describe('the clock', () => {
  const DAY_MS = 86_400_000;

  test('that is set forward proves nothing: the quiet time has passed only on the wall clock', async () => {
    const room = openRoom([]);
    await room.clock.advance(QUIET_MS);
    await room.lose('r-1');
    room.setWall(QUIET_MS + 60_000);
    expect(await room.look('r-1')).toEqual(UNKNOWN);
  });

  test('that is always a day ahead of v1 makes no order of v1 look too old', async () => {
    const room = openRoom([V1_ROW]);
    room.setWall(DAY_MS);
    await room.reconcile();
    await room.lose('r-1');
    expect(await room.look('r-1', QUIET_MS * 3)).toEqual(UNKNOWN);
    expect(room.troubles).toEqual([expect.stringContaining("clock is 1440 minutes ahead of v1's")]);
  });

  test('that is set right in the middle of a look proves nothing by what it showed before', async () => {
    let isSetRight = false;
    const room = openRoom([V1_ROW], { onHistory: async () => isSetRight && room.setWall(0) });
    room.setWall(4 * DAY_MS);
    await room.lose('r-1');
    await room.look('r-1');
    isSetRight = true;
    expect(await room.look('r-1', QUIET_MS)).toEqual(UNKNOWN);
  });

  test('that was a day ahead when the order was opened does not prevent its proof a day later', async () => {
    const room = openRoom([V1_ROW]);
    room.setWall(DAY_MS);
    await room.lose('r-1');
    room.setWall(0);
    for (let look = 0; look < 3; look += 1) {
      await room.reconcile();
      await room.clock.advance(DAY_MS / 2 + QUIET_MS);
    }
    expect(await room.outcomeOf('r-1')).toEqual(UNKNOWN);
  });

  test.each<[string, readonly Row[], JsonObject]>([
    [
      'that was days behind when it wrote the order down',
      [
        { reference: 'V3', atMs: START + 60_000, phone: '08030000009' },
        { reference: 'V2', atMs: START - 2 * DAY_MS },
        { reference: 'V1', atMs: START - 60_000, phone: '08030000009' },
      ],
      { kind: 'unknown' },
    ],
    [
      'that puts the end of an old order before newer ones',
      [
        { reference: 'V3', atMs: START + 60_000, phone: '08030000009' },
        { reference: 'V2', atMs: START - 2 * DAY_MS, phone: '08030000009' },
        { reference: 'V1' },
      ],
      { kind: 'succeeded', reference: 'V1' },
    ],
  ])('of a v1 %s does not end its history there', async (_title, rows, outcome) => {
    const room = openRoom(rows);
    await room.lose('r-1');
    expect(await room.look('r-1', QUIET_MS)).toMatchObject(outcome);
  });

  test.each([
    ['West Africa Time', 1],
    ['that of summer in Europe, which it should not be', 2],
  ])(
    "of v1 shows its zone (%s): a sale without the gateway an hour before the order is not the order's",
    async (_title, hours) => {
      const timeText = (ms: number): string =>
        new Date(START + ms + hours * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
      const room = openRoom([
        { reference: 'V2', timeText: timeText(-60_000), phone: '08030000009' },
        { reference: 'V1', timeText: timeText(-3_600_000) },
      ]);
      await room.lose('r-1');
      expect(await room.look('r-1')).toEqual(UNKNOWN);
    },
  );

  test('of v1, when it is an hour from ours, is reported, and nothing is concluded', async () => {
    const room = openRoom([], { serverErrorMs: 3_600_000 });
    await room.lose('r-1');
    expect(await room.look('r-1', QUIET_MS)).toEqual(UNKNOWN);
    expect(room.troubles).toEqual([expect.stringContaining("clock is 60 minutes behind v1's")]);
  });

  test('of a process that has just started proves nothing before the quiet time', async () => {
    const before = openRoom([]);
    const { order } = await before.open('r-1');
    const room = openRoom([]);
    await room.journal.open({ ...order, openedAtMs: START - 10 * QUIET_MS });
    expect(await room.look('r-1')).toBeUndefined();
    expect(await room.look('r-1', QUIET_MS)).toMatchObject({ kind: 'not_sent' });
  });
});

describe('with hundreds of open orders', () => {
  const phoneOf = (nth: number) => `0803${String(1_000_000 + nth)}`;
  const openMany = async (count: number, rows: readonly Row[], options: RoomOptions = {}) => {
    const room = openRoom(rows, options);
    for (let nth = 0; nth < count; nth += 1) await room.lose(`r-${nth}`, { phone: phoneOf(nth) });
    return room;
  };

  test('each look continues where the last one ended, so that none hides another', async () => {
    const rows = Array.from({ length: 250 }, (_, nth) => ({ reference: `V${nth}`, phone: phoneOf(nth) }));
    const room = await openMany(250, rows);
    for (let look = 0; look < 12; look += 1) await room.reconcile();
    expect(await room.journal.listUnsettled({ limit: 1_000 })).toEqual([]);
  });

  test('orders that cannot be settled do not keep a younger one from being found', async () => {
    // Two of each are alike, so they stay open for ever.
    const room = await openMany(0, [{ reference: 'V', phone: phoneOf(999) }]);
    for (let nth = 0; nth < 120; nth += 1) {
      for (const id of [`one-${nth}`, `two-${nth}`]) await room.lose(id, { phone: phoneOf(0) });
    }
    await room.clock.advance(1_000);
    await room.lose('young', { phone: phoneOf(999) });
    for (let look = 0; look < 3; look += 1) await room.reconcile();
    expect(await room.outcomeOf('young')).toMatchObject({ kind: 'succeeded', reference: 'V' });
  });

  describe('with more sales than a look reads', () => {
    type Young = 'not known here' | 'opened here' | 'opened here by a clock that was set since';
    const sellMany = async (everyMs: number, young: Young = 'not known here', missing = 0, options: RoomOptions = {}) => {
      const rows: Row[] = [{ reference: 'V', phone: phoneOf(0) }];
      const room = await openMany(0, rows, options);
      const openYoung = async (): Promise<void> => {
        await room.lose('young', { phone: phoneOf(9_999) });
        const opened = { requestId: 'young', atMs: room.clock.elapsed() };
        if (young !== 'not known here') room.reconciler.watch(CREDENTIALS, '192.0.2.7', opened);
      };
      // They are alike, so they stay open for ever.
      for (const id of ['old-1', 'old-2']) await room.lose(id, { phone: phoneOf(0) });
      if (young === 'opened here by a clock that was set since') {
        rows.unshift({ reference: 'Y', phone: phoneOf(9_999) });
        room.setWall(86_400_000);
        await openYoung();
        room.setWall(0);
      }
      for (let nth = 1; nth <= 3_050; nth += 1) {
        await room.clock.advance(everyMs);
        await room.sell(`sold-${nth}`, `S${nth}`, { phone: phoneOf(nth) });
        rows.unshift({ reference: `S${nth}`, atMs: room.clock.now() });
      }
      if (young !== 'opened here by a clock that was set since') await openYoung();
      rows.splice(0, missing);
      await room.clock.advance(QUIET_MS);
      // The first joins a look that was begun sooner.
      for (let look = 0; look < 2; look += 1) await room.reconcile();
      expect(await room.outcomeOf('old-1')).toEqual(UNKNOWN);
      return room.outcomeOf('young');
    };

    test('an old order that cannot be settled does not keep a younger one from being proven absent', async () => {
      expect(await sellMany(15 * 60_000)).toEqual(ABSENT);
    });

    test('an order that this process opened is proven absent however much its key sells in a day', async () => {
      expect(await sellMany(3_000, 'opened here')).toEqual(ABSENT);
    });

    test("unless v1 does not give its time: then nothing shows that this machine's clock is right", async () => {
      expect(await sellMany(3_000, 'opened here', 0, { serverErrorMs: 'not told' })).toEqual(UNKNOWN);
    });

    test('unless the history lacks the last sale: it comes from a replica that lags', async () => {
      expect(await sellMany(3_000, 'opened here', 2)).toEqual(UNKNOWN);
    });

    test('unless the clock was set since: v1 may have the order a day before', async () => {
      expect(await sellMany(28_500, 'opened here by a clock that was set since')).toEqual(UNKNOWN);
    });

    test('no order is proven absent where a look does not reach back to a day before it', async () => {
      expect(await sellMany(28_000)).toEqual(UNKNOWN);
    });
  });

  test('the order that a script asks for is looked at first', async () => {
    const room = await openMany(400, [{ reference: 'V', phone: phoneOf(399) }]);
    await room.reconcile(CREDENTIALS, 'r-399');
    expect(await room.outcomeOf('r-399')).toMatchObject({ kind: 'succeeded', reference: 'V' });
  });

  test('an order that a script asks for while others are looked at is looked at next', async () => {
    const room = await openMany(400, [{ reference: 'V', phone: phoneOf(399) }]);
    const looking = room.reconcile();
    await settlePromises();
    await room.reconcile(CREDENTIALS, 'r-399');
    await looking;
    expect(await room.outcomeOf('r-399')).toMatchObject({ kind: 'succeeded', reference: 'V' });
  });
});

test('an order that was left open is looked for without a waiting script, until a v1 that works again proves that it never was', async () => {
  let away: 'v1' | 'the journal' | undefined;
  const room = openRoom([], {
    isIll: () => away === 'v1',
    wrapJournal: (stored) => ({
      listUnsettled: (query) => (away === 'the journal' ? Promise.reject(new Error('the disk')) : stored.listUnsettled(query)),
    }),
  });
  await room.lose('r-1');
  room.reconciler.watch(CREDENTIALS, '192.0.2.7');
  for (away of ['v1', 'the journal'] as const) await room.clock.advance(10 * 60_000);
  expect(await room.outcomeOf('r-1')).toEqual(UNKNOWN);
  away = undefined;
  await room.clock.advance(10 * 60_000);
  expect(await room.outcomeOf('r-1')).toEqual(ABSENT);
  const looks = room.upstream.asked.length;
  await room.clock.advance(3_600_000);
  expect(room.upstream.asked).toHaveLength(looks);
});

test('an order that stays open is looked for less and less often, and given up when it has been pursued long enough', async () => {
  const room = openRoom([V1_ROW]);
  for (const id of ['r-1', 'r-2']) await room.lose(id);
  room.reconciler.watch(CREDENTIALS, '192.0.2.7');
  await room.clock.advance(7 * 3_600_000);
  const looks = room.upstream.asked.filter(({ call }) => call.path === '/transactions').map(({ atMs }) => atMs);
  expect(looks.length).toBeLessThan(60);
  expect(looks[0]! - START).toBeLessThanOrEqual(11_000);
  expect(looks.at(-1)! - START).toBeLessThanOrEqual(6.2 * 3_600_000);
});

test('looks without a result become less and less frequent, until there is a new open order', async () => {
  const room = openRoom([V1_ROW]);
  for (const id of ['r-1', 'r-2']) await room.lose(id);
  const looksWithin = async (ms: number): Promise<number> => {
    const before = room.upstream.asked.filter(({ call }) => call.path === '/transactions').length;
    for (let passed = 0; passed < ms; passed += 10_000) {
      room.reconciler.nudge(CREDENTIALS, '192.0.2.7');
      await room.clock.advance(10_000);
    }
    return room.upstream.asked.filter(({ call }) => call.path === '/transactions').length - before;
  };
  expect(await looksWithin(3_600_000)).toBeLessThan(15);
  room.reconciler.watch(CREDENTIALS, '192.0.2.7');
  expect(await looksWithin(120_000)).toBeGreaterThan(1);
  room.reconciler.stop();
});

test('an order that cannot be read may be any row of the history: nothing is proven, and receipts are read as before', async () => {
  const newer = new Error('a record of version 9');
  const wrapJournal = (stored: Journal): Partial<Journal> => ({
    async listUnsettled(options) {
      if (options.onUnreadable === undefined) throw newer;
      options.onUnreadable(newer);
      return stored.listUnsettled(options);
    },
  });
  const room = openRoom([{ reference: 'V1-known' }, { reference: 'V1-lost', phone: '08030000002' }], { wrapJournal });
  await room.leavePending('known', 'V1-known');
  await room.lose('lost', { phone: '08030000002' });
  await room.lose('absent', { phone: '08030000003' });
  expect(await room.look('known', 2 * QUIET_MS)).toMatchObject({ kind: 'succeeded', reference: 'V1-known' });
  expect(await room.outcomeOf('lost')).toEqual(UNKNOWN);
  expect(await room.outcomeOf('absent')).toEqual(UNKNOWN);
  expect(room.troubles).toContain('reconcile: a record of version 9');
});
