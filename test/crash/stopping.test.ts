/** SIGTERM while scripts are being held for the end of slow orders. */
import { setTimeout as sleep } from 'node:timers/promises';
import { buyLateOnes } from '../faults/purchase';
import { openV1OfMany } from '../faults/v1-of-many';
import { prepareGateway } from './gateway-process';
import { newFolder } from '../new-folder';

test('a script that is held is told how its order ended, although the gateway was told to stop', async () => {
  const v1 = await openV1OfMany(1, 1);
  const dataDir = newFolder();
  const gateway = await prepareGateway({ dataDir, upstreamUrl: v1.url });
  try {
    expect(await gateway.start()).toBe(true);
    const held = await buyLateOnes(gateway.url, v1);
    // v1 has answered; its answers are on their way. The ends come five seconds after the orders.
    await sleep(500);
    const exit = gateway.end('SIGTERM');
    expect((await Promise.all(held)).map(({ word }) => word)).toEqual(held.map(() => 'success'));
    expect(await exit).toMatchObject({ code: 0 });
    expect(gateway.complaints()).toBe('');
  } finally {
    await gateway.end('SIGKILL');
    await v1.close();
  }
}, 60_000);
