import { expectRejected, freshPhone, openTarget, type Target } from '../target';

let v1: Target;
beforeAll(async () => {
  v1 = await openTarget();
});
afterAll(() => v1.close());

const send = (more: Record<string, unknown> = {}) =>
  v1.buy('/bulk_sms', { sender_id: 'ACME', message: `Hello ${freshPhone()}`, recipients: freshPhone(), ...more });
const balance = async () => (await v1.get('/balance')).body.data.wallet_balance;
const price = async () => (await v1.get('/catalog')).body.data.bulk_sms_pricing.cost_price;

test('[4.bulk_sms-1] [4.bulk_sms-2] [2.7-10] recipients may be a JSON array, and the message states how many there are', async () => {
  const { status, body } = await send({ recipients: [freshPhone(), freshPhone(), freshPhone()] });
  expect(status).toBe(200);
  expect(body).toEqual({ status: 'success', message: expect.stringContaining('3'), data: { reference: expect.any(String) } });
});

test('[4.bulk_sms-3] recipients may be one text with commas', async () => {
  expect((await send({ recipients: `${freshPhone()}, ${freshPhone()}` })).body.message).toContain('2');
});

test('[4.bulk_sms-4] recipients may be one text with new lines', async () => {
  expect(
    (await send({ recipients: [freshPhone(), freshPhone(), freshPhone(), freshPhone()].join('\n') })).body.message,
  ).toContain('4');
});

test('[4.bulk_sms-5] a long message is charged per page and recipient', async () => {
  const before = await balance();
  await send({ message: 'm'.repeat(161), recipients: [freshPhone(), freshPhone()] });
  expect(before - (await balance())).toBeCloseTo((await price()) * 2 * 2, 6);
});

test('[4.bulk_sms-6] a message of 160 characters is one page', async () => {
  const before = await balance();
  await send({ message: 'n'.repeat(160) });
  expect(before - (await balance())).toBeCloseTo(await price(), 6);
});

test('[4.bulk_sms-7] [8-15] sender_id has at most 11 characters', async () => {
  expect((await send({ sender_id: 'ELEVENCHARS' })).body.status).toBe('success');
  expectRejected(await send({ sender_id: 'TWELVECHARSX' }));
});

test('[4.bulk_sms-8] a message without sender, text or recipients is rejected', async () => {
  for (const name of ['sender_id', 'message', 'recipients']) expectRejected(await send({ [name]: undefined }));
});
