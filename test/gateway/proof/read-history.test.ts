import type { JsonObject } from '../../../src/domain/json';
import { createHistoryReader, parseTimes, type HistoryQuestion } from '../../../src/gateway/proof/read-history';
import { createMemoryJournal } from '../../../src/journal/memory-journal';
import type { Finding } from '../../../src/upstream/upstream';
import { createVirtualClock } from '../../domain/virtual-clock';
import { newOrder } from '../../journal/new-order';
import { withSmallTables } from '../../simulation/engine/small-tables';
import { CREDENTIALS, createScriptedUpstream } from '../scripted-upstream';

const NOW = Date.UTC(2026, 5, 1, 9);
const CONTEXT = { credentials: CREDENTIALS, clientAddress: '192.0.2.7', timeoutMs: 1_000 };
const ALL: HistoryQuestion = { sinceMs: 0, offsetMs: 0, mayBeLost: () => true, isTimely: () => true, arePinsSought: false };

const timeText = (atMs: number) => new Date(atMs).toISOString().slice(0, 19).replace('T', ' ');

/** A v1 with this many rows, one a minute, newest first; `receiptOf` gives each receipt. */
function openReader(count: number, receiptOf: (reference: string) => Finding = receipt) {
  const journal = createMemoryJournal();
  const rows = Array.from({ length: count }, (_, index) => ({
    transaction_ref: `V${index}`,
    status: 'success',
    created_at: timeText(NOW - index * 60_000),
  }));
  const upstream = createScriptedUpstream(createVirtualClock(), [], ({ path, query = {} }): Finding => {
    if (path === '/receipt') return receiptOf(query['reference']!);
    const from = (Number(query['page']) - 1) * Number(query['per_page']);
    const transactions = rows.slice(from, from + Number(query['per_page']));
    return { kind: 'found', body: { status: 'success', data: { transactions } }, serverAtMs: NOW };
  });
  const reader = createHistoryReader({ journal, upstream, clock: createVirtualClock() });
  const receiptsAsked = () => upstream.asked.flatMap(({ call }) => (call.path === '/receipt' ? [call.query!['reference']!] : []));
  return { journal, upstream, reader, rows, receiptsAsked };
}

function receipt(reference: string, more: JsonObject = {}): Finding {
  const data = { reference, phone: '08030000001', amount: 100, category: 'airtime', token: '1234', pins: [], ...more };
  return { kind: 'found', body: { status: 'success', data } };
}

test('the history has everything since the wanted time, and nothing older', async () => {
  const { reader } = openReader(120);
  const history = await reader.read({ ...ALL, sinceMs: NOW - 69.5 * 60_000 }, CONTEXT);
  expect(history).toMatchObject({ wholeSinceMs: NOW - 69.5 * 60_000, serverAtMs: NOW });
  expect(history!.unclaimed).toHaveLength(70);
});

test('rows that an order has claimed are skipped, and so are rows that cannot be any order looked for', async () => {
  const { reader, journal, receiptsAsked } = openReader(3);
  await journal.open(newOrder({ owner: CREDENTIALS.fingerprint }));
  await journal.settle(CREDENTIALS.fingerprint, 'r1', { kind: 'succeeded', reference: 'V1' }, NOW);
  const question = { ...ALL, mayBeLost: (row: JsonObject) => (row['data'] as JsonObject)['transaction_ref'] !== 'V2' };
  expect((await reader.read(question, CONTEXT))!.unclaimed.map(({ reference }) => reference)).toEqual(['V0']);
  expect(receiptsAsked()).toEqual(['V0']);
});

test('a look asks for a hundred receipts, the timely ones first, and the next look continues there', async () => {
  const { reader, receiptsAsked } = openReader(250);
  const question: HistoryQuestion = { ...ALL, isTimely: ({ reference }) => Number(reference.slice(1)) >= 200 };
  const unread: number[] = [];
  for (let look = 0; look < 4; look += 1) {
    const history = (await reader.read(question, CONTEXT))!;
    unread.push(history.unclaimed.filter((row) => row.receipt === undefined).length);
    expect(history.hasLearnt).toBe(look < 3);
  }
  expect(unread).toEqual([150, 50, 0, 0]);
  expect(receiptsAsked()).toHaveLength(250);
  expect(receiptsAsked()[0]).toBe('V200');
});

