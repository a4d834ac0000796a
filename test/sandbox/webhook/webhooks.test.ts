import type { AccountBook } from '../../../src/sandbox/account/account-book';
import { createVirtualClock } from '../../../src/sandbox/clock';
import type { Order } from '../../../src/sandbox/order/order';
import type { OrderBook } from '../../../src/sandbox/order/order-book';
import { createMemoryStore } from '../../../src/sandbox/store/memory-store';
import type { WebhookPoster } from '../../../src/sandbox/webhook/post-webhook';
import { Webhooks } from '../../../src/sandbox/webhook/webhooks';
import { openReceiver, type Receiver } from '../../conformance/sandbox-only/receiver';
import { openRig, temporaryFolder } from '../open-rig';

const folder = temporaryFolder();
afterAll(() => folder.remove());

let receiver: Receiver;
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(() => receiver.close());

const sale = (phone: string) => ({ network: 'MTN', phone, amount: 100, pin: '1234' });

describe('webhooks', () => {
  test('that wait for a retry survive a restart and keep their place in the schedule', async () => {
    const clock = createVirtualClock();
    const dataDir = `${folder.path}/retry`;
    const before = await openRig({ dataDir, clock });
    before.sandbox.admin.changeAccount('demo', { webhook_url: receiver.url });
    receiver.answers = [500, 500];
    await before.post('/airtime', sale('08031234567'));
    await before.sandbox.admin.webhooksIdle();
    clock.advance(60_000);
    await before.sandbox.admin.webhooksIdle();
    await before.close();

    const after = await openRig({ dataDir, clock });
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

  test('that were on the wire when the sandbox closed are sent by the next one', async () => {
    const clock = createVirtualClock();
    const dataDir = `${folder.path}/wire`;
    const before = await openRig({ dataDir, clock });
    before.sandbox.admin.changeAccount('demo', { webhook_url: receiver.url });
    receiver.answers = ['never'];
    await before.post('/airtime', sale('08031234567'));
    while (receiver.received.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await before.close();

    const after = await openRig({ dataDir, clock });
    await after.sandbox.admin.webhooksIdle();
    expect(receiver.received).toHaveLength(2);
    expect(after.sandbox.admin.listDeliveries()[0]?.state).toBe('delivered');
    await after.close();
  });

  test('go out a few at a time, and all of them', async () => {
    const rig = await openRig({ relaxed: true });
    rig.sandbox.admin.changeAccount('demo', { webhook_url: receiver.url });
    for (let count = 0; count < 100; count += 1) await rig.post('/airtime', sale(`0803123${5000 + count}`));
    await rig.sandbox.admin.webhooksIdle();
    expect(new Set(receiver.received.map((webhook) => webhook.body.reference)).size).toBe(100);
    await rig.close();
  });

  test('are not made for an account without an address', async () => {
    const rig = await openRig();
    await rig.post('/airtime', sale('08031234567'));
    expect(rig.sandbox.admin.listDeliveries()).toEqual([]);
    await rig.close();
  });

  test('wait for a disk that takes nothing, and end nothing', async () => {
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
