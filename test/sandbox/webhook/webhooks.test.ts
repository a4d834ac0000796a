import type { AccountBook } from '../../../src/sandbox/account';
import { createVirtualClock } from '../../../src/sandbox/clock';
import type { Order } from '../../../src/sandbox/order/order';
import type { OrderBook } from '../../../src/sandbox/order/order-book';
import { createMemoryStore } from '../../../src/sandbox/store/store';
import type { WebhookPoster } from '../../../src/sandbox/webhook/post-webhook';
import { Webhooks } from '../../../src/sandbox/webhook/webhooks';
import { openReceiver } from '../../conformance/sandbox-only/receiver';
import { SELF_SIGNED } from '../../upstream/self-signed';
import { openSandboxTarget, sale } from '../../conformance/target';
import { newFolder } from '../../new-folder';
import { opened } from '../../opened';
import { until } from '../../until';

const folder = newFolder();

const receiver = opened(openReceiver, beforeEach, afterEach);

describe('webhooks', () => {
  test('keep their place in the retry schedule over a restart', async () => {
    const clock = createVirtualClock();
    const dataDir = `${folder}/retry`;
    const before = await openSandboxTarget({ dataDir, clock });
    before.sandbox.admin.changeAccount('demo', { webhook_url: receiver.url });
    receiver.answers = [500, 500];
    await before.post('/airtime', sale());
    await before.sandbox.admin.webhooksIdle();
    clock.advance(60_000);
    await before.sandbox.admin.webhooksIdle();
    await before.close();

    const after = await openSandboxTarget({ dataDir, clock });
    clock.advance(5 * 60_000 - 1);
    await after.sandbox.admin.webhooksIdle();
    expect(receiver.received).toHaveLength(2);
    clock.advance(1);
    await after.sandbox.admin.webhooksIdle();
    expect(after.sandbox.admin.listDeliveries()).toMatchObject([
      { state: 'delivered', attempts: [{ status: 500 }, { status: 500 }, { status: 200 }] },
    ]);
    await after.close();
  });

  test('are sent again after a restart when the sandbox closed during their sending', async () => {
    const clock = createVirtualClock();
    const dataDir = `${folder}/wire`;
    const before = await openSandboxTarget({ dataDir, clock });
    before.sandbox.admin.changeAccount('demo', { webhook_url: receiver.url });
    receiver.answers = ['never'];
    await before.post('/airtime', sale());
    while (receiver.received.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await before.close();

    const after = await openSandboxTarget({ dataDir, clock });
    await after.sandbox.admin.webhooksIdle();
    expect(receiver.received).toHaveLength(2);
    expect(after.sandbox.admin.listDeliveries()[0]?.state).toBe('delivered');
    await after.close();
  });

  test('sent again while an attempt is under way keep to one schedule, from its beginning', async () => {
    const v1 = await openSandboxTarget();
    const { admin } = v1.sandbox;
    admin.changeAccount('demo', { webhook_url: receiver.url });
    receiver.answers = ['never', ...Array<number>(8).fill(500)];
    await v1.post('/airtime', sale());
    await until(() => receiver.received.length === 1);
    admin.redeliver(1);
    await until(() => admin.listDeliveries()[0]!.attempts.length === 1);
    v1.receiverClock.advance(10_000);
    await admin.webhooksIdle();
    for (const minutes of [1, 5, 15, 60, 240]) {
      expect(admin.listDeliveries()[0]!.state).toBe('waiting');
      v1.clock.advance(minutes * 60_000);
      await admin.webhooksIdle();
    }
    expect(receiver.received).toHaveLength(7);
    expect(admin.listDeliveries()).toMatchObject([{ state: 'stopped', tries: 6, attempts: { length: 7 } }]);
    await v1.close();
  });

  test('are all sent, one for each of a hundred sales', async () => {
    const v1 = await openSandboxTarget({ relaxed: true });
    v1.sandbox.admin.changeAccount('demo', { webhook_url: receiver.url });
    for (let count = 0; count < 100; count += 1) await v1.post('/airtime', sale({ phone: `0803123${5000 + count}` }));
    await v1.sandbox.admin.webhooksIdle();
    expect(new Set(receiver.received.map((webhook) => webhook.body.reference)).size).toBe(100);
    await v1.close();
  });

  test('are not made for an account without a webhook address', async () => {
    const v1 = await openSandboxTarget();
    await v1.post('/airtime', sale());
    expect(v1.sandbox.admin.listDeliveries()).toEqual([]);
    await v1.close();
  });

  test('wait while the disk accepts no write, and are sent afterwards', async () => {
    const clock = createVirtualClock();
    const store = createMemoryStore();
    let isFull = true;
    const committed = (): Promise<void> => (isFull ? Promise.reject(new Error('no space left')) : Promise.resolve());
    const order = {
      reference: 'PPA1',
      walletId: 'demo:live',
      status: 'success',
      balanceAfter: 0,
      createdAt: 0,
    } as unknown as Order;
    const webhooks = new Webhooks({
      accounts: { find: () => ({ id: 'demo', webhook_url: 'http://127.0.0.1:1/' }) } as unknown as AccountBook,
      clock,
      orders: { findAny: () => undefined } as unknown as OrderBook,
      poster: { isClosed: false } as unknown as WebhookPoster,
      store: { ...store, committed },
    });
    webhooks.announce(order);
    await webhooks.idle();
    expect(webhooks.list()).toMatchObject([{ state: 'waiting', tries: 0 }]);
    isFull = false;
    clock.advance(1_000);
    await webhooks.idle();
    expect(webhooks.list()).toMatchObject([{ tries: 1 }]);
  });
});

describe('a live webhook', () => {
  test.each([
    ['reaches an https receiver whose certificate is trusted', SELF_SIGNED.cert],
    ['is not sent to a receiver whose certificate is not trusted', undefined],
  ])('%s', async (_title, webhookCa) => {
    const tlsReceiver = await openReceiver(SELF_SIGNED);
    const v1 = await openSandboxTarget({ webhookCa });
    const { admin } = v1.sandbox;
    admin.changeAccount('acme', { webhook_url: tlsReceiver.url });
    await v1.as('acme_live_demo').post('/airtime', sale());
    await admin.webhooksIdle();
    const events = tlsReceiver.received.map(({ headers }) => headers['x-webhook-event']);
    expect(events).toEqual(webhookCa === undefined ? [] : ['transaction.success']);
    const failed = { state: 'waiting', attempts: [{ status: null }] };
    expect(admin.listDeliveries()).toMatchObject([webhookCa === undefined ? failed : { state: 'delivered' }]);
    await v1.close();
    await tlsReceiver.close();
  });
});
