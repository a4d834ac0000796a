import { expectRejected, freshPhone, TOLD, v1OfFile } from '../target';

const v1 = v1OfFile();

const CARD = '7012345678';
const METER = { disco_id: 1, meter_number: '45012345678', meter_type: 'prepaid' };
const cablePlan = async () => (await v1.catalog()).cable_plans[0];
const buyCable = async (more: Record<string, unknown> = {}) =>
  v1.buy('/cabletv', { plan_id: (await cablePlan()).id, smartcard: freshPhone('7000'), ...more });
const payMeter = (more: Record<string, unknown> = {}) =>
  v1.buy('/electricity', { ...METER, meter_number: freshPhone('4500'), amount: 1_000, ...more });

test('[4.validate-cable-1] [2.6-1] [1-6] a smartcard lookup gives success, message, name, customer_name and smartcard', async () => {
  const { cable_id } = await cablePlan();
  const { status, body } = await v1.post('/validate-cable', { cable_id: Number(cable_id), smartcard: CARD });
  const data = { name: expect.any(String), customer_name: expect.any(String), smartcard: CARD };
  expect({ status, body }).toEqual({
    status: 200,
    body: { status: 'success', success: true, message: expect.any(String), data },
  });
});

test('[4.validate-cable-4] [2.2-30] cable_id is taken as the string of the catalog and as an integer, and as nothing else', async () => {
  const { cable_id } = await cablePlan();
  const status = async (id: unknown) => (await v1.post('/validate-cable', { cable_id: id, smartcard: CARD })).body.status;
  for (const id of [cable_id, Number(cable_id)]) expect(await status(id)).toBe('success');
  for (const id of [`0${cable_id}`, ` ${cable_id}`, 'x', [cable_id], true]) expect(await status(id)).toBe('error');
});

test('[4.validate-meter-1] [2.6-2] [1-6] a meter lookup gives status, name and address', async () => {
  const { status, body } = await v1.post('/validate-meter', METER);
  const data = { name: expect.any(String), address: expect.any(String) };
  expect({ status, body }).toEqual({ status: 200, body: { status: 'success', data } });
});

test('[4.validate-cable-2] [4.validate-meter-2] a lookup is free', async () => {
  const before = await v1.balance();
  await v1.post('/validate-cable', { cable_id: 1, smartcard: CARD });
  await v1.post('/validate-meter', METER);
  expect(await v1.balance()).toBe(before);
});

test('[4.validate-cable-3] [4.validate-meter-4] a lookup without one of its fields is rejected', async () => {
  for (const body of [{ smartcard: CARD }, { cable_id: 1 }]) expectRejected(await v1.post('/validate-cable', body));
  for (const name of Object.keys(METER)) expectRejected(await v1.post('/validate-meter', { ...METER, [name]: undefined }));
});

test('[4.validate-meter-3] [4.electricity-3] meter_type is prepaid or postpaid and nothing else', async () => {
  const lookup = (meter_type: string) => v1.post('/validate-meter', { ...METER, meter_type });
  expect((await lookup('postpaid')).body.status).toBe('success');
  expectRejected(await lookup('PREPAID'));
  expectRejected(await payMeter({ meter_type: 'smart' }));
});

test('[4.cabletv-1] [4.cabletv-2] [4.cabletv-3] the id of a cable plan buys it without a provider, and the reply tells reference, cashback and balances', async () => {
  const { status, body } = await buyCable();
  const data = { ...TOLD, cashback_earned: expect.any(Number) };
  expect({ status, body }).toEqual({ status: 200, body: { status: 'success', message: expect.any(String), data } });
});

test('[4.cabletv-4] [4.cabletv-5] a plan that is not a cable plan is rejected, and a purchase without a smartcard number', async () => {
  for (const more of [{ plan_id: 99_999_999 }, { smartcard: undefined }]) expectRejected(await buyCable(more));
});

test('[4.cabletv-6] [4.electricity-8] the phone of the customer is optional and taken', async () => {
  expect((await buyCable({ phone: freshPhone() })).body.status).toBe('success');
  expect((await payMeter({ phone: freshPhone() })).body.status).toBe('success');
});

test('[4.electricity-1] [2.7-5] [2.7-6] the reply holds success, pending, token, cashback_earned and balances', async () => {
  const { status, body } = await payMeter();
  const data = { ...TOLD, token: expect.any(String), cashback_earned: expect.any(Number), pending: false };
  const reply = { status: 'success', success: true, message: expect.any(String), pending: false, data };
  expect({ status, body }).toEqual({ status: 200, body: reply });
});

test('[4.electricity-9] [2.3-16] the token of the reply stands in the receipt as well', async () => {
  const { reference, token } = (await payMeter()).body.data;
  expect((await v1.receipt(reference)).token).toBe(token);
});

test('[4.electricity-2] a postpaid payment succeeds without a token', async () => {
  expect((await payMeter({ meter_type: 'postpaid' })).body).toMatchObject({ status: 'success', data: { token: null } });
});

test('[4.electricity-4] a company that is not in the catalog is rejected', async () => {
  expectRejected(await payMeter({ disco_id: 13 }));
});

test('[4.electricity-5] [8-9] [4.electricity-6] [8-10] 1,000 to 50,000 naira are sold, less and more are rejected', async () => {
  for (const amount of [1_000, 50_000]) expect((await payMeter({ amount })).body.status).toBe('success');
  for (const amount of [999.99, 50_000.01]) expectRejected(await payMeter({ amount }));
});

test('[4.electricity-7] the charge that the catalog shows for the company comes on top of the amount', async () => {
  const { discos } = await v1.catalog();
  for (const disco of [discos[0], discos.find((each: { charge: string }) => each.charge !== '0.00') ?? discos[0]]) {
    const { data } = (await payMeter({ disco_id: disco.disco_id })).body;
    expect(data.balance_before - data.balance_after).toBeCloseTo(1_000 + Number(disco.charge), 6);
  }
});
