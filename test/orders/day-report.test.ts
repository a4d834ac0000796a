import { kobo } from '../../src/domain/amount';
import { pause } from '../../src/domain/clock';
import type { JsonObject } from '../../src/domain/json';
import type { Trail } from '../../src/domain/order';
import type { Outcome } from '../../src/domain/outcome';
import { createMemoryJournal } from '../../src/journal/memory-journal';
import type { Mapping } from '../../src/mapping/mapping';
import { chargedByV1, reportDay, type DayReport } from '../../src/orders/day-report';
import type { Finding, V1Call } from '../../src/upstream/upstream';
import { createVirtualClock } from '../domain/virtual-clock';
import { CREDENTIALS, createScriptedUpstream } from '../gateway/scripted-upstream';
import { newOrder } from '../journal/new-order';
import { shippedMapping } from '../mapping/mapping-set';

const mapping = shippedMapping();
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** A day in Lagos. */
const DAY = { fromMs: Date.UTC(2026, 10, 20, 23), untilMs: Date.UTC(2026, 10, 21, 23) };
const NOON_MS = Date.UTC(2026, 10, 21, 11);

interface BoughtOrder {
  readonly id: string;
  readonly outcome?: Outcome;
  readonly phone?: string;
  readonly atMs?: number;
  /** When the order was first opened and rejected. */
  readonly refusedAtMs?: number;
  /** The key of the order, where it differs from the key of the day. */
  readonly owner?: string;
  /** An operation of another name, which only the set that read the order has, unless fields are given. */
  readonly operation?: string;
  /** Those of airtime unless given. */
  readonly fields?: JsonObject;
}

interface Row {
  readonly reference: string;
  readonly status?: string;
  readonly phone?: string;
  readonly atMs?: number;
  readonly more?: JsonObject;
}

const trail: Trail = { mapping: 'before', reason: '', spellings: {} };
const setOf = (): Mapping => ({ ...mapping, operations: new Map([['sell_airtime', mapping.operations.get('buy_airtime')!]]) });
const sold = (reference: string): Outcome => ({ kind: 'succeeded', reference, delivery: { charged: kobo(9_800) } });
const found = (data: JsonObject): Finding => ({ kind: 'found', body: { status: 'success', data } });
const watText = (atMs: number): string => new Date(atMs + HOUR_MS).toISOString().slice(0, 19).replace('T', ' ');
const textOf = ({ result, differences }: DayReport): readonly string[] => [
  result,
  ...differences.map(({ kind, what, order, row, isSure }) =>
    [kind, what, order?.requestId, row?.reference, isSure ? undefined : 'alike'].filter((part) => part !== undefined).join(' '),
  ),
];

interface World {
  readonly orders?: readonly BoughtOrder[];
  /** Rows of v1's history, oldest first. Each charges 98 naira. The wallet begins with 1,000. */
  readonly rows?: readonly Row[];
  readonly utc?: true;
  /** v1 lists the rows of one second oldest first. */
  readonly isTurned?: true;
  /** By how much v1's clock is behind. */
  readonly behindMs?: number;
  readonly paidInLater?: number;
  readonly answer?: (call: V1Call, nth: number) => Finding | undefined;
  /** How long v1 takes for each answer. */
  readonly answersInMs?: number;
}

