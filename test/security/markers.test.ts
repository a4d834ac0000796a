/**
 * No secret reaches anything that lasts or that others see. Every key, PIN, token and password has a mark. Requests of every kind, whole
 * and broken, send them to a gateway that is killed twice meanwhile, and every tool and page is used. Then everything that was written is
 * searched for the marks. MARKED_REQUESTS is the number of requests, 3,000 by default.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { askOnce } from '../ask-once';
import { endProcess } from '../end-process';
import { createRealClock, type Clock } from '../../src/sandbox/clock';
import { openSandbox, type Sandbox } from '../../src/sandbox/sandbox';
import { chanceOfRun } from '../chance';
import { prepareGateway, type GatewayProcess } from '../crash/gateway-process';
import { PURCHASES } from '../faults/purchase';
import { goodsIn, markedText, search, searchFolder, type Hit, type Marks } from './marks';
import { newFolder } from '../new-folder';

const REQUESTS = Number(process.env['MARKED_REQUESTS'] ?? 3_000);
const AT_ONCE = 32;
const ROOT = resolve(__dirname, '..', '..');
const PROGRAM = join(ROOT, 'dist', 'cli', 'main.js');
/** Waits of the sandbox pass fifty times faster. */
const HASTE = 50;
/** Enough for a busy machine. A page that takes longer would never end. */
const PAGE_MS_MAX = 60_000;
/** Moods that hold no script for long. */
const MOODS = ['decline', 'late-success', 'late-failure', 'reset-after-charge', 'error-after-charge', 'cut-after-charge', 'html-502', 'reset-before-charge', 'too-many']; // prettier-ignore
const FORMAT_C = { path: '/c/api/airtime', fields: { network: '1', phone: '08031234567', amount: '100' } };

const chance = chanceOfRun();
const text = (prefix = ''): string => markedText(chance, prefix);
/** Digits that are neither part of an amount nor of a time. */
const pin = (): string => String(chance.between(370_000, 989_999));
const SHOPS = Array.from({ length: 6 }, () => ({ key: text('sandbox_'), pin: pin() }));
/** Keys that v1 does not know: a typing mistake, a key of an older server, a guess. */
const STRANGERS = [text(), text('acme_live_'), text('sandbox_')].map((key) => ({ key, pin: pin() }));
const ADMIN_TOKEN = text();
const SECRETS = {
  ADMIN_TOKEN,
  LOOKUP_API_KEY: text('sandbox_'),
  GATEWAY_SECRET: text(),
  JOURNAL_KEY: text(),
  ALARM_WEBHOOK: `http://127.0.0.1:1/hook/${text()}`,
};
const marks: Marks & { readonly texts: Set<string>; readonly goods: Set<string> } = {
  texts: new Set(),
  pins: new Set([...SHOPS, ...STRANGERS].map((shop) => shop.pin)),
  goods: new Set(),
};

