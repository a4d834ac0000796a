/** kill -9 at any instant, as often as it takes: no order is doubled, lost or lied about. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openCrashStage } from './stage';
import { opened } from '../opened';

// Six while somebody waits; CI kills more often.
const KILLS = Number(process.env['KILLS'] ?? 6);
/** A start takes half a second, and ten and more on a machine with ten times the work it can do. */
const TIMEOUT_MS = 60_000 + KILLS * 30_000;

const stage = opened(() => openCrashStage({ gateways: 1 }));

test(
  `a gateway that is killed ${KILLS} times under load doubles, loses and lies about nothing`,
  async () => {
    const { v1, chance } = stage;
    const gateway = stage.gateways[0]!;
    const startedAt = performance.now();
    const scripts = stage.load('killed');
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

    const start = Math.round(gateway.startsMs.toSorted((a, b) => a - b)[gateway.startsMs.length >> 1] ?? 0);
    const tookSeconds = Math.round((performance.now() - startedAt) / 1000);
    const verdict = await stage.judge(scripts, `${KILLS} kills in ${tookSeconds} s, a start takes ${start} ms`);
    expect(verdict).toMatchObject({ doubleCharges: 0, lost: [], lies: [] });
    // Else nothing was under way when it was killed.
    expect(verdict.cutOff).toBeGreaterThan(KILLS);
    expect(v1.isBalanced()).toBe(true);
  },
  TIMEOUT_MS,
);
