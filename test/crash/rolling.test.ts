/** Two gateways on one journal folder: one goes and comes back while the other serves, and no script is any the wiser. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFaultProxy, type FaultProxy } from '../faults/fault-proxy';
import { buy, PURCHASES, type Told } from '../faults/purchase';
import { openV1OfMany, type V1OfMany } from '../faults/v1-of-many';
import { createChance } from './chance';
import { prepareGateway, type Exit, type GatewayProcess } from './gateway-process';
import { startScripts, type Scripts } from './scripts';
import { describeVerdict, judgeOrders } from './verdict';

const ROUNDS = Number(process.env['ROUNDS'] ?? 6);
const ACCOUNTS = 12;
const SCRIPTS = 16;
/** The last account is not the scripts': its orders stay pending at v1 for ever. */
const HELD_ACCOUNT = ACCOUNTS;
/** What `STOP_DEADLINE_MS` allows, and then some for a slow machine. */
const STOP_MS_MAX = 40_000;

let v1: V1OfMany;
let proxy: FaultProxy;
let pair: readonly [GatewayProcess, GatewayProcess];
let dataDir: string;

beforeAll(async () => {
  v1 = await openV1OfMany(ACCOUNTS + 1);
  proxy = await openFaultProxy(v1.url);
  dataDir = mkdtempSync(join(tmpdir(), 'rolling-'));
  pair = [await prepareGateway({ dataDir, upstreamUrl: proxy.url }), await prepareGateway({ dataDir, upstreamUrl: proxy.url })];
  // Both at once, on a folder that is not there yet: they must agree on its secret and its journal.
  expect(await Promise.all(pair.map((gateway) => gateway.start()))).toEqual([true, true]);
}, 180_000);
afterAll(async () => {
  for (const gateway of pair) await gateway.end('SIGKILL');
  await proxy.close();
  await v1.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const chance = createChance();

function startLoad(name: string): Scripts {
  return startScripts({
    name,
    scripts: SCRIPTS,
    accounts: ACCOUNTS,
    keyOf: (account) => v1.keyOf(account),
    // Either may get the repeat of what the other began.
    pickUrl: () => chance.pick(pair.filter((gateway) => gateway.isUp())).url,
    untilUp: async () => {
      await Promise.race(pair.map((gateway) => gateway.untilUp()));
    },
    proxy,
    chance,
    // A stop that holds replies takes twenty seconds: scripts without any rest would sell ten thousand orders meanwhile.
    restMs: 80,
  });
}

/** Orders that v1 keeps pending: their scripts are being held when the gateway is told to stop. */
function holdSome({ url }: GatewayProcess): readonly Promise<Told>[] {
  return PURCHASES.slice(0, 6).map((purchase, index) => buy(url, v1.keyOf(HELD_ACCOUNT), purchase, `mood.pending.${index}`));
}

async function untilHeld(held: number): Promise<void> {
  while ((await v1.ledger(HELD_ACCOUNT)).pending < held) await sleep(50);
  // v1 has answered; its answers are on their way.
  await sleep(500);
}

test(`${ROUNDS} rolling restarts under load double, lose and lie about nothing`, async () => {
  const startedAt = performance.now();
  const scripts = startLoad('rolled');
  const exits: Exit[] = [];
  const heldWords: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const leaving = pair[round % 2]!;
    await sleep(chance.between(200, 800));
    // Once is enough: such a stop takes as long as stops may.
    const held = round === 0 ? holdSome(leaving) : [];
    await untilHeld(held.length);
    exits.push(await leaving.end('SIGTERM'));
    heldWords.push(...(await Promise.all(held)).map(({ word }) => word));
    expect(await leaving.start()).toBe(true);
  }
  await scripts.stop();

  const verdict = await judgeOrders(scripts.orders, pair[0].url, v1, heldWords.length);
  console.log(
    `seed ${chance.seed}, ${ROUNDS} rolling restarts in ${Math.round((performance.now() - startedAt) / 1000)} s, stops took ` +
      `${exits.map(({ tookMs }) => Math.round(tookMs)).join(', ')} ms: ${describeVerdict(verdict)}`,
  );
  expect(heldWords).toEqual(Array.from({ length: 6 }, () => 'pending'));
  expect(exits.map(({ code }) => code)).toEqual(exits.map(() => 0));
  expect(Math.max(...exits.map(({ tookMs }) => tookMs))).toBeLessThan(STOP_MS_MAX);
  expect(verdict).toMatchObject({ doubleCharges: 0, lost: [], lies: [] });
}, 900_000);

test('either of two gateways may be killed while the other serves from the same journal', async () => {
  const before = v1.countOrders();
  const scripts = startLoad('halved');
  for (let round = 0; round < ROUNDS; round += 1) {
    const victim = chance.pick(pair);
    await sleep(chance.between(100, 600));
    await victim.end('SIGKILL');
    expect(await victim.start()).toBe(true);
  }
  await scripts.stop();
  const verdict = await judgeOrders(scripts.orders, pair[1].url, v1, before);
  console.log(`seed ${chance.seed}, ${ROUNDS} of two killed: ${describeVerdict(verdict)}`);
  expect(verdict).toMatchObject({ doubleCharges: 0, lost: [], lies: [] });
  expect(v1.isBalanced()).toBe(true);
}, 900_000);
