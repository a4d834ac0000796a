/**
 * What is the same number, from v1's answer to what the script hears: a v1 on a real socket that has an order of the same
 * smartcard, meter or phone in another spelling, or of another one, under the script's request id or in its history.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { mappingsWith, TIMINGS } from '../faults/timing';
import { send, useHouse, type V1 } from './house';

/** Side by side: the plays mostly wait. */
const test = globalThis.test.concurrent;

/**
 * What v1's record of each order shows as its number, by the script's request id. v1 answers a purchase with the order that it
 * has already; where the id begins with `cut`, its first answer is lost, and where it begins with `lost`, all of them are.
 */
const SHOWN: Readonly<Record<string, string>> = {
  'other-letters': 'CD12345',
  'other-case': 'ab 12-345',
  'other-zero-before-letters': 'AB12345',
  'cut-other-letters': 'CD12345',
  'cut-same-letters': 'ab12345',
  'bill-meter-like-a-phone': '2347012345678',
  'bill-same-meter-without-its-zero': '7012345678',
  'airtime-landline': '23402012345678',
  'airtime-cut-landline': '234-0201-234-5678',
  'airtime-other-landline': '23402012345679',
  'same-case': 'AB12345',
  'same-zeros': '0077012345',
  'same-letters': 'AB12345',
  'lost-other-letters': 'CD67890',
  'lost-other-case': 'ef-55555',
  'lost-zeros': '77012345',
  'lost-masked': '88****1234',
};

const SERVICES = {
  airtime: { category: 'airtime', amount: 100 },
  bill: { category: 'electricity', amount: 1000 },
  cabletv: { category: 'cabletv', amount: 3900 },
};

const serviceOf = (id: string): (typeof SERVICES)['bill'] =>
  id.startsWith('airtime') ? SERVICES.airtime : id.startsWith('bill') ? SERVICES.bill : SERVICES.cabletv;

const recordOf = (reference: string): object => ({
  reference,
  transaction_ref: reference,
  ...serviceOf(reference.slice(2)),
  type: 'debit',
  status: 'success',
  phone: SHOWN[reference.slice(2)],
  created_at: new Date(Date.now() + 3_600_000).toISOString().slice(0, 19).replace('T', ' '),
});

/** The request id of every purchase that has come to v1. */
const purchases: string[] = [];

const answer: V1 = ({ method }, url, body) => {
  if (method === 'POST') {
    const { request_id: id } = JSON.parse(body) as { request_id: string };
    const isLost = id.startsWith('lost') || (/^(?:\w+-)?cut-/.test(id) && !purchases.includes(id));
    purchases.push(id);
    if (isLost) return { http: 500, body: {} };
    return { http: 200, body: { status: 'success', duplicate: true, data: { reference: `R-${id}` } } };
  }
  if (url.pathname.endsWith('/receipt'))
    return { http: 200, body: { status: 'success', success: true, data: recordOf(url.searchParams.get('reference')!) } };
  if (!url.pathname.endsWith('/transactions')) return { http: 503, body: {} };
  const transactions = Object.keys(SHOWN)
    .filter((id) => id.startsWith('lost'))
    .map((id) => recordOf(`R-${id}`));
  return { http: 200, body: { status: 'success', data: { transactions, total: 4, page: 1, per_page: 50, total_pages: 1 } } };
};
const house = useHouse({ v1: answer, env: { MAPPINGS_DIR: mappingsWith('brief') } });

const PURSUED_MS = TIMINGS.brief.pursue + TIMINGS.brief.try;

const pay = async (id: string, number: string): Promise<string> => {
  const [path, sale] = id.startsWith('airtime')
    ? ['/api/airtime/', { network: 1, phone: number, plan_type: 'VTU', bypass: true, amount: 100 }]
    : id.startsWith('bill')
      ? ['/api/bill/', { disco: 1, meter_type: 'prepaid', meter_number: number, amount: 1000, bypass: false }]
      : ['/api/cable/', { cable: 1, iuc: number, cable_plan: 501 }];
  return (await send(house.url, path, { ...sale, 'request-id': id })).body.status;
};
const statusOf = async (id: string): Promise<string> => (await send(house.url, `/api/transaction/${id}`)).body.status;

test.each([
  ['other-letters', 'AB12345', 'pending'],
  ['other-case', 'AB12345', 'success'],
  ['other-zero-before-letters', '0AB12345', 'pending'],
  ['cut-other-letters', 'AB12345', 'pending'],
  ['cut-same-letters', 'AB12345', 'success'],
  ['bill-meter-like-a-phone', '07012345678', 'pending'],
  ['bill-same-meter-without-its-zero', '07012345678', 'success'],
  ['airtime-landline', '02012345678', 'success'],
  ['airtime-cut-landline', '02012345678', 'success'],
  ['airtime-other-landline', '02012345678', 'fail'],
])('an order that v1 has already, whose receipt shows %s, is told for %s as %s', async (id, number, told) => {
  expect(await pay(id, number)).toBe(told);
  expect(await statusOf(id)).toBe(told);
});

test.each([
  ['same-case', 'AB12345', 'ab-12345'],
  ['same-zeros', '0077012345', '77012345'],
])('a request id that comes again with the same number in another spelling is the same order: %s', async (id, first, again) => {
  expect(await pay(id, first)).toBe('success');
  expect(await pay(id, again)).toBe('success');
  expect(purchases.filter((one) => one === id)).toHaveLength(1);
});

test('a request id that comes again with another number is refused', async () => {
  expect(await pay('same-letters', 'AB12345')).toBe('success');
  expect(await pay('same-letters', 'CD12345')).toBe('fail');
  expect(purchases.filter((one) => one === 'same-letters')).toHaveLength(1);
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
