/** Two gateways, each with a data folder of its own, on one PostgreSQL: any of the three is killed or restarted under load. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFaultProxy, type FaultProxy } from '../faults/fault-proxy';
import { openV1OfMany, type V1OfMany } from '../faults/v1-of-many';
import { describePostgres, startPostgres, type PostgresServer } from '../journal/postgres/start-postgres';
import { createChance } from './chance';
import { prepareGateway, type GatewayProcess } from './gateway-process';
import { startScripts } from './scripts';
import { describeVerdict, inBooks, judgeOrders } from './verdict';

/** Each round does all four things that can happen, and takes three quarters of a minute: a stop that holds replies is part of it. */
const ROUNDS = Number(process.env['POSTGRES_ROUNDS'] ?? 1);
const ACCOUNTS = 12;
const SCRIPTS = 16;

describePostgres('two gateways on one PostgreSQL', () => {
  let v1: V1OfMany;
  let proxy: FaultProxy;
  let postgres: PostgresServer;
  let pair: readonly GatewayProcess[] = [];
  const folders: string[] = [];
  const chance = createChance();

  beforeAll(async () => {
    v1 = await openV1OfMany(ACCOUNTS);
    proxy = await openFaultProxy(v1.url);
    postgres = await startPostgres();
    const env = { JOURNAL_URL: await postgres.createDatabase(), GATEWAY_SECRET: '0123456789abcdef'.repeat(2) };
    for (let nth = 0; nth < 2; nth += 1) {
      const dataDir = mkdtempSync(join(tmpdir(), 'crash-postgres-'));
      folders.push(dataDir);
      pair = [...pair, await prepareGateway({ dataDir, upstreamUrl: proxy.url, env })];
    }
    // Both at once, on a database that is empty.
    expect(await Promise.all(pair.map((gateway) => gateway.start()))).toEqual([true, true]);
  }, 180_000);
  afterAll(async () => {
    for (const gateway of pair) await gateway.end('SIGKILL');
    await postgres?.end();
    await proxy.close();
    await v1.close();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  async function untilReady(): Promise<void> {
    for (const { adminUrl } of pair) while ((await fetch(`${adminUrl}/readyz`)).status !== 200) await sleep(20);
  }

  const begin = (name: string) =>
    startScripts({
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
      restMs: 20,
    });

  test(`${ROUNDS} rounds of kill -9, rolling restarts and restarts of PostgreSQL double, lose and lie about nothing`, async () => {
    const scripts = begin('shared');
    const restartPostgres = async (end: () => Promise<void>): Promise<void> => {
      await end();
      await sleep(chance.between(0, 400));
      await postgres.start();
      await untilReady();
    };
    const restartGateway = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
      const leaving = chance.pick(pair);
      await leaving.end(signal);
      expect(await leaving.start()).toBe(true);
    };
    const happenings = [
      () => restartGateway('SIGKILL'),
      () => restartPostgres(() => postgres.kill()),
      () => restartGateway('SIGTERM'),
      () => restartPostgres(() => postgres.stop()),
    ];
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const happen of happenings) {
        await sleep(chance.between(200, 800));
        await happen();
      }
    }
    await sleep(500);
    await scripts.stop();
    await untilReady();
    const verdict = await judgeOrders(scripts.orders, chance.pick(pair).url, v1);
    console.log(`seed ${chance.seed}: ${describeVerdict(verdict)}`);
    expect(verdict).toMatchObject({ doubleCharges: 0, lost: [], lies: [] });
    expect(verdict.toldSuccess).toBeGreaterThan(50);
    expect(v1.isBalanced()).toBe(true);
  }, 900_000);

  test('a gateway that dies while PostgreSQL is away loses no sale and lies about none', async () => {
    const before = v1.countOrders();
    const scripts = begin('both');
    for (let round = 0; round < ROUNDS; round += 1) {
      await sleep(chance.between(200, 600));
      await postgres.kill();
      await sleep(chance.between(0, 100));
      const victim = chance.pick(pair);
      await victim.end('SIGKILL');
      await postgres.start();
      expect(await victim.start()).toBe(true);
      await untilReady();
    }
    await sleep(300);
    await scripts.stop();
    await untilReady();
    const verdict = await judgeOrders(scripts.orders, chance.pick(pair).url, v1, before);
    console.log(`seed ${chance.seed}: ${describeVerdict(verdict)}`);
    expect(verdict).toMatchObject({ doubleCharges: 0, lies: [] });
    // What the dead one refused with "pending", because it could not read whether the id was known, nobody knows; v1 has none of it.
    const ids = verdict.lost.map((sentence) => sentence.split(' ')[0]);
    for (const order of scripts.orders.filter(({ requestId }) => ids.includes(requestId)))
      expect(await inBooks(order, v1)).toMatchObject({ isCharged: false, isRefunded: false });
    expect(v1.isBalanced()).toBe(true);
  }, 900_000);
});
