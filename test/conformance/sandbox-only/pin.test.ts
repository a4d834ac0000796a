import { expectRejected, freshPhone, openSandboxTarget, type SandboxTarget } from '../target';

let v1: SandboxTarget;
beforeEach(async () => {
  v1 = await openSandboxTarget();
});
afterEach(() => v1.close());

const sale = (more: Record<string, unknown> = {}) => ({ network: 'MTN', phone: freshPhone(), amount: 100, ...more });

test('[5-11] [7.1-3] a wrong PIN gives 400 and the message invalid transaction PIN', async () => {
  const reply = await v1.buy('/airtime', sale({ pin: '9999' }));
  expectRejected(reply);
  expect(reply.body.message).toMatch(/invalid transaction pin/i);
});

test('[5-4] [8-4] three wrong PINs lock purchases for ten minutes, whatever the PIN', async () => {
  for (let count = 0; count < 3; count += 1) await v1.buy('/airtime', sale({ pin: '9999' }));
  const lockedAt = v1.clock.now();
  const reply = await v1.buy('/airtime', sale());
  expectRejected(reply, 403);
  expect(reply.body.message).toMatch(/lock/i);
  v1.clock.advance(lockedAt + 10 * 60_000 - v1.clock.now() - 1);
  expectRejected(await v1.post('/airtime', sale({ pin: '1234' })), 403);
  v1.clock.advance(1);
  expect((await v1.post('/airtime', sale({ pin: '1234' }))).body.status).toBe('success');
});

test('[8-5] a PIN has 4, 5 or 6 digits', async () => {
  for (const pin of ['9876', '98765', '987654']) {
    v1.sandbox.admin.changeAccount('demo', { pin });
    expect((await v1.buy('/airtime', sale({ pin }))).body.status).toBe('success');
  }
});

test('[5-12] the lock is on purchases only', async () => {
  for (let count = 0; count < 3; count += 1) await v1.buy('/airtime', sale({ pin: '9999' }));
  expect((await v1.get('/balance')).status).toBe(200);
});

test('[5-13] a right PIN forgives the wrong ones before it', async () => {
  for (const pin of ['9999', '9999', '1234', '9999', '9999']) await v1.buy('/airtime', sale({ pin }));
  expect((await v1.buy('/airtime', sale())).body.status).toBe('success');
});
