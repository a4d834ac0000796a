/** A complaint by phone, in a running house: the order is found, its story shown, and v1 asked again with the key. */
import { describeRecheck } from '../../src/cli/orders-find';
import type { Rechecked } from '../../src/gateway/recheck';
import { send, type AnswerOfV1, type House, type V1, useHouse } from './house';

const SALE = { network: '1', mobile_number: '08031234567', amount: '100', bypass: true };

const house = useHouse();

interface Answer {
  readonly status: number;
  // Read as freely as a person would.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

async function recheck(body: object, at: House = house): Promise<Answer> {
  const response = await fetch(`${at.service.adminUrl}/orders/recheck`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

test('v1 is asked again about an order with its key, and nothing is bought', async () => {
  await send(house.url, '/api/topup/', { ...SALE, 'request-id': 'r1' });
  const { status, body } = await recheck({ id: 'r1', key: 'sandbox_demo' });
  expect(status).toBe(200);
  expect([body.before.outcome.kind, body.after.outcome.kind, body.receipt.kind]).toEqual(['succeeded', 'succeeded', 'succeeded']);
  const again = await recheck({ id: body.before.outcome.reference as string, key: 'sandbox_demo' });
  expect(again.body.receipt.kind).toBe('succeeded');
});

test('v1 is asked again about an order whose id has the greatest length', async () => {
  const id = 'i'.repeat(512);
  await send(house.url, '/api/topup/', { ...SALE, mobile_number: '08031234569', 'request-id': id });
  const { status, body } = await recheck({ id, key: 'sandbox_demo' });
  expect([status, body.after?.outcome.kind]).toEqual([200, 'succeeded']);
});

test('when v1 refuses the key at this address, the page says that v1 refuses, not that it has no record', async () => {
  const key = 'acme_live_iplocked';
  await send(house.url, '/api/topup/', { ...SALE, 'request-id': 'locked' }, { key });
  expect((await recheck({ id: 'locked', key })).body.receipt.kind).toBe('succeeded');
  const { status, body } = await recheck({ id: 'locked', key, address: '10.0.0.8' });
  expect([status, body.message]).toEqual([
    409,
    'v1 refuses this key at 10.0.0.8 (HTTP 403: Requests from this IP address are not allowed.). If the key is locked to addresses, give the address of its script.',
  ]);
});

test('a key of another fingerprint is refused, and no reply or log line repeats it', async () => {
  const { status, body } = await recheck({ id: 'r1', key: 'sandbox_another_key_1' });
  expect([status, body.message]).toEqual([409, expect.stringMatching(/placed with another key/)]);
  expect(JSON.stringify(body)).not.toContain('sandbox_another_key_1');
  expect(house.logLines.join('')).not.toContain('sandbox_another_key_1');
});

test.each([
  [{ id: 'nothing', key: 'sandbox_demo' }, 409, /no order nothing/],
  [{ id: 'r1', key: 'not a key' }, 409, /not an API key/],
  [{ id: 'r1' }, 400, /The body is/],
  [{ id: 'r1', key: 'sandbox_demo', address: 'here' }, 400, /The body is/],
])('%j is answered %i', async (body, status, words) => {
  const answer = await recheck(body);
  expect([answer.status, answer.body.message]).toEqual([status, expect.stringMatching(words)]);
});

describe('a sold order', () => {
  const RECEIPT = { reference: 'PPA1', transaction_ref: 'PPA1', category: 'airtime', amount: 100, phone: SALE.mobile_number };
  const sold: AnswerOfV1 = {
    http: 200,
    body: { status: 'success', message: 'Sold.', data: { reference: 'PPA1', balance_before: 500, balance_after: 402 } },
  };
  const receipt = (changes: object = {}): AnswerOfV1 => ({
    http: 200,
    body: { status: 'success', success: true, data: { ...RECEIPT, status: 'success', ...changes } },
  });
  const none: AnswerOfV1 = { http: 404, body: { status: 'error', success: false, message: 'Transaction not found.' } };
  let told: AnswerOfV1;
  const v1: V1 = ({ method }, { pathname }) => (method === 'POST' ? sold : pathname.endsWith('/receipt') ? told : none);
  const shop = useHouse({ v1, env: { JOURNAL_URL: 'memory:' } });
  beforeAll(async () => {
    await send(shop.url, '/api/topup/', { ...SALE, 'request-id': 's1' }, { key: 'shop_live_abcdef' });
  });

  const ask = async (): Promise<Answer> => recheck({ id: 's1', key: 'shop_live_abcdef' }, shop);
  const onPage = async (): Promise<string> => {
    const found = await (await fetch(`${shop.service.adminUrl}/console/orders?q=s1`)).text();
    const path = /\/console\/orders\/[0-9a-f]+\/\d+/.exec(found)![0];
    const body = new URLSearchParams({ key: 'shop_live_abcdef', address: '' });
    return (await fetch(`${shop.service.adminUrl}${path}/recheck`, { method: 'POST', body })).text();
  };

  test.each<[string, AnswerOfV1, RegExp]>([
    ['fails', { http: 503, body: '<h1>Bad gateway</h1>' }, /v1 gave no usable answer \(.*\)/],
    [
      'asks to wait',
      { http: 429, body: { status: 'error', message: 'Too many requests' } },
      /v1 gave no usable answer \(HTTP 429/,
    ],
    ['tells of another order', receipt({ reference: 'PPA2', transaction_ref: 'PPA2' }), /v1 gave no usable answer \(/],
  ])('a v1 that %s is not said to have no receipt of it', async (_how, answer, words) => {
    told = answer;
    const { status, body } = await ask();
    expect([status, body.message]).toEqual([409, expect.stringMatching(words)]);
    expect(body.message).toMatch(/nothing new is known of the order/i);
    const page = await onPage();
    expect(page).toMatch(words);
    expect(page).not.toContain('no receipt');
  });

  test('when v1 does not have it, the page says exactly that', async () => {
    told = none;
    const { status, body } = await ask();
    expect([status, body.missing, body.receipt]).toEqual([200, 'not_at_v1', undefined]);
    expect(describeRecheck(body as Rechecked)[0]).toBe('v1 says   it has no order of the reference PPA1');
    expect(await onPage()).toContain('v1 says: it has no order of the reference PPA1. The order stands as before: succeeded.');
  });

  test('when v1 has it, the reply shows its receipt', async () => {
    told = receipt();
    expect((await ask()).body.receipt.kind).toBe('succeeded');
  });
});

test('an order without a reference is said to have none: v1 was not asked for its receipt', async () => {
  await send(house.url, '/api/topup/', { ...SALE, amount: '7', 'request-id': 'tiny' });
  const { status, body } = await recheck({ id: 'tiny', key: 'sandbox_demo' });
  expect([status, body.before.outcome.kind, body.missing]).toEqual([200, 'rejected', 'no_reference']);
  expect(describeRecheck(body as Rechecked)[0]).toMatch(/^v1 says +nothing: .*no reference/);
});