async function report({ orders = [], rows = [], utc, isTurned, behindMs = 0, paidInLater = 0, answer, answersInMs = 0 }: World) {
  const journal = createMemoryJournal();
  const clock = createVirtualClock();
  for (const order of orders) {
    const { id, outcome, phone = '08030000001', atMs = NOON_MS, refusedAtMs, owner = CREDENTIALS.fingerprint, operation } = order;
    const fields = order.fields ?? { phone, network: 'MTN', amount: 10_000 };
    const opened = newOrder({
      owner,
      requestId: id,
      contentHash: id,
      fields,
      openedAtMs: refusedAtMs ?? atMs,
      ...(operation && { operation, trail }),
    });
    await journal.open(opened);
    if (refusedAtMs !== undefined) {
      await journal.settle(owner, id, { kind: 'rejected', httpStatus: 400 }, refusedAtMs + 500);
      await journal.open({ ...opened, openedAtMs: atMs });
    }
    if (outcome !== undefined) await journal.settle(owner, id, outcome, atMs + 1_000);
  }
  let balance = 1_000;
  const listed = rows.map(({ reference, status = 'success', phone = '08030000001', atMs = NOON_MS + 500, more }) => {
    const before = balance;
    balance -= 98;
    const data: JsonObject = {
      ...{ reference, transaction_ref: reference, category: 'airtime', type: 'debit', amount: 100, status, phone },
      ...{
        balance_before: before,
        balance_after: balance,
        created_at: watText((utc ? atMs - HOUR_MS : atMs) - behindMs),
        ...more,
      },
    };
    if (status === 'failed') balance = before;
    return data;
  });
  const timeOf = (row: JsonObject) => row['created_at'] as string;
  const byTime = (one: JsonObject, other: JsonObject): number => timeOf(other).localeCompare(timeOf(one));
  const newestFirst = (isTurned ? [...listed] : [...listed].reverse()).sort(byTime);
  const upstream = createScriptedUpstream(clock, [], async (call, nth): Promise<Finding> => {
    if (answersInMs > 0) await pause(clock, answersInMs);
    const special = answer?.(call, nth);
    if (special !== undefined) return special;
    if (call.path === '/balance') return found({ wallet_balance: balance + paidInLater });
    if (call.path === '/receipt') {
      const receipt = listed.find(({ reference }) => reference === call.query!['reference']);
      return receipt === undefined ? { kind: 'refused', httpStatus: 404, body: {} } : found(receipt);
    }
    const [page, size] = [Number(call.query!['page']), Number(call.query!['per_page'])];
    const transactions = newestFirst
      .slice((page - 1) * size, page * size)
      .map(({ transaction_ref: ref, category, amount, status, created_at: at }) => ({
        ...{ transaction_ref: ref!, category: category!, amount: `${amount as number}.00`, status: status!, created_at: at! },
      }));
    const list = { transactions, total: listed.length, page, per_page: size, total_pages: Math.ceil(listed.length / size) };
    return { kind: 'found', body: { status: 'success', data: list }, serverAtMs: clock.now() - behindMs };
  });
  const context = { credentials: CREDENTIALS, clientAddress: '127.0.0.1', timeoutMs: 10_000 };
  const made = reportDay(DAY, { journal, upstream, context, mapping, setOf, clock });
  let isMade = false;
  void made.finally(() => (isMade = true));
  while (!isMade) await clock.advance(MINUTE_MS);
  return { ...(await made), asked: upstream.asked };
}

test('the report of a day without differences has equal sums in journal and v1, and explains the wallet', async () => {
  const clean = await report({
    orders: [
      { id: 'a', outcome: sold('V1') },
      { id: 'b', outcome: { kind: 'declined', reference: 'V2' } },
      { id: 'c', outcome: { kind: 'rejected', httpStatus: 400 } },
    ],
    rows: [{ reference: 'V1' }, { reference: 'V2', status: 'failed' }],
  });
  expect(textOf(clean)).toEqual(['agree']);
  expect(clean).toMatchObject({
    orders: 3,
    journal: { count: 1, charged: 9_800, unpriced: 0 },
    v1: { count: 1, charged: 9_800, unpriced: 0 },
    refunds: 1,
    wallet: { opening: 100_000, charged: 9_800, moneyIn: 0, other: 0, closing: 90_200 },
    unread: [],
  });
});

