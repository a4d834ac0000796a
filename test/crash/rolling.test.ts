/** Two gateways on one journal folder: one restarts while the other serves, and no script notices. */
import { setTimeout as sleep } from 'node:timers/promises';
import { buy, PURCHASES, type Told } from '../faults/purchase';
import type { Exit, GatewayProcess } from './gateway-process';
import { openCrashStage, SPARE_ACCOUNT, type CrashStage } from './stage';

const ROUNDS = Number(process.env['ROUNDS'] ?? 6);
/** Without a pause the scripts would sell ten thousand orders while a stop holds replies for twenty seconds. */
const REST_MS = 80;
/** Later than this a stop only holds replies, and sales of that time prove nothing. */
const STOP_BEGINS_MS = 2_000;
const REST_WHILE_HELD_MS = 1_000;
/** More than `STOP_DEADLINE_MS`, with room for a slow machine. */
const STOP_MS_MAX = 40_000;

let stage: CrashStage;
beforeAll(async () => {
  stage = await openCrashStage({ gateways: 2 });
  // Both start at once on a folder that does not exist yet: they must agree on its secret and its journal.
  expect(await Promise.all(stage.gateways.map((gateway) => gateway.start()))).toEqual([true, true]);
}, 180_000);
afterAll(() => stage.close());

/** Orders that v1 keeps pending, so that their scripts are held when the gateway is told to stop. */
function buyHeldOrders({ url }: GatewayProcess): readonly Promise<Told>[] {
  const key = stage.v1.keyOf(SPARE_ACCOUNT);
  return PURCHASES.slice(0, 6).map((purchase, index) => buy(url, key, purchase, `mood.pending.${index}`));
}

async function untilHeld(held: number): Promise<void> {
  await stage.v1.untilTaken(SPARE_ACCOUNT, held);
  // v1 has answered; its answers are on their way.
  await sleep(500);
}

test(`${ROUNDS} rolling restarts under load charge no order twice, lose none and tell nothing false`, async () => {
  const startedAt = performance.now();
  const { chance, gateways } = stage;
  const scripts = stage.load('rolled', REST_MS);
  const exits: Exit[] = [];
  const heldWords: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const leaving = gateways[round % 2]!;
    await sleep(chance.between(200, 800));
    // One such stop is enough: it takes as long as a stop may.
    const held = round === 0 ? buyHeldOrders(leaving) : [];
    await untilHeld(held.length);
    const calm = setTimeout(() => scripts.rest(REST_WHILE_HELD_MS), STOP_BEGINS_MS);
    exits.push(await leaving.end('SIGTERM'));
    clearTimeout(calm);
    scripts.rest(REST_MS);
    heldWords.push(...(await Promise.all(held)).map(({ word }) => word));
    expect(await leaving.start()).toBe(true);
  }
  await scripts.stop();

  const stops = exits.map(({ tookMs }) => Math.round(tookMs)).join(', ');
  const tookSeconds = Math.round((performance.now() - startedAt) / 1000);
  const what = `${ROUNDS} rolling restarts in ${tookSeconds} s, stops took ${stops} ms`;
  const verdict = await stage.judge(scripts, what, heldWords.length);
  expect(heldWords).toEqual(Array.from({ length: 6 }, () => 'pending'));
  expect(exits.map(({ code }) => code)).toEqual(exits.map(() => 0));
  expect(Math.max(...exits.map(({ tookMs }) => tookMs))).toBeLessThan(STOP_MS_MAX);
  expect(verdict).toMatchObject({ doubleCharges: 0, lost: [], lies: [] });
}, 900_000);

test('either of two gateways may be killed while the other serves from the same journal', async () => {
  const { v1, chance, gateways } = stage;
  const before = v1.countOrders();
  const scripts = stage.load('halved', REST_MS);
  for (let round = 0; round < ROUNDS; round += 1) {
    const victim = chance.pick(gateways);
    await sleep(chance.between(100, 600));
    await victim.end('SIGKILL');
    expect(await victim.start()).toBe(true);
  }
  await scripts.stop();
  const verdict = await stage.judge(scripts, `${ROUNDS} of two killed`, before);
  expect(verdict).toMatchObject({ doubleCharges: 0, lost: [], lies: [] });
  expect(v1.isBalanced()).toBe(true);
}, 900_000);
