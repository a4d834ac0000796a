import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, renameSync, symlinkSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLmdbJournal } from '../../src/journal/lmdb-journal';
import { askOnce } from '../ask-once';
import { MAPPINGS, copyMappings } from '../mapping/mapping-set';
import { send } from '../flows/house';
import { listen } from '../listen';
import { runCommand, startCommand, type Ran } from './run-command';
import { newFolder } from '../new-folder';

let cwd: string;
beforeEach(() => (cwd = newFolder()));

const LOCAL = {
  HOST: '127.0.0.1',
  PORT: '0',
  ADMIN_PORT: '0',
  SANDBOX_PORT: '0',
  SANDBOX_RELAXED: '1',
  DRAIN_SECONDS: '0',
};

/** A command that serves until it is told to end. */
async function serving(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = startCommand(args, { cwd, env: { ...LOCAL, ...env } });
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.stderr += text));
  const closed = once(child, 'close') as Promise<[number | null]>;
  await Promise.race([once(child.stdout, 'data'), closed]);
  return {
    pid: child.pid!,
    written,
    async until(pattern: RegExp): Promise<void> {
      while (!pattern.test(`${written.stdout}${written.stderr}`) && child.exitCode === null) await sleep(20);
      expect(`${written.stdout}${written.stderr}`).toMatch(pattern);
    },
    async end(signal: NodeJS.Signals): Promise<Ran> {
      child.kill(signal);
      const [code] = await closed;
      return { code, ...written };
    },
  };
}

/** A gateway after its greeting, with the addresses in it. */
async function openGateway(env: Readonly<Record<string, string>> = {}) {
  const gateway = await serving(['serve'], env);
  await gateway.until(/Stop with Ctrl-C/);
  const addressAfter = (words: string): string => new RegExp(`${words} *(http://[\\w.:-]+)`).exec(gateway.written.stdout)![1]!;
  return { ...gateway, url: addressAfter('serves'), admin: addressAfter('metrics:'), v1: addressAfter('SANDBOX at') };
}

const SALE = { network: 1, mobile_number: '08031234567', amount: 100 };

test('serve prints all that a first sale needs, sells, reloads on SIGHUP, and ends with 0 at Ctrl-C', async () => {
  const mappings = copyMappings(join(cwd, 'mappings'));
  // A stop from a terminal does not wait for a load balancer.
  const gateway = await openGateway({ MAPPINGS_DIR: mappings, DRAIN_SECONDS: '300' });
  await gateway.until(/^Console: http:\/\/[\w.:]+\/console, open on this machine only, because ADMIN_TOKEN is not set\.$/m);
  const sell = async (id: string) => (await send(gateway.url, '/api/topup/', { ...SALE, 'request-id': id })).body;
  expect(await sell('first')).toMatchObject({ status: 'success' });
  // Another process reads the journal meanwhile.
  const listed = await runCommand(['orders', 'list'], { cwd });
  expect(listed).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/buy_airtime +succeeded .* first .*\n1 order\.\n$/),
    stderr: '',
  });

  writeFileSync(join(mappings, 'request-id.yaml'), 'request_id: [\n');
  process.kill(gateway.pid, 'SIGHUP');
  await gateway.until(/request-id\.yaml:\d+:\d+ .*"event":"mapping_refused"/);
  expect(await sell('second')).toMatchObject({ status: 'success' });
  cpSync(join(MAPPINGS, 'request-id.yaml'), join(mappings, 'request-id.yaml'));
  process.kill(gateway.pid, 'SIGHUP');
  await gateway.until(/"kind":"unchanged".*"event":"mapping_reload"/);

  const { code, stderr } = await gateway.end('SIGINT');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  await expect(fetch(gateway.url)).rejects.toThrow();
}, 180_000);

