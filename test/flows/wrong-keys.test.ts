/** Wrong keys, against a v1 that refuses them: whoever guesses is slowed down, and no shop that shares his address is. */
import { systemClock, type Clock } from '../../src/domain/clock';
import { openHouse, send, type House, type Told } from './house';
import { newFolder } from '../new-folder';

const SHOP = 'acme_live_demo:1234';
const TRIES = 20;
const dataDir = newFolder();
let house: House;
let guesses = 0;
let orders = 0;
/** A new one for each test. */
let address = '203.0.113.0';
/** Stands still, so that tries come back only where a test wants it. */
let elapsedMs: number | undefined;
const clock: Clock = { ...systemClock, elapsed: () => elapsedMs ?? systemClock.elapsed() };

const open = () => openHouse({ dataDir, env: { TRUSTED_PROXIES: '127.0.0.1' }, clock });
beforeAll(async () => {
  house = await open();
});
beforeEach(() => {
  elapsedMs = Math.round(systemClock.elapsed());
  address = `203.0.113.${Number(address.split('.')[3]) + 1}`;
});
afterEach(() => void (elapsedMs = undefined));
afterAll(() => house.close());

const headers = (more: object = {}) => ({ 'X-Forwarded-For': address, ...more });
const ask = (path: string, key: string | null, body?: unknown, more?: object): Promise<Told> =>
  send(house.url, path, body, { key, headers: headers(more) });
const newKey = (): string => `guess_${(guesses += 1)}:1234`;
const sale = () => ({ network: 'MTN', mobile_number: `0803${String((orders += 1)).padStart(6, '0')}1`, amount: 100 });
const buy = (key: string) => ask('/api/topup/', key, sale());
const flood = (count = 60): Promise<Told[]> => Promise.all(Array.from({ length: count }, () => ask('/api/balance', newKey())));
/** How many calls v1 has had. */
async function asked(): Promise<number> {
  const text = await house.metrics();
  return [...text.matchAll(/^compat_upstream_seconds_count\{.*\} (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
}

const DOORS: Readonly<Record<string, (key: string) => Promise<Told>>> = {
  'a purchase': buy,
  'a purchase by a name that only v1 knows': (key) =>
    ask('/api/bill/', key, { disco: 'Benin Electric', meter_type: 'prepaid', meter_number: '04123456789', amount: 1000 }),
  'a login': (key) => ask('/api/user', null, undefined, { Authorization: `Basic ${Buffer.from(key).toString('base64')}` }),
  'a login by fields': (key) => ask('/api/login/verify/user', null, { username: key.split(':')[0], password: '1234' }),
  'a balance': (key) => ask('/api/balance', key),
  'a verify': (key) => ask('/api/cable/cable-validation?iuc=7012345678&cable=1', key),
  'a list': (key) => ask('/api/data_plans', key),
  'a status': (key) => ask('/api/transaction/R123456', key),
  'a history': (key) => ask('/api/transactions', key),
};

test.each(Object.entries(DOORS))(
  'by %s no more keys are tried than elsewhere, and a question about orders is no failure',
  async (door, enter) => {
    for (let nth = 0; nth < TRIES; nth += 1) await enter(newKey());
    const before = await asked();
    const { status, body, headers: heard } = await enter(newKey());
    const isAboutOrders = /status|history/.test(door);
    expect([status, body.status]).toEqual(isAboutOrders ? [202, 'pending'] : [429, 'fail']);
    expect(body.message ?? body.msg).toMatch(
      isAboutOrders
        ? /^Too many wrong API keys/
        : /^Too many wrong API keys .*Nothing was sent and nothing was charged\. Try again in \d+ seconds?\.$/,
    );
    expect(house.logLines.join('')).toMatch(/"refusedAs":"too_many_wrong_keys"/);
    expect(Number(heard.get('retry-after'))).toBeGreaterThan(0);
    for (const other of Object.values(DOORS)) await other(newKey());
    expect(await asked()).toBe(before);
  },
);

test('a shop behind the same address that v1 has accepted goes on: it sells, verifies, asks and logs in', async () => {
  expect((await buy(SHOP)).body.status).toBe('success');
  const attack = flood(200);
  for (const enter of Object.values(DOORS)) expect((await enter(SHOP)).status).not.toBe(429);
  expect((await attack).filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(180);
  expect((await buy(SHOP)).body.status).toBe('success');
});

test('a new shop waits as long as it is told, a few seconds, while the flood goes on; elsewhere nobody waits', async () => {
  const key = 'sandbox_demo:1234';
  await flood();
  const told = await buy(key);
  const waitMs = Number(told.headers.get('retry-after')) * 1_000;
  expect([told.status, waitMs]).toEqual([429, 1_000]);
  elapsedMs! += waitMs;
  await flood();
  expect((await buy(key)).body.status).toBe('success');
  address = '203.0.113.200';
  expect((await buy(newKey())).status).toBe(401);
});

test('after a restart a shop that sold before sells at once, whatever comes from its address', async () => {
  await buy(SHOP);
  await house.close();
  house = await open();
  await flood();
  expect((await ask('/api/balance', newKey())).status).toBe(429);
  expect((await buy(SHOP)).body.status).toBe('success');
});
