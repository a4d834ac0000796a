// A gateway that is killed loses only the last seconds of traffic, and its folder can be read.
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FLUSH_EVERY_MS } from '../../src/traffic/recorder';
import { openTrafficStore } from '../../src/traffic/traffic-store';
import { startCommand } from '../cli/run-command';
import { send } from '../flows/house';
import { newFolder } from '../new-folder';

let folder: string;
beforeEach(() => (folder = newFolder()));

test('kill -9 leaves a readable folder with everything but the last seconds', async () => {
  const gateway = startCommand(['serve'], {
    cwd: folder,
    env: { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', SANDBOX_PORT: '0', SANDBOX_RELAXED: '1', LOG_LEVEL: 'silent' },
  });
  let greeting = '';
  gateway.stdout.setEncoding('utf8').on('data', (text: string) => (greeting += text));
  while (!/Probes/.test(greeting)) await sleep(50);
  const url = /serves (http:\S+)/.exec(greeting)![1]!;

  const sentAtMs: number[] = [];
  const untilMs = Date.now() + FLUSH_EVERY_MS + 3_000;
  while (Date.now() < untilMs) {
    await send(url, '/api/topup/', { network: 1, mobile_number: '08031234567' });
    sentAtMs.push(Date.now());
  }
  const killedAtMs = Date.now();
  gateway.kill('SIGKILL');
  await once(gateway, 'close');

  const store = await openTrafficStore(join(folder, 'data', 'traffic'), Date.now());
  const tallies = [...(await store.read()).tallies()];
  const kept = tallies.reduce((sum, { kind, count }) => sum + (kind === 'shape' ? count : 0), 0);
  // A second for the write itself.
  const mustBeThere = sentAtMs.filter((atMs) => atMs < killedAtMs - FLUSH_EVERY_MS - 1_000).length;
  expect(mustBeThere).toBeGreaterThan(0);
  expect(kept).toBeGreaterThanOrEqual(mustBeThere);
  expect(kept).toBeLessThanOrEqual(sentAtMs.length);
}, 90_000);
