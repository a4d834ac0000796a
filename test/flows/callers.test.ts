/** Keys with entries in callers.yaml, through the whole house: what they send, buy, are told and are shown. */
import { renameKeys, send, useHouse, type Told } from './house';

const MOVED = {
  // Plan numbers of another server; its 8 and 9 are the same plan here.
  numbers: { data_plan: { 7: 203, 8: 102, 9: 102 }, cable_plan: { 1: 23 }, cable_provider: { 10: 'GOTV', 11: 'DSTV' } },
  lists: { default: { status: '$words.status', count: '$list | count', plans: '$list' } },
  patience: { default: '4s', buy_data: '1s' },
};
// 3 as the original MSORG server means it; v1's own plan numbers, and one of the caller's own.
const MIXED = {
  numbers: { network: { 1: 'MTN', 3: '9MOBILE' }, data_plan: { 101: 203 } },
  unlisted: { data_plan: 'pass' },
};

const house = useHouse({ callers: { sandbox_demo: MOVED, acme_live_demo: MIXED } });
beforeAll(() => expect(house.service.live.problems()).toEqual([]));

const MIXED_KEY = 'acme_live_demo:1234';
const data = (fields: Record<string, unknown>, key?: string): Promise<Told> =>
  send(house.url, '/api/data/', { phone: '08051234567', ...fields }, key === undefined ? {} : { key });
const rows = async (path: string, key?: string): Promise<Told['body']> =>
  (await send(house.url, path, undefined, key === undefined ? {} : { key })).body;

test('one of its own plan numbers is sold as our plan, and told as it was sent', async () => {
  const before = await house.wallet();
  const { body } = await data({ data_plan: '7', network: 2, 'request-id': 'own-7' });
  expect(body).toMatchObject({ status: 'success', plan: 7, data_plan: 7, plan_id: 7, data_size: '1GB', network: 'GLO' });
  // The price of plan 203 for a key of this tier.
  expect(before - (await house.wallet())).toBe(430);
});

test('two of its numbers for one plan are each told as sent, also in a later status reply', async () => {
  const { body } = await data({ plan: 9, phone: '08031234561', 'request-id': 'own-9' });
  expect(body).toMatchObject({ status: 'success', plan: 9, network: 'MTN' });
  expect(await rows('/api/transaction/own-9')).toMatchObject({ status: 'success', plan: 9 });
});

test.each([203, 57, '102'])('a number that is not one of its own (%s) is refused, and nothing is charged', async (plan) => {
  const before = await house.wallet();
  const { status, body } = await data({ plan, 'request-id': `unlisted ${plan}` });
  expect([status, body.status, body.id]).toEqual([400, 'fail', null]);
  expect(body.error[0]).toMatch(new RegExp(`^plan: ${plan} is none of the data plan numbers .*Nothing was charged`));
  expect(await house.wallet()).toBe(before);
});

test('a cable package and its provider are read and told in its own numbers', async () => {
  const { body } = await send(house.url, '/api/cable/', {
    cable: 11,
    iuc: '7012345678',
    cable_plan: 1,
    'request-id': 'own-cable',
  });
  expect(body).toMatchObject({ status: 'success', cable: 11, cable_plan: 1, cable_name: 'DSTV', package: 'DStv Confam' });
  const byName = await send(house.url, '/api/cable/', {
    cable: 'DSTV',
    iuc: '7012345679',
    cable_plan: 1,
    'request-id': 'own-cable-2',
  });
  expect(byName.body).toMatchObject({ status: 'success', cable: 11 });
  const verified = await send(house.url, '/api/cable/cable-validation?iuc=7012345678&cable=10');
  expect(verified.body).toMatchObject({ status: 'success', cable: 10, cablename: 'GOTV' });
});

test('its lists hold what it can buy, under its own numbers and in its own shape', async () => {
  const { status, count, plans } = await rows('/api/data_plans');
  expect([status, count]).toEqual(['success', 2]);
  expect(plans).toEqual([
    expect.objectContaining({ id: 8, plan_id: 8, network: 'MTN', data_size: '1GB', plan_code: '8' }),
    expect.objectContaining({ id: 7, network: 'GLO', data_size: '1GB' }),
  ]);
  expect((await rows('/api/data_plans?network=MTN')).count).toBe(1);
  expect((await rows('/api/get-cable-plan?cable=11')).plans).toEqual([
    expect.objectContaining({ id: '1', cable: 'DSTV', cable_id: '11' }),
  ]);
  expect((await rows('/api/get-cable')).plans.map(({ id }: { id: string }) => id)).toEqual(['10', '11']);
  // A list of lists is no bare array.
  expect(await rows('/api/cable/')).toMatchObject({ DSTVPLAN: [{ id: 1 }], GOTVPLAN: [] });
  expect((await rows('/b/api/user/')).Dataplans.GLO_PLAN.ALL).toEqual([expect.objectContaining({ id: 7, dataplan_id: '7' })]);
});

