import { freshId, freshPhone, openTarget, type Target } from '../target';

let v1: Target;
beforeAll(async () => {
  v1 = await openTarget();
});
afterAll(() => v1.close());

const DECLINED = {
  status: 'error',
  success: false,
  message: expect.stringMatching(/refunded/i),
  refunded: true,
  reference: expect.any(String),
};
const phone = (digits = '0000') => `${freshPhone().slice(0, 7)}${digits}`;

test('[7-3] [3-4] [7.1-19] [7.2-3] a phone ending in 0000 is declined with HTTP 400, success false, refunded true and a reference', async () => {
  const { status, body } = await v1.buy('/airtime', { network: 'MTN', phone: phone(), amount: 100 });
  expect({ status, body }).toEqual({ status: 400, body: DECLINED });
});

test('[7.2-4] a smartcard ending in 0000 is declined', async () => {
  const { id } = (await v1.get('/catalog')).body.data.cable_plans[0];
  const { status, body } = await v1.buy('/cabletv', { plan_id: id, smartcard: phone() });
  expect({ status, body }).toEqual({ status: 400, body: DECLINED });
});

test('[7.2-5] a meter ending in 0000 is declined', async () => {
  const body = { disco_id: 1, meter_number: phone(), meter_type: 'prepaid', amount: 1_000 };
  const reply = await v1.buy('/electricity', body);
  expect({ status: reply.status, body: reply.body }).toEqual({ status: 400, body: DECLINED });
});

test('[3-5] a declined purchase is refunded and its receipt says failed', async () => {
  const before = (await v1.get('/balance')).body.data.wallet_balance;
  const { body } = await v1.buy('/airtime', { network: 'MTN', phone: phone(), amount: 100 });
  expect((await v1.get('/balance')).body.data.wallet_balance).toBe(before);
  expect((await v1.get(`/receipt?reference=${body.reference}`)).body.data.status).toBe('failed');
});

test('[7-4] a declined purchase is safe to retry', async () => {
  const body = { network: 'MTN', phone: phone(), amount: 100 };
  const first = await v1.buy('/airtime', body);
  const second = await v1.post('/airtime', { ...body, pin: v1.pin });
  expect(second.body).toEqual(DECLINED);
  expect(second.body.reference).not.toBe(first.body.reference);
});

test('[4-9] the same request_id after a decline returns the declined order with duplicate true', async () => {
  const body = { network: 'MTN', phone: phone(), amount: 100, request_id: freshId() };
  const first = await v1.buy('/airtime', body);
  const second = await v1.buy('/airtime', body);
  expect({ status: second.status, body: second.body }).toEqual({ status: 400, body: { ...first.body, duplicate: true } });
});
