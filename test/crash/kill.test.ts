/** kill -9 at random moments, many times: no order is charged twice, lost, or told falsely. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openCrashStage } from './stage';
import { opened } from '../opened';

// Six for a person who waits; CI kills more often.
const KILLS = Number(process.env['KILLS'] ?? 6);
/** A start takes half a second, and more than ten seconds on a machine with ten times the load. */
const TIMEOUT_MS = 60_000 + KILLS * 30_000;

const stage = opened(() => openCrashStage({ gateways: 1 }));

test(
  `a gateway that is killed ${KILLS} times under load charges no order twice, loses none and tells nothing false`,
  async () => {
    const { v1, chance } = stage;
    const gateway = stage.gateways[0]!;
    const startedAt = performance.now();
    const scripts = stage.load('killed');
    for (let kills = 0; kills < KILLS; kills += 1) {
      const starting = gateway.start();
      // Sometimes it is killed while it is still starting.
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
    // Otherwise no order was under way when it was killed.
    expect(verdict.cutOff).toBeGreaterThan(KILLS);
    expect(v1.isBalanced()).toBe(true);
  },
  TIMEOUT_MS,
);