test('an order that the script was told failed while v1 charged is the first difference of the report', async () => {
  const { differences, ...rest } = await report({
    orders: [
      { id: 'open', atMs: NOON_MS - HOUR_MS },
      { id: 'late', outcome: { kind: 'declined', reference: 'V1' }, atMs: NOON_MS },
    ],
    rows: [{ reference: 'V0', atMs: NOON_MS - 5 * HOUR_MS, phone: '08035550000' }, { reference: 'V1' }],
  });
  expect(textOf({ differences, ...rest })).toEqual([
    'differences',
    'charged_told_failed late V1',
    'not_in_journal V0',
    'open open',
  ]);
});

test('an order that was rejected first and sold on a later day belongs to the report of the later day', async () => {
  const refusedAtMs = NOON_MS - 24 * HOUR_MS;
  const sale: BoughtOrder = { id: 'a', outcome: sold('V1'), refusedAtMs };
  const row: Row = { reference: 'V1' };
  const clean = await report({ orders: [sale], rows: [row] });
  expect(textOf(clean)).toEqual(['agree']);
  expect(clean).toMatchObject({ orders: 1, journal: { charged: 9_800 }, v1: { charged: 9_800 } });
  // The later day also reports the order if v1 does not have it, if it is open, or if it failed again while a row charges it.
  expect(textOf(await report({ orders: [sale] }))).toEqual(['differences', 'sold_not_at_v1 a']);
  expect(textOf(await report({ orders: [{ id: 'b', refusedAtMs }] }))).toEqual(['differences', 'open b']);
  const failed: BoughtOrder = { id: 'c', outcome: { kind: 'rejected', httpStatus: 400 }, refusedAtMs };
  expect(textOf(await report({ orders: [failed], rows: [row] }))).toEqual(['differences', 'charged_told_failed c V1 alike']);
  // The report of the first day does not count the order.
  expect(await report({ orders: [{ ...sale, refusedAtMs: NOON_MS, atMs: NOON_MS + 24 * HOUR_MS }] })).toMatchObject({
    orders: 0,
  });
});

test.each<[string, Outcome]>([
  ['refused', { kind: 'rejected', httpStatus: 400 }],
  ['never sent', { kind: 'not_sent', reason: 'ECONNREFUSED' }],
  ['proven absent', { kind: 'not_sent', reason: 'v1 does not have this order', isProven: true }],
])(
  'an order told as %s is recognised in a charged row of v1 by number, amount, service and time, without a reference',
  async (_, outcome) => {
    const orders = [{ id: 'a', outcome }];
    expect(textOf(await report({ orders, rows: [{ reference: 'V1' }] }))).toEqual([
      'differences',
      'charged_told_failed a V1 alike',
    ]);
    const others = [
      { reference: 'V1', phone: '08035550000' },
      { reference: 'V2', atMs: NOON_MS + 3 * HOUR_MS },
      { reference: 'V3', more: { amount: 5_000 } },
    ];
    const strange = await report({ orders, rows: others.sort((one, other) => (one.atMs ?? 0) - (other.atMs ?? 0)) });
    expect(strange.differences.map(({ kind }) => kind)).toEqual(['not_in_journal', 'not_in_journal', 'not_in_journal']);
  },
);

test('it is recognised there also where the times of v1 are in UTC and its clock is minutes behind', async () => {
  const orders = [{ id: 'a', outcome: { kind: 'rejected', httpStatus: 400 } as const }];
  const made = await report({ orders, rows: [{ reference: 'V1' }], utc: true, behindMs: 5 * MINUTE_MS });
  expect(textOf(made)).toEqual(['differences', 'charged_told_failed a V1 alike']);
});

