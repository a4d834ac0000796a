// Each way in which v1 may not fit a deployment, on real sockets.
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { X509Certificate } from 'node:crypto';
import { runInThisContext } from 'node:vm';
import { Secret } from '../../../src/domain/credentials';
import { checkFolder } from '../../../src/mapping/check';
import { checkKey, checkReach, checkTls } from '../../../src/cli/doctor/check-v1';
import type { Found, CheckInput } from '../../../src/cli/doctor/finding';
import { openSandbox, type Sandbox } from '../../../src/sandbox/sandbox';
import { configFor, withHouse } from '../../flows/house';
import { listen, type Listening } from '../../listen';
import { shippedMapping } from '../../mapping/mapping-set';
import { SELF_SIGNED } from '../../upstream/self-signed';
import { newFolder } from '../../new-folder';

const DAY_MS = 86_400_000;
const folder = newFolder();
let sandbox: Sandbox;
let sandboxUrl: string;
const servers: Listening[] = [];
beforeAll(async () => {
  sandbox = await openSandbox();
  sandboxUrl = (await sandbox.listen(0)).url;
});
afterAll(async () => {
  for (const server of servers) await server.close();
  await sandbox.close();
});

async function serve(answer: RequestListener, server = createServer(answer)): Promise<number> {
  const listening = await listen(server);
  servers.push(listening);
  return listening.port;
}

const patient = (url: string | undefined, change: Partial<CheckInput> = {}): CheckInput => ({
  config: configFor(folder, url === undefined ? {} : { UPSTREAM_URL: url }),
  ...{ found: { kind: 'none' }, key: undefined, mapping: undefined, now: Date.now, ...change },
});

const brief = (found: Found): string[] => [found].flat().map(({ level, what }) => `${level}: ${what}`);

/** A finding that needs action has all three parts. */
function expectMend(found: Found, what: RegExp, todo: RegExp): void {
  expect([found].flat()).toContainEqual({
    level: 'mend',
    what: expect.stringMatching(what) as string,
    why: expect.stringMatching(/\.$/) as string,
    todo: expect.stringMatching(todo) as string,
  });
}

test('a v1 that works needs no action', async () => {
  expect(brief(await checkReach(patient(sandboxUrl)))).toEqual([
    `well: v1 answers at ${sandboxUrl}.`,
    "well: The clock agrees with v1's.",
  ]);
});

test('the embedded sandbox is named as such, with a running gateway or without', async () => {
  expect(brief(await checkReach(patient(undefined)))).toEqual(['note: The upstream is the embedded sandbox.']);
  const running = { upstreamUrl: sandboxUrl, sandbox: { isRelaxed: false } } as never;
  const found = { kind: 'running', running, readyz: { status: 200, waitingFor: [] }, metrics: '' } as const;
  expect(brief(await checkReach(patient(undefined, { found })))).toHaveLength(3);
});

test('a port where nothing listens, and a host name that does not resolve', async () => {
  const port = await serve(() => undefined);
  await servers.pop()!.close();
  expectMend(
    await checkReach(patient(`http://127.0.0.1:${port}/api/v1`)),
    /cannot be reached at .* \(ECONNREFUSED\)/,
    /that v1 runs/,
  );
  expectMend(await checkReach(patient('http://v1.invalid/api/v1')), /\(E(?:NOTFOUND|AI_AGAIN)\)/, /host of UPSTREAM_URL/);
});

test.each<[string, RequestListener, RegExp]>([
  ['a page of HTML', (_request, response) => void response.end('<html>Parked</html>'), /gives HTTP 200, and no JSON/],
  [
    'JSON of somebody else',
    (_request, response) => void response.writeHead(401).end('{"error":"x"}'),
    /HTTP 401, JSON of another shape/,
  ],
  ['a wrong path', (_request, response) => void response.writeHead(404).end('{"status":"error"}'), /HTTP 404/],
  ['a redirect', (_request, response) => void response.writeHead(302, { location: '/login' }).end(), /HTTP 302/],
])('%s is not v1', async (_what, answer, what) => {
  expectMend(await checkReach(patient(`http://127.0.0.1:${await serve(answer)}/api/v1`)), what, /path of UPSTREAM_URL/);
});

test("a clock that differs from v1's", async () => {
  for (const [apartMs, said] of [
    [-120_000, /1[12]\d seconds behind/],
    [120_000, /1[12]\d seconds ahead of/],
  ] as const)
    expectMend(await checkReach(patient(sandboxUrl, { now: () => Date.now() + apartMs })), said, /NTP/);
});

