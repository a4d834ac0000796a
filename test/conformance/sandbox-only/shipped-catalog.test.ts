import { openSandboxTarget, type SandboxTarget } from '../target';

let v1: SandboxTarget;
beforeEach(async () => {
  v1 = await openSandboxTarget();
});
afterEach(() => v1.close());

const catalog = async () => (await v1.get('/catalog')).body.data;

test('[2.2-22] every network group has data plans, the four phone networks five or more', async () => {
  const { data_plans } = await catalog();
  const count = (name: string) => data_plans.filter((plan: { network: string }) => plan.network === name).length;
  for (const name of ['ALPHA', 'KIRANI', 'SMILE']) expect(count(name)).toBeGreaterThan(0);
  for (const name of ['MTN', 'GLO', 'AIRTEL', '9MOBILE']) expect(count(name)).toBeGreaterThanOrEqual(5);
});

test('[2.2-23] the validity of a plan may be empty', async () => {
  const { data_plans } = await catalog();
  expect(data_plans.some((plan: { validity: string }) => plan.validity === '')).toBe(true);
});

test('[2.2-24] lookups know the provider ids 0, 1, 2, 3 and 107', async () => {
  for (const cable_id of [0, 1, 2, 3, 107]) {
    expect((await v1.post('/validate-cable', { cable_id, smartcard: '7012345678' })).status).toBe(200);
  }
  expect((await v1.post('/validate-cable', { cable_id: 4, smartcard: '7012345678' })).status).toBe(400);
});

test('[2.2-25] there are the companies 1 to 12', async () => {
  const ids = (await catalog()).discos.map((disco: { disco_id: number }) => disco.disco_id);
  expect(ids).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});

test('[2.2-26] WAEC, NECO and NABTEB are sold', async () => {
  expect(Object.keys((await catalog()).exam_prices)).toEqual(expect.arrayContaining(['WAEC', 'NECO', 'NABTEB']));
});

test('[2.2-27] cards of 100, 200, 500 and 1000 are printed on all four networks', async () => {
  const prices = (await catalog()).recharge_card_prices;
  for (const network of ['MTN', 'GLO', 'AIRTEL', '9MOBILE'])
    expect(Object.keys(prices[network])).toEqual(['100', '200', '500', '1000']);
});

test('[2.2-28] cashback is null for a service that has none', async () => {
  expect((await catalog()).cashback.airtime).toBeNull();
});

test('[2.7-3] cashback is earned by a success and shown in the cashback balance', async () => {
  const { body } = await v1.buy('/data', { plan_id: 102, phone: '08031237123' });
  expect(body.data.cashback_earned).toBe(5.8);
  expect((await v1.get('/balance')).body.data.cashback_balance).toBe(5.8);
});

test('[2.7-4] cashback leaves the wallet balance alone', async () => {
  const { data } = (await v1.buy('/data', { plan_id: 102, phone: '08031237124' })).body;
  expect(data.balance_before - data.balance_after).toBe(580);
});