describe('a sale of another key of the same v1 account', () => {
  const OTHER = 'a'.repeat(32);
  const absent: Outcome = { kind: 'not_sent', reason: 'v1 does not have this order', isProven: true };

  test('is no difference, and its row is not taken for the charge of a similar order of this key', async () => {
    const orders = [
      { id: 'a', outcome: absent },
      { id: 'b', outcome: sold('V1'), owner: OTHER },
      { id: 'c', outcome: sold('V2') },
    ];
    const made = await report({ orders, rows: [{ reference: 'V1' }, { reference: 'V2', phone: '08030000001' }] });
    expect(textOf(made)).toEqual(['agree']);
    expect(made).toMatchObject({
      orders: 2,
      journal: { count: 1, charged: 9_800 },
      v1: { count: 1, charged: 9_800 },
      otherKeys: { count: 1, charged: 9_800 },
      wallet: { charged: 19_600, other: 0 },
    });
  });

  test('is a difference where the journal has that order as failed, because the other key may have no report of its own', async () => {
    const orders = [{ id: 'b', outcome: { kind: 'declined', reference: 'V1' } as const, owner: OTHER }];
    expect(textOf(await report({ orders, rows: [{ reference: 'V1' }] }))).toEqual(['differences', 'charged_told_failed b V1']);
  });

  test('is reported as not in the journal where the order with its reference sold to another number', async () => {
    const orders = [{ id: 'b', outcome: sold('V1'), owner: OTHER, phone: '08035550000' }];
    expect(textOf(await report({ orders, rows: [{ reference: 'V1' }] }))).toEqual(['differences', 'not_in_journal V1']);
  });
});

test('a row of v1 with a request id is compared with the order of that request id before orders that only look alike', async () => {
  const rejected: Outcome = { kind: 'rejected', httpStatus: 400 };
  const orders = ['a', 'b'].map((id, nth) => ({ id, outcome: rejected, atMs: NOON_MS + nth * MINUTE_MS }));
  const rows = [{ reference: 'V1', more: { request_id: 'b' } }];
  expect(textOf(await report({ orders, rows }))).toEqual(['differences', 'charged_told_failed b V1']);
});

test('the report lists sold orders that v1 does not have, has refunded or has not finished', async () => {
  const orders = ['V1', 'V2', 'V3'].map((reference) => ({ id: reference.toLowerCase(), outcome: sold(reference) }));
  const rows = [
    { reference: 'V2', status: 'failed' },
    { reference: 'V3', status: 'processing' },
  ];
  expect(textOf(await report({ orders, rows }))).toEqual([
    'differences',
    'sold_not_at_v1 v1',
    'sold_not_at_v1 v2 V2',
    'open v3 V3',
  ]);
});

test('an order that v1 shows as given back is no charge, and a difference only where its script was told of a success', async () => {
  const refund = { type: 'credit', category: 'refund', balance_before: 902, balance_after: 1_000 };
  for (const more of [refund, { refunded: true }]) {
    const rows = [{ reference: 'V1', more }];
    const failed = await report({ orders: [{ id: 'a', outcome: { kind: 'declined', reference: 'V1' } }], rows });
    expect(textOf(failed)).toEqual(['agree']);
    expect(failed).toMatchObject({ v1: { count: 0 }, refunds: 1 });
    const told = await report({ orders: [{ id: 'a', outcome: sold('V1') }], rows });
    expect(textOf(told)).toEqual(['differences', 'sold_not_at_v1 a V1']);
  }
});

test('the report lists a charge, price or number that differs between the journal and v1 under one reference', async () => {
  const orders = ['V1', 'V2', 'V3'].map((reference) => ({ id: reference.toLowerCase(), outcome: sold(reference) }));
  const rows = [
    { reference: 'V1', more: { balance_before: 1_000, balance_after: 900 } },
    { reference: 'V2', more: { amount: 500 } },
    { reference: 'V3', phone: '08035550000' },
  ];
  expect(textOf(await report({ orders, rows }))).toEqual([
    'differences',
    'differs charge v1 V1',
    'differs price v2 V2',
    'differs number v3 V3',
  ]);
});

