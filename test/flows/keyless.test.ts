/** Verifies without a key from a busy shop, and a login that sends its key in the body. */
import { openHouse, send, type House } from './house';

let house: House;
beforeEach(async () => {
  house = await openHouse({ env: { TRUSTED_PROXIES: '127.0.0.1', SANDBOX_RELAXED: '0', LOOKUP_API_KEY: 'acme_live_demo' } });
});
afterEach(() => house.close());

const from = (address: string) => ({ 'X-Forwarded-For': address });
const verify = (address: string) =>
  send(house.url, '/api/cable/cable-validation?iuc=7012345678&cable=1', undefined, { key: null, headers: from(address) });
const sell = (address: string) =>
  send(house.url, '/api/topup/', { network: 'MTN', mobile_number: '08030000061', amount: 100 }, { headers: from(address) });

test('a shop that sells verifies more than twenty cards in five minutes without a key', async () => {
  expect((await sell('203.0.113.5')).body.status).toBe('success');
  const told = [];
  for (let card = 0; card < 30; card += 1) told.push((await verify('203.0.113.5')).body);
  expect(
    told.filter(({ status, invalid, name }) => status === 'success' && invalid === false && typeof name === 'string'),
  ).toHaveLength(30);
  // The keys that asked are nobody's business here.
  expect(JSON.stringify(told)).not.toMatch(/sandbox_demo|acme_live|balance/);
});

test('a stranger gets as many as the lookup key serves him, and the shop is not in his way', async () => {
  await sell('203.0.113.5');
  const statuses = [];
  for (let card = 0; card < 21; card += 1) statuses.push((await verify('203.0.113.6')).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(20);
  expect(statuses[20]).toBe(429);
  expect((await verify('203.0.113.5')).status).toBe(200);
});

test('a key that was regenerated since its sale is not held against the shop', async () => {
  await sell('203.0.113.5');
  house.service.sandbox!.admin.regenerateKey('sandbox_demo');
  expect((await verify('203.0.113.5')).body).toMatchObject({ status: 'success', invalid: false });
});

test('a login by user name and password gives a token that sells, and no log line holds what was sent', async () => {
  const login = await send(house.url, '/api/login/verify/user', { username: 'acme_live_demo', password: '1234' }, { key: null });
  expect(login.body).toMatchObject({ status: 'success', token: expect.stringMatching(/^cga1\.a\./), user: { pin: '1234' } });
  expect(login.body.user.apikey).toBe(login.body.token);
  expect(login.text).not.toContain('acme_live_demo');
  const sale = { network: 2, phone: '08021234567', amount: 100 };
  const sold = await send(house.url, '/api/topup', sale, { key: login.body.user.apikey });
  expect(sold.body).toMatchObject({ status: 'success', network: 'AIRTEL' });
  expect(house.logLines.join('')).not.toMatch(/acme_live_demo|"1234"|:1234/);
});

test.each([
  ['a wrong key', { username: 'acme_live_nobody', password: '1234' }],
  ['no user name', { password: '1234' }],
  ['a list for a user name', { username: ['acme_live_demo'], password: '1234' }],
])('a login with %s is refused', async (_title, fields) => {
  const { status, body } = await send(house.url, '/api/login/verify/user', fields, { key: null });
  expect([status, body.status, body.token, body.user]).toEqual([401, 'fail', undefined, undefined]);
});

test('a key in the query of a login is not read: addresses are logged on the way', async () => {
  const asked = await send(house.url, '/api/login/verify/user?username=acme_live_demo&password=1234', {}, { key: null });
  expect(asked.status).toBe(401);
});
