/** What a process has told before it is killed is no open question after it. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, PURCHASES } from '../faults/purchase';
import { openV1OfMany, type V1OfMany } from '../faults/v1-of-many';
import { describePostgres, startPostgres, type PostgresServer } from '../journal/postgres/start-postgres';
import { prepareGateway, type GatewayProcess } from './gateway-process';

const [AIRTIME] = PURCHASES;
let folder: string;
let v1: V1OfMany;
const gateways: GatewayProcess[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'told-'));
  v1 = await openV1OfMany(2, 50);
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.end('SIGKILL')));
  await v1.close();
  rmSync(folder, { recursive: true, force: true });
});

async function startGateway(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<GatewayProcess> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const gateway = await prepareGateway({ dataDir, upstreamUrl: v1.url, env });
  gateways.push(gateway);
  expect(await gateway.start()).toBe(true);
  return gateway;
}

/** Without an id. v1 takes two alike within five seconds for one, here within a tenth of a second. */
async function sell({ url }: GatewayProcess, cell: number): Promise<string | undefined> {
  const { word } = await ask(url, v1.keyOf(cell), AIRTIME!.path, AIRTIME!.fields);
  await sleep(500);
  return word;
}

test('after a kill the next sale of the same, without an id, is sold', async () => {
  const gateway = await startGateway(join(folder, 'alone'));
  const first = await sell(gateway, 0);
  await gateway.end('SIGKILL');
  expect(await gateway.start()).toBe(true);
  expect([first, await sell(gateway, 0)]).toEqual(['success', 'success']);
  expect(await v1.ledger(0)).toMatchObject({ charged: 2 });
}, 60_000);

describePostgres('on one PostgreSQL', () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.end());

  test('a neighbour that finds a gateway dead sells what that one had told on its own machine', async () => {
    const url = await postgres.createDatabase();
    const env = { JOURNAL_URL: url, GATEWAY_SECRET: '0123456789abcdef'.repeat(2) };
    const [dies, lives] = [await startGateway(join(folder, 'one'), env), await startGateway(join(folder, 'other'), env)];
    const [first, second] = [await sell(dies, 1), await sell(lives, 1)];
    await dies.end('SIGKILL');
    const living = () => postgres.query(new URL(url).pathname.slice(1), 'SELECT id FROM gateway_processes');
    while ((await living()).length > 1) await sleep(500);
    expect([first, second, await sell(lives, 1)]).toEqual(['success', 'success', 'success']);
    expect(await v1.ledger(1)).toMatchObject({ charged: 3 });
  }, 120_000);
});
