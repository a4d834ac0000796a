/** Lookups without a key from a busy shop, and a login with its key in the body. */
import { buyAirtime, send, useHouses } from './house';

const house = useHouses({ env: { TRUSTED_PROXIES: '127.0.0.1', SANDBOX_RELAXED: '0', LOOKUP_API_KEY: 'acme_live_demo' } });

const from = (address: string) => ({ 'X-Forwarded-For': address });
const cardPath = (card: number): string => `/api/cable/cable-validation?iuc=${7012345600 + card}&cable=1`;
const verify = (address: string, card = 78) => send(house.url, cardPath(card), undefined, { key: null, headers: from(address) });
const verifyAs = (key: string, card: number) => send(house.url, cardPath(card), undefined, { key });
const sell = (address: string) => buyAirtime(house, {}, { headers: from(address) });

test('a shop that sells looks up more than twenty cards in five minutes without a key', async () => {
  expect((await sell('203.0.113.5')).body.status).toBe('success');
  const told = [];
  for (let card = 0; card < 30; card += 1) told.push((await verify('203.0.113.5', card)).body);
  expect(
    told.filter(({ status, invalid, name }) => status === 'success' && invalid === false && typeof name === 'string'),
  ).toHaveLength(23);
  // No reply may show whose key asked.
  expect(JSON.stringify(told)).not.toMatch(/sandbox_demo|acme_live|balance/);
});

test('a stranger gets four lookups from whatever addresses of his network, and neither the shop nor another stranger loses any', async () => {
  await sell('203.0.113.5');
  const told = [];
  for (let card = 0; card < 40; card += 1) told.push(await verify(`2001:db8:1:2::${card}`, card));
  expect(told.filter(({ status }) => status === 200)).toHaveLength(4);
  expect(told.at(-1)!.status).toBe(429);
  expect(told.at(-1)!.body).toMatchObject({ status: 'fail', invalid: true });
  expect(told.at(-1)!.body.message).toMatch(/^This number was not checked: .*Try again in \d+ (seconds|minutes)\./);
  expect(Number(told.at(-1)!.headers.get('retry-after'))).toBeGreaterThan(200);
  expect((await verify('203.0.113.5')).status).toBe(200);
  expect((await verify('203.0.113.6')).status).toBe(200);
});

test('strangers of many addresses share what is left of the lookup key, and its owner always has his part', async () => {
  const own = (card: number) => verifyAs('acme_live_demo:1234', card);
  const statuses = [];
  for (let card = 0; card < 60; card += 1) statuses.push((await verify(`198.51.100.${card}`, card)).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(15);
  for (let card = 0; card < 5; card += 1) expect((await own(card)).status).toBe(200);
  // Now v1 itself refuses further lookups.
  expect((await own(6)).status).toBe(429);
});

test("the lookups of the lookup key's owner are taken from those of strangers", async () => {
  for (let card = 0; card < 12; card += 1) expect((await verifyAs('acme_live_demo:1234', card)).status).toBe(200);
  const statuses = [];
  for (let card = 0; card < 20; card += 1) statuses.push((await verify(`198.51.100.${card}`, card)).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(8);
});

test('a number that was looked up for an address is told again without asking v1, also when no lookups are left', async () => {
  const asked = () => house.sample('compat_upstream_seconds_count{path="/validate-cable",outcome="found"}');
  const first = (await verify('203.0.113.7', 1)).body;
  for (let time = 0; time < 10; time += 1) expect((await verify('203.0.113.7', 1)).body).toEqual(first);
  expect(await asked()).toBe(1);
  for (let card = 2; card < 10; card += 1) await verify('203.0.113.7', card);
  expect((await verify('203.0.113.7', 11)).status).toBe(429);
  expect((await verify('203.0.113.7', 1)).body).toEqual(first);
  expect(await asked()).toBe(4);
});

test("a key that was regenerated since its sale does not stop the shop's lookups", async () => {
  await sell('203.0.113.5');
  house.service.sandbox!.admin.regenerateKey('sandbox_demo');
  expect((await verify('203.0.113.5')).body).toMatchObject({ status: 'success', invalid: false });
});

test('a login by user name and password gives a token that sells, and no log line holds what was sent', async () => {
  const login = await send(house.url, '/api/login/verify/user', { username: 'acme_live_demo', password: '1234' }, { key: null });
  expect(login.body).toMatchObject({ status: 'success', token: expect.stringMatching(/^cga2\.a\./), user: { pin: '1234' } });
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

test('a key in the query of a login is not read, because addresses are logged by servers on the way', async () => {
  const asked = await send(house.url, '/api/login/verify/user?username=acme_live_demo&password=1234', {}, { key: null });
  expect(asked.status).toBe(401);
});
