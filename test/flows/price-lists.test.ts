/** Who gets a plan list: nobody whom v1 would refuse it, by key or by address, also while the gateway has it at hand. */
import { createForwardClock } from '../faults/timing';
import { buyAirtime, send, useHouses } from './house';

const LISTED = '10.0.0.9';
const STRANGER = '10.0.0.8';
const LOCKED = 'acme_live_iplocked';

const clock = createForwardClock();
const house = useHouses({ env: { TRUSTED_PROXIES: '127.0.0.1' }, clock });

const admin = () => house.service.sandbox!.admin;
const listFor = (key: string, from = '127.0.0.1', path = '/api/data_plans') =>
  send(house.url, path, undefined, { key, headers: { 'X-Forwarded-For': from } });
const sale = (key: string, from = '127.0.0.1') => buyAirtime(house, {}, { key, headers: { 'X-Forwarded-For': from } });

/** Every address of a list, and the user route that carries the lists of format B. */
const LISTS = ['/api/data_plans', '/api/get-cable-plan', '/api/get-bill', '/api/get-exam', '/api/network/', '/api/user/'];

test.each(LISTS)('%s goes to the addresses that v1 lists and to no other', async (path) => {
  expect((await listFor(LOCKED, LISTED, path)).status).toBe(200);
  const stranger = await listFor(LOCKED, STRANGER, path);
  expect([stranger.status, stranger.body.status, stranger.body.invalid]).toEqual([403, 'fail', undefined]);
  expect(stranger.text).not.toMatch(/price|plan_amount|amount_to_pay|"id":\s*\d/);
  // A stranger with the key takes nothing from the reseller's own server.
  expect((await listFor(LOCKED, LISTED, path)).status).toBe(200);
});

test('an address that v1 has taken off the list loses its lists with its first refused call', async () => {
  expect((await listFor(LOCKED, LISTED)).body).toHaveLength(await listLength());
  admin().changeAccount('acme-iplocked', { allowed_ips: ['127.0.0.1'] });
  expect((await sale(LOCKED, LISTED)).status).toBe(403);
  expect((await listFor(LOCKED, LISTED)).status).toBe(403);
  expect((await listFor(LOCKED, '127.0.0.1')).status).toBe(200);
});

async function listLength(): Promise<number> {
  return ((await listFor('sandbox_demo')).body as unknown[]).length;
}

test.each<[string, (key: string) => void]>([
  ['regenerated', (key) => void admin().regenerateKey(key)],
  ['suspended', () => admin().changeAccount('acme', { suspended: true })],
])('the lists of a %s key are gone from its first refused call on', async (_title, take) => {
  expect((await listFor('acme_live_demo:1234')).status).toBe(200);
  take('acme_live_demo');
  expect((await sale('acme_live_demo:1234')).status).toBe(401);
  for (const path of LISTS) expect((await listFor('acme_live_demo:1234', '127.0.0.1', path)).status).toBe(401);
});

test('a refused balance question drops the lists as well', async () => {
  expect((await listFor('acme_live_demo')).status).toBe(200);
  admin().changeAccount('acme', { suspended: true });
  expect((await listFor('acme_live_demo', '127.0.0.1', '/api/user')).status).toBe(401);
  expect((await listFor('acme_live_demo')).status).toBe(401);
});

test.each(['acme_live_suspended', 'acme_live_nonvendor', 'no_such_key'])('%s is given no list at all', async (key) => {
  for (const path of LISTS) expect([401, 403]).toContain((await listFor(key, '127.0.0.1', path)).status);
});

test('a list grows old by the clock of the gateway', async () => {
  const fetched = () => house.sample('compat_upstream_seconds_count{path="/catalog",outcome="found"}');
  await listFor('acme_live_demo');
  await listFor('acme_live_demo');
  expect(await fetched()).toBe(1);
  clock.forward(60_001);
  await listFor('acme_live_demo');
  expect(await fetched()).toBe(2);
});
