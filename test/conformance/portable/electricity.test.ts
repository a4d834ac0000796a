import { expectRejected, freshPhone, openTarget, type Target } from '../target';

let v1: Target;
beforeAll(async () => {
  v1 = await openTarget();
});
afterAll(() => v1.close());

const sale = (more: Record<string, unknown> = {}) => ({
  disco_id: 1,
  meter_number: freshPhone('4500'),
  meter_type: 'prepaid',
  amount: 1_000,
  ...more,
});

test('[4.validate-meter-1] [2.6-2] [1-6] a lookup gives status, name and address', async () => {
  const { status, body } = await v1.post('/validate-meter', { disco_id: 1, meter_number: '45012345678', meter_type: 'prepaid' });
  expect(status).toBe(200);
  expect(body).toEqual({ status: 'success', data: { name: expect.any(String), address: expect.any(String) } });
});

test('[4.validate-meter-2] a lookup is free', async () => {
  const before = (await v1.get('/balance')).body.data.wallet_balance;
  await v1.post('/validate-meter', { disco_id: 1, meter_number: '45012345678', meter_type: 'prepaid' });
  expect((await v1.get('/balance')).body.data.wallet_balance).toBe(before);
});

test('[4.validate-meter-3] meter_type is prepaid or postpaid and nothing else', async () => {
  const lookup = (meter_type: string) => v1.post('/validate-meter', { disco_id: 1, meter_number: '45012345678', meter_type });
  expect((await lookup('postpaid')).body.status).toBe('success');
  expectRejected(await lookup('PREPAID'));
});

test('[4.validate-meter-4] a lookup without disco_id, meter_number or meter_type is rejected', async () => {
  expectRejected(await v1.post('/validate-meter', { meter_number: '45012345678', meter_type: 'prepaid' }));
  expectRejected(await v1.post('/validate-meter', { disco_id: 1, meter_type: 'prepaid' }));
  expectRejected(await v1.post('/validate-meter', { disco_id: 1, meter_number: '45012345678' }));
});

test('[4.electricity-1] [2.7-5] [2.7-6] the reply holds success, pending, token, cashback_earned and balances', async () => {
  const { status, body } = await v1.buy('/electricity', sale());
  expect(status).toBe(200);
  expect(body).toEqual({
    status: 'success',
    success: true,
    message: expect.any(String),
    pending: false,
    data: {
      reference: expect.any(String),
      token: expect.any(String),
      cashback_earned: expect.any(Number),
      pending: false,
      balance_before: expect.any(Number),
      balance_after: expect.any(Number),
    },
  });
});

test('[4.electricity-2] a postpaid payment succeeds without a token', async () => {
  const { body } = await v1.buy('/electricity', sale({ meter_type: 'postpaid' }));
  expect(body).toMatchObject({ status: 'success', data: { token: null } });
});

test('[4.electricity-3] another meter type is rejected', async () => {
  expectRejected(await v1.buy('/electricity', sale({ meter_type: 'smart' })));
});

test('[4.electricity-4] a company that is not in the catalog is rejected', async () => {
  expectRejected(await v1.buy('/electricity', sale({ disco_id: 13 })));
});

test('[4.electricity-5] [8-9] 1,000 naira are sold and less is rejected', async () => {
  expect((await v1.buy('/electricity', sale({ amount: 1_000 }))).body.status).toBe('success');
  expectRejected(await v1.buy('/electricity', sale({ amount: 999.99 })));
});

test('[4.electricity-6] [8-10] 50,000 naira are sold and more is rejected', async () => {
  expect((await v1.buy('/electricity', sale({ amount: 50_000 }))).body.status).toBe('success');
  expectRejected(await v1.buy('/electricity', sale({ amount: 50_000.01 })));
});

test('[4.electricity-7] the charge that the catalog shows for the company comes on top of the amount', async () => {
  const { discos } = (await v1.get('/catalog')).body.data;
  for (const disco of [discos[0], discos.find((each: { charge: string }) => each.charge !== '0.00') ?? discos[0]]) {
    const { body } = await v1.buy('/electricity', sale({ disco_id: disco.disco_id }));
    expect(body.data.balance_before - body.data.balance_after).toBeCloseTo(1_000 + Number(disco.charge), 6);
  }
});

test('[4.electricity-8] the phone of the customer is optional and taken', async () => {
  expect((await v1.buy('/electricity', sale({ phone: freshPhone() }))).body.status).toBe('success');
});

test('[4.electricity-9] [2.3-16] the token of the reply stands in the receipt as well', async () => {
  const { body } = await v1.buy('/electricity', sale());
  const { data } = (await v1.get(`/receipt?reference=${body.data.reference}`)).body;
  expect(data.token).toBe(body.data.token);
});
