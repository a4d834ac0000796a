/** Several worker processes serve together as one process would. */
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { askOnce } from '../ask-once';
import { buy, buyAtV1, buyLateOnes, PURCHASES } from '../faults/purchase';
import { nameKeys, SECRET } from '../flows/house';
import { freePort } from '../free-port';
import { openV1OfMany, type V1OfMany } from '../faults/v1-of-many';
import { Secret } from '../../src/domain/credentials';
import { createKeyring } from '../../src/gateway/read/keyring';
import { readGatewaySecret } from '../../src/start/gateway-secret';
import { MAPPINGS, copyMappings } from '../mapping/mapping-set';
import { prepareGateway, type GatewayProcess } from './gateway-process';
import { openWebhookServer } from '../flows/webhook-server';
import { openCrashStage } from './stage';
import { newFolder } from '../new-folder';

const ROOT = resolve(__dirname, '..', '..');
const ACCOUNTS = 12;
let v1: V1OfMany;
let dataDir: string;
let gateway: GatewayProcess;
async function begin(): Promise<void> {
  v1 = await openV1OfMany(ACCOUNTS);
  dataDir = newFolder();
}
async function end(): Promise<void> {
  await gateway.end('SIGKILL');
  await v1.close();
}
beforeEach(begin);
afterEach(end);

const WORKERS = { WORKERS: '2', LOG_LEVEL: 'info' };
async function open(upstreamUrl = v1.url, mappingsDir = MAPPINGS, env: Readonly<Record<string, string>> = {}): Promise<void> {
  await startFirst(await prepareGateway({ dataDir, upstreamUrl, mappingsDir, env: { ...WORKERS, ...env } }));
}
async function startFirst(prepared: GatewayProcess): Promise<void> {
  gateway = prepared;
  expect([await gateway.start(), gateway.complaints()]).toEqual([true, '']);
}

interface Line {
  readonly event: string;
  readonly worker?: number;
  readonly pid?: number;
  readonly operation?: string;
}

/** Only whole lines: two processes write to one pipe. */
const lines = (): Line[] =>
  gateway
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);
const linesOf = (event: string): Line[] => lines().filter((line) => line.event === event);
/** Log lines come through a pipe, a little later than the events. */
const untilLines = async (event: string, count: number): Promise<void> => {
  while (linesOf(event).length < count) await sleep(10);
};
const pidOf = (worker: number): number => linesOf('worker_started').findLast((line) => line.worker === worker)!.pid!;
const metrics = async (): Promise<string> => (await fetch(`${gateway.adminUrl}/metrics`)).text();
const valueOf = async (metric: string): Promise<number> =>
  (await metrics())
    .split('\n')
    .filter((line) => line.startsWith(metric))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);

/** Uses a connection of its own, as PHP does, so that the next request may go to another worker. */
async function post(fields: object, key: string, extra: object = {}): Promise<Readonly<Record<string, unknown>>> {
  const headers = { authorization: `Token ${key}`, 'content-type': 'application/json', ...extra };
  const { text } = await askOnce(`${gateway.url}/api/topup/`, { method: 'POST', headers }, JSON.stringify(fields));
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}

const AIRTIME = { network: 'MTN', mobile_number: '08031234561', amount: 100 };
/** v1 settles this order a while later. */
const LATE = { ...AIRTIME, mobile_number: '08031230001' };
const key = (account: number, pin = '1234'): string => `${v1.keyOf(account)}:${pin}`;
const atOnce = <T>(count: number, act: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => act(index)));

/** How often a play is played until both workers have served. */
const PLAYS_MAX = 10;

/**
 * A play returns the requests of which each worker must have served some. The system decides which process gets a connection, at times one gets all:
 * such a play proves less than its title, and is played again.
 */
function testOfBoth(title: string, play: () => Promise<readonly Line[]>): void {
  test(
    title,
    async () => {
      for (let plays = 1; new Set((await play()).map(({ worker }) => worker)).size < 2; plays += 1) {
        expect(plays).toBeLessThan(PLAYS_MAX);
        await end();
        await begin();
      }
    },
    240_000,
  );
}

testOfBoth('both workers sell, every log line is whole and names its worker, and one page counts the sales of both', async () => {
  await open();
  const told = await atOnce(60, (index) => post({ ...AIRTIME, 'request-id': `sale-${index}` }, key(index % ACCOUNTS)));
  expect(told.map(({ status }) => status)).toEqual(Array(60).fill('success'));
  expect(v1.countOrders()).toBe(60);
  await untilLines('request', 60);
  const sales = linesOf('request');
  expect(sales).toHaveLength(60);
  expect(await valueOf('compat_requests_total{operation="buy_airtime"')).toBe(60);
  expect(await valueOf('compat_workers ')).toBe(2);
  return sales;
});

