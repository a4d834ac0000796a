/** Wrong PINs, against the lock of a real v1: three lock a reseller's purchases for ten minutes. */
import { buyAtV1 } from '../faults/purchase';
import { buyAirtime, openHouse, type House } from './house';
import { newFolder } from '../new-folder';

const KEY = 'acme_live_demo';
const RIGHT = '1234';
let dataDir: string;
let house: House;
let orders = 0;

const open = () => openHouse({ dataDir, env: { TRUSTED_PROXIES: '127.0.0.1' } });
beforeEach(async () => {
  dataDir = newFolder();
  house = await open();
});
afterEach(() => house.close());

const phone = () => `0803${String((orders += 1)).padStart(6, '0')}1`;
const buy = async (pin: string, { address } = { address: '203.0.113.5' }) => {
  const headers = { 'X-Forwarded-For': address };
  return (await buyAirtime(house, { mobile_number: phone() }, { key: `${KEY}:${pin}`, headers })).body;
};
/** What v1 itself says to the right PIN. */
async function askV1Itself(): Promise<number> {
  return (await buyAtV1(house.service.upstreamUrl, KEY, { network: 'MTN', phone: phone(), amount: 100 })).status;
}
const warnings = () => house.log().filter(({ event }) => event === 'wrong_pin');

test('the operator is warned at the first wrong PIN, by fingerprint and address, and a metric counts it', async () => {
  await buy('9999', { address: '203.0.113.66' });
  const fingerprint = expect.stringMatching(/^[0-9a-f]{32}$/);
  expect(warnings()).toEqual([expect.objectContaining({ level: 'warn', fingerprint, address: '203.0.113.66', count: 1 })]);
  expect(await house.metrics()).toMatch(/^compat_wrong_pins_total 1$/m);
  expect(house.logLines.join('')).not.toMatch(/\b9999\b/);
});

test('after two wrong PINs a new one is not tried, says what to do and when, and nothing is charged or locked', async () => {
  await buy('9999');
  await buy('8888');
  for (const pin of ['7777', RIGHT, '9999', '8888']) expect((await buy(pin)).status).toBe('fail');
  const told = await buy(RIGHT);
  expect(told).toMatchObject({ status: 'fail', Status: 'failed' });
  expect(house.logLines.at(-1)).toMatch(/"refusedAs":"pin_held"/);
  expect(told.message).toMatch(/Nothing was charged.*If this PIN is right, send the order again in 10 minutes\./);
  expect(warnings().map(({ count }) => count)).toEqual([1, 2]);
  expect(await askV1Itself()).toBe(200);
});

test('whoever guesses PINs of a key, one after the other or all at once, locks no shop that has sold: it goes on selling', async () => {
  expect(await buy(RIGHT)).toMatchObject({ status: 'success' });
  const stranger = { address: '203.0.113.66' };
  const guesses = Array.from({ length: 40 }, (_, guess) => buy(String(5000 + guess), stranger));
  for (let sale = 0; sale < 5; sale += 1) expect(await buy(RIGHT)).toMatchObject({ status: 'success' });
  expect((await Promise.all(guesses)).filter(({ status }) => status !== 'fail')).toEqual([]);
  for (let guess = 0; guess < 5; guess += 1) await buy(String(6000 + guess), stranger);
  expect(await buy(RIGHT)).toMatchObject({ status: 'success' });
  expect(warnings().length).toBeLessThanOrEqual(2);
});

test('after a restart the PIN of a shop is tried at once, and from then on guesses are held off as before', async () => {
  await buy(RIGHT);
  await buy('9999');
  await house.close();
  house = await open();
  expect(await buy(RIGHT)).toMatchObject({ status: 'success' });
  for (const pin of ['9999', '8888', '7777', '6666']) expect(await buy(pin)).toMatchObject({ status: 'fail' });
  expect(await buy(RIGHT)).toMatchObject({ status: 'success' });
  expect(warnings()).toHaveLength(2);
});
