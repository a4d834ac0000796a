import { expectRejected, freshPhone, openTarget, type Target } from '../target';

let v1: Target;
beforeAll(async () => {
  v1 = await openTarget();
});
afterAll(() => v1.close());

const plan = async () => (await v1.get('/catalog')).body.data.cable_plans[0];

test('[4.validate-cable-1] [2.6-1] [1-6] a lookup gives status, success, message, name, customer_name and smartcard', async () => {
  const { cable_id } = await plan();
  const { status, body } = await v1.post('/validate-cable', { cable_id: Number(cable_id), smartcard: '7012345678' });
  expect(status).toBe(200);
  expect(body).toEqual({
    status: 'success',
    success: true,
    message: expect.any(String),
    data: { name: expect.any(String), customer_name: expect.any(String), smartcard: '7012345678' },
  });
});

test('[4.validate-cable-4] [2.2-30] cable_id is taken as the string of the catalog and as an integer, and as nothing else', async () => {
  const { cable_id } = await plan();
  const status = async (id: unknown) => (await v1.post('/validate-cable', { cable_id: id, smartcard: '7012345678' })).body.status;
  for (const id of [cable_id, Number(cable_id)]) expect(await status(id)).toBe('success');
  for (const id of [`0${cable_id}`, ` ${cable_id}`, 'x', [cable_id], true]) expect(await status(id)).toBe('error');
});

test('[4.validate-cable-2] a lookup is free', async () => {
  const before = (await v1.get('/balance')).body.data.wallet_balance;
  await v1.post('/validate-cable', { cable_id: 1, smartcard: '7012345678' });
  expect((await v1.get('/balance')).body.data.wallet_balance).toBe(before);
});

test('[4.validate-cable-3] a lookup without cable_id or smartcard is rejected', async () => {
  expectRejected(await v1.post('/validate-cable', { smartcard: '7012345678' }));
  expectRejected(await v1.post('/validate-cable', { cable_id: 1 }));
});

test('[4.cabletv-1] [4.cabletv-2] the id of a cable plan buys it and needs no provider', async () => {
  const { id } = await plan();
  const { status, body } = await v1.buy('/cabletv', { plan_id: id, smartcard: freshPhone('7000') });
  expect({ status, said: body.status }).toEqual({ status: 200, said: 'success' });
});

test('[4.cabletv-3] the reply holds status, message, reference, cashback_earned, balance_before and balance_after', async () => {
  const { id } = await plan();
  const { body } = await v1.buy('/cabletv', { plan_id: id, smartcard: freshPhone('7000') });
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

test('[4.cabletv-4] a plan that is not a cable plan is rejected', async () => {
  expectRejected(await v1.buy('/cabletv', { plan_id: 99_999_999, smartcard: freshPhone('7000') }));
});

test('[4.cabletv-5] a purchase without a smartcard number is rejected', async () => {
  const { id } = await plan();
  expectRejected(await v1.buy('/cabletv', { plan_id: id }));
});

test('[4.cabletv-6] the phone of the customer is optional and taken', async () => {
  const { id } = await plan();
  const { body } = await v1.buy('/cabletv', { plan_id: id, smartcard: freshPhone('7000'), phone: freshPhone() });
  expect(body.status).toBe('success');
});