describe('TLS', () => {
  let url: string;
  beforeAll(async () => {
    const port = await serve(
      () => undefined,
      createTlsServer(SELF_SIGNED, () => undefined),
    );
    url = `https://127.0.0.1:${port}/api/v1`;
  });

  test('a certificate that is not trusted', async () => {
    expectMend(await checkReach(patient(url)), /cannot be reached .*CERT/, /NODE_EXTRA_CA_CERTS/);
    expect(await checkTls(patient(url))).toEqual([]);
  });

  test('a certificate that is not trusted, where the environment tells Node to trust any', async () => {
    // The environment that Node itself reads; the suite has a copy.
    const environment = runInThisContext('process.env') as NodeJS.ProcessEnv;
    environment['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      expectMend(await checkReach(patient(url)), /cannot be reached .*CERT/, /NODE_EXTRA_CA_CERTS/);
    } finally {
      delete environment['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
  });

  test('a certificate that expires soon', async () => {
    const end = Date.parse(new X509Certificate(SELF_SIGNED.cert).validTo);
    expectMend(await checkTls(patient(url, { now: () => end - 5 * DAY_MS - 1_000 })), /ends in 5 days/, /renew/);
  });

  test('no TLS, which is accepted on this machine only', async () => {
    expectMend(await checkTls(patient('http://v1.example/api/v1')), /UPSTREAM_URL is http/, /https/);
    expect(await checkTls(patient('http://127.0.0.1:1/api/v1'))).toEqual([]);
  });

  test('https to a port that speaks plain HTTP', async () => {
    const plain = await serve((_request, response) => void response.end());
    expectMend(await checkReach(patient(`https://127.0.0.1:${plain}/api/v1`)), /cannot be reached/, /does not use TLS/);
  });
});

describe('with a key', () => {
  const key = new Secret('sandbox_demo');

  test('its wallet and the catalog are read, and the key is not printed', async () => {
    const found = brief(await checkKey(patient(sandboxUrl, { key })));
    expect(found).toEqual([
      'well: The key works: 1000000 naira in its wallet.',
      expect.stringMatching(/^well: The catalog has \d+ data plans/),
    ]);
    expect(found.join()).not.toContain('sandbox_demo');
  });

  test('a key that v1 does not know, and one that is locked to other addresses', async () => {
    expectMend(
      await checkKey(patient(sandboxUrl, { key: new Secret('sandbox_nobody') })),
      /refuses the key: HTTP 401/,
      /live key/,
    );
    sandbox.admin.changeAccount('acme', { allowed_ips: ['10.0.0.9'] });
    expectMend(
      await checkKey(patient(sandboxUrl, { key: new Secret('acme_live_demo') })),
      /refuses the key: HTTP 403/,
      /this machine added/,
    );
  });

  test('a catalog without exams, whose empty map PHP writes as a list, is read as the gateway reads it', async () => {
    const data = { data_plans: [], cable_plans: [], discos: [], exam_prices: [], recharge_card_prices: {} };
    const port = await serve(
      ({ url }, response) =>
        void response.end(JSON.stringify({ status: 'success', data: url!.endsWith('/balance') ? { wallet_balance: 5 } : data })),
    );
    const found = brief(await checkKey(patient(`http://127.0.0.1:${port}/api/v1`, { key })));
    expect(found.at(-1)).toBe('well: The catalog has 0 data plans and 0 cable plans.');
  });

  test('a catalog of another shape', async () => {
    const balance = { status: 'success', data: { wallet_balance: 5 } };
    const port = await serve(
      ({ url }, response) => void response.end(JSON.stringify(url!.endsWith('/balance') ? balance : { status: 'success' })),
    );
    expectMend(
      await checkKey(patient(`http://127.0.0.1:${port}/api/v1`, { key })),
      /answers GET \/catalog in a form/,
      /version of v1/,
    );
  });

  test("plans of a caller's own numbers that v1 does not sell", async () => {
    await withHouse(
      {
        callers: {
          sandbox_demo: { title: 'Ada', numbers: { data_plan: { 7: '101', 8: '999' }, cable_plan: { 1: '11' } } },
          sandbox_empty: { title: 'Bola', sandbox: true, numbers: { data_plan: { 7: '998' } } },
        },
      },
      async (house) => {
        const { mapping } = checkFolder(house.mappingsDir);
        const findings = await checkKey(patient(sandboxUrl, { key, mapping }));
        expect(brief(findings)).toHaveLength(3);
        expectMend(
          findings,
          /^Ada has numbers in callers\.yaml that v1's catalog does not have: 8 \(data_plans 999\)\.$/,
          /`numbers` of Ada/,
        );
      },
    );
    const mapping = shippedMapping();
    expect(brief(await checkKey(patient(sandboxUrl, { key, mapping })))).toHaveLength(2);
  });
});
