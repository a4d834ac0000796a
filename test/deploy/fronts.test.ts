/** deploy/nginx.conf and deploy/Caddyfile as run by Debian's programs, in front of a gateway and a v1: what a front may do to a sale. */
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { askOnce, type Answer } from '../ask-once';
import { unreadRefusal } from '../../src/domain/errors';
import { refuseRequest } from '../../src/gateway/tell/refuse';
import { openSandbox, type Sandbox } from '../../src/sandbox/sandbox';
import { prepareGateway, type GatewayProcess } from '../crash/gateway-process';
import { DEPLOY } from '../fleet/start-fleet';
import { shippedMapping } from '../mapping/mapping-set';
import { SELF_SIGNED } from '../upstream/self-signed';
import { describeWith } from './installed';
import { FRONTS, startFront, type Front } from './start-front';
import { listen } from '../listen';
import { newFolder } from '../new-folder';

const KEY = 'acme_live_demo:1234';
/** v1 lists only 127.0.0.1 and 10.0.0.9 for this key, and asks no PIN there. */
const LOCKED_KEY = 'acme_live_iplocked';

interface Told extends Answer {
  readonly type: string;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Asking {
  readonly key?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The address of the script that the front sees. */
  readonly from?: string;
  readonly isPlain?: boolean;
}

async function ask(port: number, path: string, body?: object | string, asking: Asking = {}): Promise<Told> {
  const sent = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const { key = KEY, method = body === undefined ? 'GET' : 'POST', headers = {}, from = '127.0.0.1', isPlain = false } = asking;
  const ofBody = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) };
  const answer = await askOnce(
    `${isPlain ? 'http' : 'https'}://127.0.0.1:${port}`,
    {
      ...{ path, method, localAddress: from, ca: SELF_SIGNED.cert },
      headers: { authorization: `Token ${key}`, ...ofBody, ...headers },
    },
    sent,
  );
  const { text } = answer;
  const told = text.startsWith('{') ? (JSON.parse(text) as Told['body']) : {};
  return { ...answer, type: answer.headers['content-type'] ?? '', body: told };
}

const AIRTIME = { network: '1', phone: '08031234567', amount: '100', plan_type: 'VTU', bypass: false };
const pendingText = shippedMapping().texts['unknown'];
const PENDING = {
  ...{ status: 'pending', Status: 'processing' },
  ...{ message: pendingText, msg: pendingText, api_response: pendingText, response: pendingText },
};
/** As the gateway itself refuses a sale of which it cannot read whether it repeats another one (decision 0012). */
const bodyOf = (file: string): string => readFileSync(join(DEPLOY, file), 'utf8').split('\r\n\r\n')[1]!;
const UNREAD = JSON.parse(bodyOf('unread.http')) as Told['body'];

/** Replaces the gateway: records each request and answers it, but breaks the connection or holds the request where its path asks for that. */
async function openStub() {
  const arrived: string[] = [];
  const left: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    let bytes = '';
    socket.on('data', (part) => {
      bytes += part.toString('latin1');
      const head = bytes.indexOf('\r\n\r\n');
      const length = Number(/^content-length: *(\d+)/im.exec(bytes)?.[1] ?? 0);
      if (head < 0 || bytes.length < head + 4 + length) return;
      arrived.push(bytes);
      bytes = '';
      if (/^\S+ \S*hold/.test(arrived.at(-1)!)) socket.on('close', () => left.push('held'));
      else if (/^\S+ \S*break/.test(arrived.at(-1)!)) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}');
    });
  });
  return { ...(await listen(server)), arrived, left };
}

