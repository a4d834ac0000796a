import { airtime, phoneEnding, sandboxOfTest } from '../target';

const v1 = sandboxOfTest();

const buy = (digits: string, more: Record<string, unknown> = {}) =>
  v1.buy('/airtime', airtime({ phone: phoneEnding(digits), ...more }));
const statusOf = async (reference: string) => (await v1.receipt(reference)).status;

test('[3-3] [7-6] [2.7-2] [2.7-8] [7.1-20] an unconfirmed purchase gives HTTP 200, pending true, success true, a reference and no balances, and is charged', async () => {
  const { status, body } = await buy('0003');
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 'pending', success: true, pending: true, message: expect.any(String) });
  expect(body.data.reference).toEqual(expect.any(String));
  for (const name of ['balance_before', 'balance_after']) expect(body.data).not.toHaveProperty(name);
  expect(await v1.balance()).toBe(999_902);
});

test('[3-6] [1-2] [3-8] a pending order succeeds when the provider says so, and is failed and refunded by itself when it declines', async () => {
  for (const [digits, status, wallet] of [
    ['0002', 'failed', 1_000_000],
    ['0001', 'success', 999_902],
  ] as const) {
    const { reference } = (await buy(digits)).body.data;
    expect([await statusOf(reference), await v1.balance()]).toEqual(['pending', 999_902]);
    v1.clock.advance(5_000);
    expect([await statusOf(reference), await v1.balance()]).toEqual([status, wallet]);
  }
});

test('[3-17] [2.3-20] [2.4-9] an order that receipt and history call processing ends as a pending one does', async () => {
  const { body } = await buy('0010');
  expect(body).toMatchObject({ status: 'pending', pending: true });
  const { reference } = body.data;
  const shown = async () => [
    await statusOf(reference),
    (await v1.get('/transactions')).body.data.transactions[0].status,
    await v1.balance(),
  ];
  v1.clock.advance(4_999);
  expect(await shown()).toEqual(['processing', 'processing', 999_902]);
  v1.clock.advance(1);
  expect(await shown()).toEqual(['success', 'success', 999_902]);
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
  expect((await v1.receipt(cable.body.data.reference)).meta.phone).toBe('08031234567');
  expect(await v1.receipt(electricity.body.data.reference)).toMatchObject({
    amount: 1_000,
    charge: 1_050,
    meta: { phone: '08031234568' },
  });
  expect(await v1.receipt((await buy('1234')).body.data.reference)).toMatchObject({ amount: 100, charge: 98 });
});

test('[3-7] [4.electricity-10] [4.electricity-11] a pending electricity order has a null token, and the token once it succeeds', async () => {
  const body = { disco_id: 1, meter_number: phoneEnding('0001'), meter_type: 'prepaid', amount: 1_000 };
  const reply = (await v1.buy('/electricity', body)).body;
  expect(reply).toMatchObject({ status: 'pending', success: true, pending: true, data: { token: null, pending: true } });
  expect((await v1.receipt(reply.data.reference)).token).toBeNull();
  v1.clock.advance(5_000);
  expect((await v1.receipt(reply.data.reference)).token).toMatch(/^\d{4}(?:-\d{4}){4}$/);
});

test('[3-10] [3-13] [3-11] [3-14] [4.receipt-4] [8-19] the receipt of an order pending over two minutes asks the provider first, who may know nothing yet', async () => {
  for (const [mood, afterMs, status, wallet] of [
    ['recheck-failure', 2 * 60_000 + 1, 'failed', 1_000_000],
    ['recheck-success', 2 * 60_000, 'pending', 999_902],
    ['recheck-success', 2 * 60_000 + 1, 'success', 999_804],
    ['pending', 24 * 3_600_000, 'pending', 999_706],
  ] as const) {
    const { reference } = (await buy('1234', { request_id: `mood.${mood}.${afterMs}` })).body.data;
    v1.clock.advance(afterMs);
    expect([mood, await statusOf(reference), await v1.balance()]).toEqual([mood, status, wallet]);
  }
});

test('[4-13] the same request_id while pending returns the pending order, and later its result', async () => {
  const sale = airtime({ phone: phoneEnding('0001'), request_id: 'twice', pin: v1.pin });
  const first = await v1.buy('/airtime', sale);
  expect((await v1.post('/airtime', sale)).body).toEqual({ ...first.body, duplicate: true });
  v1.clock.advance(5_000);
  const later = await v1.post('/airtime', sale);
  expect(later.body).toMatchObject({ status: 'success', duplicate: true, data: { reference: first.body.data.reference } });
});

test('[3-15] nothing follows a final state', async () => {
  const { reference } = (await buy('1234')).body.data;
  expect(() => v1.sandbox.admin.settleOrder(reference, 'failed')).toThrow(/success already/);
});

test('[2.7-9] the cards of a pending order come with its success', async () => {
  const body = { network_id: 1, denomination: 100, quantity: 2, request_id: 'mood.late-success.cards' };
  const reply = (await v1.buy('/recharge-card', body)).body;
  expect(reply).toMatchObject({ status: 'pending', data: { pins: [] } });
  v1.clock.advance(5_000);
  expect((await v1.receipt(reply.data.reference)).pins).toHaveLength(2);
});

test('[7.1-17] a charge that ends in HTTP 500 can be checked in the history before a retry', async () => {
  expect((await buy('0005')).status).toBe(500);
  const [order] = (await v1.get('/transactions')).body.data.transactions;
  expect((await v1.receipt(order.transaction_ref)).status).toBe('success');
});
