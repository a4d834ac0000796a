/** What a process has told before it is killed is no open question after it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, PURCHASES } from '../faults/purchase';
import { openV1OfMany, type V1OfMany } from '../faults/v1-of-many';
import { prepareGateway, type GatewayProcess } from './gateway-process';

const [AIRTIME] = PURCHASES;
let folder: string;
let v1: V1OfMany;
let gateway: GatewayProcess | undefined;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'told-'));
  v1 = await openV1OfMany(1, 50);
});
afterAll(async () => {
  await gateway?.end('SIGKILL');
  await v1.close();
  rmSync(folder, { recursive: true, force: true });
});

test('after a kill the next sale of the same, without an id, is sold', async () => {
  gateway = await prepareGateway({ dataDir: folder, upstreamUrl: v1.url });
  const { url } = gateway;
  const sell = () => ask(url, v1.keyOf(0), AIRTIME!.path, AIRTIME!.fields);
  expect(await gateway.start()).toBe(true);
  const first = await sell();
  // v1 takes two alike within five seconds for one, here within a tenth of a second.
  await sleep(500);
  await gateway.end('SIGKILL');
  expect(await gateway.start()).toBe(true);
  const second = await sell();
  expect([first.word, second.word, await v1.ledger(0)]).toEqual(['success', 'success', expect.objectContaining({ charged: 2 })]);
}, 60_000);
