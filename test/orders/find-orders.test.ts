import { Secret } from '../../src/domain/credentials';
import { createKeyring } from '../../src/gateway/read/keyring';
import { createMemoryJournal } from '../../src/journal/memory-journal';
import { findOrders, type FindParts, type FoundOrders, type OrderQuery } from '../../src/orders/find-orders';
import type { RefusedNote } from '../../src/orders/note';
import { keyOfSentId } from '../../src/orders/note';
import { createMemoryNotesStore } from '../../src/orders/notes-store';
import { NO_INDEX, type OrderName } from '../../src/orders/number-index';
import { keysOfTyped } from '../../src/orders/number-keys';
import { newOrder } from '../journal/new-order';
import { shippedMapping } from '../mapping/mapping-set';
import { turnsDuring } from '../until';

const mapping = shippedMapping();
const keyring = createKeyring(new Secret('s'.repeat(32)));
const START_MS = Date.UTC(2026, 10, 25);
const [ADA, OBI] = ['a'.repeat(32), 'b'.repeat(32)];
const PHONE = '08031234567';

async function shop(count = 130) {
  const journal = createMemoryJournal();
  const notes = createMemoryNotesStore();
  for (let nth = 0; nth < count; nth += 1) {
    const owner = nth % 2 === 0 ? ADA : OBI;
    const fields = { phone: nth % 10 === 0 ? PHONE : `0805000${String(nth).padStart(4, '0')}`, network: 'MTN', amount: 10_000 };
    await journal.open(
      newOrder({ owner, requestId: `r${nth}`, contentHash: `${nth}`, fields, openedAtMs: START_MS + nth * 1_000 }),
    );
    if (nth % 3 === 0)
      await journal.settle(owner, `r${nth}`, { kind: 'succeeded', reference: `V1-${nth}` }, START_MS + nth * 1_000 + 5);
  }
  const refusal = { code: 'invalid_field', told: 'the amount is odd', numbers: [PHONE] };
  for (const nth of [5, 50]) {
    const refused: RefusedNote = {
      kind: 'refused',
      atMs: START_MS + nth * 1_000 + 500,
      owner: ADA,
      requestId: `x${nth}`,
      ...refusal,
    };
    await notes.write([{ note: refused, keys: [...keysOfTyped(PHONE, keyring), keyOfSentId(`x${nth}`, keyring)] }]);
  }
  const parts: FindParts = {
    journal,
    notes,
    keyring,
    mapping,
    index: NO_INDEX,
    budgetMs: 5_000,
  };
  return { journal, parts };
}

const ids = ({ rows }: FoundOrders): (string | undefined)[] =>
  rows.map((row) => (row.kind === 'order' ? row.order.requestId : row.refused.requestId));

async function pages(query: OrderQuery, parts: FindParts): Promise<(string | undefined)[]> {
  const all: (string | undefined)[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 50; page += 1) {
    const found = await findOrders({ ...query, cursor }, parts);
    all.push(...ids(found));
    cursor = found.next;
    if (cursor === undefined) return all;
  }
  throw new Error('the search has more than 50 pages');
}

const newestFirst = (count: number, isWanted: (nth: number) => boolean = () => true): string[] =>
  Array.from({ length: count }, (_, index) => count - 1 - index)
    .filter(isWanted)
    .map((nth) => `r${nth}`);

test('a search without conditions lists every order once, newest first, page by page', async () => {
  const { parts } = await shop();
  const first = await findOrders({}, parts);
  expect(first.rows).toHaveLength(50);
  expect(await pages({}, parts)).toEqual(newestFirst(130));
});

test.each<[string, OrderQuery, (nth: number) => boolean]>([
  ['caller', { caller: ADA }, (nth) => nth % 2 === 0],
  ['outcome', { outcome: 'succeeded' }, (nth) => nth % 3 === 0],
  ['open outcome', { outcome: 'open' }, (nth) => nth % 3 !== 0],
  ['open outcome and caller', { outcome: 'open', caller: OBI }, (nth) => nth % 3 !== 0 && nth % 2 === 1],
  ['time', { fromMs: START_MS + 10_000, untilMs: START_MS + 20_000 }, (nth) => nth >= 10 && nth < 20],
  ['number', { number: '+234 803 123 4567' }, (nth) => nth % 10 === 0],
  ['number and caller', { number: PHONE, caller: OBI }, () => false],
  ['request id', { requestId: 'r7' }, (nth) => nth === 7],
  ['request id and another caller', { requestId: 'r7', caller: ADA }, () => false],
  ['reference', { reference: 'V1-9' }, (nth) => nth === 9],
  ['operation', { operation: 'buy_data' }, () => false],
])('orders are found by %s', async (_by, query, isWanted) => {
  const { parts } = await shop();
  expect(await pages(query, { ...parts, pageSize: 7 })).toEqual(newestFirst(130, isWanted));
});

