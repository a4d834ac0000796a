import type { Traffic } from '../../src/domain/traffic';
import { askV1, buyAirtime, useHouse, type SendOptions, type Told } from './house';
import { until } from '../until';

const house = useHouse({ callers: { acme_live_demo: { family: 'adex-b', patience: '1s' } } });

const GUZZLE = { headers: { 'User-Agent': 'GuzzleHttp/7', Accept: '*/*' } };
const DART = { headers: { 'User-Agent': 'Dart/3' } };
const buy = (request_id: string, by: SendOptions, fields: object = {}): Promise<Told> =>
  buyAirtime(house, { airtime_type: 'VTU', request_id, ...fields }, by);

test('a Laravel shop of husmodata is sold to like every other, and told without the word that its script cannot read', async () => {
  const told = await buy('fam-1', GUZZLE);
  expect(told).toMatchObject({ status: 200, body: { Status: 'successful', request_id: 'fam-1' } });
  expect(told.body).not.toHaveProperty('status');
  const receipt = await askV1(house.service, `/receipt?reference=${told.body.ident}`);
  expect(receipt.body.data).toMatchObject({ status: 'success' });

  const line = house.log().find(({ requestId }) => requestId === 'fam-1');
  expect(line).toMatchObject({ family: 'laravel-husmodata', format: 'b' });
  expect(line!.familyReason).toContain('User-Agent');
  const metrics = await house.metrics();
  expect(metrics).toContain('compat_families_total{family="laravel-husmodata"} 1');
  const { shapes } = (await (await fetch(`${house.service.adminUrl}/traffic`)).json()) as Traffic;
  expect(shapes).toMatchObject([{ operation: 'buy_airtime', family: 'laravel-husmodata', count: 1 }]);
});

test('the same request of any other client is told both status words', async () => {
  const told = await buy('fam-2', DART);
  expect(told).toMatchObject({ status: 200, body: { status: 'success', Status: 'successful' } });
  const line = house.log().find(({ requestId }) => requestId === 'fam-2');
  expect(line).not.toHaveProperty('family');
});

test('a repeat of the order by a script of no family is told in the common words', async () => {
  const told = await buy('fam-1', DART);
  expect(told).toMatchObject({ status: 200, body: { status: 'success', Status: 'successful', request_id: 'fam-1' } });
});

test('a refused request of the family is told in its words', async () => {
  const told = await buy('fam-3', GUZZLE, { amount: 'much' });
  expect(told).toMatchObject({ status: 400, body: { status: 'fail', Status: 'failed', success: false } });
});

test('an order that a script delivered on "processing" and v1 declines later is reported to the operator with its money', async () => {
  const told = await buy('fam-4', { key: 'acme_live_demo:1234' }, { mobile_number: '08031230002', amount: 150 });
  expect(told).toMatchObject({ status: 200, body: { Status: 'processing' } });
  const said = () => house.log().filter(({ event }) => event === 'contrary_end');
  await until(() => said().length > 0);
  expect(said()).toMatchObject([{ family: 'adex-b', requestId: 'fam-4', atRiskNaira: 150, outcome: 'declined' }]);
  const metrics = await house.metrics();
  expect(metrics).toContain('compat_contrary_ends_naira_total{end="delivered_not_sold"} 150');
}, 30_000);
