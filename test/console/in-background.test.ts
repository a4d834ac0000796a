/** The built program computes plans and coverage in a thread of its own, while it sells. */
import { join } from 'node:path';
import { prepareGateway, type GatewayProcess } from '../crash/gateway-process';
import { send } from '../flows/house';
import { freePort } from '../free-port';
import { copyMappings } from '../mapping/mapping-set';
import { consoleOf } from './ask-console';
import { newFolder } from '../new-folder';

const home = newFolder();
let gateway: GatewayProcess;
beforeAll(async () => {
  copyMappings(join(home, 'mappings'));
  gateway = await prepareGateway({
    dataDir: join(home, 'data'),
    upstreamUrl: 'sandbox',
    mappingsDir: join(home, 'mappings'),
    env: { SANDBOX_PORT: String(await freePort()), SANDBOX_RELAXED: '1' },
    cwd: home,
  });
  await gateway.start();
}, 60_000);
afterAll(() => gateway.end('SIGKILL'));

let sold = 0;

/** The milliseconds of each purchase, one after another, until the work has ended. */
async function sellUntil(isEnough: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (!isEnough() || times.length < 100) {
    const startedAt = performance.now();
    const sale = {
      network: 1,
      mobile_number: '08031234567',
      amount: 100,
      Ported_number: true,
      'request-id': `sale-${(sold += 1)}`,
    };
    expect((await send(gateway.url, '/api/topup/', sale)).body).toMatchObject({ status: 'success' });
    times.push(performance.now() - startedAt);
  }
  return times.sort((a, b) => a - b);
}

const p99 = (times: readonly number[]): number => times[Math.floor(times.length * 0.99)]!;

test('a purchase does not wait for coverage, plan and check', async () => {
  const asked = consoleOf(gateway.adminUrl);
  // The room of the pages is loaded with the first page.
  await asked.get('/mappings');
  const quiet = await sellUntil(() => true);
  let isDone = false;
  const computing = (async () => {
    const all = [
      await asked.get('/mappings/coverage'),
      await asked.post('/mappings/plan', { kind: 'folder' }),
      await asked.get('/mappings/check'),
    ];
    isDone = true;
    return all;
  })();
  const busy = await sellUntil(() => isDone);
  const [coverage, plan, check] = await computing;
  expect(coverage!.text).toContain('rows of cases were played: all as expected');
  expect(plan!.text).toContain('nothing would change');
  expect(check!.text).toContain('no problems');
  process.stdout.write(
    `p99 of a purchase: ${p99(quiet).toFixed(1)} ms when nothing is computed, ${p99(busy).toFixed(1)} ms of ${busy.length} while coverage, plan and check are\n`,
  );
  // A machine that is busy with other tests is slow even without a plan.
  expect(p99(busy)).toBeLessThan(Math.max(100, 4 * p99(quiet)));
}, 120_000);
