import { kobo } from '../../src/domain/amount';
import { TOLD_PENDING, type Order } from '../../src/domain/order';
import type { Outcome } from '../../src/domain/outcome';
import type { Journal } from '../../src/journal/journal';
import { createMemoryJournal } from '../../src/journal/memory-journal';
import { plainCallerKey } from '../../src/mapping/compile-callers';
import type { Mapping } from '../../src/mapping/mapping';
import { contraryEndOf, lossOf, moneyOf, readOpenOrders } from '../../src/orders/order-money';
import { newOrder, OPENED_AT_MS } from '../journal/new-order';
import { shippedMapping } from '../mapping/mapping-set';

const mapping = shippedMapping();
const OVERDUE_MS = mapping.timing.overdue;

async function open(journal: Journal, requestId: string, changes: Parameters<typeof newOrder>[0] = {}): Promise<void> {
  await journal.open(newOrder({ requestId, contentHash: requestId, ...changes }));
}

test('open orders are counted with their money, and open orders without a price are counted apart', async () => {
  const journal = createMemoryJournal();
  await open(journal, 'young', { openedAtMs: OPENED_AT_MS + OVERDUE_MS });
  await open(journal, 'old');
  await open(journal, 'data', { operation: 'buy_data', fields: { plan: '7' } });
  await open(journal, 'done');
  await journal.settle(newOrder().owner, 'done', { kind: 'succeeded' }, OPENED_AT_MS);
  const { orders, overdue, atRisk, withoutPrice } = await readOpenOrders(journal, { mapping }, OPENED_AT_MS + OVERDUE_MS);
  expect(orders).toHaveLength(3);
  expect(overdue.map(({ requestId }) => requestId).sort()).toEqual(['data', 'old']);
  expect({ atRisk, withoutPrice }).toEqual({ atRisk: 20_000, withoutPrice: 1 });
});

test('open orders of a key in the sandbox are not counted as money at risk, and hide no younger order with money', async () => {
  const journal = createMemoryJournal();
  for (const id of ['in play', 'in play too']) await open(journal, id, { owner: 'b'.repeat(32), openedAtMs: OPENED_AT_MS - 1 });
  for (const id of ['real', 'newer', 'newest']) await open(journal, id);
  const key = { ...plainCallerKey('b'.repeat(32)), sandboxOf: newOrder().owner };
  const named = { ...mapping, callerKeys: new Map([[key.fingerprint, key]]) };
  for (const limit of [1, 2, undefined]) {
    const { orders, areAll, atRisk } = await readOpenOrders(journal, { mapping: named }, OPENED_AT_MS, limit);
    expect({ ids: orders.map(({ requestId }) => requestId), areAll }).toEqual({ ids: ['real', 'newer', 'newest'], areAll: true });
    expect(atRisk).toBe(30_000);
  }
});

test('an open order of the sandbox is no money at risk either when its key has no entry any more', async () => {
  const journal = createMemoryJournal();
  await open(journal, 'in play', { trail: { ...newOrder().trail!, sandbox: true } });
  await open(journal, 'real');
  const { orders } = await readOpenOrders(journal, { mapping }, OPENED_AT_MS);
  expect(orders.map(({ requestId }) => requestId)).toEqual(['real']);
});

test('the amount asked for, the amount charged and the amount at risk follow from the outcome of an order', () => {
  const order = { ...newOrder(), number: 1, attempts: 1 };
  const delivery = { charged: kobo(9_800) };
  const money = (outcome?: Outcome, changes: Partial<Order> = {}) =>
    moneyOf({ ...order, ...(outcome === undefined ? {} : { outcome }), ...changes }, { mapping });
  expect(money()).toEqual({ askedFor: 10_000, atRisk: 10_000 });
  expect(money({ kind: 'unknown', reason: 'reset' })).toEqual({ askedFor: 10_000, atRisk: 10_000 });
  expect(money({ kind: 'pending', delivery })).toEqual({ askedFor: 10_000, atRisk: 9_800 });
  expect(money({ kind: 'succeeded', delivery })).toEqual({ askedFor: 10_000, charged: 9_800 });
  // The face value does not count as charged unless v1 stated the charge.
  expect(money({ kind: 'succeeded' })).toEqual({ askedFor: 10_000 });
  for (const outcome of [
    { kind: 'declined', delivery },
    { kind: 'rejected', httpStatus: 402 },
    { kind: 'not_sent', reason: 'refused' },
  ] as const)
    expect(money(outcome)).toEqual({ askedFor: 10_000 });
  expect(money(undefined, { operation: 'of_another_time' })).toEqual({});
});

