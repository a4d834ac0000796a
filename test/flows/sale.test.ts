import { askV1, send, useHouse } from './house';

const house = useHouse();

const balance = async (): Promise<number> => (await askV1(house.service, '/balance')).body.data.wallet_balance;

test('format A buys airtime at the address that both formats share', async () => {
  const before = await balance();
  const { status, body } = await send(house.url, '/api/topup/', {
    network: '1',
    phone: '08031234567',
    amount: '100',
    plan_type: 'VTU',
    bypass: false,
    'request-id': 'a-1',
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    status: 'success',
    Status: 'successful',
    'request-id': 'a-1',
    network: 'MTN',
    amount: 100,
    oldbal: before,
    mobile_number: '08031234567',
  });
  expect(body.newbal).toBe(await balance());
  expect(body.error).toBeUndefined();
});

test.each([
  ['a', { phone: '08021234567', bypass: true }, 2, 'AIRTEL'],
  ['a', { phone: '08051234567', bypass: true }, 3, 'GLO'],
  ['b', { mobile_number: '08051234567', Ported_number: true }, 2, 'GLO'],
  ['b', { mobile_number: '08021234567', Ported_number: true }, 3, 'AIRTEL'],
])('format %s airtime %j with network number %i reaches v1 as %s', async (_format, fields, network, name) => {
  const { status, body } = await send(house.url, '/api/topup/', { ...fields, network, amount: 100 + network });
  expect([status, body.status, body.network]).toEqual([200, 'success', name]);
  const receipt = await askV1(house.service, `/receipt?reference=${body.reference}`);
  expect(receipt.body.data.description).toContain(name);
});

test('a list import gives both formats their plans', async () => {
  const plans = await send(house.url, '/api/data_plans');
  expect(Array.isArray(plans.body)).toBe(true);
  expect(plans.body[0]).toMatchObject({ plan_id: expect.any(Number), network: expect.any(String), price: expect.any(Number) });
  const user = await send(house.url, '/api/user/');
  expect(user.body.Dataplans.MTN_PLAN.ALL.length).toBeGreaterThan(0);
});