testOfBoth('an order of either worker is asked about again, and both note unusual exchanges', async () => {
  await open();
  await atOnce(20, (index) => post({ ...AIRTIME, 'request-id': `sale-${index}` }, key(0)));
  await atOnce(20, (index) => post({ ...AIRTIME, network: 'NITEL', 'request-id': `no-${index}` }, key(0)));
  for (const id of ['sale-0', 'sale-19']) {
    const answer = await fetch(`${gateway.adminUrl}/orders/recheck`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id, key: v1.keyOf(0) }),
    });
    const { after, receipt } = (await answer.json()) as Readonly<
      Record<string, { readonly outcome?: unknown; readonly kind?: string }>
    >;
    expect([answer.status, after!.outcome, receipt!.kind]).toEqual([
      200,
      expect.objectContaining({ kind: 'succeeded' }),
      'succeeded',
    ]);
  }
  expect(v1.countOrders()).toBe(20);
  const env = { PATH: process.env['PATH'], DATA_DIR: dataDir, MAPPINGS_DIR: MAPPINGS };
  const find = [join(ROOT, 'dist', 'cli', 'main.js'), 'orders', 'find', '--outcome', 'refused'];
  // Notes are written in batches.
  let refused: readonly string[] = [];
  while (refused.length < 20) {
    await sleep(500);
    const found = spawnSync(process.execPath, find, { env }).stdout.toString();
    refused = Array.from({ length: 20 }, (_, index) => ` no-${index} `).filter((id) => found.includes(id));
  }
  return linesOf('request');
});

testOfBoth('a caller is recorded in both workers, also in one that replaces another', async () => {
  await open();
  const keyring = createKeyring(readGatewaySecret({ dataDir }));
  const caller = keyring.fingerprint(new Secret(v1.keyOf(0)));
  const ask = (path: string, body?: object) =>
    fetch(`${gateway.adminUrl}/record${path}`, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json' },
    }).then(async (answer) => (await answer.json()) as { readonly requests?: readonly { readonly requestId: string }[] });
  const sell = (name: string) => atOnce(30, (index) => post({ ...AIRTIME, 'request-id': `${name}-${index}` }, key(index % 2)));
  await ask('', { caller, for_ms: 60_000, max: 500 });
  await sell('before');
  process.kill(pidOf(1), 'SIGKILL');
  await untilLines('worker_started', 3);
  await sell('after');
  let requests: readonly { readonly requestId: string }[] = [];
  while (requests.length < 30) {
    await sleep(100);
    ({ requests = [] } = await ask(`/${caller}`));
  }
  const own = ['before', 'after'].flatMap((name) => Array.from({ length: 15 }, (_, index) => `${name}-${index * 2}`));
  expect(requests.map(({ requestId }) => requestId).sort()).toEqual(own.sort());
  return linesOf('request').slice(-30);
});

/** Each of so many accounts sends its sale several times at once: every script is told the success of one order at v1. */
async function sellOnceEach(accounts: number, times: number, saleOf: (account: number) => object = () => LATE): Promise<void> {
  for (let account = 0; account < accounts; account += 1) {
    const told = await atOnce(times, () => post(saleOf(account), key(account)));
    expect(new Set(told.map(({ status }) => status))).toEqual(new Set(['success']));
    expect(v1.countOrders()).toBe(account + 1);
  }
}

testOfBoth('one id that both get at once is one order at v1, and every script is told the same end', async () => {
  await open();
  await sellOnceEach(5, 8, (account) => ({ ...LATE, 'request-id': `same-${account}` }));
  return linesOf('request');
});

testOfBoth('a sale without an id that is repeated while open is one order at v1, whichever worker gets it', async () => {
  await open();
  await sellOnceEach(5, 6);
  return linesOf('request');
});

testOfBoth('a worker that replaces another sells from the same journal, whatever the settings file says by now', async () => {
  const file = join(dataDir, 'compat-gateway.yaml');
  writeFileSync(file, `JOURNAL_URL: lmdb:${join(dataDir, 'first')}`);
  await open();
  writeFileSync(file, `JOURNAL_URL: lmdb:${join(dataDir, 'other')}`);
  process.kill(pidOf(1), 'SIGKILL');
  await untilLines('worker_started', 3);
  await sellOnceEach(3, 6);
  return linesOf('request');
});