test('a row is timely by our clock, where that of v1 is five minutes behind', async () => {
  const { reader, receiptsAsked } = openReader(101);
  const behindMs = 5 * 60_000;
  const offsetMs = NOW + behindMs - createVirtualClock().elapsed();
  await reader.read({ ...ALL, offsetMs, isTimely: ({ timesMs }) => timesMs.includes(NOW) }, CONTEXT);
  expect(receiptsAsked()[0]).toBe('V5');
});

test('the receipts of one look count in it, also where the memory of receipts is full', async () => {
  const { reader } = openReader(6);
  const history = await withSmallTables(10_000, () => reader.read(ALL, CONTEXT));
  expect(history!.unclaimed.filter((row) => row.receipt === undefined)).toEqual([]);
});

test.each<[string, JsonObject, JsonObject]>([
  ['goods and status are not kept', {}, {}],
  ['of PINs only that there are some is kept', { pins: [{ pin: '1', serial: '2' }] }, { pins: [null] }],
])('%s', async (_title, more, kept) => {
  const { reader } = openReader(1, (reference) => receipt(reference, more));
  const history = await reader.read(ALL, CONTEXT);
  expect(history!.unclaimed[0]!.receipt).toEqual({
    data: { reference: 'V0', phone: '08030000001', amount: 100, category: 'airtime', type: null, ...kept },
  });
});

test('the receipt of an order that was pending is read again when its row shows the end', async () => {
  let shown: JsonObject = { status: 'pending' };
  const { reader, rows, receiptsAsked } = openReader(1, (reference) => receipt(reference, shown));
  rows[0]!.status = 'pending';
  for (let look = 0; look < 2; look += 1) await reader.read(ALL, CONTEXT);
  expect(receiptsAsked()).toEqual(['V0']);
  [rows[0]!.status, shown] = ['success', { status: 'success', pins: [] }];
  for (let look = 0; look < 2; look += 1)
    expect((await reader.read(ALL, CONTEXT))!.unclaimed[0]!.receipt).toMatchObject({ data: shown });
  expect(receiptsAsked()).toEqual(['V0', 'V0']);
});

test.each<[string, Finding]>([
  ['of another order', receipt('V9')],
  ['that v1 does not give', { kind: 'unavailable', reason: 'HTTP 502' }],
])('a receipt %s is not kept, and is asked for again', async (_title, finding) => {
  const { reader, receiptsAsked } = openReader(1, () => finding);
  for (let look = 0; look < 2; look += 1) {
    const history = await reader.read(ALL, CONTEXT);
    expect(history).toMatchObject({ hasLearnt: false, unclaimed: [{ reference: 'V0', receipt: undefined }] });
  }
  expect(receiptsAsked()).toEqual(['V0', 'V0']);
});

test('the receipts of one key are not those of another', async () => {
  const { reader, receiptsAsked } = openReader(1);
  await reader.read(ALL, CONTEXT);
  await reader.read(ALL, { ...CONTEXT, credentials: { ...CREDENTIALS, fingerprint: 'f'.repeat(32) } });
  expect(receiptsAsked()).toEqual(['V0', 'V0']);
});

