import { createHmac } from 'node:crypto';
import { openReceiver, type Receiver } from './receiver';
import { freshPhone, openSandboxTarget, type SandboxTarget } from '../target';

let v1: SandboxTarget;
let receiver: Receiver;
beforeEach(async () => {
  v1 = await openSandboxTarget();
  receiver = await openReceiver();
  v1.sandbox.admin.changeAccount('demo', { webhook_url: receiver.url });
});
afterEach(async () => {
  await v1.close();
  await receiver.close();
});

const ending = (digits: string) => `${freshPhone().slice(0, 7)}${digits}`;
const buy = (digits = '7123') => v1.buy('/airtime', { network: 'MTN', phone: ending(digits), amount: 100 });
const first = async () => {
  await v1.sandbox.admin.webhooksIdle();
  const [webhook] = receiver.received;
  if (webhook === undefined) throw new Error('no webhook arrived');
  return webhook;
};
const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[+-]\d{2}:\d{2}$/;

test('[6-1] [3-2] [6-20] a success sends transaction.success with the fields of the specification', async () => {
  const { data } = (await buy()).body;
  expect((await first()).body).toEqual({
    event: 'transaction.success',
    reference: data.reference,
    status: 'success',
    service: 'airtime',
    amount: 100,
    description: expect.any(String),
    phone: expect.any(String),
    network: 'MTN',
    refunded: false,
    balance_after: data.balance_after,
    sandbox: true,
    created_at: expect.stringMatching(ISO),
    timestamp: expect.stringMatching(ISO),
  });
});

test('[6-2] [3-16] [6-21] a decline sends transaction.failed with refunded true and a message', async () => {
  const { reference } = (await buy('0000')).body;
  expect((await first()).body).toMatchObject({
    event: 'transaction.failed',
    reference,
    status: 'failed',
    refunded: true,
    balance_after: 1_000_000,
    message: expect.any(String),
  });
});

test('[6-3] X-Webhook-Event is the event of the body', async () => {
  await buy();
  const { headers, body } = await first();
  expect(headers['x-webhook-event']).toBe(body.event);
});

test('[6-4] X-Webhook-Signature is the hex HMAC-SHA256 of the raw body', async () => {
  await buy();
  const { headers, raw } = await first();
  expect(headers['x-webhook-signature']).toBe(createHmac('sha256', 'sandbox_demo').update(raw).digest('hex'));
});

test('[6-5] [5-16] an account with a live key signs with it, also for sandbox orders', async () => {
  v1.sandbox.admin.changeAccount('demo', { keys: { live: 'demo_live_1', sandbox: 'sandbox_demo' } });
  await buy();
  const { headers, raw } = await first();
  expect(headers['x-webhook-signature']).toBe(createHmac('sha256', 'demo_live_1').update(raw).digest('hex'));
});

test('[6-6] after a live key is regenerated, the new key signs', async () => {
  v1.sandbox.admin.changeAccount('demo', { keys: { live: 'demo_live_1', sandbox: 'sandbox_demo' } });
  const key = v1.sandbox.admin.regenerateKey('demo_live_1');
  await buy();
  const { headers, raw } = await first();
  expect(headers['x-webhook-signature']).toBe(createHmac('sha256', key).update(raw).digest('hex'));
});

test('[6-24] the event comes as an HTTP POST', async () => {
  await buy();
  expect((await first()).method).toBe('POST');
});

test('[6-25] token is there only for electricity, message only for failed orders', async () => {
  await buy();
  const { body } = await first();
  expect(body).not.toHaveProperty('token');
  expect(body).not.toHaveProperty('message');
});

test('[6-7] Content-Type is application/json', async () => {
  await buy();
  expect((await first()).headers['content-type']).toBe('application/json');
});

test('[6-8] [1-2] no webhook is sent while an order is pending, one when it succeeds', async () => {
  const { reference } = (await buy('0001')).body.data;
  await v1.sandbox.admin.webhooksIdle();
  expect(receiver.received).toHaveLength(0);
  v1.clock.advance(5_000);
  expect((await first()).body).toMatchObject({ event: 'transaction.success', reference });
});

test('[6-9] [3-9] a pending order that is declined sends transaction.failed', async () => {
  const { reference } = (await buy('0002')).body.data;
  v1.clock.advance(5_000);
  expect((await first()).body).toMatchObject({ event: 'transaction.failed', reference, refunded: true });
});

test('[6-10] [4.electricity-12] an electricity webhook carries the token', async () => {
  const sale = { disco_id: 1, meter_number: ending('0001'), meter_type: 'prepaid', amount: 1_000 };
  await v1.buy('/electricity', sale);
  v1.clock.advance(5_000);
  const { body } = await first();
  expect(body).toMatchObject({ service: 'electricity', network: null, token: expect.any(String) });
});

test('[6-11] [1-5] every purchase endpoint sends its event', async () => {
  await v1.buy('/data', { plan_id: 101, phone: freshPhone() });
  await v1.buy('/airtime', { network: 'MTN', phone: freshPhone(), amount: 100 });
  await v1.buy('/cabletv', { plan_id: 11, smartcard: '7012345678' });
  await v1.buy('/electricity', { disco_id: 1, meter_number: '45012345678', meter_type: 'prepaid', amount: 1_000 });
  await v1.buy('/exam_pin', { exam_name: 'WAEC', quantity: 1 });
  await v1.buy('/recharge-card', { network_id: 1, denomination: 100 });
  await v1.buy('/data-card', { plan_id: 101 });
  await v1.buy('/bulk_sms', { sender_id: 'ACME', message: 'Hello', recipients: freshPhone() });
  await v1.sandbox.admin.webhooksIdle();
  const services = receiver.received.map((webhook) => webhook.body.service).sort();
  expect(services).toEqual(['airtime', 'bulk_sms', 'cabletv', 'data', 'data_card', 'electricity', 'exam_pin', 'recharge_card']);
});

test('[6-12] a rejected purchase sends nothing', async () => {
  await v1.buy('/airtime', { network: 'MTN', phone: freshPhone(), amount: 1 });
  await v1.sandbox.admin.webhooksIdle();
  expect(receiver.received).toHaveLength(0);
});

test('[6-13] live orders are reported over https only', async () => {
  v1.sandbox.admin.changeAccount('acme', { webhook_url: receiver.url });
  await v1.as('acme_live_demo').buy('/airtime', { network: 'MTN', phone: freshPhone(), amount: 100 });
  await v1.sandbox.admin.webhooksIdle();
  expect(receiver.received).toHaveLength(0);
  expect(v1.sandbox.admin.listDeliveries()[0]?.attempts[0]?.error).toMatch(/https/);
});