const of = (family: string) => ({ trail: { mapping: 'm', reason: 'r', spellings: {}, family: { id: family, reason: 'key' } } });
const SOLD: Outcome = { kind: 'succeeded', reference: 'V1' };
const DECLINED: Outcome = { kind: 'declined', reference: 'V1' };

test.each<[string, string, Outcome, string | undefined]>([
  ['adex-b', 'delivers', DECLINED, 'delivered_not_sold'],
  ['adex-b', 'delivers', { kind: 'not_sent', reason: 'not in its history', isProven: true }, 'delivered_not_sold'],
  ['adex-b', 'delivers', SOLD, undefined],
  ['topupmate-b', 'delivers airtime', DECLINED, 'delivered_not_sold'],
  ['semmatweb-bwsub', 'refunds', SOLD, 'sold_and_refunded'],
  ['semmatweb-bwsub', 'refunds', DECLINED, undefined],
  ['adex-a', 'keeps', SOLD, undefined],
  ['adex-a', 'keeps', DECLINED, undefined],
  ['nobody', 'is unknown', DECLINED, undefined],
  ['adex-b', 'delivers, still open', { kind: 'unknown', reason: 'lost' }, undefined],
])('a family %s that %s, was told pending and then has the outcome %j', (family, _action, outcome, end) => {
  const order = { ...newOrder(), ...of(family), number: 1, attempts: 1, outcome, toldAtMs: TOLD_PENDING };
  expect(contraryEndOf(order, { mapping })).toBe(end);
  // The script was told the outcome, or hung up before any reply.
  expect(contraryEndOf({ ...order, toldAtMs: 5 }, { mapping })).toBeUndefined();
  expect(contraryEndOf({ ...order, toldAtMs: 0 }, { mapping })).toBeUndefined();
});

test('an order of more cards than an amount can hold has no price', () => {
  const fields = { denomination: 1_000, quantity: 999_999_999_999_999 };
  const order = { ...newOrder({ operation: 'buy_recharge_cards', fields }), number: 1, attempts: 1 };
  expect(moneyOf({ ...order, outcome: { kind: 'rejected', httpStatus: 400 } }, { mapping })).toEqual({});
});

test('open orders of absurd amounts hide no other open order: their sum ends at the largest amount', async () => {
  const journal = createMemoryJournal();
  const fields = { denomination: 900_000_000_000, quantity: 100 };
  for (const id of ['s-1', 's-2']) await open(journal, id, { operation: 'buy_recharge_cards', fields });
  await open(journal, 'true');
  const { overdue, atRisk } = await readOpenOrders(journal, { mapping }, OPENED_AT_MS + OVERDUE_MS);
  expect(overdue.map(({ requestId }) => requestId).sort()).toEqual(['s-1', 's-2', 'true']);
  expect(atRisk).toBe(Number.MAX_SAFE_INTEGER);
});

const airtime = mapping.operations.get('buy_airtime')!;
const renamedField = { ...airtime, fields: airtime.fields.map((field) => ({ ...field, name: `own_${field.name}` })) };

test.each<[string, Partial<Mapping>]>([
  ['its operation', { operations: new Map() }],
  ['its fields', { operations: new Map([['buy_airtime', renamedField]]) }],
  ['its family', { families: new Map() }],
])('an order keeps its money and its contrary end when the operator has renamed %s', async (_what, changes) => {
  const sets = { mapping: { ...mapping, ...changes }, setOf: (hash: string) => (hash === 'm' ? mapping : undefined) };
  const order = { ...newOrder(), ...of('adex-b'), number: 1, attempts: 1 };
  expect(moneyOf(order, sets)).toEqual({ askedFor: 10_000, atRisk: 10_000 });
  const declined = { ...order, outcome: DECLINED, toldAtMs: TOLD_PENDING };
  expect(contraryEndOf(declined, sets)).toBe('delivered_not_sold');
  expect(lossOf(declined, sets)).toBe(10_000);
  const journal = createMemoryJournal();
  await open(journal, 'open', of('adex-b'));
  expect(await readOpenOrders(journal, sets, OPENED_AT_MS)).toMatchObject({ atRisk: 10_000, withoutPrice: 0 });
});
