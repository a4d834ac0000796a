import { expectRejected, sandboxOfFile } from '../target';

const v1 = sandboxOfFile();

test('[2.2-22] every network group has data plans, the four phone networks five or more', async () => {
  const { data_plans } = await v1.catalog();
  const count = (name: string) => data_plans.filter((plan: { network: string }) => plan.network === name).length;
  for (const name of ['ALPHA', 'KIRANI', 'SMILE']) expect(count(name)).toBeGreaterThan(0);
  for (const name of ['MTN', 'GLO', 'AIRTEL', '9MOBILE']) expect(count(name)).toBeGreaterThanOrEqual(5);
});

test('[2.2-23] the validity of a plan may be empty', async () => {
  const { data_plans } = await v1.catalog();
  expect(data_plans.some((plan: { validity: string }) => plan.validity === '')).toBe(true);
});

test('[2.2-24] lookups know the provider ids 0, 1, 2, 3 and 107', async () => {
  for (const cable_id of [0, 1, 2, 3, 107]) {
    expect((await v1.post('/validate-cable', { cable_id, smartcard: '7012345678' })).status).toBe(200);
  }
  expect((await v1.post('/validate-cable', { cable_id: 4, smartcard: '7012345678' })).status).toBe(400);
});

test('[2.2-32] the id 1 is GOTV, 2 DSTV, 3 and 107 are STARTIMES', async () => {
  const providers = { 1: 'GOTV', 2: 'DSTV', 3: 'STARTIMES', 107: 'STARTIMES' };
  const found: Record<string, string> = {};
  for (const { cable_id, provider } of (await v1.catalog()).cable_plans) if (cable_id !== '0') found[cable_id] = provider;
  expect(found).toEqual(providers);
});

test('[2.2-33] [2.2-30] many packages carry the provider id 0, of all three providers, and can be looked up and bought', async () => {
  const plans = (await v1.catalog()).cable_plans.filter(({ cable_id }: { cable_id: string }) => cable_id === '0');
  expect(plans.length).toBeGreaterThanOrEqual(5);
  expect(new Set(plans.map(({ provider }: { provider: string }) => provider))).toEqual(new Set(['GOTV', 'DSTV', 'STARTIMES']));
  for (const { id, cable_id } of plans) {
    expect((await v1.post('/validate-cable', { cable_id, smartcard: '7012345678' })).status).toBe(200);
    expect((await v1.buy('/cabletv', { plan_id: id, smartcard: '7012345678' })).body.status).toBe('success');
  }
});

test('[2.2-31] the internal code of a cable plan is not taken as plan_id', async () => {
  const [plan] = (await v1.catalog()).cable_plans;
  expectRejected(await v1.buy('/cabletv', { plan_id: plan.plan_id, smartcard: '7012345678' }));
});

test('[2.2-28] [2.2-29] cashback is null for a service that has none; one that is not null has a type, percent or fixed, and a value', async () => {
  const { cashback, data_plans } = await v1.catalog();
  expect(cashback).toEqual({
    airtime: null,
    cabletv: { type: 'percent', value: 0.5 },
    electricity: { type: 'fixed', value: 10 },
  });
  const types = data_plans.map(({ cashback_type }: { cashback_type: string | null }) => cashback_type);
  expect(new Set(types)).toEqual(new Set([null, 'percent', 'fixed']));
});

test('[2.2-25] there are the companies 1 to 12', async () => {
  const ids = (await v1.catalog()).discos.map((disco: { disco_id: number }) => disco.disco_id);
  expect(ids).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});

test('[2.2-26] WAEC, NECO and NABTEB are sold', async () => {
  expect(Object.keys((await v1.catalog()).exam_prices)).toEqual(expect.arrayContaining(['WAEC', 'NECO', 'NABTEB']));
});

test('[2.2-27] cards of 100, 200, 500 and 1000 are printed on all four networks', async () => {
  const prices = (await v1.catalog()).recharge_card_prices;
  for (const network of ['MTN', 'GLO', 'AIRTEL', '9MOBILE'])
    expect(Object.keys(prices[network])).toEqual(['100', '200', '500', '1000']);
});

test('[2.7-3] [2.1-5] [2.7-4] cashback is earned by a success and shown in the cashback balance, and leaves the wallet alone', async () => {
  const cashback = (await v1.get('/balance')).body.data.cashback_balance;
  const { data } = (await v1.buy('/data', { plan_id: 102, phone: '08031237123' })).body;
  expect(data.cashback_earned).toBe(5.8);
  expect(data.balance_before - data.balance_after).toBe(580);
  expect((await v1.get('/balance')).body.data.cashback_balance - cashback).toBeCloseTo(5.8, 6);
});