test('the service charge on power makes no difference in price, however high it is, and a sum below the amount does', async () => {
  const fields = { disco: 1, meter: '45021234567', meter_type: 'prepaid', amount: 100_000 };
  const orders = ['V1', 'V2'].map((reference) => ({
    ...{ id: reference.toLowerCase(), operation: 'buy_electricity', fields },
    outcome: { kind: 'succeeded', reference } as const,
  }));
  const rows = [1_300, 500].map((amount, nth) => ({ reference: `V${nth + 1}`, phone: '45021234567', more: { amount } }));
  expect(textOf(await report({ orders, rows }))).toEqual(['differences', 'differs price v2 V2']);
});

test.each<['WAT' | 'UTC', { readonly utc?: true }]>([
  ['WAT', {}],
  ['UTC', { utc: true }],
])('orders around midnight belong to the day of their time in the journal, with the times of v1 in %s', async (_, zone) => {
  const [first, last] = [DAY.fromMs + 1_000, DAY.untilMs - 1_000];
  const orders = [
    { id: 'before', outcome: sold('V0'), atMs: DAY.fromMs - 1_000 },
    { id: 'first', outcome: sold('V1'), atMs: first },
    { id: 'last', outcome: sold('V2'), atMs: last },
    { id: 'after', outcome: sold('V3'), atMs: DAY.untilMs + 1_000 },
  ];
  const rows = orders.map(({ atMs }, nth) => ({ reference: `V${nth}`, atMs }));
  // A sale by another program with the same key, two hours after the end of the day.
  const later = { reference: 'V4', atMs: DAY.untilMs + 2 * HOUR_MS };
  const made = await report({ orders, rows: [...rows, later], ...zone });
  expect(textOf(made)).toEqual(['agree']);
  expect(made).toMatchObject({ orders: 2, wallet: { opening: 90_200, charged: 19_600, other: 0, closing: 70_600 } });
});