test('of more than ten thousand open orders the newest are on the first page, and all are found', async () => {
  const { parts } = await shop(16_000);
  const open = newestFirst(16_000, (nth) => nth % 3 !== 0);
  expect(ids(await findOrders({ outcome: 'open' }, parts))).toEqual(open.slice(0, 50));
  expect(await pages({ outcome: 'open' }, { ...parts, pageSize: 999 })).toEqual(open);
  const pending = await findOrders({ outcome: 'pending' }, parts);
  expect([pending.rows, pending.searchedBackToMs]).toEqual([[], START_MS + Number(open[9_999]!.slice(1)) * 1_000]);
  expect(await pages({ outcome: 'pending' }, parts)).toEqual([]);
}, 60_000);

test('an order that was rejected and opened again days later is listed once for its caller, and is found at the later time', async () => {
  const { journal, parts } = await shop(40);
  const laterMs = START_MS + 3 * 24 * 3_600_000;
  for (const nth of [8, 20, 26]) {
    const [requestId, contentHash] = [`r${nth}`, `${nth}`];
    await journal.settle(ADA, requestId, { kind: 'rejected', httpStatus: 400 }, START_MS + nth * 1_000 + 5);
    await journal.open(newOrder({ owner: ADA, requestId, contentHash, openedAtMs: laterMs + nth }));
  }
  const isOpen = (nth: number): boolean => nth % 2 === 0 && nth % 3 !== 0;
  for (let pageSize = 1; pageSize <= 7; pageSize += 1) {
    expect(await pages({ caller: ADA }, { ...parts, pageSize })).toEqual(newestFirst(40, (nth) => nth % 2 === 0));
    expect(await pages({ caller: ADA, outcome: 'open' }, { ...parts, pageSize })).toEqual(newestFirst(40, isOpen));
  }
  expect(await pages({ caller: ADA, fromMs: laterMs }, parts)).toEqual(['r26', 'r20', 'r8']);
});

test('an order is found by its number, which replies contain as id', async () => {
  const { journal, parts } = await shop();
  const { number } = (await journal.find(ADA, 'r4'))!;
  expect(ids(await findOrders({ requestId: String(number) }, parts))).toEqual(['r4']);
});

test('an order of an operation that the mapping no longer has is found by its phone number', async () => {
  const { journal, parts } = await shop(0);
  await journal.open(newOrder({ operation: 'buy_what_was', fields: { phone: PHONE }, openedAtMs: START_MS - 1_000 }));
  expect(ids(await findOrders({ number: '+234 803 123 4567' }, parts))).toHaveLength(1);
});

test('a page whose search time runs out says how far back it searched, and the next page continues there', async () => {
  const { parts } = await shop();
  const hurried = { ...parts, budgetMs: 0 };
  const first = await findOrders({ outcome: 'declined' }, hurried);
  expect(first.rows).toEqual([]);
  expect(first.searchedBackToMs).toBe(START_MS + (130 - 128) * 1_000);
  expect(await pages({ outcome: 'succeeded' }, hurried)).toEqual(newestFirst(130, (nth) => nth % 3 === 0));
  expect(await pages({ outcome: 'succeeded', caller: ADA }, hurried)).toEqual(newestFirst(130, (nth) => nth % 6 === 0));
  expect(await pages({ number: PHONE, refusedToo: true }, hurried)).toHaveLength(15);
});

test('refused requests are listed among the orders by time, or alone, when the search asks for them', async () => {
  const { parts } = await shop();
  const all = await pages({ refusedToo: true }, { ...parts, pageSize: 20 });
  expect(all).toHaveLength(132);
  expect(all[all.indexOf('x50') + 1]).toBe('r50');
  expect(await pages({ outcome: 'refused' }, { ...parts, pageSize: 1 })).toEqual(['x50', 'x5']);
  expect(await pages({ number: PHONE, outcome: 'refused' }, parts)).toEqual(['x50', 'x5']);
  expect(await pages({ requestId: 'x5', refusedToo: true }, parts)).toEqual(['x5']);
  expect(await pages({ refusedToo: true, caller: OBI, outcome: 'refused' }, parts)).toEqual([]);
  expect(await pages({ outcome: 'succeeded', refusedToo: true, reference: 'V1-9' }, parts)).toEqual(['r9']);
});

