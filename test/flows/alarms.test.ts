/** Every alarm is raised by breaking the real part, ends when the part is mended, and reaches a real HTTP server; no other alarm is sent. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOOK_EVERY_MS } from '../../src/watch/alarms';
import { createForwardClock, type ForwardClock } from '../faults/timing';
import { buyAirtime, openHouse, type House, type HouseOptions } from './house';
import { listen } from '../listen';
import { openWebhookServer } from './webhook-server';
import { opened } from '../opened';

const ORDERS_LOOK_MS = 60_000;

/** Conditions are checked all the time instead of every few seconds, and the time of day can be moved. */
function createHastyClock(): ForwardClock {
  const clock = createForwardClock();
  return {
    ...clock,
    after: (delayMs, run) => clock.after(delayMs === LOOK_EVERY_MS || delayMs === ORDERS_LOOK_MS ? 20 : delayMs, run),
  };
}

let house: House;
let clock: ForwardClock;
beforeEach(() => (clock = createHastyClock()));
afterEach(() => house.close());
const webhook = opened(openWebhookServer, beforeEach, afterEach);

async function open(options: HouseOptions = {}): Promise<void> {
  const { env, ...more } = options;
  house = await openHouse({
    ...{ clock, ...more },
    env: { ALARM_WEBHOOK: webhook.url, ...env },
  });
}

const buy = (amount: number, key: string, phone = '08030000011') => buyAirtime(house, { amount, mobile_number: phone }, { key });
const gauges = async (): Promise<readonly string[]> =>
  [...(await house.metrics()).matchAll(/^compat_alarm\{alarm="(\w+)"\} 1$/gm)].map(([, name = '']) => name);
const active = async (): Promise<unknown> => (await fetch(`${house.service.adminUrl}/alarms`)).json();

test('a house that sells sends no alarm', async () => {
  await open();
  expect((await buy(100, 'sandbox_demo:1234')).body.status).toBe('success');
  await sleep(300);
  clock.forward(60_000);
  await sleep(300);
  expect([webhook.told(), await gauges(), await active()]).toEqual([[], [], { alarms: [] }]);
  expect(await house.metrics()).toMatch(/^compat_disk_free_bytes\{folder="[^"]+"\} \d+$/m);
  expect(await house.metrics()).toMatch(/^compat_disk_size_bytes\{folder="[^"]+"\} [1-9]\d+$/m);
});

test('a v1 that stops raises an alarm, which ends when v1 is back', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"status":"error","message":"no key"}');
  });
  const v1 = await listen(server);
  await open({ env: { UPSTREAM_URL: `${v1.url}/api/v1`, UPSTREAM_PROBE_SECONDS: '1' } });
  await sleep(1_500);
  expect(webhook.told()).toEqual([]);
  await v1.close();
  await webhook.until('raised v1_down');
  expect(await active()).toMatchObject({ alarms: [{ alarm: 'v1_down', runbook: 'docs/runbook.md#v1_down' }] });
  expect(await gauges()).toEqual(['v1_down']);
  expect(webhook.bodies[0]).toContain('takes no connection (ECONNREFUSED)');
  await listen(server, v1.port);
  const moving = setInterval(() => clock.forward(1_000), 100);
  await webhook.until('over v1_down', 60_000).finally(() => clearInterval(moving));
  expect(webhook.told()).toEqual(['raised v1_down', 'over v1_down']);
  await v1.close();
}, 120_000);

