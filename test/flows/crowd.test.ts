/** One shop sends far more than a slow v1 can take: what that shop is told, what its neighbour is told, and what the operator sees. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { buyAirtime, openHouse, type House, type Told } from './house';
import { listen, type Listening } from '../listen';

const V1_MS = 300;
const CROWD = 64;
const CONNECTIONS = 2;

let v1: Listening;
let house: House;
const sold: string[] = [];
beforeAll(async () => {
  const slow = createServer((request, response) => {
    void text(request).then((body) => {
      const { request_id: id } = JSON.parse(body === '' ? '{}' : body) as { request_id?: string };
      setTimeout(() => {
        if (id !== undefined) sold.push(id);
        response.end(JSON.stringify({ status: 'success', data: { reference: `v1-${sold.length}` } }));
      }, V1_MS);
    });
  });
  v1 = await listen(slow);
  house = await openHouse({ env: { UPSTREAM_URL: `${v1.url}/api/v1`, UPSTREAM_CONNECTIONS: String(CONNECTIONS) } });
});
afterAll(async () => {
  await house.close();
  await v1.close();
});

/** An order of axios waits three seconds for its turn, and is turned away where others have waited for two. An order of Python waits seven and a half. */
let phones = 0;
const buy = (key: string, id: string, script = 'axios/1.7.2'): Promise<Told> =>
  buyAirtime(
    house,
    { mobile_number: `0803${String((phones += 1)).padStart(7, '0')}`, 'request-id': id },
    { key, headers: { 'User-Agent': script } },
  );

test('a crowd of one key costs another key no sale, and each is told the truth about its own orders', async () => {
  for (const key of ['crowd:1234', 'neighbour:1234']) expect((await buy(key, `first-${key}`)).body.status).toBe('success');
  const before = sold.length;
  const crowd = Array.from({ length: CROWD }, async (_, nth) => ({
    id: `crowd-${nth}`,
    told: await buy('crowd:1234', `crowd-${nth}`, 'python-requests/2.32'),
  }));
  const waiting = (): Promise<number> => house.sample('compat_upstream_calls_waiting');
  while ((await waiting()) + sold.length - before < CROWD - CONNECTIONS) await sleep(20);
  expect(await house.sample('compat_upstream_calls_bound')).toBe(CONNECTIONS);
  expect(await house.sample('compat_upstream_calls_in_flight')).toBe(CONNECTIONS);
  expect((await buy('neighbour:1234', 'neighbour-1')).body.status).toBe('success');
  expect(await waiting()).toBeGreaterThan(CROWD / 2);

  // All in the queue have waited for more than two seconds.
  await sleep(2_100);
  const shed = await buy('crowd:1234', 'crowd-shed');
  expect(shed.status).toBe(503);
  expect(shed.body).toMatchObject({
    status: 'fail',
    error: [expect.stringContaining('Nothing was sent and nothing was charged')],
  });
  expect(Number(shed.headers.get('retry-after'))).toBeGreaterThanOrEqual(5);
  expect((await buy('neighbour:1234', 'neighbour-2')).body.status).toBe('success');

  const all = await Promise.all(crowd);
  const ends = all.map(({ id, told }) => `${told.body.status} ${sold.filter((one) => one === id).length}`);
  expect([...new Set(ends)].sort()).toEqual(['fail 0', 'success 1']);
  expect(await house.sample('compat_upstream_wait_seconds_count{fate="taken"}')).toBeGreaterThan(20);
  expect(await house.sample('compat_upstream_wait_seconds_count{fate="late"}')).toBeGreaterThan(5);
  expect(await house.sample('compat_refusals_total{code="overloaded"}')).toBe(1);
  expect(await house.sample('compat_shed_total{why="crowded"}')).toBe(1);
  // Orders without a waiting script may be looked for in v1's history a little longer.
  while ((await waiting()) > 0) await sleep(20);

  // A refused order that is sent again is an order like any other.
  expect(sold).not.toContain('crowd-shed');
  expect((await buy('crowd:1234', 'crowd-shed')).body.status).toBe('success');
}, 40_000);
