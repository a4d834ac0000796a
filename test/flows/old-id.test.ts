/**
 * A request id that v1 sold long ago and the journal does not know: it was deleted after `JOURNAL_DAYS`, or the script used it
 * before it came to the gateway. v1 returns the old order and sells nothing (specification, section 4), but a script that sends
 * such an id again means another sale (facts 9.1: ids made of phone and amount).
 */
import { buyAirtime, send, useHouse, type V1 } from './house';

const DAY_MS = 86_400_000;

/** How long ago v1 sold the order, by the script's request id. */
const SOLD_AGO_MS: Readonly<Record<string, number>> = {
  AIRTIME_08031234567_100: 31 * DAY_MS,
  'the day before yesterday': 2 * DAY_MS,
  'an hour ago': DAY_MS / 24,
  'another amount': DAY_MS / 12,
  'this plan': DAY_MS / 12,
  'another plan': DAY_MS / 12,
  'lost: a month ago': 31 * DAY_MS,
};
const seen = new Set<string>();

/** v1 has sold plan 7 where a plan was bought, and airtime of 100 naira else. */
const PLANS = [7, 9].map((id) => ({
  ...{ id, network: 'MTN', network_id: 1, data_type: 'SME', validity: '30 days', selling_price: id === 7 ? '300.00' : '3000.00' },
  ...{ plan_name: `plan ${id}`, display_name: `plan ${id}`, data_size: `plan ${id}` },
}));

const idIn = (reference: string): string => reference.slice(2);

const answer: V1 = ({ method }, url, body) => {
  if (method === 'POST') {
    const { request_id: id } = JSON.parse(body) as { request_id: string };
    const isLost = id.startsWith('lost') && !seen.has(id);
    seen.add(id);
    if (isLost) return { http: 502, body: '<html>' };
    const data = { reference: `R-${id}`, balance_before: 1_000, balance_after: 902 };
    return { http: 200, body: { status: 'success', message: 'Sold.', duplicate: true, data } };
  }
  if (url.pathname.endsWith('/transactions'))
    return {
      http: 200,
      body: { status: 'success', data: { transactions: [], total: 0, page: 1, per_page: 50, total_pages: 0 } },
    };
  if (url.pathname.endsWith('/catalog'))
    return {
      http: 200,
      body: {
        status: 'success',
        data: { data_plans: PLANS, cable_plans: [], discos: [], exam_prices: {}, recharge_card_prices: {} },
      },
    };
  if (!url.pathname.endsWith('/receipt')) return { http: 503, body: {} };
  const reference = url.searchParams.get('reference')!;
  const writtenAtMs = Date.now() + 3_600_000 - SOLD_AGO_MS[idIn(reference)]!;
  const data = {
    reference,
    ...(idIn(reference).endsWith('plan') ? { category: 'data', amount: 300 } : { category: 'airtime', amount: 100 }),
    type: 'debit',
    status: 'success',
    phone: '08031234567',
    created_at: new Date(writtenAtMs).toISOString().slice(0, 19).replace('T', ' '),
  };
  return { http: 200, body: { status: 'success', success: true, data } };
};
const house = useHouse({ v1: answer, callers: { acme_live_demo: { replay: 'always' }, sandbox_demo: { patience: '3s' } } });

const buy = (id: string, key = 'sandbox_demo:1234') => buyAirtime(house, { 'request-id': id }, { key });

test.each([
  ['AIRTIME_08031234567_100', 400, 'fail'],
  ['the day before yesterday', 400, 'fail'],
  ['an hour ago', 200, 'success'],
])('an order that only v1 knows, sold %s, is told with HTTP %d as %s, however often it is sent', async (id, http, told) => {
  for (const { status, body } of [await buy(id), await buy(id)]) {
    expect([status, body.status]).toEqual([http, told]);
    expect(body.message.includes('Nothing was charged for this request.')).toBe(told === 'fail');
  }
});

test('an order that only v1 knows is told as the sale of an hour ago only where the price is that of this sale', async () => {
  const told = await buyAirtime(house, { 'request-id': 'another amount', amount: 120 });
  expect([told.status, told.body.status]).toEqual([200, 'pending']);
  const buyPlan = (id: string, plan: number) =>
    send(house.url, '/api/data/', { network: 1, phone: '08031234567', data_plan: plan, bypass: true, 'request-id': id });
  // The price list is in memory.
  await send(house.url, '/api/network/');
  expect((await buyPlan('this plan', 7)).body.status).toBe('success');
  expect((await buyPlan('another plan', 9)).body.status).toBe('pending');
});

test('a key with an unlimited replay time is told its success', async () => {
  expect((await buy('the day before yesterday', 'acme_live_demo:1234')).body.status).toBe('success');
});

test("an id is in doubt where v1's first answer was lost", async () => {
  expect((await buy('lost: a month ago')).body.status).toBe('pending');
});
