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
const idle = () => v1.sandbox.admin.webhooksIdle();
const latest = () => v1.sandbox.admin.listDeliveries()[0];
const MINUTE = 60_000;

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

test('[6-19] timestamp is the time of sending, created_at that of the order', async () => {
  receiver.answers = [500];
  await buy();
  await idle();
  v1.clock.advance(MINUTE);
  await idle();
  const [one, two] = receiver.received.map((webhook) => webhook.body);
  expect(two.created_at).toBe(one.created_at);
  expect(Date.parse(two.timestamp) - Date.parse(one.timestamp)).toBe(MINUTE);
});

test('[6-22] a retry is signed over its own raw body', async () => {
  receiver.answers = [500];
  await buy();
  await idle();
  v1.clock.advance(MINUTE);
  await idle();
  const { raw, headers } = receiver.received[1] ?? {};
  expect(headers?.['x-webhook-signature']).toBe(
    createHmac('sha256', 'sandbox_demo')
      .update(raw ?? '')
      .digest('hex'),
  );
});
