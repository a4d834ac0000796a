import { freshPhone, openSandboxTarget, type SandboxTarget } from '../target';

let v1: SandboxTarget;
beforeEach(async () => {
  v1 = await openSandboxTarget();
});
afterEach(() => v1.close());

const ending = (digits: string) => `${freshPhone().slice(0, 7)}${digits}`;
const airtime = (digits: string, more: Record<string, unknown> = {}) =>
  v1.buy('/airtime', { network: 'MTN', phone: ending(digits), amount: 100, ...more });
const receipt = async (reference: string) => (await v1.get(`/receipt?reference=${reference}`)).body.data;
const balance = async () => (await v1.get('/balance')).body.data.wallet_balance;

test('[3-3] [7-6] [2.7-2] [7.1-20] an unconfirmed purchase gives HTTP 200, pending true, success true and a reference, and is charged', async () => {
  const { status, body } = await airtime('0003');
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 'pending', success: true, pending: true, message: expect.any(String) });
  expect(body.data.reference).toEqual(expect.any(String));
  expect(await balance()).toBe(999_902);
});

test('[2.7-8] a pending reply has no balances', async () => {
  const { data } = (await airtime('0003')).body;
  expect(data).not.toHaveProperty('balance_before');
  expect(data).not.toHaveProperty('balance_after');
});

test('[3-6] [1-2] a pending order becomes success when the provider says so', async () => {
  const { reference } = (await airtime('0001')).body.data;
  expect((await receipt(reference)).status).toBe('pending');
  v1.clock.advance(5_000);
  expect((await receipt(reference)).status).toBe('success');
  expect(await balance()).toBe(999_902);
});

test('[3-17] [2.3-20] [2.4-9] an order that receipt and history call processing ends as a pending one does', async () => {
  const { body } = await airtime('0010');
  expect(body).toMatchObject({ status: 'pending', pending: true });
  const { reference } = body.data;
  expect((await receipt(reference)).status).toBe('processing');
  expect((await v1.get('/transactions')).body.data.transactions[0].status).toBe('processing');
  v1.clock.advance(5_000);
  expect((await receipt(reference)).status).toBe('success');
});

test('[2.3-19] category, filter and the service of a webhook are one of eight words', async () => {
  const words = ['data', 'airtime', 'cabletv', 'electricity', 'exam_pin', 'recharge_card', 'data_card', 'bulk_sms'];
  for (const filter of words) expect((await v1.get(`/transactions?filter=${filter}`)).status).toBe(200);
  expect((await v1.get('/transactions?filter=topup')).status).toBe(400);
});

test('[4.cabletv-7] [4.electricity-13] [4.airtime-11] the receipt keeps the phone of the customer and the face value', async () => {
  const cable = await v1.buy('/cabletv', { plan_id: 11, smartcard: '7012345678', phone: '08031234567' });
  const light = { disco_id: 4, meter_number: '45012345678', meter_type: 'prepaid', amount: 1_000, phone: '08031234568' };
  const electricity = await v1.buy('/electricity', light);
  expect((await receipt(cable.body.data.reference)).meta.phone).toBe('08031234567');
  expect(await receipt(electricity.body.data.reference)).toMatchObject({
    amount: 1_000,
    charge: 1_050,
    meta: { phone: '08031234568' },
  });
  expect(await receipt((await airtime('1234')).body.data.reference)).toMatchObject({ amount: 100, charge: 98 });
});

test('[3-8] a pending order that the provider declines is failed and refunded by itself', async () => {
  const { reference } = (await airtime('0002')).body.data;
  expect(await balance()).toBe(999_902);
  v1.clock.advance(5_000);
  expect((await receipt(reference)).status).toBe('failed');
  expect(await balance()).toBe(1_000_000);
});

test('[3-7] [4.electricity-10] [4.electricity-11] a pending electricity order has a null token, and the token once it succeeds', async () => {
  const body = { disco_id: 1, meter_number: ending('0001'), meter_type: 'prepaid', amount: 1_000 };
  const reply = (await v1.buy('/electricity', body)).body;
  expect(reply).toMatchObject({ status: 'pending', success: true, pending: true, data: { token: null, pending: true } });
  expect((await receipt(reply.data.reference)).token).toBeNull();
  v1.clock.advance(5_000);
  expect((await receipt(reply.data.reference)).token).toMatch(/^\d{4}(?:-\d{4}){4}$/);
});

test('[3-10] [4.receipt-4] [8-19] reading the receipt of an order pending over two minutes asks the provider first', async () => {
  const { reference } = (await airtime('1234', { request_id: 'mood.recheck-success.1' })).body.data;
  v1.clock.advance(2 * 60_000 + 1);
  expect((await receipt(reference)).status).toBe('success');
});

test('[3-13] the re-check may also find a decline, and refunds', async () => {
  const { reference } = (await airtime('1234', { request_id: 'mood.recheck-failure.1' })).body.data;
  v1.clock.advance(2 * 60_000 + 1);
  expect((await receipt(reference)).status).toBe('failed');
  expect(await balance()).toBe(1_000_000);
});

test('[3-11] a receipt within two minutes is answered without asking the provider', async () => {
  const { reference } = (await airtime('1234', { request_id: 'mood.recheck-success.1' })).body.data;
  v1.clock.advance(2 * 60_000);
  expect((await receipt(reference)).status).toBe('pending');
});

test('[3-14] the re-check of an order that the provider does not know yet leaves it pending', async () => {
  const { reference } = (await airtime('0003')).body.data;
  v1.clock.advance(24 * 3_600_000);
  expect((await receipt(reference)).status).toBe('pending');
});

test('[4-13] the same request_id while pending returns the pending order, and later its result', async () => {
  const body = { phone: ending('0001'), request_id: 'twice' };
  const first = await airtime('0001', body);
  expect((await v1.post('/airtime', { network: 'MTN', amount: 100, pin: v1.pin, ...body })).body).toEqual({
    ...first.body,
    duplicate: true,
  });
  v1.clock.advance(5_000);
  const later = await v1.post('/airtime', { network: 'MTN', amount: 100, pin: v1.pin, ...body });
  expect(later.body).toMatchObject({ status: 'success', duplicate: true, data: { reference: first.body.data.reference } });
});

test('[3-15] nothing follows a final state', async () => {
  const { reference } = (await airtime('1234')).body.data;
  expect(() => v1.sandbox.admin.settleOrder(reference, 'failed')).toThrow(/success already/);
});

test('[2.7-9] the cards of a pending order come with its success', async () => {
  const body = { network_id: 1, denomination: 100, quantity: 2, request_id: 'mood.late-success.cards' };
  const reply = (await v1.buy('/recharge-card', body)).body;
  expect(reply).toMatchObject({ status: 'pending', data: { pins: [] } });
  v1.clock.advance(5_000);
  expect((await receipt(reply.data.reference)).pins).toHaveLength(2);
});

test('[7.1-17] a charge that ends in HTTP 500 can be checked in the history before a retry', async () => {
  expect((await airtime('0005')).status).toBe(500);
  const [order] = (await v1.get('/transactions')).body.data.transactions;
  expect((await receipt(order.transaction_ref)).status).toBe('success');
});
