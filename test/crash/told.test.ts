/** Sales that a process has told count as told also after it was killed, or cut off from the journal. */
import { mkdirSync, readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFaultProxy } from '../faults/fault-proxy';
import { ask, PURCHASES } from '../faults/purchase';
import { openV1OfMany, type V1OfMany } from '../faults/v1-of-many';
import { openAddress } from '../journal/postgres/address';
import { describePostgres, startPostgres } from '../journal/postgres/start-postgres';
import { prepareGateway, type GatewayProcess } from './gateway-process';
import { newFolder } from '../new-folder';
import { opened } from '../opened';

/** Side by side: the plays mostly wait. */
const test = globalThis.test.concurrent;

const [AIRTIME] = PURCHASES;
const folder = newFolder();
let v1: V1OfMany;
const gateways: GatewayProcess[] = [];
beforeAll(async () => {
  v1 = await openV1OfMany(4, 50);
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.end('SIGKILL')));
  await v1.close();
});

async function startGateway(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<GatewayProcess> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const gateway = await prepareGateway({ dataDir, upstreamUrl: v1.url, env });
  gateways.push(gateway);
  expect(await gateway.start()).toBe(true);
  return gateway;
}

/** A sale without an id. v1 takes two equal sales within five seconds for one; here, within a tenth of a second. */
async function sell({ url }: GatewayProcess, cell: number): Promise<string | undefined> {
  const { word } = await ask(url, v1.keyOf(cell), AIRTIME!.path, AIRTIME!.fields);
  await sleep(500);
  return word;
}

test('after a kill the next equal sale without an id is sold', async () => {
  const gateway = await startGateway(join(folder, 'alone'));
  const first = await sell(gateway, 0);
  await gateway.end('SIGKILL');
  expect(await gateway.start()).toBe(true);
  expect([first, await sell(gateway, 0)]).toEqual(['success', 'success']);
  expect(await v1.ledger(0)).toMatchObject({ charged: 2 });
}, 60_000);

test('on one data folder a sale that nobody is known to have heard is not sold again while its gateway stands still', async () => {
  const dataDir = join(folder, 'shared');
  const [freezes, lives] = [await startGateway(dataDir), await startGateway(dataDir)];
  const first = await sell(freezes, 2);
  freezes.freeze();
  const told = join(dataDir, 'told');
  for (const name of readdirSync(told)) truncateSync(join(told, name));
  expect([first, await sell(lives, 2)]).toEqual(['success', 'success']);
  freezes.thaw();
  expect(await v1.ledger(2)).toMatchObject({ charged: 1 });
}, 60_000);

test('PINs that a gateway was buying when it was killed are told by its neighbour, and not bought again', async () => {
  const proxy = await openFaultProxy(v1.url);
  // The answer never comes.
  proxy.onPurchaseBytes = (socket) => void (socket.write = () => true);
  const dataDir = join(folder, 'pins');
  const [dies, lives] = [await startGateway(dataDir, { UPSTREAM_URL: proxy.url }), await startGateway(dataDir)];
  const buy = ({ url }: GatewayProcess) => ask(url, v1.keyOf(3), '/api/epin/', { exam_name: 'WAEC', quantity: 1 });
  const first = buy(dies);
  await v1.untilTaken(3, 1);
  await dies.end('SIGKILL');
  // Its orders are marked within half a minute.
  expect([(await first).http, (await buy(lives)).word]).toEqual([0, 'success']);
  expect(await v1.ledger(3)).toMatchObject({ charged: 1 });
  await proxy.close();
}, 60_000);

/** v1 takes six seconds for this number. */
const SLOW = { network: 1, mobile_number: '08031230007', amount: 100, airtime_type: 'VTU', Ported_number: true };

/** A script hangs up on a gateway that stands still, and hears of its sale from the other. Then the first one goes on. Returns what the next equal sale hears. */
async function sellBeside(
  dataDirs: readonly [string, string],
  env: NodeJS.ProcessEnv = {},
): Promise<readonly (string | undefined)[]> {
  const slow = await openV1OfMany(1, 2);
  const started: GatewayProcess[] = [];
  try {
    // The second one sees its neighbour at its start, the first one soon after.
    for (const dataDir of dataDirs) started.push(await startGateway(dataDir, { ...env, UPSTREAM_URL: slow.url }));
    const [freezes, lives] = started as [GatewayProcess, GatewayProcess];
    return await sellToBoth(freezes, lives, slow);
  } finally {
    await Promise.all(started.map((gateway) => gateway.end('SIGKILL')));
    await slow.close();
  }
}

async function sellToBoth(
  freezes: GatewayProcess,
  lives: GatewayProcess,
  slow: V1OfMany,
): Promise<readonly (string | undefined)[]> {
  const buy = async () => (await ask(lives.url, slow.keyOf(0), '/api/topup/', SLOW)).word;
  const hangUp = new AbortController();
  const headers = { authorization: `Token ${slow.keyOf(0)}:1234`, 'content-type': 'application/json' };
  const body = JSON.stringify(SLOW);
  const first = fetch(`${freezes.url}/api/topup/`, { method: 'POST', headers, body, signal: hangUp.signal });
  await slow.untilTaken(0, 1);
  freezes.freeze();
  hangUp.abort();
  await first.catch(() => undefined);
  const repeat = await buy();
  const { charged } = await slow.ledger(0);
  // By then the list of told sales has it.
  await sleep(500);
  freezes.thaw();
  await sleep(1_000);
  return [repeat, String(charged), await buy(), String((await slow.ledger(0)).charged)];
}