test('a sale without an id that gets no turn hears "pending" within its patience, nothing is sent for it, and the turn goes on to the next', async () => {
  await open();
  expect((await post(AIRTIME, key(0))).status).toBe('success');
  // The turn that is asked for now does not come: the primary stands still, as a worker might that has the turn before.
  process.kill(gateway.pid!, 'SIGSTOP');
  const impatient = { 'user-agent': 'axios/1.7' };
  expect((await post(LATE, key(0), impatient)).status).toBe('pending');
  expect(v1.countOrders()).toBe(1);
  process.kill(gateway.pid!, 'SIGCONT');
  expect((await post(LATE, key(0), impatient)).status).toBe('success');
  expect(v1.countOrders()).toBe(2);
}, 60_000);

testOfBoth('limits, a pause and the sandbox setting of a key hold over both workers, and its wallet is shown once', async () => {
  const mappings = copyMappings(join(dataDir, 'mappings'));
  nameKeys(mappings, {
    [v1.keyOf(0)]: { title: 'Ada', limit: { purchases: 5 } },
    [v1.keyOf(1)]: { title: 'Bola', paused: true },
    [v1.keyOf(2)]: { title: 'Chidi', sandbox: true },
  });
  const env = { GATEWAY_SECRET: SECRET, SANDBOX_PORT: String(await freePort()), SANDBOX_RELAXED: '1' };
  await open(v1.url, mappings, env);
  // One after the other: at the same moment both together may admit more than the limit.
  const told: unknown[] = [];
  for (let index = 0; index < 12; index += 1)
    told.push((await post({ ...AIRTIME, 'request-id': `limited-${index}` }, key(0)))['status']);
  expect(told).toEqual([...Array<string>(5).fill('success'), ...Array<string>(7).fill('fail')]);
  const paused = await atOnce(8, (index) => post({ ...AIRTIME, 'request-id': `paused-${index}` }, key(1)));
  expect(new Set(paused.map(({ status }) => status))).toEqual(new Set(['fail']));
  expect(v1.countOrders()).toBe(5);
  const played = await atOnce(8, (index) => post({ ...AIRTIME, 'request-id': `played-${index}` }, key(2)));
  expect(new Set(played.map(({ status }) => status))).toEqual(new Set(['success']));
  expect(v1.countOrders()).toBe(5);
  let wallets: readonly string[] = [];
  while (wallets.length < 2) {
    await sleep(100);
    wallets = (await metrics()).match(/(?<=compat_wallet_naira\{caller=")[^"]+/g) ?? [];
  }
  expect([...wallets].sort()).toEqual(['Ada', 'Chidi (sandbox)']);
  return linesOf('request');
});

testOfBoth('wrong PINs at both workers make no more attempts at v1 than at one, and the right PIN still sells', async () => {
  await open();
  const told = await atOnce(24, (index) => post({ ...AIRTIME, 'request-id': `guess-${index}` }, key(0, String(5000 + index))));
  expect(told.filter(({ status }) => status === 'success')).toEqual([]);
  await atOnce(12, (index) => post({ ...AIRTIME, 'request-id': `more-${index}` }, key(0, String(6000 + index))));
  await untilLines('request', 36);
  expect(linesOf('wrong_pin')).toHaveLength(2);
  // v1 locks after three wrong PINs, and has not locked.
  const answer = await buyAtV1(v1.url, v1.keyOf(0), { network: 'MTN', phone: '08031234562', amount: 100 });
  expect(answer.status).toBe(200);
  return linesOf('request');
});

test('a PIN that sold at one worker is trusted by the other, and a PIN that v1 then refuses is tried by neither', async () => {
  await open();
  await atOnce(20, (index) => post({ ...AIRTIME, 'request-id': `right-${index}` }, key(0)));
  await atOnce(10, (index) => post({ ...AIRTIME, 'request-id': `wrong-${index}` }, key(0, '9999')));
  const told = await atOnce(20, (index) => post({ ...AIRTIME, 'request-id': `again-${index}` }, key(0)));
  expect(told.map(({ status }) => status)).toEqual(Array(20).fill('success'));
  await untilLines('request', 50);
  expect(linesOf('wrong_pin')).toHaveLength(1);
}, 60_000);

testOfBoth('a shop that sold at one worker looks up numbers without a key at the other', async () => {
  await open();
  expect((await post(AIRTIME, key(0))).status).toBe('success');
  const verify = async (card: number): Promise<number> =>
    (await askOnce(`${gateway.url}/api/cable/cable-validation?iuc=${7012345600 + card}&cable=1`, {})).status;
  // The news of a sale takes a moment to reach the other worker.
  while ((await atOnce(6, verify)).some((status) => status !== 200)) await sleep(50);
  await untilLines('request', 7);
  const verifies = linesOf('request').filter(({ operation }) => operation === 'verify_smartcard');
  return verifies;
});

test('wrong keys from one network have as many attempts as with one process', async () => {
  await open();
  for (let round = 0; round < 4; round += 1)
    await atOnce(20, (index) =>
      post({ ...AIRTIME, 'request-id': `key-${round}-${index}` }, `sandbox_nobody${round}${index}:1234`),
    );
  const tried = await valueOf('compat_upstream_seconds_count{path="/airtime",outcome="rejected"');
  expect(tried).toBeGreaterThan(10);
  // Twenty at once, and one every five seconds.
  expect(tried).toBeLessThanOrEqual(30);
}, 60_000);

test('a change of mappings is in use in every worker when its reload is answered, and a broken one in none', async () => {
  const mappings = copyMappings(join(dataDir, 'mappings-in-use'));
  await open(v1.url, mappings);
  const file = join(mappings, 'operations', 'airtime.yaml');
  const text = readFileSync(file, 'utf8');
  const reload = async (): Promise<string> => {
    const answer = await fetch(`${gateway.adminUrl}/mapping/reload`, { method: 'POST' });
    return ((await answer.json()) as { status: string }).status;
  };
  const { amount, ...others } = AIRTIME;
  writeFileSync(file, text.replace('from: [amount]', 'from: [amount, howmuch]'));
  expect(await reload()).toBe('reloaded');
  const sell = (name: string) =>
    atOnce(16, (index) => post({ ...others, howmuch: amount, 'request-id': `${name}-${index}` }, key(index % ACCOUNTS)));
  expect((await sell('new')).map(({ status }) => status)).toEqual(Array(16).fill('success'));
  expect((await metrics()).match(/^compat_mapping_info\{.*\} 1$/gm)).toHaveLength(1);

  writeFileSync(file, text.replace('as: naira', 'as: niara'));
  expect(await reload()).toBe('refused');
  expect((await sell('kept')).map(({ status }) => status)).toEqual(Array(16).fill('success'));

  // A worker that starts later begins with the set in use, not with the files of the folder.
  process.kill(pidOf(2), 'SIGKILL');
  await untilLines('worker_started', 3);
  expect((await sell('after')).map(({ status }) => status)).toEqual(Array(16).fill('success'));
}, 60_000);

testOfBoth('a worker that starts during a reload gets the new set, and keeps it for no other data folder', async () => {
  const mappings = copyMappings(join(dataDir, 'mappings-in-use'));
  await open(v1.url, mappings);
  const file = join(mappings, 'operations', 'airtime.yaml');
  // What the build has checked, beside the program.
  const ofBuild = () => statSync(join(ROOT, 'dist', 'one-file', 'mappings.checked')).mtimeMs;
  const built = ofBuild();
  const text = readFileSync(file, 'utf8');
  const { amount, ...others } = AIRTIME;
  process.kill(pidOf(2), 'SIGKILL');
  // Repeated, so that one reload falls between the set that the worker is given and its first sale.
  let reloads = 0;
  while (linesOf('worker_started').length < 3) {
    writeFileSync(file, text.replace('from: [amount]', `from: [amount, howmuch${(reloads += 1)}]`));
    await fetch(`${gateway.adminUrl}/mapping/reload`, { method: 'POST' });
  }
  const name = `howmuch${reloads}`;
  const told = await atOnce(32, (index) =>
    post({ ...others, [name]: amount, 'request-id': `sale-${index}` }, key(index % ACCOUNTS)),
  );
  expect(told.map(({ status }) => status)).toEqual(Array(32).fill('success'));
  await untilLines('request', 32);
  expect(linesOf('worker_died')).toHaveLength(1);
  expect(ofBuild()).toBe(built);
  return linesOf('request');
});

test('while no worker serves the gateway is not ready, and says what it waits for', async () => {
  await open();
  const ready = async (): Promise<unknown> => {
    const answer = await fetch(`${gateway.adminUrl}/readyz`);
    const { waiting_for } = (await answer.json()) as { waiting_for?: unknown };
    return [answer.status, waiting_for];
  };
  expect(await ready()).toEqual([200, undefined]);
  for (const worker of [1, 2]) process.kill(pidOf(worker), 'SIGKILL');
  await untilLines('worker_died', 2);
  expect(await ready()).toEqual([503, ['workers']]);
  await untilLines('worker_started', 3);
  expect(await ready()).toEqual([200, undefined]);
}, 60_000);

test('workers killed under load are replaced, and no order is charged twice, lost or told falsely', async () => {
  const kills = 4;
  const stage = await openCrashStage({ gateways: 1, env: WORKERS });
  try {
    await startFirst(stage.gateways[0]!);
    const scripts = stage.load('worker-killed', 40);
    for (let kill = 0; kill < kills; kill += 1) {
      await sleep(stage.chance.between(300, 900));
      process.kill(pidOf((kill % 2) + 1), 'SIGKILL');
      await untilLines('worker_started', 3 + kill);
    }
    await scripts.stop();
    const verdict = await stage.judge(scripts, `${kills} workers killed`);
    expect(verdict).toMatchObject({ doubleCharges: 0, lost: [], lies: [] });
    expect(verdict.cutOff).toBeGreaterThan(0);
    expect(stage.v1.isBalanced()).toBe(true);
    expect(linesOf('worker_died')).toHaveLength(kills);
    expect(await valueOf('compat_worker_deaths_total')).toBe(kills);
  } finally {
    await stage.close();
  }
}, 120_000);

test('on a stop under load scripts are told how their orders ended, and no process is left', async () => {
  await open();
  const pids = [pidOf(1), pidOf(2)];
  const held = await buyLateOnes(gateway.url, v1);
  const exit = gateway.end('SIGTERM');
  expect((await Promise.all(held)).map(({ word }) => word)).toEqual(held.map(() => 'success'));
  expect(await exit).toMatchObject({ code: 0 });
  expect(gateway.complaints()).toBe('');
  expect(
    linesOf('stopped')
      .map(({ worker }) => worker)
      .sort(),
  ).toEqual([1, 2]);
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
}, 60_000);

/** The workers that a process has started. A worker that does not run its own program yet would delay a stop of its primary. */
function workersOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? [];
  return children.filter((child) => readFileSync(`/proc/${child}/environ`, 'utf8').includes('NODE_UNIQUE_ID=')).map(Number);
}

