/**
 * Two numbers that differ in letters are two numbers, from v1's answer to what the script hears: a v1 on a real socket that
 * has the order of another smartcard under the script's request id, or in its history.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { mappingsWith, removeMappings, TIMINGS } from '../faults/timing';
import { openHouse, send, type House } from './house';

let v1: Server;
let house: House;

/** What v1's record of each order shows as its number, by the script's request id. */
const SHOWN: Readonly<Record<string, string>> = {
  'other-letters': 'CD12345',
  'other-case': 'ab 12-345',
  'lost-other-letters': 'CD67890',
  'lost-other-case': 'ef-55555',
  'lost-zeros': '77012345',
  'lost-masked': '88****1234',
};

const recordOf = (reference: string): object => ({
  reference,
  transaction_ref: reference,
  category: 'cabletv',
  type: 'debit',
  amount: 3900,
  status: 'success',
  phone: SHOWN[reference.slice(2)],
  created_at: new Date(Date.now() + 3_600_000).toISOString().slice(0, 19).replace('T', ' '),
});

function answer(method: string, url: URL, body: string): { readonly http: number; readonly body: object } {
  if (method === 'POST') {
    const { request_id: id } = JSON.parse(body) as { request_id: string };
    if (id.startsWith('lost')) return { http: 500, body: {} };
    return { http: 200, body: { status: 'success', duplicate: true, data: { reference: `R-${id}` } } };
  }
  if (url.pathname.endsWith('/receipt'))
    return { http: 200, body: { status: 'success', success: true, data: recordOf(url.searchParams.get('reference')!) } };
  if (!url.pathname.endsWith('/transactions')) return { http: 503, body: {} };
  const transactions = Object.keys(SHOWN)
    .filter((id) => id.startsWith('lost'))
    .map((id) => recordOf(`R-${id}`));
  return { http: 200, body: { status: 'success', data: { transactions, total: 4, page: 1, per_page: 50, total_pages: 1 } } };
}

beforeAll(async () => {
  v1 = createServer((request, response) => {
    void text(request).then((body) => {
      const { http, body: told } = answer(request.method!, new URL(request.url!, 'http://v1'), body);
      response.writeHead(http, { 'content-type': 'application/json' }).end(JSON.stringify(told));
    });
  });
  await new Promise<void>((resolve) => v1.listen(0, '127.0.0.1', resolve));
  const upstream = `http://127.0.0.1:${(v1.address() as AddressInfo).port}/api/v1`;
  house = await openHouse({ env: { UPSTREAM_URL: upstream, MAPPINGS_DIR: mappingsWith('brief') } });
});
afterAll(async () => {
  await house.close();
  removeMappings();
  await new Promise((resolve) => v1.close(resolve));
});

const PURSUED_MS = TIMINGS.brief.pursue + TIMINGS.brief.try;

const pay = async (id: string, smartcard: string): Promise<string> => {
  const sale = { cable: 1, iuc: smartcard, cable_plan: 501, 'request-id': id };
  return (await send(house.url, '/api/cable/', sale)).body.status;
};
const statusOf = async (id: string): Promise<string> => (await send(house.url, `/api/transaction/${id}`)).body.status;

test.each([
  ['other-letters', 'AB12345', 'pending'],
  ['other-case', 'AB12345', 'success'],
])('an order that v1 has already, whose receipt shows %s, is told for %s as %s', async (id, smartcard, told) => {
  expect(await pay(id, smartcard)).toBe(told);
  expect(await statusOf(id)).toBe(told);
});

test.each([
  ['lost-other-letters', 'GH67890', 'pending'],
  ['lost-other-case', 'EF 55555', 'success'],
  ['lost-zeros', '0077012345', 'success'],
  ['lost-masked', '8899991234', 'pending'],
])('a lost order is found in v1’s history only under its own number: %s, %s is %s', async (id, smartcard, told) => {
  // v1's history is read before the script is told "pending".
  expect(['pending', told]).toContain(await pay(id, smartcard));
  await sleep(PURSUED_MS);
  expect(await statusOf(id)).toBe(told);
});
