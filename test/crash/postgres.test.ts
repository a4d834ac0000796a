/** Two gateways, each with its own data folder, on one PostgreSQL; each of the three is killed or restarted under load. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describePostgres, startPostgres, type PostgresServer } from '../journal/postgres/start-postgres';
import type { GatewayProcess } from './gateway-process';
import { openCrashStage, type CrashStage } from './stage';
import { findCharge } from './verdict';

/** Each round does all four disturbances and takes three quarters of a minute, because a stop holds replies. */
const ROUNDS = Number(process.env['POSTGRES_ROUNDS'] ?? 1);
const REST_MS = 20;

describePostgres('two gateways on one PostgreSQL', () => {
  let postgres: PostgresServer;
  let stage: CrashStage;

  beforeAll(async () => {
    postgres = await startPostgres();
    const env = { JOURNAL_URL: await postgres.createDatabase(), GATEWAY_SECRET: '0123456789abcdef'.repeat(2) };
    stage = await openCrashStage({ gateways: 2, hasOwnFolders: true, env });
    // Both start at once on an empty database.
    expect(await Promise.all(stage.gateways.map((gateway) => gateway.start()))).toEqual([true, true]);
  }, 180_000);
  afterAll(async () => {
    await stage?.close();
    await postgres?.close();
  });

  async function untilReady(): Promise<void> {
    for (const gateway of stage.gateways) while (!(await isReady(gateway))) await sleep(20);
  }

  async function isReady(gateway: GatewayProcess): Promise<boolean> {
    const answer = await fetch(`${gateway.adminUrl}/readyz`).catch((error: unknown) => {
      throw new Error(`The gateway is gone. It wrote:\n${gateway.output().slice(-4_000)}\n${gateway.complaints()}`, {
        cause: error,
      });
    });
    return answer.status === 200;
  }

  test(`${ROUNDS} rounds of kill -9, rolling restarts and restarts of PostgreSQL: no order is charged twice, lost or told falsely`, async () => {
    const { v1, chance, gateways } = stage;
    const scripts = stage.load('shared', REST_MS);
    const restartPostgres = async (end: () => Promise<void>): Promise<void> => {
      await end();
      await sleep(chance.between(0, 400));
      await postgres.start();
      await untilReady();
    };
    const restartGateway = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
      const leaving = chance.pick(gateways);
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
    const verdict = await stage.judge(scripts, `${ROUNDS} rounds of everything`);
    expect(verdict).toMatchObject({ doubleCharges: 0, lost: [], lies: [] });
    expect(verdict.toldSuccess).toBeGreaterThan(50);
    expect(v1.isBalanced()).toBe(true);
  }, 900_000);

  test('a gateway that dies while PostgreSQL is away loses no sale and tells nothing false', async () => {
    const { v1, chance, gateways } = stage;
    const before = v1.countOrders();
    const scripts = stage.load('both', REST_MS);
    for (let round = 0; round < ROUNDS; round += 1) {
      await sleep(chance.between(200, 600));
      await postgres.kill();
      await sleep(chance.between(0, 100));
      const victim = chance.pick(gateways);
      await victim.end('SIGKILL');
      await postgres.start();
      expect(await victim.start()).toBe(true);
      await untilReady();
    }
    await sleep(300);
    await scripts.stop();
    await untilReady();
    const verdict = await stage.judge(scripts, `${ROUNDS} deaths while it is away`, before);
    expect(verdict).toMatchObject({ doubleCharges: 0, lies: [] });
    // No gateway knows the orders that the dead one told pending because it could not read whether their ids were known; v1 has none of them.
    const ids = verdict.lost.map((sentence) => sentence.split(' ')[0]);
    for (const order of scripts.orders.filter(({ requestId }) => ids.includes(requestId)))
      expect(await findCharge(order, v1)).toMatchObject({ isCharged: false, isRefunded: false });
    expect(v1.isBalanced()).toBe(true);
  }, 900_000);
});
