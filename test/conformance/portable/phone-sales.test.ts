import { airtime, expectRejected, freshId, freshPhone, TOLD, v1OfFile } from '../target';

const v1 = v1OfFile();

const REPLY = { status: 'success', message: expect.any(String), data: { ...TOLD, cashback_earned: expect.any(Number) } };
const planOf = async (network: string) =>
  (await v1.catalog()).data_plans.find((plan: { network: string }) => plan.network === network);
const buyAirtime = (more: Record<string, unknown> = {}) => v1.buy('/airtime', airtime(more));
/** A plan of the network for a new phone of MTN, or what `more` says. */
const buyData = async (network: string, more: Record<string, unknown> = {}) =>
  v1.buy('/data', { plan_id: (await planOf(network)).id, phone: freshPhone(), ...more });

test('[4.data-1] [4.data-2] [2.7-1] the id of a catalog plan buys it, and the reply tells reference, cashback and balances', async () => {
  const { status, body } = await buyData('MTN');
  expect({ status, body }).toEqual({ status: 200, body: REPLY });
});

test('[1-1] [3-1] the wallet pays the price that the catalog shows this account', async () => {
  const plan = await planOf('GLO');
  const before = await v1.balance();
  const { data } = (await buyData('GLO', { phone: freshPhone('0805') })).body;
  expect(data.balance_before).toBe(before);
  expect(data.balance_before - data.balance_after).toBeCloseTo(Number(plan.selling_price), 6);
  expect(await v1.balance()).toBe(data.balance_after);
});

test('[4.data-3] [2.2-20] a plan that is not in the catalog is rejected, and so is the internal supplier code', async () => {
  for (const plan_id of [99_999_999, (await planOf('MTN')).plan_id]) expectRejected(await buyData('MTN', { plan_id }));
});

test('[4.data-4] [4.airtime-7] a phone that is not an 11-digit Nigerian number is rejected', async () => {
  for (const phone of ['0803123456', '080312345678', '+2348031234567', '18031234567', '0803123456x', '']) {
    expectRejected(await buyData('MTN', { phone }));
  }
  expectRejected(await buyAirtime({ phone: '0803' }));
});

test('[4.data-5] a network in the request is ignored, the plan decides', async () => {
  for (const network of ['GLO', 2, '', null, true, ['MTN'], { id: 1 }]) {
    const { body } = await buyData('MTN', { network });
    expect({ network, said: body.status }).toEqual({ network, said: 'success' });
  }
});

test('[4.data-6] [7.2-1] [4.data-7] [4.data-8] a prefix of another network is rejected, with a message that names ported, unless ported is true', async () => {
  for (const more of [{}, { ported: false }]) {
    const reply = await buyData('MTN', { phone: freshPhone('0805'), ...more });
    expectRejected(reply);
    expect(reply.body.message).toMatch(/another network.*ported/);
  }
  expect((await buyData('MTN', { phone: freshPhone('0805'), ported: true })).body.status).toBe('success');
});

test('[4.data-9] the prefix of a phone network mismatches the plans of ALPHA, KIRANI and SMILE as well', async () => {
  for (const network of ['ALPHA', 'KIRANI', 'SMILE']) {
    const reply = await buyData(network);
    expectRejected(reply);
    expect(reply.body.message).toMatch(/another network.*ported/);
    expect((await buyData(network, { ported: true })).body.status).toBe('success');
  }
});

test('[4.data-12] the prefix of no network mismatches nothing', async () => {
  for (const network of ['MTN', 'SMILE']) {
    expect((await buyData(network, { phone: freshPhone('0710') })).body.status).toBe('success');
  }
});

test('[4.data-10] [4.data-11] plan_id and phone are required, and plan_id is an integer', async () => {
  for (const name of ['plan_id', 'phone']) expectRejected(await buyData('MTN', { [name]: undefined }));
  const { id } = await planOf('MTN');
  for (const plan_id of [String(id), id + 0.5, [id]]) expectRejected(await buyData('MTN', { plan_id }));
});

test('[3-12] [7-7] a rejected purchase leaves the wallet and the history alone', async () => {
  const before = await v1.balance();
  const { total } = (await v1.get('/transactions')).body.data;
  expectRejected(await buyData('MTN', { plan_id: 99_999_999, request_id: freshId() }));
  expect(await v1.balance()).toBe(before);
  expect((await v1.get('/transactions')).body.data.total).toBe(total);
});

test('[4.airtime-1] [4.airtime-6] airtime is sold for MTN, GLO, AIRTEL and 9MOBILE, in a reply like that of data', async () => {
  for (const [network, prefix] of Object.entries({ MTN: '0803', GLO: '0805', AIRTEL: '0802', '9MOBILE': '0809' })) {
    const { body } = await buyAirtime({ network, phone: freshPhone(prefix) });
    expect({ network, body }).toEqual({ network, body: REPLY });
  }
});

test('[4.airtime-2] [7.1-18] [4.airtime-9] another network name is rejected, and an amount that is not a number', async () => {
  for (const network of ['mtn', 'SMILE', '1', 'VODAFONE']) expectRejected(await buyAirtime({ network }));
  for (const amount of ['100', null, true, [100]]) expectRejected(await buyAirtime({ amount }));
});

test('[4.airtime-3] the charge is below the face value', async () => {
  const { data } = (await buyAirtime()).body;
  const charge = data.balance_before - data.balance_after;
  expect(charge).toBeGreaterThan(0);
  expect(charge).toBeLessThan(100);
});

test('[4.airtime-4] [8-7] [4.airtime-5] [8-8] 50 to 10,000 naira are sold, less and more are rejected', async () => {
  for (const amount of [50, 10_000]) expect((await buyAirtime({ amount })).body.status).toBe('success');
  for (const amount of [49.99, 10_000.01]) expectRejected(await buyAirtime({ amount }));
});

test('[4.airtime-8] [7.2-2] a prefix of another network is rejected for airtime unless ported is true', async () => {
  const phone = freshPhone('0802');
  expectRejected(await buyAirtime({ phone }));
  expect((await buyAirtime({ phone, ported: true })).body.status).toBe('success');
});
