/** The built program computes plans, coverage and edits in a thread of its own, while it sells. */
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

/** Sells one after another until the work has ended. Returns the milliseconds that the slowest purchase took. */
async function sellUntil(isDone: () => boolean): Promise<number> {
  let slowestMs = 0;
  while (!isDone()) {
    const startedAt = performance.now();
    const sale = {
      network: 1,
      mobile_number: '08031234567',
      amount: 100,
      Ported_number: true,
      'request-id': `sale-${(sold += 1)}`,
    };
    expect((await send(gateway.url, '/api/topup/', sale)).body).toMatchObject({ status: 'success' });
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
  }
  return slowestMs;
}

test('a purchase does not wait for coverage, plan and check', async () => {
  const asked = consoleOf(gateway.adminUrl);
  // The room of the pages is loaded with the first page.
  await asked.get('/mappings');
  let isDone = false;
  const startedAt = performance.now();
  const computing = (async () => {
    const all = [
      await asked.get('/mappings/coverage'),
      await asked.post('/mappings/plan', { kind: 'folder' }),
      await asked.get('/mappings/check'),
    ];
    isDone = true;
    return all;
  })();
  const slowestMs = await sellUntil(() => isDone);
  const tookMs = performance.now() - startedAt;
  const [coverage, plan, check] = await computing;
  expect(coverage!.text).toContain('rows of cases were played: all as expected');
  expect(plan!.text).toContain('nothing would change');
  expect(check!.text).toContain('no problems');
  // Computed between sales, coverage alone would hold one of them for more than half of this time.
  process.stdout.write(`the slowest of ${sold} purchases took ${slowestMs.toFixed(0)} of ${tookMs.toFixed(0)} ms\n`);
  expect(slowestMs).toBeLessThan(tookMs / 4);
}, 120_000);

test('the edit that pauses a caller is computed there too, and refused in words while too much is computed', async () => {
  const asked = consoleOf(gateway.adminUrl);
  const caller = `/callers/${'ab'.repeat(16)}`;
  expect((await asked.post(`${caller}/pause`)).text).toContain('Let it go on');
  // Four may wait, so one of five is refused at once.
  const computing = Array.from({ length: 5 }, () => asked.get('/mappings/check'));
  await Promise.race(computing);
  expect((await asked.post(`${caller}/go-on`)).text).toContain('Too much is being computed already.');
  await Promise.all(computing);
  expect((await asked.post(`${caller}/go-on`)).text).not.toContain('Let it go on');
}, 120_000);
