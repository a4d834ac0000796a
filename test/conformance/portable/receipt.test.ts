import { expectRejected, freshPhone, openTarget, type Target } from '../target';

let v1: Target;
beforeAll(async () => {
  v1 = await openTarget();
});
afterAll(() => v1.close());

const buy = () => v1.buy('/airtime', { network: 'MTN', phone: freshPhone(), amount: 100 });
const receipt = async () => {
  const { reference } = (await buy()).body.data;
  return { reference, ...(await v1.get(`/receipt?reference=${reference}`)) };
};

test('[4.receipt-1] [1-6] the reply holds status, success and data', async () => {
  const { status, body } = await receipt();
  expect({ status, ...body }).toEqual({ status: 'success', success: true, data: expect.any(Object) });
  expect(status).toBe(200);
});

test('[2.3-1] id is an integer', async () => {
  expect(Number.isInteger((await receipt()).body.data.id)).toBe(true);
});

test('[2.3-2] [2.3-3] reference is the one of the purchase, and transaction_ref equals it', async () => {
  const { reference, body } = await receipt();
  expect(body.data).toMatchObject({ reference, transaction_ref: reference });
});

test('[2.3-4] category is the service', async () => {
  expect((await receipt()).body.data.category).toBe('airtime');
});

test('[2.3-5] type is debit', async () => {
  expect((await receipt()).body.data.type).toBe('debit');
});

test('[2.3-6] amount is a number of naira', async () => {
  expect((await receipt()).body.data.amount).toEqual(expect.any(Number));
});

test('[2.3-7] status is one of the four states', async () => {
  expect((await receipt()).body.data.status).toMatch(/^(?:success|pending|processing|failed)$/);
});

test('[2.3-8] description is text for people', async () => {
  expect((await receipt()).body.data.description).toMatch(/airtime/i);
});

test('[2.3-9] phone is the number that was bought for', async () => {
  const phone = freshPhone();
  const { body } = await v1.buy('/airtime', { network: 'MTN', phone, amount: 100 });
  expect((await v1.get(`/receipt?reference=${body.data.reference}`)).body.data.phone).toBe(phone);
});

test('[2.3-10] balance_before and balance_after are those of the purchase', async () => {
  const { data } = (await buy()).body;
  const { balance_before, balance_after } = (await v1.get(`/receipt?reference=${data.reference}`)).body.data;
  expect({ balance_before, balance_after }).toEqual({ balance_before: data.balance_before, balance_after: data.balance_after });
});

test('[2.3-11] charge is a number', async () => {
  expect((await receipt()).body.data.charge).toEqual(expect.any(Number));
});

test('[2.3-12] provider_ref is a string or null', async () => {
  const ref = (await receipt()).body.data.provider_ref;
  expect(ref === null || typeof ref === 'string').toBe(true);
});

test('[2.3-13] created_at is written YYYY-MM-DD HH:MM:SS', async () => {
  expect((await receipt()).body.data.created_at).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/);
});

test('[2.3-14] pins is an empty array when there are none', async () => {
  expect((await receipt()).body.data.pins).toEqual([]);
});

test('[2.3-15] pins holds the cards of a card order', async () => {
  const { data } = (await v1.buy('/recharge-card', { network_id: 1, denomination: 100, quantity: 2 })).body;
  expect((await v1.get(`/receipt?reference=${data.reference}`)).body.data.pins).toEqual(data.pins);
});

test('[2.3-16] token is null where there is none', async () => {
  expect((await receipt()).body.data.token).toBeNull();
});

test('[2.3-17] [2.3-18] meta is an object, recharge_card an object or null', async () => {
  const { data } = (await receipt()).body;
  expect(data.meta).toEqual(expect.any(Object));
  expect(data.recharge_card).toBeNull();
});

test('[2.3-18] recharge_card is an object for recharge cards', async () => {
  const { data } = (await v1.buy('/recharge-card', { network_id: 1, denomination: 100 })).body;
  expect((await v1.get(`/receipt?reference=${data.reference}`)).body.data.recharge_card).toEqual(expect.any(Object));
});

test('[4.receipt-5] the reference is required', async () => {
  for (const query of ['', '?reference=']) expectRejected(await v1.get(`/receipt${query}`));
});

test('[4.receipt-2] [7.1-9] an unknown reference gives 404, status error, success false and a message', async () => {
  const { status, body } = await v1.get('/receipt?reference=NOSUCHREFERENCE');
  expect(status).toBe(404);
  expect(body).toEqual({ status: 'error', success: false, message: expect.stringMatching(/not found/i) });
});
