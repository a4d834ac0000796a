import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { openRig } from '../open-rig';
import { LOCALHOST_CERTIFICATE } from './localhost-certificate';

interface Heard {
  readonly url: string;
  readonly heard: string[];
  close(): Promise<void>;
}

async function openHttpsReceiver(): Promise<Heard> {
  const heard: string[] = [];
  const server = createServer(LOCALHOST_CERTIFICATE, (request, response) => {
    heard.push(String(request.headers['x-webhook-event']));
    request.resume().on('end', () => response.end());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}/hook`,
    heard,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

const sale = { network: 'MTN', phone: '08031234567', amount: 100, pin: '1234' };

describe('a live webhook', () => {
  test('reaches an https receiver whose certificate is trusted', async () => {
    const receiver = await openHttpsReceiver();
    const rig = await openRig({ webhookCa: LOCALHOST_CERTIFICATE.cert });
    rig.sandbox.admin.changeAccount('acme', { webhook_url: receiver.url });
    await rig.post('/airtime', sale, 'acme_live_demo');
    await rig.sandbox.admin.webhooksIdle();
    expect(receiver.heard).toEqual(['transaction.success']);
    await rig.close();
    await receiver.close();
  });

  test('does not speak to a receiver whose certificate is not', async () => {
    const receiver = await openHttpsReceiver();
    const rig = await openRig();
    rig.sandbox.admin.changeAccount('acme', { webhook_url: receiver.url });
    await rig.post('/airtime', sale, 'acme_live_demo');
    await rig.sandbox.admin.webhooksIdle();
    expect(receiver.heard).toEqual([]);
    expect(rig.sandbox.admin.listDeliveries()[0]).toMatchObject({ state: 'waiting', attempts: [{ status: null }] });
    await rig.close();
    await receiver.close();
  });
});