describe.each(FRONTS)('%s', (name) => {
  describeWith(name, [name === 'nginx' ? '-v' : 'version'], 'before a gateway', () => {
    let v1: Sandbox;
    let v1Url: string;
    let gateway: GatewayProcess;
    let front: Front;
    const dataDir = newFolder();
    beforeAll(async () => {
      v1 = await openSandbox({ relaxed: true });
      v1Url = (await v1.listen(0)).url;
      gateway = await prepareGateway({ dataDir, upstreamUrl: v1Url, env: { TRUSTED_PROXIES: '127.0.0.1' } });
      expect([await gateway.start(), gateway.complaints()]).toEqual([true, '']);
      front = await startFront(name, gateway.url);
    }, 60_000);
    afterAll(async () => {
      await front?.end();
      await gateway.end('SIGKILL');
      await v1.close();
    });

    /** v1's orders for the phone that was bought for. */
    const ordersOf = async (phone: string): Promise<readonly { readonly status: string }[]> => {
      const answer = await fetch(`${v1Url}/transactions?per_page=50`, { headers: { authorization: 'Bearer acme_live_demo' } });
      const { data } = (await answer.json()) as { data: { transactions: { status: string }[] } };
      return data.transactions.filter((one) => JSON.stringify(one).includes(phone));
    };
    test('a sale in each format, past double slashes as well', async () => {
      const sales = [
        await ask(front.port, '/api/topup/', { ...AIRTIME, 'request-id': 'front-a' }),
        await ask(front.port, '/api/topup', { network: 1, mobile_number: '08031234568', amount: 100, Ported_number: true }),
        await ask(front.port, '/c/api/airtime', { network: '1', phone: '08031234569', amount: '100', ref: 'front-c' }),
        await ask(front.port, '//api//topup/', { ...AIRTIME, phone: '08031234570', 'request-id': 'front-slashes' }),
      ];
      for (const sale of sales) expect([sale.status, sale.type, sale.text]).toEqual([200, expect.stringMatching(/^application\/json/), expect.stringMatching(/"(?:status|Status)":"succes/)]); // prettier-ignore
      const status = await ask(front.port, '/api/transaction/front-a');
      expect(status.body).toMatchObject({ status: 'success', 'request-id': 'front-a' });
    });

    test("v1 judges by the script's real address, whatever headers the script sends", async () => {
      const locked = (from: string, id: string, headers = {}) =>
        ask(front.port, '/api/topup/', { ...AIRTIME, 'request-id': id }, { key: LOCKED_KEY, from, headers });
      expect((await locked('127.0.0.1', 'own-1')).body).toMatchObject({ status: 'success' });
      const forged = { 'X-Forwarded-For': '10.0.0.9', Forwarded: 'for=10.0.0.9', 'X-Real-IP': '10.0.0.9' };
      for (const headers of [{}, forged, { 'x-forwarded-for': '10.0.0.9, 127.0.0.1' }]) {
        const told = await locked('127.0.0.7', `forged-${Object.keys(headers).join()}`, headers);
        expect([told.status, told.body]).toEqual([403, expect.objectContaining({ status: 'fail' })]);
      }
    });

    test('waits for a v1 that takes twelve seconds, and a gateway that is told to stop meanwhile tells how the sale ended', async () => {
      const phone = '08031110007';
      const selling = ask(front.port, '/api/topup/', { ...AIRTIME, phone, 'request-id': 'front-stop' });
      while ((await ordersOf(phone)).length === 0) await sleep(50);
      const stopping = gateway.end('SIGTERM');
      expect((await selling).body).toMatchObject({ status: 'success', 'request-id': 'front-stop' });
      expect(await stopping).toMatchObject({ code: 0 });
      expect(await gateway.start()).toBe(true);
    }, 60_000);

    test('a gateway that dies during a sale is told as pending, and the repeat as sold: one charge', async () => {
      const phone = '08031120007';
      const sale = { ...AIRTIME, phone, 'request-id': 'front-kill' };
      const selling = ask(front.port, '/api/topup/', sale);
      while ((await ordersOf(phone)).length === 0) await sleep(50);
      await gateway.end('SIGKILL');
      const heard = await selling;
      expect([heard.status, heard.type, heard.body]).toEqual([200, expect.stringMatching(/^application\/json/), PENDING]);
      // While the gateway is away, a sale never leaves, which some scripts would deliver as pending; a question about an order decides nothing.
      const away = { ...AIRTIME, phone: '08031234571', 'request-id': 'front-away' };
      const refused = await ask(front.port, '/api/topup/', away);
      expect([refused.status, refused.type, refused.body]).toEqual([503, expect.stringMatching(/^application\/json/), UNREAD]);
      for (const path of ['/api/transaction/front-kill', '/api/topup/requery/front-kill', '/a/api/exampin/requery/front-kill'])
        for (const asked of [undefined, { 'request-id': 'front-kill' }]) {
          const answer = await ask(front.port, path, asked);
          expect([path, answer.status, answer.body]).toEqual([path, 200, PENDING]);
        }
      expect(await gateway.start()).toBe(true);
      expect((await ask(front.port, '/api/topup/', sale)).body).toMatchObject({ status: 'success', 'request-id': 'front-kill' });
      expect(await ordersOf(phone)).toHaveLength(1);
      expect(await ordersOf('08031234571')).toEqual([]);
    }, 60_000);

    test('without TLS scripts are told what to do, in words for an order that was not sold', async () => {
      const told = await ask(front.plainPort, '/api/topup/', { ...AIRTIME, 'request-id': 'front-plain' }, { isPlain: true });
      const text = 'Put https:// in front of the address in the settings of your script. Nothing was charged.';
      const { status, Status } = shippedMapping().words.failure;
      expect([told.status, told.body]).toEqual([
        403,
        { status, Status, success: false, message: text, msg: text, api_response: text, response: text, error: [text] },
      ]);
    });

    test("the admin server's console, probes and metrics cannot be reached through the front", async () => {
      for (const path of ['/console', '/metrics', '/readyz', '/mapping', '/sandbox/ledger']) {
        const told = await ask(front.port, path);
        expect([path, told.status]).toEqual([path, 404]);
      }
    });
  });

  describeWith(name, [name === 'nginx' ? '-v' : 'version'], 'before a gateway that breaks or listens', () => {
    const withFront = async (work: (front: Front, arrived: string[], left: string[]) => Promise<void>): Promise<void> => {
      const stub = await openStub();
      try {
        const front = await startFront(name, stub.url);
        stub.arrived.length = 0;
        await work(front, stub.arrived, stub.left).finally(() => front.end());
      } finally {
        await stub.close();
      }
    };

    test(
      'a request that was sent to the gateway is never sent again, whatever its method',
      () =>
        withFront(async (front, arrived) => {
          const sale = { ...AIRTIME, 'request-id': 'once' };
          const headers = { 'Idempotency-Key': 'x' };
          for (const method of ['POST', 'GET', 'PUT', 'DELETE']) {
            // Leaves a connection that could be used again.
            expect((await ask(front.port, '/api/user')).status).toBe(200);
            expect((await ask(front.port, `/break?${method}`, sale, { method, headers })).body).toEqual(PENDING);
            expect((await ask(front.port, '/api/user')).status).toBe(200);
            expect((await ask(front.port, `/break?empty-${method}`, undefined, { method, headers })).body).toEqual(PENDING);
          }
          expect(arrived.filter((bytes) => bytes.includes('/break'))).toHaveLength(8);
        }),
      60_000,
    );

    test(
      'a script that hangs up is disconnected from the gateway too',
      () =>
        withFront(async (front, arrived, left) => {
          const sale = request({
            ...{ host: '127.0.0.1', port: front.port, path: '/hold', method: 'POST' },
            agent: false,
            ca: SELF_SIGNED.cert,
          });
          sale.on('error', () => undefined).end('phone=08031234567');
          while (arrived.length === 0) await sleep(20);
          expect(left).toEqual([]);
          sale.destroy();
          while (left.length === 0) await sleep(20);
        }),
      60_000,
    );

    test(
      'the gateway gets what was sent, with one address, on a connection of its own',
      () =>
        withFront(async (front, arrived) => {
          const path = '/a//api/topup/?x=%2F%20y&x=1';
          const headers = {
            'X-Forwarded-For': '10.0.0.9',
            Forwarded: 'for=10.0.0.9',
            request_id: 'under',
            'X-Request-Id': 'dash',
          };
          const body = ' {"phone" : "0803\\u0031", "amount":"₦1,000"} ';
          await ask(front.port, path, body, { headers, from: '127.0.0.7' });
          await ask(front.port, '/api/user', body, { method: 'GET' });
          const [first = '', second = ''] = arrived;
          const [head = '', sent] = first.split('\r\n\r\n');
          const lines = head.split('\r\n').map((line) => line.toLowerCase());
          const all = (field: string) => lines.filter((line) => line.startsWith(`${field}:`));
          expect(head.startsWith(`POST ${path} HTTP/1.1\r\n`)).toBe(true);
          expect(Buffer.from(sent ?? '', 'latin1').toString('utf8')).toBe(body);
          expect(all('x-forwarded-for')).toEqual(['x-forwarded-for: 127.0.0.7']);
          expect(all('authorization')).toEqual([`authorization: token ${KEY}`]);
          expect([...all('request_id'), ...all('x-request-id')]).toEqual(['request_id: under', 'x-request-id: dash']);
          expect(all('connection')).toEqual(['connection: close']);
          // These headers tell the kind of caller and so its patience: the front adds none.
          expect([...all('user-agent'), ...all('accept-encoding'), ...all('forwarded')]).toEqual([]);
          expect(second.startsWith('GET /api/user HTTP/1.1\r\n')).toBe(true);
          expect(Buffer.from(second, 'latin1').toString('utf8').endsWith(body)).toBe(true);
        }),
      60_000,
    );

    test('keys and PINs in addresses and headers are in no log of the front, also when the gateway is away', async () => {
      const front = await startFront(name, 'http://127.0.0.1:1');
      try {
        const asking = { key: 'MARKKEY1:4711', headers: { 'X-Api-Key': 'MARKKEY2' } };
        expect((await ask(front.port, '/api/topup/?api_key=MARKKEY3&pin=4712', AIRTIME, asking)).body).toEqual(UNREAD);
        await ask(front.port, '/api/MARKKEY4/%zz?key=MARKKEY5', 'x'.repeat(2_000_000), asking).catch(() => undefined);
        await ask(front.plainPort, '/api/user?key=MARKKEY6', undefined, { ...asking, isPlain: true });
        await sleep(300);
        expect(front.readLogs()).not.toMatch(/MARKKEY|\b471[12]\b/);
      } finally {
        await front.end();
      }
    }, 60_000);
  });
});

test("the replies that fronts make themselves are the balancer's", () => {
  for (const file of ['nginx.conf', 'Caddyfile'])
    for (const reply of ['pending.http', 'unread.http'])
      expect(readFileSync(join(DEPLOY, file), 'utf8')).toContain(bodyOf(reply));
});

test('a front refuses a sale that never left in the words of the gateway', () => {
  const { status, body } = refuseRequest(unreadRefusal(undefined), { mapping: shippedMapping(), request: undefined });
  expect([status, body]).toEqual([503, { ...UNREAD, code: 'journal_unavailable' }]);
});