test('a search by number uses the index, reads newer orders from the journal, and says how far back the index reaches', async () => {
  const { journal, parts } = await shop();
  const named: OrderName[] = [];
  for (const nth of [20, 30, 110]) named.unshift((await journal.find(ADA, `r${nth}`))!);
  const asked: number[] = [];
  const index: FindParts['index'] = {
    indexed: () => ({ fromMs: START_MS + 15_000, untilMs: START_MS + 120_000 }),
    find: (_keys, before) => {
      asked.push(before);
      return [...named, { owner: ADA, number: 1 }].filter(({ number }) => number < before);
    },
  };
  const found = await findOrders({ number: PHONE }, { ...parts, index });
  // r100 and r120 are found by reading orders, though the index does not have them.
  expect(ids(found)).toEqual(['r120', 'r110', 'r100', 'r30', 'r20']);
  expect(found.numbersFromMs).toBe(START_MS + 15_000);
  expect(asked).toEqual([Number.MAX_SAFE_INTEGER]);
});

test('a search by number whose time runs out says which orders were not searched because the index does not have them yet', async () => {
  const { parts } = await shop(300);
  const index: FindParts['index'] = { indexed: () => ({ fromMs: 0, untilMs: START_MS + 5_000 }), find: () => [] };
  const found = await findOrders({ number: PHONE }, { ...parts, index, budgetMs: 0 });
  expect(ids(found)[0]).toBe('r290');
  expect(found.notSearched).toEqual({ fromMs: START_MS + 5_000, untilMs: START_MS + (300 - 128) * 1_000 });
  expect((await findOrders({ number: PHONE }, { ...parts, index })).notSearched).toBeUndefined();
});

test('a search with an unknown page cursor is refused', async () => {
  const { parts } = await shop(1);
  await expect(findOrders({ cursor: 'nonsense' }, parts)).rejects.toThrow(/Search again/);
});

test.each<[string, OrderQuery, number]>([
  ['alone', { outcome: 'refused' }, 0],
  ['among the orders', { refusedToo: true }, 40],
])(
  'a search for the refused requests of one caller, %s, reaches the oldest one although other callers have many',
  async (_where, query, orders) => {
    const { parts } = await shop(orders);
    const notes = createMemoryNotesStore();
    const note = { kind: 'refused', code: 'invalid_field', told: 't', numbers: [] } as const;
    const write = (owner: string, atMs: number, requestId: string) =>
      notes.write([{ note: { ...note, owner, atMs, requestId }, keys: [] }]);
    await write(ADA, START_MS + 500, 'oldest');
    for (let nth = 0; nth < 200; nth += 1) await write(OBI, START_MS + 100_000 + nth, `x${nth}`);
    const hurried = { ...parts, notes, budgetMs: 0 };
    const first = await findOrders({ ...query, caller: ADA }, hurried);
    expect([ids(first).includes('oldest'), first.next === undefined]).toEqual([false, false]);
    expect(first.searchedBackToMs).toBeGreaterThan(START_MS + 100_000);
    const found = await pages({ ...query, caller: ADA }, hurried);
    expect(found.filter((id) => id === 'oldest')).toHaveLength(1);
    expect(found).toHaveLength(orders / 2 + 1);
  },
);

test('a search by request id over many keys leaves turns of the event loop to sales', async () => {
  const { journal, parts } = await shop(4);
  const owners = async (): Promise<readonly string[]> => Array.from({ length: 500 }, (_, nth) => `owner ${nth}`);
  const search = () => findOrders({ requestId: 'r1' }, { ...parts, journal: { ...journal, owners } });
  expect(await turnsDuring(search())).toBeGreaterThanOrEqual(9);
});

test.each<[string, OrderQuery]>([
  ['all orders', { outcome: 'declined' }],
  ['the orders of a caller', { outcome: 'declined', caller: ADA }],
  ['orders for a number', { number: '08099999999' }],
])('a search through %s leaves turns of the event loop to sales', async (_what, query) => {
  const { parts } = await shop(1_300);
  expect(await turnsDuring(findOrders(query, parts))).toBeGreaterThanOrEqual(5);
});
