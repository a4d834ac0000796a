/** Many hostile connections of every kind at a gateway with few open files, while scripts sell. `npm run bench:hostile` measures the same. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { askOnce } from '../ask-once';
import { prepareGateway, type GatewayProcess } from '../crash/gateway-process';
import { listen, type Listening } from '../listen';
import { newFolder } from '../new-folder';

const CROWD = resolve(__dirname, '..', '..', 'bench', 'hostile-crowd.mjs');
const FILES_MAX = 256;
/** Connections of each of eleven kinds. Together they are more than the public server accepts. */
const EACH = 20;
const SALES = 60;
const SALE_EVERY_MS = 50;
/** Idle connections to v1 are kept for four seconds. */
const BACK_MS = 15_000;

const openFiles = (gateway: GatewayProcess): number => readdirSync(`/proc/${gateway.pid}/fd`).length;

/** Sells on its own connection, as PHP does. Returns the status and the reply, or the error. */
function sell(gateway: GatewayProcess, id: string): Promise<string> {
  const fields = { network: '1', phone: '08031234567', amount: '100', plan_type: 'VTU', bypass: false, 'request-id': id };
  const headers = { Authorization: 'Token shop_key:1234', 'Content-Type': 'application/json' };
  return askOnce(`${gateway.url}/api/topup/`, { method: 'POST', headers }, JSON.stringify(fields)).then(
    ({ status, text }) => `${status} ${text}`,
    (error: Error) => error.message,
  );
}

async function openV1(): Promise<Listening> {
  let orders = 0;
  const server = createServer((asked, reply) => {
    asked.resume().on('end', () => {
      const isKnown = asked.headers.authorization === 'Bearer shop_key';
      const data = { reference: `R${(orders += 1)}`, balance_before: 900, balance_after: 800 };
      const body = isKnown
        ? { status: 'success', message: 'Airtime purchase successful', data }
        : { status: 'error', message: 'Invalid API key' };
      reply.writeHead(isKnown ? 200 : 401, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  return listen(server);
}

test('hostile connections of every kind fail no sale and leave no file open', async () => {
  const dataDir = newFolder();
  const v1 = await openV1();
  const gateway = await prepareGateway({ dataDir, upstreamUrl: v1.url, before: `ulimit -n ${FILES_MAX}` });
  const crowd = fork(CROWD, { execArgv: [] });
  try {
    expect(await gateway.start()).toBe(true);
    expect(await sell(gateway, 'first')).toMatch(/^200 .*"successful"/);
    const before = openFiles(gateway);
    crowd.send({ port: Number(new URL(gateway.url).port), each: EACH, kinds: '' });
    await once(crowd, 'message');
    const told: Promise<string>[] = [];
    let most = 0;
    for (let sale = 0; sale < SALES; sale += 1) {
      told.push(sell(gateway, `sale-${sale}`));
      most = Math.max(most, openFiles(gateway));
      await sleep(SALE_EVERY_MS);
    }
    expect((await Promise.all(told)).filter((text) => !/^200 .*"successful"/.test(text))).toEqual([]);
    expect(most).toBeGreaterThan(before + 2 * EACH);
    expect(most).toBeLessThan(FILES_MAX);
    crowd.send('end');
    await once(crowd, 'message');
    for (const until = Date.now() + BACK_MS; openFiles(gateway) > before + 2 && Date.now() < until;) await sleep(50);
    expect(openFiles(gateway)).toBeLessThanOrEqual(before + 2);
    expect(gateway.complaints()).toBe('');
  } finally {
    crowd.disconnect();
    await gateway.end('SIGTERM');
    await v1.close();
  }
});

const IDLE = 1_000;
const SLOW = 100;
const TIMED_SALES = 25;

async function medianMsOfSales(gateway: GatewayProcess, name: string): Promise<number> {
  const tookMs: number[] = [];
  for (let sale = 0; sale < TIMED_SALES; sale += 1) {
    const begunMs = performance.now();
    expect(await sell(gateway, `${name}-${sale}`)).toMatch(/^200 .*"successful"/);
    tookMs.push(performance.now() - begunMs);
  }
  return tookMs.sort((one, other) => one - other)[Math.floor(TIMED_SALES / 2)]!;
}

test('a sale takes its usual time beside a thousand idle connections and a hundred slow bodies', async () => {
  const dataDir = newFolder();
  const v1 = await openV1();
  const gateway = await prepareGateway({ dataDir, upstreamUrl: v1.url });
  const crowds = [fork(CROWD, { execArgv: [] }), fork(CROWD, { execArgv: [] })];
  try {
    expect(await gateway.start()).toBe(true);
    await medianMsOfSales(gateway, 'first');
    const usualMs = await medianMsOfSales(gateway, 'alone');
    const port = Number(new URL(gateway.url).port);
    crowds[0]!.send({ port, each: IDLE, kinds: 'idle kept-alive' });
    crowds[1]!.send({ port, each: SLOW, kinds: 'slow bodies' });
    for (const until = Date.now() + BACK_MS; openFiles(gateway) < IDLE + SLOW && Date.now() < until;) await sleep(50);
    expect(openFiles(gateway)).toBeGreaterThanOrEqual(IDLE + SLOW);
    const besideMs = await medianMsOfSales(gateway, 'beside');
    expect(openFiles(gateway)).toBeGreaterThanOrEqual(IDLE);
    // A busy machine slows both measurements.
    expect(besideMs).toBeLessThan(3 * usualMs + 50);
  } finally {
    for (const crowd of crowds) crowd.disconnect();
    await gateway.end('SIGTERM');
    await v1.close();
  }
});
