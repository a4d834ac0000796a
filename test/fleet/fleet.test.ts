import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { CONFIG_KEYS } from '../../src/config';
import { chanceOfRun } from '../chance';
import { startScripts, type Scripts } from '../crash/scripts';
import { describeVerdict, findCharge, judgeOrders } from '../crash/verdict';
import { openFaultProxy, type FaultProxy } from '../faults/fault-proxy';
import { ask } from '../faults/purchase';
import { openV1OfMany, type V1OfMany } from '../faults/v1-of-many';
import { shippedMapping } from '../mapping/mapping-set';
import { DEPLOY, describeFleet, startFleet, type Fleet } from './start-fleet';

const ACCOUNTS = 6;
const SCRIPTS = 12;
const readDeploy = (file: string): string => readFileSync(join(DEPLOY, file), 'utf8');

describe('the deployed files', () => {
  interface Service {
    readonly environment?: Readonly<Record<string, string>>;
    readonly stop_grace_period?: string;
  }
  interface Compose {
    readonly services: Readonly<Record<string, Service>>;
  }
  const { services } = parse(readDeploy('compose.yaml'), { merge: true }) as Compose;

  test('both gateways have the same settings, and the program knows each of them', () => {
    const names = Object.keys(services['gateway-1']!.environment!);
    expect(services['gateway-2']!.environment).toEqual(services['gateway-1']!.environment);
    expect(names.filter((name) => !CONFIG_KEYS.some((key) => key.name === name))).toEqual([]);
  });

  test("the balancer's environment has every address that its file asks for", () => {
    const asked = [...readDeploy('haproxy.cfg').matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name);
    expect(Object.keys(services['balancer']!.environment!).toSorted()).toEqual([...new Set(asked)].toSorted());
  });

  test('the balancer, which is stopped first, may wait for replies as long as the gateways', () => {
    const [gateway, balancer] = [services['gateway-1']!, services['balancer']!].map((one) => one.stop_grace_period);
    expect([gateway, balancer]).toEqual([expect.stringMatching(/^\d+s$/), gateway]);
  });

  test("the balancer's own replies say that the outcome is not known", () => {
    const [head = '', body = ''] = readDeploy('pending.http').split('\r\n\r\n');
    const { words, texts } = shippedMapping();
    const { http, status, Status } = words.pending;
    const text = texts['unknown'];
    expect(head.split(' ')[1]).toBe(String(http));
    expect(head).toContain(`Content-Length: ${Buffer.byteLength(body)}`);
    expect(JSON.parse(body)).toEqual({ status, Status, message: text, msg: text, api_response: text, response: text });
  });
});

/** Sends a sale and hangs up after this many milliseconds, as a script does when its patience ends. */
function askAndHangUp(url: string, key: string, body: object, afterMs: number): Promise<void> {
  return new Promise((resolve) => {
    const headers = { authorization: `Token ${key}:1234`, 'content-type': 'application/json' };
    const asking = request(`${url}/api/topup/`, { method: 'POST', agent: false, headers });
    asking.on('error', () => resolve()).end(JSON.stringify(body));
    setTimeout(() => asking.destroy(), afterMs);
  });
}

