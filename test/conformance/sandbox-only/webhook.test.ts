import { createHmac } from 'node:crypto';
import { openReceiver } from './receiver';
import { airtime, freshPhone, phoneEnding, sandboxOfTest } from '../target';
import { opened } from '../../opened';

const v1 = sandboxOfTest();

const receiver = opened(openReceiver, beforeEach, afterEach);
beforeEach(() => {
  v1.sandbox.admin.changeAccount('demo', { webhook_url: receiver.url });
});

const MINUTE = 60_000;
const buy = (digits = '7123') => v1.buy('/airtime', airtime({ phone: phoneEnding(digits) }));
const idle = () => v1.sandbox.admin.webhooksIdle();
const latest = () => v1.sandbox.admin.listDeliveries()[0];
const first = async () => {
  await idle();
  const [webhook] = receiver.received;
  if (webhook === undefined) throw new Error('no webhook arrived');
  return webhook;
};
const signatureOf = (raw: string | undefined, key: string) =>
  createHmac('sha256', key)
    .update(raw ?? '')
    .digest('hex');
const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[+-]\d{2}:\d{2}$/;

test('[6-1] [3-2] [6-20] [6-25] a success sends transaction.success with the fields of the specification, without token and message', async () => {
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

test('[6-24] [6-7] [6-3] [6-4] a webhook is a POST of application/json, with its event and the hex HMAC-SHA256 of its raw body in headers', async () => {
  await buy();
  const { method, headers, raw, body } = await first();
  expect(method).toBe('POST');
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'x-webhook-event': body.event,
    'x-webhook-signature': signatureOf(raw, 'sandbox_demo'),
  });
});

test('[6-5] [5-16] [6-6] an account with a live key signs with it, also for sandbox orders, and with the new one once it is regenerated', async () => {
  v1.sandbox.admin.changeAccount('demo', { keys: { live: 'demo_live_1', sandbox: 'sandbox_demo' } });
  await buy();
  await idle();
  const key = v1.sandbox.admin.regenerateKey('demo_live_1');
  await buy();
  await idle();
  const signatures = receiver.received.map(({ headers }) => headers['x-webhook-signature']);
  expect(signatures).toEqual(receiver.received.map(({ raw }, index) => signatureOf(raw, ['demo_live_1', key][index] ?? '')));
  expect(signatures).toHaveLength(2);
});

test('[6-8] [1-2] [6-9] [3-9] no webhook is sent while an order is pending, one when it succeeds or is declined', async () => {
  const { reference } = (await buy('0001')).body.data;
  const sale = airtime({ phone: phoneEnding('0002'), pin: v1.pin });
  const declined = (await v1.post('/airtime', sale)).body.data.reference;
  await idle();
  expect(receiver.received).toHaveLength(0);
  v1.clock.advance(5_000);
  await idle();
  const events = receiver.received.map(({ body }) => body).sort((one, two) => one.reference.localeCompare(two.reference));
  expect(events).toMatchObject([
    { event: 'transaction.success', reference },
    { event: 'transaction.failed', reference: declined, refunded: true },
  ]);
});

test('[6-10] [4.electricity-12] an electricity webhook carries the token', async () => {
  const sale = { disco_id: 1, meter_number: phoneEnding('0001'), meter_type: 'prepaid', amount: 1_000 };
  await v1.buy('/electricity', sale);
  v1.clock.advance(5_000);
  const { body } = await first();
  expect(body).toMatchObject({ service: 'electricity', network: null, token: expect.any(String) });
});

test('[6-11] [1-5] every purchase endpoint sends its event', async () => {
  await v1.buy('/data', { plan_id: 101, phone: freshPhone() });
  await v1.buy('/airtime', airtime());
  await v1.buy('/cabletv', { plan_id: 11, smartcard: '7012345678' });
  await v1.buy('/electricity', { disco_id: 1, meter_number: '45012345678', meter_type: 'prepaid', amount: 1_000 });
  await v1.buy('/exam_pin', { exam_name: 'WAEC', quantity: 1 });
  await v1.buy('/recharge-card', { network_id: 1, denomination: 100 });
  await v1.buy('/data-card', { plan_id: 101 });
  await v1.buy('/bulk_sms', { sender_id: 'ACME', message: 'Hello', recipients: freshPhone() });
  await idle();
  const services = receiver.received.map((webhook) => webhook.body.service).sort();
  expect(services).toEqual(['airtime', 'bulk_sms', 'cabletv', 'data', 'data_card', 'electricity', 'exam_pin', 'recharge_card']);
});