type Shop = (typeof SHOPS)[number];
interface Sending {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const folder = newFolder();
let v1: Sandbox;
let gateway: GatewayProcess;
const hitsInReplies: Hit[] = [];
/** The latest AccessTokens. */
let latestTokens: readonly string[] = [];
let answers = 0;
let slowest = { path: '', ms: 0 };
let sold = 0;

/** The ways in which a script sends its credentials; v1's own at the end. */
function credentials({ key, pin: its }: Shop): Readonly<Record<string, string>> {
  const both = `${key}:${its}`;
  return chance.pick<Readonly<Record<string, string>>>([
    ...[`Token ${both}`, `Bearer ${both}`, `Token: ${both}`, `token  ${both}`, `Token ${key}`, `Bearer ${key}`].map((authorization) => ({ authorization })),
    { authorization: `Basic ${Buffer.from(both).toString('base64')}` },
    { authorization: `Basic ${both}` },
    { authorization: both },
    { 'api-key': key, 'x-pin': its },
    ...latestTokens.map((token) => ({ authorization: `Token ${token}` })),
  ]); // prettier-ignore
}

function sending(shop: Shop): Sending {
  const { path, fields } = chance.pick([...PURCHASES, FORMAT_C]);
  const mood = chance.next() < 0.06 ? `mood.${chance.pick(MOODS)}.` : '';
  const own = { 'request-id': `${mood}m-${chance.below(1e9)}`, pin: shop.pin };
  // Fields of their own names that some scripts send beside the order.
  const stray = chance.pick<Readonly<Record<string, string>>>([{}, {}, { api_key: shop.key, password: shop.key }, { token: `${shop.key}:${shop.pin}` }, { [shop.key]: '1' }]); // prettier-ignore
  const body = { ...fields, ...own, ...stray };
  const headers = { 'content-type': 'application/json', ...credentials(shop) };
  const query = `api_key=${shop.key}&pin=${shop.pin}`;
  const v1Headers = { 'content-type': 'application/json', authorization: `Bearer ${shop.key}` };
  const sale: Sending = { method: 'POST', path, headers, body: JSON.stringify(body) };
  const get = (at: string): Sending => ({ method: 'GET', path: at, headers, body: '' });
  // Functions, because most of these bodies are not sent, and one of them is half a megabyte.
  return chance.pick<() => Sending>([
    ...Array<() => Sending>(6).fill(() => sale),
    () => ({ ...sale, headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' }, body: formOf(body) }),
    () => ({ ...sale, path: `${path}?${query}` }),
    () => ({ ...sale, body: sale.body.slice(0, -9) }),
    () => ({ ...sale, body: `${shop.key}:${shop.pin}` }),
    () => ({ ...sale, body: JSON.stringify({ ...body, note: `${shop.key} `.repeat(9_000) }) }),
    () => ({ ...sale, body: `{"pin":"${shop.pin}","pin":"${shop.key}"}` }),
    () => ({ ...sale, headers: { 'content-type': 'application/json' } }),
    () => ({ ...sale, path: `/api/${shop.key}/${shop.pin}` }),
    () => ({ ...get('/api/user/'), headers: { authorization: `Basic ${Buffer.from(`${shop.key}:${shop.pin}`).toString('base64')}` } }),
    ...['/api/user', '/api/data_plans', `/api/transaction/m-1?${query}`, '/api/validateiuc?smart_card_number=7027914329&cablename=GOTV'].map((at) => () => get(at)),
    () => ({ ...get(`/api/v1/balance?key=${shop.key}`), headers: v1Headers }),
    () => ({ method: 'POST', path: '/api/v1/airtime', headers: v1Headers, body: JSON.stringify({ network: 'MTN', phone: '08031234567', amount: 100, pin: shop.pin }) }),
    () => ({ method: 'POST', path: '/api/v1/electricity', headers: v1Headers, body: `{"pin":"${shop.pin}"` }),
  ])(); // prettier-ignore
}

function formOf(body: Readonly<Record<string, unknown>>): string {
  return new URLSearchParams(Object.entries(body).map(([name, value]): [string, string] => [name, String(value)])).toString();
}

/** Sends one request and searches the reply. No reply may contain a key or a PIN; card PINs and tokens go to their buyer. */
async function send(one: Sending): Promise<void> {
  const { method, path, body } = one;
  const headers = { 'user-agent': 'axios', ...one.headers, 'content-length': Buffer.byteLength(body) };
  const answer = await askOnce(`${gateway.url}${path}`, { method, headers }, body).catch(() => undefined);
  if (answer === undefined) return;
  answers += 1;
  searchReply(one, answer.text, JSON.stringify(answer.headers));
}

function searchReply({ method, path, body }: Sending, told: string, headers: string): void {
  let reply: unknown;
  try {
    reply = JSON.parse(told);
  } catch {
    reply = told;
  }
  const { AccessToken, status } = (reply ?? {}) as { readonly AccessToken?: string; readonly status?: string };
  if (status === 'success' && method === 'POST') sold += 1;
  const own: Marks = { texts: AccessToken === undefined ? marks.texts : new Set(), pins: marks.pins, goods: new Set() };
  if (typeof AccessToken === 'string' && !marks.texts.has(AccessToken)) {
    marks.texts.add(AccessToken);
    latestTokens = [...latestTokens, AccessToken].slice(-3);
  }
  if (!path.includes('/user')) for (const good of goodsIn(reply)) marks.goods.add(good);
  // "Nothing is served at …" repeats the address to its sender only.
  const said = told.replaceAll(path.split('?')[0]!, '');
  hitsInReplies.push(...search(Buffer.from(`${headers}\n${said}`), `${method} ${path} ${body.slice(0, 200)}`, own));
}

/** Requests that are broken, cut off or too large. */
async function sendBroken({ key, pin: its }: Shop): Promise<void> {
  const { port, hostname } = new URL(gateway.url);
  const head = `POST /api/topup/ HTTP/1.1\r\nHost: x\r\nAuthorization: Token ${key}:${its}\r\n`;
  const bytes = chance.pick([
    `${head}Content-Length: 500\r\n\r\n{"pin":"${its}","api_key":"${key}`,
    `${head}Content Length: x\r\n\r\n`,
    `${head}${key}\r\n\r\n`,
    `GET /${key}?pin=${its} HTTP/9\r\n\r\n`,
    `${head}X-Much: ${`${key} `.repeat(500)}\r\n\r\n`,
    `${head}Transfer-Encoding: chunked\r\n\r\n${key}\r\n`,
    `\x16\x03\x01${key}`,
  ]);
  const socket = connect(Number(port), hostname);
  let told = '';
  socket.on('error', () => undefined).on('data', (part) => (told += part.toString('latin1')));
  socket.write(Buffer.from(bytes, 'latin1'));
  await Promise.race([once(socket, 'close').catch(() => undefined), sleep(30)]);
  socket.destroy();
  hitsInReplies.push(...search(Buffer.from(told), `broken: ${bytes.slice(0, 100)}`, marks));
}

async function load(count: number): Promise<void> {
  let left = count;
  const one = async (): Promise<void> => {
    while ((left -= 1) >= 0) {
      await gateway.untilUp();
      const shop = chance.next() < 0.97 ? chance.pick(SHOPS) : chance.pick(STRANGERS);
      const wrongly = chance.next() < 0.002 ? { ...shop, pin: chance.pick(STRANGERS).pin } : shop;
      if (chance.next() < 0.02) await sendBroken(wrongly);
      else await send(sending(wrongly));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

const settings = (): NodeJS.ProcessEnv => ({
  ...SECRETS,
  PATH: process.env['PATH'],
  DATA_DIR: join(folder, 'data'),
  MAPPINGS_DIR: join(ROOT, 'mappings'),
  UPSTREAM_URL: v1Url,
  ADMIN_PORT: new URL(gateway.adminUrl).port,
});
let v1Url: string;

/** The output of a command on both streams; v1 runs on in this process meanwhile. */
async function run(args: readonly string[], input = '', env: NodeJS.ProcessEnv = {}, forMs = 60_000): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: folder, env: { ...settings(), ...env } });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (printed += part.toString()));
  child.stdin.on('error', () => undefined).end(input);
  const timer = setTimeout(() => child.kill('SIGKILL'), forMs);
  await once(child, 'close');
  clearTimeout(timer);
  return printed;
}

async function openV1(): Promise<void> {
  const configDir = join(folder, 'sandbox');
  cpSync(join(ROOT, 'sandbox'), configDir, { recursive: true });
  const own = [...SHOPS, { key: SECRETS.LOOKUP_API_KEY, pin: '111111' }].map(
    (shop, nth) =>
      `  - { id: shop-${nth}, name: Shop ${nth}, keys: { sandbox: ${shop.key} }, pin: '${shop.pin}', wallet: { live: 1000000000, sandbox: 1000000000 } }\n`,
  );
  writeFileSync(join(configDir, 'accounts.yaml'), `accounts:\n${own.join('')}`);
  const real = createRealClock();
  const clock: Clock = { ...real, setTimer: (delayMs, fire) => real.setTimer(delayMs / HASTE, fire) };
  v1 = await openSandbox({ configDir, relaxed: true, clock });
  v1Url = (await v1.listen(0)).url;
}

beforeAll(async () => {
  mkdirSync(join(folder, 'logs'));
  await openV1();
  gateway = await prepareGateway({
    dataDir: join(folder, 'data'),
    upstreamUrl: v1Url,
    cwd: folder,
    env: { ...SECRETS, LOG_LEVEL: 'debug', LOG_FILE: join(folder, 'logs', 'gateway.log') },
  });
  expect([await gateway.start(), gateway.complaints()]).toEqual([true, '']);
}, 60_000);
afterAll(async () => {
  await gateway?.end('SIGKILL');
  await v1?.close();
});

/** Everything that the admin server returns: with the token, with guesses, and its pages. */
async function askAdmin(): Promise<string> {
  const told: string[] = [];
  const ask = async (path: string, init: RequestInit = {}) => {
    const askedMs = performance.now();
    // A live page never ends.
    const named = (error: unknown) => Promise.reject(new Error(path, { cause: error }));
    const answer = await fetch(`${gateway.adminUrl}${path}`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(PAGE_MS_MAX),
      ...init,
    }).catch(named);
    const isLive = answer.headers.get('content-type')?.includes('event-stream') === true;
    const text = isLive ? '' : await answer.text().catch(named);
    if (isLive) await answer.body?.cancel();
    const ms = Math.round(performance.now() - askedMs);
    if (ms > slowest.ms) slowest = { path, ms };
    told.push(JSON.stringify([...answer.headers].filter(([name]) => name !== 'set-cookie')), text);
    return { status: answer.status, cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '', text };
  };
  const bearer = { authorization: `Bearer ${ADMIN_TOKEN}` };
  for (const path of ['/healthz', '/readyz', '/metrics', '/mapping', '/mapping/history', '/traffic', '/running', '/record', '/alarms', '/sandbox/ledger', `/readyz?token=${ADMIN_TOKEN}`])
    for (const headers of [bearer, { authorization: `Bearer ${SHOPS[0]!.key}` }, {}]) await ask(path, { headers }); // prettier-ignore
  const login = await ask('/console/login', {
    method: 'POST',
    headers: { origin: gateway.adminUrl, 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ token: ADMIN_TOKEN }),
  });
  const { cookie } = login;
  expect([login.status, cookie]).toEqual([303, expect.stringMatching(/./)]);
  const seen = new Set(['/console']);
  for (const path of seen) {
    const { text: page } = await ask(path, { headers: { cookie } });
    for (const { 1: link } of page.matchAll(/(?:href|hx-get)="(\/console[^"#]*)"/g))
      if (seen.size < 200 && !/logout|assets|events|stream/.test(link!)) seen.add(link!.replaceAll('&amp;', '&'));
  }
  return told.join('\n');
}

test(
  `${REQUESTS} requests leave no secret in any reply, log, file, command output or console page`,
  async () => {
    const begunMs = performance.now();
    const fingerprint = (await run(['fingerprint'], `${SHOPS[0]!.key}\n`)).trim();
    for (let kills = 0; kills < 2; kills += 1) {
      const loading = load(REQUESTS / 3);
      await sleep(300);
      await gateway.end('SIGKILL');
      expect(await gateway.start()).toBe(true);
      await loading;
    }
    const recorder = spawn(process.execPath, [PROGRAM, 'record', '--caller', fingerprint, '--for', '1h', '--max', '5000'], {
      cwd: folder,
      env: settings(),
    });
    let recorded = '';
    for (const stream of [recorder.stdout, recorder.stderr]) stream.on('data', (part: Buffer) => (recorded += part.toString()));
    const isRecorded = async () =>
      (await fetch(`${gateway.adminUrl}/record/${fingerprint}`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })).ok;
    while (recorder.exitCode === null && !(await isRecorded())) await sleep(50);
    await load(REQUESTS / 3);
    const loadedMs = performance.now() - begunMs;
    const ids = (await run(['orders', 'export'])).matchAll(/m-\d+/g);
    const some = [...new Set([...ids].map(([id]) => id))].slice(0, 2);
    const { key, pin: its } = SHOPS[1]!;
    const curl = `curl -s http://x/api/topup/?api_key=${key} -H 'Authorization: Token ${key}:${its}' -H 'Content-Type: application/json' -d '{"network":1,"mobile_number":"08031234567","amount":100,"pin":"${its}","api_key":"${key}"}'`;
    writeFileSync(join(folder, 'request.txt'), curl);
    const tools: readonly (readonly [string[], string?, NodeJS.ProcessEnv?])[] = [
    ...[['orders', 'list', '--limit', '200'], ['orders', 'export'], ['orders', 'report']].map((args) => [args] as [string[]]),
    ...some.map((id) => [['orders', 'show', id]] as [string[]]),
    [['explain'], curl], [['explain', '--json'], curl], [['family', '--request', 'request.txt']],
    [['drift']], [['drift', '--json']], [['plan']], [['plan', '--json']], [['history']], [['check']], [['reload']], [['config']], [['backup', join(folder, 'backup')]],
    [['fingerprint'], `${key}:${its}\n`], [['fingerprint'], `${key} ${its} \n`], [['doctor'], `${key}\n`],
    ...['config', 'orders report', 'check'].map((args) => [args.split(' '), '', { JOURNAL_URL: `postgres://compat:${text()}@127.0.0.1:1/none` }] as const).map(([a, b, c]) => [a, b, c] as [string[], string, NodeJS.ProcessEnv]),
    [['config'], '', { ADMIN_TOKEN: `${text()} with spaces`, JOURNAL_KEY: `${text()}!`, LOOKUP_API_KEY: `${text()}ü` }],
    [['serve'], '', { JOURNAL_URL: `postgres://compat:${text()}@127.0.0.1:1/none`, PORT: '0', ADMIN_PORT: '0', JOURNAL_KEY: '', DATA_DIR: join(folder, 'brief') }],
    [['orders', 'list'], '', { GATEWAY_SECRET: text(), JOURNAL_KEY: text() }],
  ]; // prettier-ignore
    const hits: Hit[] = [...hitsInReplies];
    for (const [args, input, env] of tools) {
      const printed = await run(args, input, env, args[0] === 'serve' ? 5_000 : undefined);
      // A command whose database is away may wait for it silently.
      if (args[0] !== 'serve') expect([args, printed]).not.toEqual([args, '']);
      hits.push(...search(Buffer.from(printed), `compat-gateway ${args.join(' ')}`, marks));
    }
    hits.push(...search(Buffer.from(await askAdmin()), 'the admin server', marks));
    expect(recorder.exitCode).toBeNull();
    await endProcess(recorder);
    hits.push(...search(Buffer.from(recorded), 'compat-gateway record', marks));
    expect(await gateway.end('SIGTERM')).toMatchObject({ code: 0 });
    for (const part of ['data', 'logs', 'backup']) hits.push(...searchFolder(join(folder, part), marks));
    hits.push(...search(Buffer.from(gateway.output() + gateway.complaints()), 'the standard streams', marks));

    console.log(
      `seed ${chance.seed}: ${answers} answers, ${sold} sold, ${marks.goods.size} goods, ${marks.texts.size} AccessTokens, sent in ${Math.round(loadedMs / 1_000)} s, slowest page ${slowest.path} in ${slowest.ms} ms`,
    );
    expect(hits.slice(0, 20)).toEqual([]);
    // The search had secrets to find: orders were sold, goods and AccessTokens were sent, and requests were recorded.
    expect([sold > REQUESTS / 10, marks.goods.size > REQUESTS / 200, marks.texts.size > 0, recorded.length > 1_000]).toEqual([true, true, true, true]); // prettier-ignore
  },
  1_200_000 + 15 * REQUESTS,
);
