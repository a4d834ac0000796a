import { openTarget, type Target } from '../target';

let v1: Target;
beforeAll(async () => {
  v1 = await openTarget();
});
afterAll(() => v1.close());

const MONEY = /^\d+\.\d{2}$/;
const catalog = async () => (await v1.get('/catalog')).body.data;

test('[2.2-1] [1-6] the catalog holds data plans, cable plans and discos', async () => {
  const { data_plans, cable_plans, discos } = await catalog();
  for (const list of [data_plans, cable_plans, discos]) expect(list.length).toBeGreaterThan(0);
});

test('[2.2-2] exam_prices maps exam codes to numbers', async () => {
  for (const price of Object.values((await catalog()).exam_prices)) expect(price).toEqual(expect.any(Number));
});

test('[2.2-3] recharge_card_prices maps networks to denominations to numbers', async () => {
  const networks = Object.values<Record<string, unknown>>((await catalog()).recharge_card_prices);
  for (const [face, price] of networks.flatMap((prices) => Object.entries(prices))) {
    expect(face).toMatch(/^\d+$/);
    expect(price).toEqual(expect.any(Number));
  }
});

test('[2.2-4] bulk_sms_pricing holds price_per_page, discount_percent and cost_price as numbers', async () => {
  expect((await catalog()).bulk_sms_pricing).toEqual({
    price_per_page: expect.any(Number),
    discount_percent: expect.any(Number),
    cost_price: expect.any(Number),
  });
});

test('[2.2-5] cashback is keyed by service and airtime is among the keys', async () => {
  expect(Object.keys((await catalog()).cashback)).toContain('airtime');
});

test('[2.2-6] the id of a data plan is an integer', async () => {
  for (const plan of (await catalog()).data_plans) expect(Number.isInteger(plan.id)).toBe(true);
});

test('[2.2-7] network, plan_id, plan_name, display_name, data_type, data_size and validity of a data plan are strings', async () => {
  const keys = ['network', 'plan_id', 'plan_name', 'display_name', 'data_type', 'data_size', 'validity'];
  for (const plan of (await catalog()).data_plans) for (const key of keys) expect(plan[key]).toEqual(expect.any(String));
});

test('[2.2-8] the selling price of a data plan is text with two decimals', async () => {
  for (const plan of (await catalog()).data_plans) expect(plan.selling_price).toMatch(MONEY);
});

test('[2.2-9] the network_id of a data plan is an integer', async () => {
  for (const plan of (await catalog()).data_plans) expect(Number.isInteger(plan.network_id)).toBe(true);
});

test('[2.2-10] cashback_type is a string or null and cashback_value a number or null', async () => {
  for (const { cashback_type: type, cashback_value: value } of (await catalog()).data_plans) {
    expect(type === null || typeof type === 'string').toBe(true);
    expect(value === null || typeof value === 'number').toBe(true);
  }
});

test('[2.2-11] the id of a cable plan is an integer', async () => {
  for (const plan of (await catalog()).cable_plans) expect(Number.isInteger(plan.id)).toBe(true);
});

test('[2.2-12] the provider of a cable plan is DSTV, GOTV or STARTIMES', async () => {
  for (const plan of (await catalog()).cable_plans) expect(plan.provider).toMatch(/^(?:DSTV|GOTV|STARTIMES)$/);
});

test('[2.2-13] the cable_id of a cable plan is a string and one of the known provider ids', async () => {
  for (const plan of (await catalog()).cable_plans) expect(['0', '1', '2', '3', '107']).toContain(plan.cable_id);
});

test('[2.2-14] plan_id, plan_name and display_name of a cable plan are strings', async () => {
  const keys = ['plan_id', 'plan_name', 'display_name'];
  for (const plan of (await catalog()).cable_plans) for (const key of keys) expect(plan[key]).toEqual(expect.any(String));
});

test('[2.2-15] the selling price of a cable plan is text with two decimals', async () => {
  for (const plan of (await catalog()).cable_plans) expect(plan.selling_price).toMatch(MONEY);
});

test('[2.2-16] disco_id is an integer from 1 to 12', async () => {
  for (const { disco_id: id } of (await catalog()).discos) expect(Number.isInteger(id) && id >= 1 && id <= 12).toBe(true);
});

test('[2.2-17] disco_name is a string', async () => {
  for (const disco of (await catalog()).discos) expect(disco.disco_name).toEqual(expect.any(String));
});

test('[2.2-18] the charge of a disco is text with two decimals', async () => {
  for (const disco of (await catalog()).discos) expect(disco.charge).toMatch(MONEY);
});

test('[2.2-19] data plans belong to the seven network groups', async () => {
  const groups = ['ALPHA', 'KIRANI', 'SMILE', 'MTN', 'GLO', 'AIRTEL', '9MOBILE'];
  for (const plan of (await catalog()).data_plans) expect(groups).toContain(plan.network);
});