test('when one worker dies and the start fails, the scripts of the other are told how their orders ended', async () => {
  gateway = await prepareGateway({ dataDir, upstreamUrl: v1.url, mappingsDir: MAPPINGS, env: { WORKERS: '2' } });
  const started = gateway.start();
  let workers: number[] = [];
  while (workers.length < 2) {
    await sleep(1);
    workers = workersOf(gateway.pid!);
  }
  const late = workers[1]!;
  process.kill(late, 'SIGSTOP');
  while (
    await fetch(gateway.url).then(
      () => false,
      () => true,
    )
  )
    await sleep(20);
  const held = buy(gateway.url, v1.keyOf(0), PURCHASES[0]!, 'mood.late-success.0');
  await v1.untilTaken(0, 1);
  process.kill(late, 'SIGKILL');
  expect((await held).word).toBe('success');
  expect(await started).toBe(false);
  expect(gateway.complaints()).toMatch(/^Worker \d ended while it started \(SIGKILL\)\.$/m);
}, 60_000);

test('workers whose primary is killed finish their orders, free the port and exit', async () => {
  await open();
  const pids = [pidOf(1), pidOf(2)];
  const held = await buyLateOnes(gateway.url, v1);
  await gateway.end('SIGKILL');
  expect((await Promise.all(held)).map(({ word }) => word)).toEqual(held.map(() => 'success'));
  const isAlive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  while (pids.some(isAlive)) await sleep(50);
  expect(await gateway.start()).toBe(true);
}, 60_000);

test('alarms are raised once for all processes: a v1 that one worker finds gone, and a loop spread over both', async () => {
  const webhook = await openWebhookServer();
  try {
    await open('http://127.0.0.1:9/api/v1', MAPPINGS, { ALARM_WEBHOOK: webhook.url });
    await webhook.until('raised v1_down');
    const headers = { Authorization: 'Token sandbox_demo:1234', 'Content-Type': 'application/json', Connection: 'close' };
    const body = '{"network":1,"mobile_number":"08030000011","amount":"much","Ported_number":true}';
    for (let nth = 0; nth < 90; nth += 1)
      await (await fetch(`${gateway.url}/api/topup/`, { method: 'POST', headers, body })).text();
    await webhook.until('raised key_in_a_loop');
    expect(webhook.told()).toEqual(['raised v1_down', 'raised key_in_a_loop']);
  } finally {
    await webhook.close();
  }
});