test('[6-12] a rejected purchase sends nothing', async () => {
  await v1.buy('/airtime', airtime({ amount: 1 }));
  await idle();
  expect(receiver.received).toHaveLength(0);
});

test('[6-13] live orders are reported over https only', async () => {
  v1.sandbox.admin.changeAccount('acme', { webhook_url: receiver.url, keys: { sandbox: 'sandbox_acme' } });
  await v1.as('acme_live_demo').buy('/airtime', airtime());
  await idle();
  expect(receiver.received).toHaveLength(0);
  expect(latest()?.attempts[0]?.error).toMatch(/https/);
});

test('[6-14] any 2xx status ends the delivery', async () => {
  receiver.answers = [204];
  await buy();
  await idle();
  expect(latest()).toMatchObject({ state: 'delivered', nextAt: null, attempts: [{ status: 204 }] });
});

test('[6-15] [8-20] [6-23] a receiver that has not answered within 10 seconds of its own time is tried again', async () => {
  receiver.answers = ['never'];
  await buy();
  while (receiver.received.length === 0) await new Promise((resolve) => setImmediate(resolve));
  v1.clock.advance(60 * MINUTE);
  v1.receiverClock.advance(9_999);
  expect(latest()).toMatchObject({ state: 'waiting', attempts: [] });
  v1.receiverClock.advance(1);
  await idle();
  expect(latest()).toMatchObject({
    state: 'waiting',
    attempts: [{ status: null, error: expect.stringContaining('10 seconds') }],
  });
  v1.clock.advance(MINUTE);
  await idle();
  expect(latest()?.state).toBe('delivered');
});

test('[6-16] [8-21] retries come after 1, 5, 15, 60 and 240 minutes, then none', async () => {
  receiver.answers = Array.from({ length: 10 }, () => 500);
  await buy();
  await idle();
  for (const [index, minutes] of [1, 5, 15, 60, 240].entries()) {
    v1.clock.advance(minutes * MINUTE - 1);
    await idle();
    expect(receiver.received).toHaveLength(index + 1);
    v1.clock.advance(1);
    await idle();
    expect(receiver.received).toHaveLength(index + 2);
  }
  expect(latest()).toMatchObject({ state: 'stopped', nextAt: null });
  v1.clock.advance(1_000 * MINUTE);
  await idle();
  expect(receiver.received).toHaveLength(6);
});

test('[6-17] a redirect is not followed and counts as no answer', async () => {
  receiver.answers = [302];
  await buy();
  await idle();
  expect(receiver.received).toHaveLength(1);
  expect(latest()).toMatchObject({ state: 'waiting', attempts: [{ status: 302 }] });
});

test('[6-18] the same event may arrive more than once, with the same reference', async () => {
  await buy();
  await idle();
  v1.sandbox.admin.redeliver(latest()?.id ?? 0);
  await idle();
  const [one, two] = receiver.received;
  expect(receiver.received).toHaveLength(2);
  expect(two?.body.reference).toBe(one?.body.reference);
});

test('[6-19] [6-22] a retry has its own time of sending, the created_at of the order, and a signature over its own raw body', async () => {
  receiver.answers = [500];
  await buy();
  await idle();
  v1.clock.advance(MINUTE);
  await idle();
  const [one, two] = receiver.received;
  expect(two?.body.created_at).toBe(one?.body.created_at);
  expect(Date.parse(two?.body.timestamp) - Date.parse(one?.body.timestamp)).toBe(MINUTE);
  expect(two?.headers['x-webhook-signature']).toBe(signatureOf(two?.raw, 'sandbox_demo'));
});
