import type { Traffic } from '../../src/domain/traffic';
import { askV1, openHouse, send, type House } from './house';

let house: House;
beforeAll(async () => {
  house = await openHouse({ logLevel: 'info' });
});
afterAll(() => house.close());

const AIRTIME = { network: 1, mobile_number: '08031234567', amount: 100, Ported_number: true, airtime_type: 'VTU' };
const GUZZLE = { 'User-Agent': 'GuzzleHttp/7', Accept: '*/*' };

test('a Laravel shop of husmodata is sold to like everybody else and told without the word that it cannot read', async () => {
  const told = await send(house.url, '/api/topup/', { ...AIRTIME, request_id: 'fam-1' }, { headers: GUZZLE });
  expect(told).toMatchObject({ status: 200, body: { Status: 'successful', request_id: 'fam-1' } });
  expect(told.body).not.toHaveProperty('status');
  const receipt = await askV1(house.service, `/receipt?reference=${told.body.ident}`);
  expect(receipt.body.data).toMatchObject({ status: 'success' });

  const line = house.logLines.map((text) => JSON.parse(text)).find(({ requestId }) => requestId === 'fam-1');
  expect(line).toMatchObject({ family: 'laravel-husmodata', format: 'b' });
  expect(line.familyReason).toContain('User-Agent');
  const metrics = await (await fetch(`${house.service.adminUrl}/metrics`)).text();
  expect(metrics).toContain('compat_families_total{family="laravel-husmodata"} 1');
  const { shapes } = (await (await fetch(`${house.service.adminUrl}/traffic`)).json()) as Traffic;
  expect(shapes).toMatchObject([{ operation: 'buy_airtime', family: 'laravel-husmodata', count: 1 }]);
});

test('the same request of any other client hears both words', async () => {
  const told = await send(house.url, '/api/topup/', { ...AIRTIME, request_id: 'fam-2' });
  expect(told).toMatchObject({ status: 200, body: { status: 'success', Status: 'successful' } });
  const line = house.logLines.map((text) => JSON.parse(text)).find(({ requestId }) => requestId === 'fam-2');
  expect(line).not.toHaveProperty('family');
});

test('a repeat of the order by a script of no family is told in the words of everybody', async () => {
  const told = await send(house.url, '/api/topup/', { ...AIRTIME, request_id: 'fam-1' });
  expect(told).toMatchObject({ status: 200, body: { status: 'success', Status: 'successful', request_id: 'fam-1' } });
});

test('a request of the family that is refused is told in its words', async () => {
  const told = await send(house.url, '/api/topup/', { ...AIRTIME, amount: 'much', request_id: 'fam-3' }, { headers: GUZZLE });
  expect(told).toMatchObject({ status: 400, body: { status: 'fail', Status: 'failed', success: false } });
});
