import { expectRejected, freshId, freshPhone, openTarget, type Target } from '../target';

let v1: Target;
beforeAll(async () => {
  v1 = await openTarget();
});
afterAll(() => v1.close());

const planOf = async (network: string) => {
  const { data_plans } = (await v1.get('/catalog')).body.data;
  return data_plans.find((plan: { network: string }) => plan.network === network);
};

test('[4.data-1] the id of a catalog plan is what buys it', async () => {
  const plan = await planOf('MTN');
  const { status, body } = await v1.buy('/data', { plan_id: plan.id, phone: freshPhone() });
  expect({ status, said: body.status }).toEqual({ status: 200, said: 'success' });
});

test('[4.data-2] [2.7-1] the reply holds status, message, reference, cashback_earned, balance_before and balance_after', async () => {
  const plan = await planOf('MTN');
  const { body } = await v1.buy('/data', { plan_id: plan.id, phone: freshPhone() });
  expect(body).toEqual({
    status: 'success',
    message: expect.any(String),
    data: {
      reference: expect.any(String),
      cashback_earned: expect.any(Number),
      balance_before: expect.any(Number),
      balance_after: expect.any(Number),
    },
  });
});

test('[1-1] [3-1] the wallet pays the price that the catalog shows this account', async () => {
  const plan = await planOf('GLO');
  const before = (await v1.get('/balance')).body.data.wallet_balance;
  const { body } = await v1.buy('/data', { plan_id: plan.id, phone: freshPhone('0805') });
  expect(body.data.balance_before).toBe(before);
  expect(body.data.balance_before - body.data.balance_after).toBeCloseTo(Number(plan.selling_price), 6);
  expect((await v1.get('/balance')).body.data.wallet_balance).toBe(body.data.balance_after);
});

test('[4.data-3] a plan that is not in the catalog is rejected', async () => {
  expectRejected(await v1.buy('/data', { plan_id: 99_999_999, phone: freshPhone() }));
});

test('[2.2-20] the internal supplier code is not taken as plan_id', async () => {
  const plan = await planOf('MTN');
  expectRejected(await v1.buy('/data', { plan_id: plan.plan_id, phone: freshPhone() }));
});

test('[4.data-4] a phone that is not an 11-digit Nigerian number is rejected', async () => {
  const plan = await planOf('MTN');
  for (const phone of ['0803123456', '080312345678', '+2348031234567', '18031234567', '0803123456x', '']) {
    expectRejected(await v1.buy('/data', { plan_id: plan.id, phone }));
  }
});

test('[4.data-5] a network in the request is ignored, the plan decides', async () => {
  const plan = await planOf('MTN');
  for (const network of ['GLO', 2, '', null, true, ['MTN'], { id: 1 }]) {
    const { body } = await v1.buy('/data', { plan_id: plan.id, phone: freshPhone(), network });
    expect({ network, said: body.status }).toEqual({ network, said: 'success' });
  }
});

test('[4.data-6] [7.2-1] a prefix of another network is rejected with a message that names ported', async () => {
  const plan = await planOf('MTN');
  const reply = await v1.buy('/data', { plan_id: plan.id, phone: freshPhone('0805') });
  expectRejected(reply);
  expect(reply.body.message).toMatch(/another network/);
  expect(reply.body.message).toMatch(/ported/);
});

test('[4.data-9] the prefix of a phone network mismatches the plans of ALPHA, KIRANI and SMILE as well', async () => {
  for (const network of ['ALPHA', 'KIRANI', 'SMILE']) {
    const { id: plan_id } = await planOf(network);
    const reply = await v1.buy('/data', { plan_id, phone: freshPhone() });
    expectRejected(reply);
    expect(reply.body.message).toMatch(/another network.*ported/);
    expect((await v1.buy('/data', { plan_id, phone: freshPhone(), ported: true })).body.status).toBe('success');
  }
});

test('[4.data-10] plan_id and phone are required', async () => {
  const sale = { plan_id: (await planOf('MTN')).id, phone: freshPhone() };
  for (const name of ['plan_id', 'phone']) expectRejected(await v1.buy('/data', { ...sale, [name]: undefined }));
});

test('[4.data-11] plan_id is an integer', async () => {
  const { id } = await planOf('MTN');
  for (const plan_id of [String(id), id + 0.5, [id]]) expectRejected(await v1.buy('/data', { plan_id, phone: freshPhone() }));
});

test('[4.data-12] the prefix of no network mismatches nothing', async () => {
  for (const network of ['MTN', 'SMILE']) {
    const { id: plan_id } = await planOf(network);
    expect((await v1.buy('/data', { plan_id, phone: freshPhone('0710') })).body.status).toBe('success');
  }
});

test('[4.data-7] ported true skips the prefix check', async () => {
  const plan = await planOf('MTN');
  const { body } = await v1.buy('/data', { plan_id: plan.id, phone: freshPhone('0805'), ported: true });
  expect(body.status).toBe('success');
});

test('[4.data-8] ported false does not skip the prefix check', async () => {
  const plan = await planOf('MTN');
  expectRejected(await v1.buy('/data', { plan_id: plan.id, phone: freshPhone('0805'), ported: false }));
});

test('[3-12] [7-7] a rejected purchase leaves the wallet and the history alone', async () => {
  const before = (await v1.get('/balance')).body.data.wallet_balance;
  const { total } = (await v1.get('/transactions')).body.data;
  expectRejected(await v1.buy('/data', { plan_id: 99_999_999, phone: freshPhone(), request_id: freshId() }));
  expect((await v1.get('/balance')).body.data.wallet_balance).toBe(before);
  expect((await v1.get('/transactions')).body.data.total).toBe(total);
});