test('on one data folder a sale that a neighbour told stays told when the gateway goes on on which its script hung up', async () => {
  const dataDir = join(folder, 'goes on');
  expect(await sellBeside([dataDir, dataDir])).toEqual(['success', '1', 'success', '2']);
}, 120_000);

describePostgres('on one PostgreSQL', () => {
  const postgres = opened(startPostgres);

  test('a gateway that finds its neighbour dead sells the next of what the neighbour had told from its own machine', async () => {
    const url = await postgres.createDatabase();
    const env = { JOURNAL_URL: url, GATEWAY_SECRET: '0123456789abcdef'.repeat(2) };
    const [dies, lives] = [await startGateway(join(folder, 'one'), env), await startGateway(join(folder, 'other'), env)];
    const [first, second] = [await sell(dies, 1), await sell(lives, 1)];
    await dies.end('SIGKILL');
    const living = () => postgres.query(url, 'SELECT id FROM gateway_processes');
    while ((await living()).length > 1) await sleep(500);
    expect([first, second, await sell(lives, 1)]).toEqual(['success', 'success', 'success']);
    expect(await v1.ledger(1)).toMatchObject({ charged: 3 });
  }, 120_000);

  test('a sale that a neighbour told stays told when the gateway goes on on which its script hung up', async () => {
    const env = { JOURNAL_URL: await postgres.createDatabase(), GATEWAY_SECRET: '0123456789abcdef'.repeat(2) };
    const told = await sellBeside([join(folder, 'stands'), join(folder, 'goes')], env);
    expect(told).toEqual(['success', '1', 'success', '2']);
  }, 120_000);

  test('a sale that comes while the database is away for seconds is made when it is back, and its repeat hears that', async () => {
    const [shop, url] = [await openV1OfMany(1, 2), new URL(await postgres.createDatabase())];
    const address = await openAddress(postgres.port);
    url.port = String(address.port);
    const env = { JOURNAL_URL: url.href, GATEWAY_SECRET: '0123456789abcdef'.repeat(2), UPSTREAM_URL: shop.url };
    const gateway = await startGateway(join(folder, 'waits'), env);
    const buy = (id: string) => ask(gateway.url, shop.keyOf(0), AIRTIME!.path, { ...AIRTIME!.fields, 'request-id': id });
    try {
      expect(await buy('before')).toMatchObject({ word: 'success' });
      await address.close();
      const waiting = [buy('before'), buy('meanwhile'), sleep(6_000).then(() => buy('meanwhile'))];
      while ((await fetch(`${gateway.adminUrl}/readyz`)).status === 200) await sleep(100);
      await sleep(3_000);
      await address.listen();
      expect((await Promise.all(waiting)).map(({ http, word }) => `${http} ${word}`)).toEqual(Array(3).fill('200 success'));
      expect(await shop.ledger(0)).toMatchObject({ charged: 2 });
    } finally {
      await gateway.end('SIGKILL');
      await address.close();
      await shop.close();
    }
  }, 120_000);

  test('a gateway that is cut off tells a sale under way, and a neighbour that took it for dead sells the next equal one', async () => {
    const slow = await openV1OfMany(1, 2);
    const url = new URL(await postgres.createDatabase());
    const address = await openAddress(postgres.port);
    const env = { JOURNAL_URL: url.href, GATEWAY_SECRET: '0123456789abcdef'.repeat(2), UPSTREAM_URL: slow.url };
    url.port = String(address.port);
    const cutOff = await startGateway(join(folder, 'cut-off'), { ...env, JOURNAL_URL: url.href });
    const lives = await startGateway(join(folder, 'beside'), env);
    const buy = (gateway: GatewayProcess) => ask(gateway.url, slow.keyOf(0), '/api/topup/', SLOW);
    try {
      const first = buy(cutOff);
      await slow.untilTaken(0, 1);
      await address.close();
      expect(await first).toMatchObject({ http: 200, word: 'success' });
      const marked = () => postgres.query(env.JOURNAL_URL, 'SELECT request_id FROM gateway_untold');
      while ((await marked()).length === 0) await sleep(500);
      await address.listen();
      while ((await fetch(`${cutOff.adminUrl}/readyz`)).status !== 200) await sleep(100);
      while ((await marked()).length > 0) await sleep(100);
      // Until the list has it, its reply may not have left.
      const listed = () => postgres.query(env.JOURNAL_URL, 'SELECT holder FROM gateway_told');
      while ((await listed()).length === 0) await sleep(100);
      expect(await buy(lives)).toMatchObject({ http: 200, word: 'success' });
      expect(await slow.ledger(0)).toMatchObject({ charged: 2 });
    } finally {
      await Promise.all([cutOff, lives].map((gateway) => gateway.end('SIGKILL')));
      await address.close();
      await slow.close();
    }
  }, 180_000);
});