describeFleet('two gateways behind HAProxy', () => {
  let v1: V1OfMany;
  let proxy: FaultProxy;
  let fleet: Fleet;
  let scripts: Scripts | undefined;
  const chance = chanceOfRun();

  beforeAll(async () => {
    v1 = await openV1OfMany(ACCOUNTS + 2);
    proxy = await openFaultProxy(v1.url);
    fleet = await startFleet({ upstreamUrl: proxy.url });
  }, 120_000);
  afterAll(async () => {
    scripts?.abandon();
    await fleet?.end();
    await proxy.close();
    await v1.close();
  }, 60_000);

  test('one gateway is killed and the other restarted under load: no order is charged twice, lost or told falsely', async () => {
    const [first, second] = fleet.gateways;
    scripts = startScripts({
      name: 'fleet',
      scripts: SCRIPTS,
      accounts: ACCOUNTS,
      keyOf: (account) => v1.keyOf(account),
      pickUrl: () => fleet.url,
      isUp: () => true,
      proxy,
      chance,
      restMs: 80,
    });
    await sleep(1_500);
    await first!.end('SIGKILL');
    await sleep(1_000);
    expect(await first!.start()).toBe(true);
    await sleep(1_500);
    await second!.end('SIGTERM');
    expect(await second!.start()).toBe(true);
    await sleep(1_000);
    await scripts.stop();
    const verdict = await judgeOrders(scripts.orders, fleet.url, v1);
    console.log(`seed ${chance.seed}: ${describeVerdict(verdict)}`);
    expect(verdict).toMatchObject({ doubleCharges: 0, lies: [] });
    // No gateway knows the orders that the balancer itself told pending because it reached none; v1 has none of them.
    const ids = verdict.lost.map((sentence) => sentence.split(' ')[0]);
    for (const order of scripts.orders.filter(({ requestId }) => ids.includes(requestId)))
      expect(await findCharge(order, v1)).toMatchObject({ isCharged: false, isRefunded: false });
    expect(verdict.toldSuccess).toBeGreaterThan(50);
    expect(v1.isBalanced()).toBe(true);
  }, 240_000);

  test('a script that hangs up and repeats its sale without an id is told its success: one charge', async () => {
    const key = v1.keyOf(ACCOUNTS);
    // v1 is slow for this number.
    const sale = { network: 1, mobile_number: '08031230007', amount: 100, airtime_type: 'VTU', Ported_number: true };
    await askAndHangUp(fleet.url, key, sale, 300);
    await sleep(6_000);
    expect(await ask(fleet.url, key, '/api/topup/', sale)).toMatchObject({ word: 'success' });
    expect(await v1.ledger(ACCOUNTS)).toEqual({ charged: 1, pending: 0, refunded: 0 });
  }, 60_000);

  test('while PostgreSQL restarts, sales wait for it, and what needs no journal is answered', async () => {
    const key = v1.keyOf(ACCOUNTS + 1);
    const ready = () => Promise.all(fleet.gateways.map(async ({ adminUrl }) => (await fetch(`${adminUrl}/readyz`)).status));
    await fleet.postgres.stop();
    while ((await ready()).includes(200)) await sleep(100);
    // The balancer looks twice a second.
    await sleep(1_500);
    const sale = { network: '1', phone: '08031234567', amount: '100', plan_type: 'VTU', 'request-id': 'restart-1' };
    const waiting = ask(fleet.url, key, '/api/topup/', sale);
    expect((await ask(fleet.url, key, '/api/data_plans')).text).toContain('"plan_name"');
    await sleep(1_000);
    await fleet.postgres.start();
    expect(await waiting).toMatchObject({ http: 200, word: 'success' });
    expect(await v1.ledger(ACCOUNTS + 1)).toEqual({ charged: 1, pending: 0, refunded: 0 });
    while ((await ready()).includes(503)) await sleep(100);
  }, 60_000);

  test('without any gateway a sale is refused as unread once the balancer knows that, and gets no HTML page before', async () => {
    for (const gateway of fleet.gateways) await gateway.end('SIGKILL');
    const sale = { network: '1', phone: '08031234567', amount: '100', 'request-id': 'away-1' };
    const isRefused = async (): Promise<boolean> => {
      const { http, text } = await ask(fleet.url, v1.keyOf(0), '/api/topup/', sale);
      expect(JSON.parse(text)).toMatchObject({ status: 'pending' });
      return http === 503;
    };
    while (!(await isRefused())) await sleep(100);
    expect(await Promise.all(fleet.gateways.map((gateway) => gateway.start()))).toEqual([true, true]);
  }, 60_000);
});