test("a refused list is told as every failure is, without the caller's shape", async () => {
  const { body } = await send(house.url, '/api/get-cable-plan?cable=HBO');
  expect(body).toMatchObject({ status: 'fail' });
  expect(body.plans).toBeUndefined();
});

test('another key has none of these numbers and shapes', async () => {
  const key = 'acme_live_poor:1234';
  expect((await rows('/api/data_plans', key)).length).toBeGreaterThan(20);
  expect((await data({ plan: 7 }, key)).body.status).toBe('fail');
});

test('one of its own network numbers is unambiguous: neither the format nor the numbering guard decides', async () => {
  // Signals of both formats in one request: without own numbers the prefix of the phone decides.
  const sale = { network: 3, phone: '08091234567', Ported_number: true, amount: 50 };
  const bare = await send(
    house.url,
    '/api/topup/',
    { ...sale, phone: '08021234567', 'request-id': 'bare' },
    { key: 'sandbox_demo:1234' },
  );
  expect(bare.body).toMatchObject({ status: 'success', network: 'AIRTEL' });
  const own = await send(house.url, '/api/topup/', { ...sale, phone: '08021234567', 'request-id': 'own' }, { key: MIXED_KEY });
  expect(own.body).toMatchObject({ status: 'success', network: '9MOBILE' });
  const refused = await send(house.url, '/api/topup/', { ...sale, network: 2, 'request-id': 'two' }, { key: MIXED_KEY });
  expect([refused.status, refused.body.status]).toEqual([400, 'fail']);
  expect(refused.body.error[0]).toMatch(/^network: 2 is none of the mobile network numbers/);
  expect(await rows('/api/get-networks', MIXED_KEY)).toEqual([
    expect.objectContaining({ id: 1, network: 'MTN' }),
    expect.objectContaining({ id: 3, network: '9mobile' }),
  ]);
});

test("with unlisted: pass v1's own numbers are accepted, except those that mean something else to the caller", async () => {
  expect((await data({ plan: 101, 'request-id': 'pass-own' }, MIXED_KEY)).body).toMatchObject({ plan: 101, network: 'GLO' });
  expect((await data({ plan: 102, phone: '08031234562', 'request-id': 'pass-v1' }, MIXED_KEY)).body).toMatchObject({
    plan: 102,
    network: 'MTN',
  });
  const plans = (await rows('/api/data_plans', MIXED_KEY)) as readonly {
    id: number;
    network: string;
    network_id: number | null;
  }[];
  // v1's 101 is a plan of MTN, for which this caller has no number any more.
  expect(plans.filter(({ id }) => id === 101).map(({ network }) => network)).toEqual(['GLO']);
  expect(plans.some(({ id }) => id === 203)).toBe(false);
  expect(plans.find(({ network }) => network === 'AIRTEL')).toMatchObject({ network_id: null });
});

describe('when a number gets another meaning between two attempts at one order', () => {
  const sale = { plan: 7, phone: '08050000003', 'request-id': 'renumbered' };
  const again = { plan: 7, phone: '08051234500', 'request-id': 'renumbered-2' };
  const rejected = { plan: 8, phone: '08031234500', 'request-id': 'renumbered-3' };

  beforeAll(async () => {
    expect((await data(sale)).body).toMatchObject({ status: 'pending', plan: 7 });
    expect((await data(again)).body).toMatchObject({ status: 'success', network: 'GLO', data_size: '1GB' });
    expect((await data(rejected, 'sandbox_demo:9999')).body).toMatchObject({ status: 'fail' });
    const renumbered = { ...MOVED, numbers: { ...MOVED.numbers, data_plan: { 7: 204, 8: 103 } } };
    await renameKeys(house, { sandbox_demo: renumbered, acme_live_demo: MIXED });
  });

  test('the order is told as it was made, never sold as the other plan and never told as failed', async () => {
    const before = await house.wallet();
    expect((await data(sale)).body).toMatchObject({ status: 'pending', plan: 7 });
    expect((await data(again)).body).toMatchObject({ status: 'success', plan: 7, network: 'GLO', data_size: '1GB' });
    expect(await house.wallet()).toBe(before);
  });

  test('another sale under its id is refused', async () => {
    const before = await house.wallet();
    const { status, body } = await data({ ...again, phone: '08051234501' });
    expect([status, body.status, body.id]).toEqual([409, 'fail', null]);
    expect(await house.wallet()).toBe(before);
  });

  test('an order that was never charged is sold as its number means now', async () => {
    expect((await data(rejected)).body).toMatchObject({ status: 'success', plan: 8, data_size: '2GB' });
  });

  test('an order is not told as failed when its number is gone', async () => {
    const repeated = { plan: 9, phone: '08031234561', 'request-id': 'own-9' };
    expect((await data(repeated)).body).toMatchObject({ status: 'success' });
    expect((await data({ ...repeated, 'request-id': 'own-9-again' })).body).toMatchObject({ status: 'fail', id: null });
  });

  test('a new order is sold as its number means now', async () => {
    expect((await data({ plan: 7, 'request-id': 'after' })).body).toMatchObject({ status: 'success', plan: 7, data_size: '3GB' });
  });
});
