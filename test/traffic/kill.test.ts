// A gateway that is killed loses only the last seconds of traffic, and its folder can be read.
import { join } from 'node:path';
import { FLUSH_EVERY_MS } from '../../src/traffic/recorder';
import { openTrafficStore } from '../../src/traffic/traffic-store';
import { prepareGateway } from '../crash/gateway-process';
import { send } from '../flows/house';
import { newFolder } from '../new-folder';

test('kill -9 leaves a readable folder with everything but the last seconds', async () => {
  const dataDir = newFolder();
  const gateway = await prepareGateway({ dataDir, upstreamUrl: 'sandbox', env: { SANDBOX_PORT: '0', SANDBOX_RELAXED: '1' } });
  expect(await gateway.start()).toBe(true);
  const sentAtMs: number[] = [];
  const untilMs = Date.now() + FLUSH_EVERY_MS + 3_000;
  while (Date.now() < untilMs) {
    await send(gateway.url, '/api/topup/', { network: 1, mobile_number: '08031234567' });
    sentAtMs.push(Date.now());
  }
  const killedAtMs = Date.now();
  await gateway.end('SIGKILL');

  const store = await openTrafficStore(join(dataDir, 'traffic'), Date.now());
  const tallies = [...(await store.read()).tallies()];
  const kept = tallies.reduce((sum, { kind, count }) => sum + (kind === 'shape' ? count : 0), 0);
  // A second for the write itself.
  const mustBeThere = sentAtMs.filter((atMs) => atMs < killedAtMs - FLUSH_EVERY_MS - 1_000).length;
  expect(mustBeThere).toBeGreaterThan(0);
  expect(kept).toBeGreaterThanOrEqual(mustBeThere);
  expect(kept).toBeLessThanOrEqual(sentAtMs.length);
}, 90_000);