test.each<[string, NodeJS.Signals, string, unknown]>([
  ['a reload signal during the start does not end the process', 'SIGHUP', '1', 'starts on'],
  ['a start that waits for its database ends with 0 when it is asked to stop', 'SIGTERM', '1', [0, null]],
  ['workers that wait for their database end with 0 when they are asked to stop', 'SIGTERM', '2', [0, null]],
])(
  '%s',
  async (_title, signal, workers, expected) => {
    // A database that delays the start.
    const database = createServer((socket) => socket.on('error', () => undefined).end());
    const { port, close } = await listen(database);
    const child = startCommand(['serve'], {
      cwd,
      env: {
        ...{ ...LOCAL, WORKERS: workers },
        GATEWAY_SECRET: '0123456789abcdef0123456789abcdef',
        JOURNAL_URL: `postgres://gateway@127.0.0.1:${port}/orders`,
      },
    });
    let complaints = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
    const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    try {
      await Promise.race([once(database, 'connection'), closed]);
      child.kill(signal);
      const waitMs = expected === 'starts on' ? 1_000 : 15_000;
      expect(await Promise.race([closed, sleep(waitMs, 'starts on', { ref: false })])).toEqual(expected);
      expect(complaints).toBe('');
    } finally {
      child.kill('SIGKILL');
      await closed;
      await close();
    }
  },
  60_000,
);

test('serve starts although nothing answers at UPSTREAM_URL or a variable is misspelt, says so, and reports at its stop what it found', async () => {
  const { url, close } = await listen(createServer());
  await close();
  const gateway = await serving(['serve'], {
    UPSTREAM_URL: `${url}/api/v1`,
    ADMIN_TOKEN: '0123456789abcdef',
    JOURNAL_KEYS: 'hunter2',
  });
  await gateway.until(/^JOURNAL_KEYS in the environment is not a setting; did you mean JOURNAL_KEY\?$/m);
  await gateway.until(/"code":"ECONNREFUSED".*"event":"upstream_trouble"/);
  await gateway.until(/Probes and metrics: http/);
  await gateway.until(/^Console: http:\/\/[\w.:]+\/console\.$/m);
  const [, admin] = /metrics: (\S+)$/m.exec(gateway.written.stdout)!;
  const ready = await fetch(`${admin}/readyz`);
  expect(ready.status).toBe(200);
  const { code, stdout } = await gateway.end('SIGTERM');
  expect(code).toBe(0);
  expect(stdout).toMatch(/"signal":"SIGTERM","requests":0,"held":0,"event":"stop_begun"/);
  expect(stdout).toMatch(/"finished":0,"open":0,"durationMs":\d+,"event":"stopped"/);
}, 60_000);

/** A sale on a connection of its own: the reply, and whether the connection stays open. */
async function saleOnNewConnection(url: string, requestId: string): Promise<object> {
  const headers = { authorization: 'Token sandbox_demo:1234', 'content-type': 'application/json', connection: 'keep-alive' };
  const sale = JSON.stringify({ network: 1, mobile_number: '08031234567', amount: 150, 'request-id': requestId });
  const { text, headers: told } = await askOnce(`${url}/api/topup/`, { method: 'POST', headers }, sale);
  return { status: (JSON.parse(text) as { readonly status: unknown }).status, connection: told.connection };
}