test("where v1's times are of a zone that is not known, the report is incomplete and tells no movement of the wallet", async () => {
  const orders = ['V1', 'V2'].map((reference) => ({ id: reference.toLowerCase(), outcome: sold(reference) }));
  const rows = ['V1', 'V2'].map((reference) => ({ reference, atMs: NOON_MS - 6 * HOUR_MS }));
  const made = await report({ orders, rows });
  expect(made).toMatchObject({
    result: 'incomplete',
    differences: [],
    unread: [expect.stringMatching(/^The zone of v1's times/)],
  });
  expect(made.wallet).toBeUndefined();
  // So it is where v1 shows none of them in the hours of the day.
  const early = ['V1', 'V2'].map((reference) => ({ reference, atMs: DAY.fromMs - 3 * HOUR_MS }));
  expect((await report({ orders, rows: early })).unread).toEqual(made.unread);
  // One row of another hour may be of an order that was sold before it came here.
  const mixed = await report({
    orders: [...orders, { id: 'v3', outcome: sold('V3') }],
    rows: [rows[0]!, { reference: 'V2' }, { reference: 'V3' }],
  });
  expect(textOf(mixed)).toEqual(['agree']);
});

test('the movement of the wallet is right where v1 lists the rows of one second in any order', async () => {
  const times = [DAY.fromMs, DAY.fromMs, NOON_MS, DAY.untilMs, DAY.untilMs, DAY.untilMs + HOUR_MS, DAY.untilMs + HOUR_MS];
  const orders = times.map((atMs, nth) => ({ id: `r${nth}`, outcome: sold(`V${nth}`), atMs }));
  const rows = times.map((atMs, nth) => ({ reference: `V${nth}`, atMs }));
  const wallet = { opening: 100_000, charged: 29_400, moneyIn: 0, other: 0, closing: 70_600 };
  expect((await report({ orders, rows, isTurned: true })).wallet).toEqual(wallet);
  // Without the sales of midnight the next ones are an hour later.
  const later = await report({ orders, rows: rows.filter((_, nth) => nth !== 3 && nth !== 4), isTurned: true });
  expect(later.wallet).toEqual(wallet);
  // A charge and its refund in the second with which the day begins: either may have been first.
  const refund: Row = { reference: 'V1', atMs: DAY.fromMs, more: { type: 'refund', balance_before: 902, balance_after: 1_000 } };
  expect((await report({ orders, rows: [rows[0]!, refund] })).wallet).toBeUndefined();
});

test('a number that differs is reported of an order whose operation has another name by now', async () => {
  const orders = [{ id: 'a', operation: 'sell_airtime', outcome: sold('V1') }];
  const { differences } = await report({ orders, rows: [{ reference: 'V1', phone: '08099999999' }] });
  expect(differences).toMatchObject([{ kind: 'differs', what: 'number' }]);
});

test('a funding of the wallet is shown as money in and is no difference', async () => {
  const orders = [{ id: 'a', outcome: sold('V2') }];
  const funding = { reference: 'V1', more: { type: 'credit', category: 'funding', balance_before: 500, balance_after: 902 } };
  const made = await report({ orders, rows: [funding, { reference: 'V2' }], paidInLater: 70 });
  expect(textOf(made)).toEqual(['agree']);
  expect(made.wallet).toEqual({ opening: 50_000, charged: 9_800, moneyIn: 40_200, other: 7_000, closing: 87_400 });
});

test('so is one of which v1 has no receipt, by the category in the list', async () => {
  const rows = [{ reference: 'V1', more: { category: 'wallet_funding' } }, { reference: 'V2' }];
  const none: Finding = { kind: 'refused', httpStatus: 404, body: {} };
  const answer = ({ query }: V1Call) => (query?.['reference'] === 'V1' ? none : undefined);
  const made = await report({ orders: [{ id: 'a', outcome: sold('V2') }], rows, answer });
  expect(textOf(made)).toEqual(['agree']);
  expect(made).toMatchObject({ unread: [], v1: { count: 1 } });
});

test('a sale that v1 gave back shows no price: its balances are around other sales as well', async () => {
  const orders = [
    { id: 'late', outcome: sold('V1'), atMs: NOON_MS - MINUTE_MS },
    { id: 'between', outcome: sold('V2') },
  ];
  const late = { status: 'failed', atMs: NOON_MS - MINUTE_MS, more: { balance_before: 1_000, balance_after: 902 } };
  const made = await report({ orders, rows: [{ reference: 'V1', ...late }, { reference: 'V2' }] });
  expect(textOf(made)).toEqual(['differences', 'sold_not_at_v1 late V1']);
  expect(chargedByV1(made.differences[0]!.row!)).toBeUndefined();
  expect(made).toMatchObject({ v1: { count: 1, charged: 9_800 }, refunds: 1, wallet: { charged: 9_800, other: 0 } });
});

test('a refund that v1 lists as a row of its own gives back the charge of its sale, and is no loss', async () => {
  const orders = [{ id: 'a', outcome: { kind: 'declined', reference: 'V1' } as const }];
  const refund = (more: JsonObject = {}): Row => ({
    reference: 'V2',
    atMs: NOON_MS + MINUTE_MS,
    more: { type: 'refund', balance_before: 902, balance_after: 1_000, ...more },
  });
  const sale = { reference: 'V1', status: 'failed' };
  const made = await report({ orders, rows: [sale, refund()], paidInLater: 98 });
  expect(textOf(made)).toEqual(['agree']);
  expect(made.wallet).toEqual({ opening: 100_000, charged: 9_800, moneyIn: 9_800, other: 0, closing: 100_000 });
  // Of two such sales, v1 has refunded the first one without a row.
  const two = await report({ orders, rows: [{ ...sale, reference: 'V0' }, sale, refund()], paidInLater: 98 });
  expect(two.wallet).toEqual({ opening: 100_000, charged: 9_800, moneyIn: 9_800, other: 0, closing: 100_000 });
  // Money of another amount is not the refund of this sale.
  const funded = await report({
    orders,
    rows: [sale, refund({ balance_before: 1_000, balance_after: 1_500 })],
    paidInLater: 598,
  });
  expect(funded.wallet).toEqual({ opening: 100_000, charged: 0, moneyIn: 50_000, other: 0, closing: 150_000 });
});

test('after a 429 of v1 the report waits as long as Retry-After says and then goes on', async () => {
  const limit: Finding = { kind: 'refused', httpStatus: 429, retryAfterSeconds: 90, body: {} };
  const made = await report({
    orders: [{ id: 'a', outcome: sold('V1') }],
    rows: [{ reference: 'V1' }],
    answer: (_, nth) => (nth === 1 ? limit : undefined),
  });
  expect(textOf(made)).toEqual(['agree']);
  expect(made.asked[1]!.atMs - made.asked[0]!.atMs).toBeGreaterThanOrEqual(90_000);
});

test('a report that has run for longer than it would wait for v1 still asks again after a missing answer', async () => {
  const orders = Array.from({ length: 40 }, (_, nth) => ({ id: `r${nth}`, outcome: sold(`V${nth}`) }));
  let isFirst = true;
  const made = await report({
    orders,
    rows: orders.map((_, nth) => ({ reference: `V${nth}` })),
    answersInMs: 2 * MINUTE_MS,
    answer({ path }) {
      if (path !== '/balance' || !isFirst) return undefined;
      isFirst = false;
      return { kind: 'unavailable', reason: 'reset' };
    },
  });
  expect(made.asked.at(-1)!.atMs - made.asked[0]!.atMs).toBeGreaterThan(20 * MINUTE_MS);
  expect(textOf(made)).toEqual(['agree']);
});

const FIVE_MINUTES: Finding = { kind: 'refused', httpStatus: 429, retryAfterSeconds: 300, body: {} };
const DAY_LONG: Finding = { kind: 'refused', httpStatus: 429, retryAfterSeconds: 86_400, body: {} };
test.each<[string, Finding, (call: V1Call) => boolean, RegExp]>([
  [
    'the first page',
    { kind: 'unavailable', reason: 'silence' },
    ({ path }) => path === '/transactions',
    /no usable answer \(silence\)/,
  ],
  ['the second page', DAY_LONG, ({ query }) => query?.['page'] === '2', /too many requests/],
  ['any question in time', FIVE_MINUTES, () => true, /too many requests/],
  ['a key that v1 refuses', { kind: 'refused', httpStatus: 401, body: {} }, () => true, /refuses this key \(HTTP 401\)/],
  [
    'a receipt',
    { kind: 'refused', httpStatus: 500, body: {} },
    ({ query }) => query?.['reference'] === 'V3',
    /Receipts of v1 \(1\)/,
  ],
  ['the wallet', { kind: 'unavailable', reason: 'reset' }, ({ path }) => path === '/balance', /The wallet: no usable answer/],
])(
  'the report is incomplete, not free of differences, when v1 gives no usable answer for %s',
  async (_, finding, isMeant, words) => {
    const orders = Array.from({ length: 60 }, (__, nth) => ({ id: `r${nth}`, outcome: sold(`V${nth}`) }));
    const rows = orders.map((___, nth) => ({ reference: `V${nth}` }));
    const { result, unread, differences, asked } = await report({
      orders,
      rows,
      answer: (call) => (isMeant(call) ? finding : undefined),
    });
    expect(result).toBe('incomplete');
    expect(unread.join(' ')).toMatch(words);
    // An order that could not be read is not reported absent, and v1 is not asked for ever.
    expect(differences).toEqual([]);
    expect(asked.length).toBeLessThan(140);
  },
);

test('an unknown status in the history of v1 makes the report incomplete', async () => {
  const made = await report({ orders: [{ id: 'a', outcome: sold('V1') }], rows: [{ reference: 'V1', status: 'on hold' }] });
  expect([made.result, made.unread]).toEqual(['incomplete', ['The status that v1 gives V1 is unknown here.']]);
});