describe('a history is not whole', () => {
  const row = (index: number) => ({ transaction_ref: `V${index}`, created_at: timeText(NOW - index * 60_000) });
  const rows = (from: number, until: number) => Array.from({ length: until - from }, (_, index) => row(from + index));
  /** A v1 whose list of a page comes from `list`. */
  const read = (list: (page: number) => JsonObject, sinceMs = 0) => {
    const upstream = createScriptedUpstream(createVirtualClock(), [], ({ query = {} }): Finding => {
      return { kind: 'found', body: { status: 'success', data: list(Number(query['page'])) } };
    });
    const reader = createHistoryReader({ journal: createMemoryJournal(), upstream, clock: createVirtualClock() });
    return reader.read({ ...ALL, sinceMs, mayBeLost: () => false }, CONTEXT);
  };

  test.each<[string, number, (page: number) => JsonObject]>([
    [
      'that is given twenty rows a page, whatever was asked',
      0,
      (page) => ({ transactions: page === 1 ? rows(0, 20) : [], page, total_pages: 4 }),
    ],
    ['whose first page comes again and again', 0, () => ({ transactions: rows(0, 20), page: 1, total_pages: 4 })],
    ['that breaks off before its last page', 0, (page) => ({ transactions: page < 3 ? rows(0, 50) : [], page, total_pages: 4 })],
    [
      'that becomes shorter while it is read',
      0,
      (page) => ({ transactions: rows(50 * page, 50 * page + 50), page, total_pages: 3, total: 150 - page }),
    ],
    ['that is oldest first', NOW - 10 * 60_000, (page) => ({ transactions: rows(0, 50).reverse(), page, total_pages: 1 })],
    [
      'whose rows of one second change their places between two pages',
      0,
      (page) => ({ transactions: page === 1 ? rows(0, 50) : [row(49), ...rows(51, 60)], page, total_pages: 2, total: 60 }),
    ],
  ])('%s', async (_title, sinceMs, list) => {
    expect(await read(list, sinceMs)).toMatchObject({ wholeSinceMs: Infinity });
  });

  test.each<[string, (page: number) => JsonObject]>([
    [
      'v1 counts its pages and all were read',
      (page) => ({ transactions: rows(20 * page, 20 * page + 20), page, total_pages: 4 }),
    ],
    ['v1 counts none and a page is empty', (page) => ({ transactions: page < 4 ? rows(20 * page, 20 * page + 20) : [] })],
    ['there is nothing', (page) => ({ transactions: [], page, total_pages: 0 })],
    [
      'a new order moves a row to the next page',
      (page) => ({ transactions: page === 1 ? rows(0, 50) : rows(49, 60), page, total_pages: 2, total: 60 + page }),
    ],
    [
      'a refund has the row number of its order',
      (page) => ({
        transactions: rows(0, 20).map((one, nth) => ({ ...one, id: nth >> 1 })),
        page,
        total_pages: 1,
        total: 20,
      }),
    ],
  ])('unless %s', async (_title, list) => {
    expect(await read(list)).toMatchObject({ wholeSinceMs: -Infinity });
  });
});

test('a row with the time of a wrong clock ends no reading, wherever on its page it stands', async () => {
  for (const place of [0, 1, 50, 99]) {
    const row = (index: number) => ({ transaction_ref: `V${index}`, created_at: timeText(NOW - index * 60_000) });
    const listed = Array.from({ length: 200 }, (_, index) =>
      index === place ? { transaction_ref: 'odd', created_at: '2000-01-01 00:00:00' } : row(index),
    );
    const upstream = createScriptedUpstream(createVirtualClock(), [], ({ query = {} }): Finding => {
      const page = Number(query['page']);
      const data = { transactions: listed.slice(100 * page - 100, 100 * page), page, total_pages: 2 };
      return { kind: 'found', body: { status: 'success', data } };
    });
    const question = { ...ALL, sinceMs: NOW - 120.5 * 60_000, mayBeLost: () => false };
    const history = await createHistoryReader({ journal: createMemoryJournal(), upstream, clock: createVirtualClock() }).read(
      question,
      CONTEXT,
    );
    const hasProof = history!.wholeSinceMs < Infinity;
    expect([place, hasProof ? history!.shown.has('V120') : 'nothing is proven']).toEqual([
      place,
      place === 0 ? 'nothing is proven' : true,
    ]);
  }
});

test('a history longer than can be read is whole as far as it was read', async () => {
  const { reader, upstream } = openReader(4_000);
  const history = await reader.read({ ...ALL, mayBeLost: () => false }, CONTEXT);
  expect(history).toMatchObject({ wholeSinceMs: NOW - 2_950 * 60_000 + 1, unclaimed: [] });
  expect(upstream.asked).toHaveLength(60);
});

test.each([
  ['2026-06-01 10:00:00', [NOW, NOW + 3_600_000]],
  ['2026-06-01', []],
  ['soon', []],
  [undefined, []],
  [17, []],
])('%p is read as %j', (text, times) => {
  expect(parseTimes(text)).toEqual(times);
});