test('SIGTERM: readiness ends at once, sales go on while load balancers notice, and probes answer until the last order has ended', async () => {
  const gateway = await openGateway({ DRAIN_SECONDS: '2' });
  const { url, admin } = gateway;
  const late = { network: 1, mobile_number: '08031230001', amount: 100, 'request-id': 'late' };
  const held = send(url, '/api/topup/', late);
  while (!(await (await fetch(`${admin}/metrics`)).text()).includes('compat_upstream_seconds_count{path="/airtime"'))
    await sleep(20);

  const ended = gateway.end('SIGTERM');
  await gateway.until(/"event":"stop_begun"/);
  const ready = await fetch(`${admin}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([503, expect.objectContaining({ waiting_for: ['stopping'] })]);
  expect(await saleOnNewConnection(url, 'in-the-drain')).toEqual({ status: 'success', connection: 'close' });

  await gateway.until(/"event":"drain_ended"/);
  // The server no longer listens, and the order is still held.
  await expect(saleOnNewConnection(url, 'too-late')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  expect((await fetch(`${admin}/readyz`)).status).toBe(503);
  expect(await (await fetch(`${admin}/metrics`)).text()).toContain('compat_mapping_info');
  expect((await held).body).toMatchObject({ status: 'success' });
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
  await expect(fetch(`${admin}/readyz`)).rejects.toThrow();
}, 60_000);

test('a second signal skips the wait for load balancers', async () => {
  const gateway = await openGateway({ DRAIN_SECONDS: '300' });
  process.kill(gateway.pid, 'SIGTERM');
  await gateway.until(/"event":"stop_begun"/);
  // No code where LMDB was just writing: the process kills itself then, because its exit would wait for LMDB's thread for ever.
  expect([1, null]).toContain((await gateway.end('SIGTERM')).code);
}, 60_000);

test('serve with MAPPINGS_WATCH follows a folder that replaces another, and keeps its set while the new one is half written', async () => {
  const mappings = join(cwd, 'mappings');
  copyMappings(join(cwd, 'one'));
  copyMappings(join(cwd, 'two'));
  writeFileSync(join(cwd, 'two', 'more.yaml'), 'rows: { another: { id: $row.id } }\n');
  symlinkSync('one', mappings);
  const gateway = await openGateway({ MAPPINGS_DIR: mappings, MAPPINGS_WATCH: '1' });

  // A link that changes its target in one step, as mounted volumes and deployments do.
  symlinkSync('two', join(cwd, 'next'));
  renameSync(join(cwd, 'next'), mappings);
  await gateway.until(/"kind":"reloaded".*"event":"mapping_reload"/);

  // The link goes, and a folder with a part of the set comes.
  unlinkSync(mappings);
  mkdirSync(mappings);
  cpSync(join(MAPPINGS, 'format-a.yaml'), join(mappings, 'format-a.yaml'));
  cpSync(join(MAPPINGS, 'request-id.yaml'), join(mappings, 'request-id.yaml'));
  await gateway.until(/"event":"mapping_refused"/);
  expect((await send(gateway.url, '/api/topup/', SALE)).body).toMatchObject({ status: 'success' });

  // The rest comes, and the whole set is taken into use.
  copyMappings(mappings);
  await gateway.until(/"kind":"reloaded"[^]*"kind":"reloaded"/);
  expect((await gateway.end('SIGTERM')).code).toBe(0);
}, 60_000);

test('serve that starts with the last good set says so after its greeting, with the next step', async () => {
  const mappings = copyMappings(join(cwd, 'mappings'));
  const sound = await openGateway({ MAPPINGS_DIR: mappings });
  expect(await sound.end('SIGTERM')).toMatchObject({ code: 0, stderr: '' });
  writeFileSync(join(mappings, 'request-id.yaml'), 'request_id: [\n');
  const broken = await serving(['serve'], { MAPPINGS_DIR: mappings });
  await broken.until(/the last good set is in use: [0-9a-f]{16}\. `compat-gateway check` shows what to correct/);
  expect((await broken.end('SIGTERM')).code).toBe(0);
}, 180_000);

test('sandbox greets, answers as v1, and ends with 0 at Ctrl-C', async () => {
  const sandbox = await serving(['sandbox']);
  const url = /listens at (\S+)/.exec(sandbox.written.stdout)![1]!;
  const answer = await fetch(`${url}/balance`, { headers: { Authorization: 'Bearer sandbox_demo' } });
  expect(await answer.json()).toMatchObject({ status: 'success' });
  expect(await sandbox.end('SIGINT')).toMatchObject({ code: 0, stderr: '' });
}, 180_000);

/** Refused: one sentence on standard error, exit code 1, nothing else. */
async function expectRefused(args: readonly string[], env: Readonly<Record<string, string>>, sentence: RegExp): Promise<void> {
  const ran = await runCommand(args, { cwd, env: { ...LOCAL, LOG_LEVEL: 'error', ...env } });
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(/^[^\n]+\n$/);
  expect(ran.stderr).not.toMatch(/\bat [\w.]+ \(|node:/);
  expect(ran.stderr).toMatch(sentence);
}

test('a port in use is one sentence that names the setting', async () => {
  const taken = await listen(createServer());
  const port = String(taken.port);
  await expectRefused(['serve'], { PORT: port }, /^PORT is \d+, where another program listens already/);
  await expectRefused(['serve'], { ADMIN_PORT: port }, /^ADMIN_PORT is \d+, where another program listens already/);
  await expectRefused(['sandbox'], { SANDBOX_PORT: port }, /^SANDBOX_PORT is \d+, where another program listens already/);
  await taken.close();
}, 180_000);

test('a start beside a gateway on the same data folder marks none of its told sales as untold', async () => {
  const gateway = await openGateway();
  const { body: first } = await send(gateway.url, '/api/topup/', SALE);
  expect(first).toMatchObject({ status: 'success' });
  const env = { ...LOCAL, PORT: new URL(gateway.url).port, UPSTREAM_URL: gateway.v1 };
  const refused = await runCommand(['serve'], { cwd, env });
  expect(refused.stderr).toMatch(/PORT/);
  // Without an id this is a second sale, because the first was told.
  const { body: second } = await send(gateway.url, '/api/topup/', SALE);
  expect(second).toMatchObject({ status: 'success' });
  expect(second).not.toMatchObject({ ident: first['ident'] });
  await gateway.end('SIGINT');
});

test('an unusable data folder prints one sentence', async () => {
  writeFileSync(join(cwd, 'file'), '');
  for (const command of ['serve', 'sandbox'])
    await expectRefused(
      [command],
      { DATA_DIR: join(cwd, 'file') },
      /^DATA_DIR is \S+, which cannot be used: there is a file in its place\.$/m,
    );
}, 180_000);

test('an unusable journal is refused with one sentence, by writing and reading commands', async () => {
  const dir = join(cwd, 'data', 'journal');
  await (await openLmdbJournal({ dir })).close();
  truncateSync(join(dir, 'data.mdb'), 3_000);
  // A journal without its secret is refused as such.
  const env = { GATEWAY_SECRET: 'ab'.repeat(32) };
  for (const args of [['serve'], ['orders', 'report'], ['explain', '--order', 'x']])
    await expectRefused(args, env, /^The journal folder \S+ holds a data\.mdb that is cut off \(3000 of \d+ bytes\)/);
}, 180_000);

test('every command that reads settings reports a malformed compat-gateway.yaml with its line', async () => {
  writeFileSync(join(cwd, 'compat-gateway.yaml'), 'LOG_LEVEL: error\nPROT: 8080\n');
  for (const args of [['config'], ['serve'], ['reload']])
    await expectRefused(args, {}, /^compat-gateway\.yaml:2:1: `PROT` is not a setting; did you mean `PORT`\?$/m);
}, 180_000);

test('mappings with problems prevent a first start, with their places', async () => {
  const mappings = join(cwd, 'mappings');
  mkdirSync(mappings);
  writeFileSync(join(mappings, 'x.yaml'), 'txets: {}\n');
  const { code, stderr } = await runCommand(['serve'], { cwd, env: { ...LOCAL, MAPPINGS_DIR: mappings, LOG_LEVEL: 'error' } });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^The mappings cannot be used:\n.*x\.yaml:1:1 {2}unknown-key /);
}, 180_000);

test('a pipe that closes early is not an error', async () => {
  const child = startCommand(['check', '--format', 'sarif'], { cwd });
  child.stdout.destroy();
  const [code] = (await once(child, 'close')) as [number];
  expect(code).toBe(0);
}, 180_000);

test('config prints every setting with its source, and no secret', async () => {
  writeFileSync(join(cwd, 'compat-gateway.yaml'), 'LOG_LEVEL: warn\nADMIN_TOKEN: hunter2hunter2\n');
  const env = {
    PORT: '8099',
    GATEWAY_SECRET: 'deadbeef'.repeat(8),
    LOOKUP_API_KEY: 'hunter4',
  };
  const { code, stdout, stderr } = await runCommand(['config'], { cwd, env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^PORT +8099 {2}\(environment\)$/m);
  expect(stdout).toMatch(/^LOG_LEVEL +warn {2}\(file\)$/m);
  expect(stdout).toMatch(/^HOST +0\.0\.0\.0 {2}\(default\)$/m);
  expect(stdout).not.toMatch(/hunter|deadbeef/);
  // Not a terminal: nothing but text.
  expect(stdout).not.toMatch(/\u001b/);
  expect(existsSync(join(cwd, 'data'))).toBe(false);
}, 180_000);
