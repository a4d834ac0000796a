/** kill -9 at any instant, as often as it takes: no order is doubled, lost or lied about. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFaultProxy, type FaultProxy } from '../faults/fault-proxy';
import { openV1OfMany, type V1OfMany } from '../faults/v1-of-many';
import { createChance } from './chance';
import { prepareGateway, type GatewayProcess } from './gateway-process';
import { startScripts } from './scripts';
import { describeVerdict, judgeOrders } from './verdict';

// Six while somebody waits; CI kills more often.
const KILLS = Number(process.env['KILLS'] ?? 6);
/** A start takes half a second, and ten and more on a machine with ten times the work it can do. */
const TIMEOUT_MS = 60_000 + KILLS * 30_000;
const ACCOUNTS = 12;
const SCRIPTS = 16;

let v1: V1OfMany;
let proxy: FaultProxy;
let gateway: GatewayProcess;
let dataDir: string;
beforeAll(async () => {
  v1 = await openV1OfMany(ACCOUNTS);
  proxy = await openFaultProxy(v1.url);
  dataDir = mkdtempSync(join(tmpdir(), 'crash-'));
  gateway = await prepareGateway({ dataDir, upstreamUrl: proxy.url });
});
afterAll(async () => {
  await gateway.end('SIGKILL');
  await proxy.close();
  await v1.close();
  rmSync(dataDir, { recursive: true, force: true });
});

test(
  `a gateway that is killed ${KILLS} times under load doubles, loses and lies about nothing`,
  async () => {
    const chance = createChance();
    const startedAt = performance.now();
    const scripts = startScripts({
      name: 'killed',
      scripts: SCRIPTS,
      accounts: ACCOUNTS,
      keyOf: (account) => v1.keyOf(account),
      pickUrl: () => gateway.url,
      untilUp: () => gateway.untilUp(),
      proxy,
      chance,
    });
    for (let kills = 0; kills < KILLS; kills += 1) {
      const starting = gateway.start();
      // Now and then it dies while it is still coming up.
      if (chance.next() < 0.1) await Promise.race([starting, sleep(chance.between(50, 600))]);
      else {
        expect([await starting, gateway.complaints()]).toEqual([true, '']);
        await sleep(chance.between(0, 500));
      }
      await gateway.end('SIGKILL');
    }
    expect(await gateway.start()).toBe(true);
    await scripts.stop();

    const verdict = await judgeOrders(scripts.orders, gateway.url, v1);
    const start = gateway.startsMs.toSorted((a, b) => a - b)[gateway.startsMs.length >> 1];
    console.log(
      `seed ${chance.seed}, ${KILLS} kills in ${Math.round((performance.now() - startedAt) / 1000)} s, ` +
        `a start takes ${Math.round(start ?? 0)} ms: ${describeVerdict(verdict)}`,
    );
    expect(verdict).toMatchObject({ doubleCharges: 0, lost: [], lies: [] });
    // Else nothing was under way when it was killed.
    expect(verdict.cutOff).toBeGreaterThan(KILLS);
    expect(v1.isBalanced()).toBe(true);
  },
  TIMEOUT_MS,
);