test('an order that stays open raises an alarm when it is overdue', async () => {
  await open();
  // The sandbox keeps it pending for ever; its script hangs up.
  const sale = { amount: 300, mobile_number: '08030000003' };
  await buyAirtime(house, sale, { signal: AbortSignal.timeout(1_500) }).catch(() => undefined);
  await sleep(200);
  expect(webhook.told()).toEqual([]);
  clock.forward(house.service.live.current().timing.overdue);
  await webhook.until('raised orders_overdue');
  expect(webhook.bodies[0]).toContain('All open orders hold 300 naira.');
  expect(await house.metrics()).toMatch(/^compat_unknown_orders_overdue 1$/m);
  expect(await house.metrics()).toMatch(/^compat_unknown_orders_oldest_seconds [1-9]\d{3,}/m);
  expect(await house.metrics()).toMatch(/^compat_unknown_orders_by_age\{age="[^"]+"\} 1$/m);
  expect(webhook.told()).toEqual(['raised orders_overdue']);
});

test('a refused set of mappings raises an alarm until it is mended, in the shape of Slack where asked for', async () => {
  await open({ changeMappings: () => undefined, env: { ALARM_FORMAT: 'slack' } });
  const file = join(house.mappingsDir, 'callers.yaml');
  const sound = readFileSync(file, 'utf8');
  appendFileSync(file, '\nnonsense: 1\n');
  await house.service.live.reload();
  await webhook.until('ALARM mapping_refused');
  const [said] = webhook.bodies.map((one) => (JSON.parse(one) as { text: string }).text.split('\n'));
  expect(said).toEqual([
    expect.stringMatching(/^ALARM mapping_refused on \S+$/),
    expect.stringMatching(/The first: \S*callers\.yaml:\d+:1: unknown key .*\.$/),
    expect.stringContaining('compat-gateway check'),
    'More: docs/runbook.md#mapping_refused',
  ]);
  writeFileSync(file, sound);
  await house.service.live.reload();
  await webhook.until('OVER mapping_refused');
  expect(webhook.told()).toEqual(['ALARM mapping_refused', 'OVER mapping_refused']);
});

test('a wallet below its limit raises an alarm with the name of its key, and another when v1 declines for lack of money', async () => {
  const callers = {
    acme_live_poor: { title: 'Poor Stores', wallet_below: 90 },
    sandbox_demo: { title: 'Rich', wallet_below: 90 },
  };
  await open({ callers });
  await buy(50, 'sandbox_demo:1234');
  expect((await buy(50, 'acme_live_poor:1234')).body.status).toBe('success');
  await webhook.until('raised wallet_low');
  expect(JSON.parse(webhook.bodies[0]!)).toMatchObject({
    title: 'Poor Stores',
    text: expect.stringContaining('less than its limit of 90 naira'),
  });
  for (let nth = 0; nth < 3; nth += 1) await buy(100, 'acme_live_poor:1234', `0803000010${nth}`);
  await webhook.until('raised no_money_at_v1');
  expect(await active()).toMatchObject({ alarms: [{ title: 'Poor Stores' }, { title: 'Poor Stores' }] });
  expect(webhook.told()).toEqual(['raised wallet_low', 'raised no_money_at_v1']);
  clock.forward(20 * 60_000);
  await sleep(200);
  clock.forward(60_000);
  await webhook.until('over no_money_at_v1');
});

test('a script that loops with a wrong key raises one alarm, however long it loops', async () => {
  await open();
  for (let nth = 0; nth < 20; nth += 1) await buy(100, 'sandbox_nobody:1234');
  await sleep(200);
  expect(webhook.told()).toEqual([]);
  for (let nth = 0; nth < 150; nth += 1) await buy(100, 'sandbox_nobody:1234');
  await webhook.until('raised key_in_a_loop');
  expect(webhook.told()).toEqual(['raised key_in_a_loop']);
  expect(webhook.bodies[0]).not.toContain('sandbox_nobody');
  clock.forward(20 * 60_000);
  await sleep(200);
  clock.forward(60_000);
  await webhook.until('over key_in_a_loop');
});

test('a webhook that is away affects no sale, and its address is in no log line and on no page', async () => {
  const { url } = webhook;
  await webhook.close();
  await open({ changeMappings: () => undefined, env: { ALARM_WEBHOOK: url } });
  appendFileSync(join(house.mappingsDir, 'callers.yaml'), '\nnonsense: 1\n');
  await house.service.live.reload();
  for (let tries = 0; tries < 100 && !house.logLines.some((line) => line.includes('alarm_webhook')); tries += 1) await sleep(50);
  expect((await buy(100, 'sandbox_demo:1234')).body.status).toBe('success');
  const lines = house.log().filter(({ event }) => event === 'alarm_webhook' || event === 'alarm');
  expect(lines).toMatchObject([
    { event: 'alarm', alarm: 'mapping_refused', kind: 'raised', level: 'error' },
    { event: 'alarm_webhook', error: 'ALARM_WEBHOOK takes no alarm: no connection (ECONNREFUSED).' },
  ]);
  const shown = `${house.logLines.join('\n')}${JSON.stringify(await active())}${await house.metrics()}`;
  expect(shown).not.toContain('hush-hush');
});
