import { expectRejected, freshPhone, TOLD, v1OfFile } from '../target';

const v1 = v1OfFile();

const CARD = { pin: expect.any(String), serial: expect.any(String) };
const buyExam = (more: Record<string, unknown> = {}) => v1.buy('/exam_pin', { exam_name: 'WAEC', quantity: 1, ...more });
const buyCards = (more: Record<string, unknown> = {}) => v1.buy('/recharge-card', { network_id: 1, denomination: 100, ...more });
const buyDataCards = async (more: Record<string, unknown> = {}) => {
  const plan = (await v1.catalog()).data_plans.find(({ network }: { network: string }) => network === 'MTN');
  return v1.buy('/data-card', { plan_id: plan.id, ...more });
};
const send = (more: Record<string, unknown> = {}) =>
  v1.buy('/bulk_sms', { sender_id: 'ACME', message: `Hello ${freshPhone()}`, recipients: freshPhone(), ...more });

test('[4.exam_pin-1] [4.exam_pin-2] [2.7-7] [2.5-1] an exam of the catalog is sold, with message, reference, one pin per quantity and balances', async () => {
  const [exam_name] = Object.keys((await v1.catalog()).exam_prices);
  const { status, body } = await buyExam({ exam_name, quantity: 2 });
  const reply = { status: 'success', message: expect.any(String), data: { ...TOLD, pins: [CARD, CARD] } };
  expect({ status, body }).toEqual({ status: 200, body: reply });
  expect((await buyExam({ exam_name })).body.data.pins).toEqual([CARD]);
});

test('[4.exam_pin-3] an exam that is not in the catalog is rejected', async () => {
  expectRejected(await buyExam({ exam_name: 'GCSE' }));
});

test('[4.exam_pin-4] [8-11] [4.exam_pin-5] the quantity of exam PINs is 1 to 5, and required', async () => {
  expect((await buyExam({ quantity: 5 })).body.data.pins).toHaveLength(5);
  for (const quantity of [0, 6, -1, undefined]) expectRejected(await buyExam({ quantity }));
});

test('[4.exam_pin-6] each PIN is paid for', async () => {
  const price = (await v1.catalog()).exam_prices.WAEC;
  const { data } = (await buyExam({ quantity: 3 })).body;
  expect(data.balance_before - data.balance_after).toBeCloseTo(3 * price, 6);
});

test('[4.recharge-card-1] [4.data-card-1] the denominations of cards and the plans of a network can be read', async () => {
  for (const path of ['/recharge-card', '/data-card?net=MTN']) {
    expect(await v1.get(path)).toMatchObject({ status: 200, body: { status: 'success' } });
  }
});

test('[4.recharge-card-2] [4.recharge-card-7] [4.recharge-card-3] [2.7-7] [2.7-10] a card of each network is printed, by default one', async () => {
  for (const network_id of [1, 2, 3, 4]) {
    const data = { reference: expect.any(String), pins: [CARD] };
    expect((await buyCards({ network_id })).body).toEqual({ status: 'success', message: expect.stringContaining('1'), data });
  }
});

test('[4.recharge-card-4] [4.recharge-card-5] another network_id is rejected, and a denomination that is not offered', async () => {
  for (const network_id of [0, 5, -1]) expectRejected(await buyCards({ network_id }));
  expectRejected(await buyCards({ denomination: 123 }));
});

test('[4.recharge-card-6] [8-12] the quantity is 1 to 50 and the message states how many cards are ready', async () => {
  const { body } = await buyCards({ quantity: 50 });
  expect(body.data.pins).toHaveLength(50);
  expect(body.message).toContain('50');
  for (const quantity of [0, 51]) expectRejected(await buyCards({ quantity }));
});

test('[4.recharge-card-8] [8-14] the name on the card has at most 30 characters', async () => {
  expect((await buyCards({ name_on_card: 'N'.repeat(30) })).body.status).toBe('success');
  expectRejected(await buyCards({ name_on_card: 'N'.repeat(31) }));
});

test('[2.5-2] no two cards of an order are the same', async () => {
  const { pins } = (await buyCards({ network_id: 2, quantity: 20 })).body.data;
  expect(new Set(pins.map((card: { pin: string }) => card.pin)).size).toBe(20);
});

test('[4.data-card-2] [4.data-card-3] [2.7-7] [2.7-10] the plan ids of POST /data print a data card, by default one', async () => {
  const data = { reference: expect.any(String), pins: [CARD] };
  expect((await buyDataCards()).body).toEqual({ status: 'success', message: expect.any(String), data });
});

test('[4.data-card-4] [8-13] the quantity of data cards is 1 to 5', async () => {
  expect((await buyDataCards({ quantity: 5 })).body.data.pins).toHaveLength(5);
  for (const quantity of [0, 6]) expectRejected(await buyDataCards({ quantity }));
});

test('[4.bulk_sms-1] [4.bulk_sms-2] [2.7-10] recipients may be a JSON array, and the message states how many there are', async () => {
  const { status, body } = await send({ recipients: [freshPhone(), freshPhone(), freshPhone()] });
  expect(status).toBe(200);
  expect(body).toEqual({ status: 'success', message: expect.stringContaining('3'), data: { reference: expect.any(String) } });
});

test('[4.bulk_sms-3] [4.bulk_sms-4] recipients may be one text with commas, or with new lines', async () => {
  expect((await send({ recipients: `${freshPhone()}, ${freshPhone()}` })).body.message).toContain('2');
  const lines = [freshPhone(), freshPhone(), freshPhone(), freshPhone()].join('\n');
  expect((await send({ recipients: lines })).body.message).toContain('4');
});

test('[4.bulk_sms-5] [4.bulk_sms-6] a message of 160 characters is one page, and a longer one is charged per page and recipient', async () => {
  const price = (await v1.catalog()).bulk_sms_pricing.cost_price;
  const before = await v1.balance();
  await send({ message: 'm'.repeat(161), recipients: [freshPhone(), freshPhone()] });
  const between = await v1.balance();
  expect(before - between).toBeCloseTo(price * 2 * 2, 6);
  await send({ message: 'n'.repeat(160) });
  expect(between - (await v1.balance())).toBeCloseTo(price, 6);
});

test('[4.bulk_sms-7] [8-15] sender_id has at most 11 characters', async () => {
  expect((await send({ sender_id: 'ELEVENCHARS' })).body.status).toBe('success');
  expectRejected(await send({ sender_id: 'TWELVECHARSX' }));
});

test('[4.bulk_sms-8] a message without sender, text or recipients is rejected', async () => {
  for (const name of ['sender_id', 'message', 'recipients']) expectRejected(await send({ [name]: undefined }));
});
