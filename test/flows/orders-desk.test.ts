/** A complaint on the phone, in a running house: the order is found, its story told, and v1 asked again with the key. */
import { openHouse, send, type House } from './house';

const SALE = { network: '1', mobile_number: '08031234567', amount: '100', bypass: true };

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

interface Answer {
  readonly status: number;
  // Read as freely as a person would.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

async function recheck(body: object): Promise<Answer> {
  const response = await fetch(`${house.service.adminUrl}/orders/recheck`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

test('an order is asked about again with its key, and nothing is bought', async () => {
  await send(house.url, '/api/topup/', { ...SALE, 'request-id': 'r1' });
  const { status, body } = await recheck({ id: 'r1', key: 'sandbox_demo' });
  expect(status).toBe(200);
  expect([body.before.outcome.kind, body.after.outcome.kind, body.receipt.kind]).toEqual(['succeeded', 'succeeded', 'succeeded']);
  const again = await recheck({ id: body.before.outcome.reference as string, key: 'sandbox_demo' });
  expect(again.body.receipt.kind).toBe('succeeded');
});

test('a v1 that lists the addresses of a key and does not find the one it is told is said to refuse, not to know nothing', async () => {
  const key = 'acme_live_iplocked';
  await send(house.url, '/api/topup/', { ...SALE, 'request-id': 'locked' }, { key });
  expect((await recheck({ id: 'locked', key })).body.receipt.kind).toBe('succeeded');
  const { status, body } = await recheck({ id: 'locked', key, address: '10.0.0.8' });
  expect([status, body.message]).toEqual([
    409,
    'v1 refuses this key at 10.0.0.8 (HTTP 403: Requests from this IP address are not allowed.). A key that is locked to addresses needs one of them, that of its script.',
  ]);
});

test('a key of another fingerprint is refused, and no answer or log line repeats it', async () => {
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
