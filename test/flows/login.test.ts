import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { systemClock } from '../../src/domain/clock';
import { openHouse, send, useHouse, type Told, type V1 } from './house';

const LOGIN = `Basic ${Buffer.from('sandbox_demo:1234').toString('base64')}`;
const SALE = { network: '2', phone: '08021234567', amount: '100', bypass: true };

describe('credentials', () => {
  const house = useHouse();
  const ask = (path: string, authorization: string | null, body?: unknown, method?: string): Promise<Told> =>
    send(house.url, path, body, {
      key: null,
      headers: authorization === null ? {} : { Authorization: authorization },
      ...(method === undefined ? {} : { method }),
    });

  test.each([
    ['POST', '/api/user/', LOGIN],
    ['POST', '/api/user', LOGIN.replace('Basic ', 'Basic  ')],
    ['GET', '/api/user/', LOGIN.replaceAll('=', '')],
    ['GET', '/api/user', 'Basic sandbox_demo:1234'],
    ['POST', '//api/user/', LOGIN],
  ])('%s %s with %s gives an AccessToken that sells in format A', async (method, path, authorization) => {
    const login = await ask(path, authorization, undefined, method);
    expect(login.body).toMatchObject({
      status: 'success',
      AccessToken: expect.stringMatching(/^\S+$/),
      balance: expect.any(Number),
    });
    // Fields that no format owns: only the token's mark says that number 2 is AIRTEL.
    const { phone, ...rest } = SALE;
    const sale = await ask('/api/topup/', `Token ${login.body.AccessToken}`, {
      ...rest,
      phone_number: phone,
      mobile_number: phone,
    });
    expect([sale.body.status, sale.body.network]).toEqual(['success', 'AIRTEL']);
    expect(login.text + sale.text).not.toMatch(/sandbox_demo|"1234"/);
  });

  test('a plain balance has no AccessToken, but it has the lists of format B', async () => {
    const { body } = await ask('/api/user/', 'Token sandbox_demo:1234');
    expect(body.AccessToken ?? null).toBeNull();
    expect(body.Dataplans.MTN_PLAN.ALL.length).toBeGreaterThan(0);
  });

  test('a wrong key or a wrong token is 401 with detail', async () => {
    const token = (await ask('/api/user', LOGIN)).body.AccessToken as string;
    const altered = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;
    for (const authorization of ['Token nobody:1234', `Token ${altered}`, 'Basic bm9ib2R5OjEyMzQ=', null]) {
      const { status, body } = await ask('/api/user', authorization);
      expect([status, body.status, typeof body.detail, body.AccessToken ?? null]).toEqual([401, 'fail', 'string', null]);
    }
  });

  test('a lookup without a key is served by the lookup key, a purchase is not', async () => {
    const { status, body } = await ask('/api/cable/cable-validation?iuc=1234567890&cable=1', null);
    expect([status, body.status, body.invalid, typeof body.name]).toEqual([200, 'success', false, 'string']);
    expect((await ask('/api/topup/', null, SALE)).status).toBe(401);
    expect((await ask('/api/user', null)).status).toBe(401);
  });
});

test('an AccessToken sells for as many days as the setting says, and is then refused in the same words as a wrong key', async () => {
  const days = (count: number) => ({ ...systemClock, now: () => Date.now() + count * 86_400_000 });
  const env = { GATEWAY_SECRET: 'a'.repeat(64), TOKEN_DAYS: '7' };
  const told = await Promise.all(
    [0, 6, 8].map(async (count) => {
      const issuing = await openHouse({ env });
      const house = await openHouse({ env, clock: days(count) });
      const login = await send(issuing.url, '/api/user', undefined, { key: null, headers: { Authorization: LOGIN } });
      const { status, body } = await send(
        house.url,
        '/api/topup',
        { ...SALE, 'request-id': 'aged' },
        { key: login.body.AccessToken },
      );
      await Promise.all([issuing.close(), house.close()]);
      return [status, body.status, body.detail ?? null];
    }),
  );
  expect(told.map(([status, word]) => [status, word])).toEqual([
    [200, 'success'],
    [200, 'success'],
    [401, 'fail'],
  ]);
  expect(told[2]![2]).toBe('Invalid token. The AccessToken is too old; log in again.');
});

/** Asks from another loopback address, which only Linux has. */
function askFrom(
  localAddress: string,
  url: string,
  headers: Record<string, string>,
): Promise<{ status: number; body: Told['body'] }> {
  const body = JSON.stringify({ ...SALE, amount: 150 });
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${url}/api/topup/`, {
      method: 'POST',
      localAddress,
      agent: false,
      headers: {
        Authorization: 'Token acme_live_iplocked',
        'Content-Type': 'application/json',
        'Content-Length': body.length,
        ...headers,
      },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode!, body: JSON.parse(text) }));
    });
    request.end(body);
  });
}

describe('the address that v1 compares with its allowlist', () => {
  const house = useHouse();
  const proxied = useHouse({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const onLinux = process.platform === 'linux' ? test : test.skip;

  test('is that of the script: a listed one needs no PIN', async () => {
    expect((await askFrom('127.0.0.1', house.url, {})).body.status).toBe('success');
  });

  onLinux.each([
    {},
    { 'X-Forwarded-For': '127.0.0.1' },
    { 'X-Forwarded-For': '10.0.0.9, 127.0.0.1' },
    { 'X-Real-IP': '10.0.0.9', Forwarded: 'for=10.0.0.9' },
  ])('is never what a stranger claims (%j)', async (headers) => {
    const { status, body } = await askFrom('127.0.0.2', house.url, headers);
    expect([status, body.status]).toEqual([403, 'fail']);
  });

  test.each([
    ['10.0.0.9', 200],
    ['203.0.113.9', 403],
    ['10.0.0.9, 203.0.113.9', 403],
    ['203.0.113.9, 10.0.0.9', 200],
    ['10.0.0.9, 127.0.0.1', 200],
    ['nonsense', 400],
  ])('is the last untrusted one behind a trusted proxy: %s gives %i', async (forwarded, expected) => {
    const { status, body } = await askFrom('127.0.0.1', proxied.url, { 'X-Forwarded-For': forwarded });
    expect([status, body.status]).toEqual([expected, expected === 200 ? 'success' : 'fail']);
  });
});

describe('what v1 gets', () => {
  const seen: { url: string; headers: IncomingHttpHeaders; forwarded: string[]; body: string }[] = [];
  const v1: V1 = ({ url, headers, rawHeaders }, _url, body) => {
    const forwarded = rawHeaders.filter((_, index) => index % 2 === 1 && /^x-forwarded-for$/i.test(rawHeaders[index - 1]!));
    seen.push({ url: url!, headers, forwarded, body });
    return { http: 200, body: { status: 'success', data: { reference: 'R1', wallet_balance: 5 } } };
  };
  const house = useHouse({ v1, logLevel: 'debug', env: { PASSTHROUGH_HEADERS: 'X-Tenant' } });
  beforeEach(() => void seen.splice(0));

  test('of a purchase: checked fields, PIN and request id, one address, and nothing else of the script', async () => {
    await send(
      house.url,
      '/api/topup/?debug=1',
      { ...SALE, 'request-id': 'v1-sees', webhook: 'http://evil.example', pin: '0000' },
      {
        key: 'KEY:1234',
        headers: { 'X-Forwarded-For': '10.0.0.9', 'X-Real-IP': '10.0.0.9', Cookie: 'a=b', 'User-Agent': 'adex' },
      },
    );
    const { url, headers, forwarded, body } = seen.find((one) => one.url === '/api/v1/airtime')!;
    expect(url).toBe('/api/v1/airtime');
    expect(JSON.parse(body)).toEqual({
      network: 'AIRTEL',
      phone: '08021234567',
      amount: 100,
      ported: true,
      pin: '1234',
      request_id: 'v1-sees',
    });
    expect(headers.authorization).toBe('Bearer KEY');
    expect(forwarded).toEqual(['127.0.0.1']);
    expect(headers['x-real-ip'] ?? headers['cookie'] ?? headers['forwarded']).toBeUndefined();
  });

  test('of the pass-through: what was sent, with one address', async () => {
    const raw = '{"a" : 1.0, "b":"₦"}';
    await send(house.url, '/api/v1/anything?x=%20y', raw, {
      key: null,
      headers: { Authorization: 'Bearer KEY', 'X-Forwarded-For': '10.0.0.9', 'X-Tenant': 'acme', 'X-Shop': 'acme' },
    });
    expect([seen[0]?.headers['x-tenant'], seen[0]?.headers['x-shop']]).toEqual(['acme', undefined]);
    expect(house.logLines.join('')).toMatch(/"field":"x-shop".*"passthrough_header_dropped"/);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ url: '/api/v1/anything?x=%20y', body: raw, forwarded: ['127.0.0.1'] });
    expect(seen[0]!.headers.authorization).toBe('Bearer KEY');
  });

  test('of a refused request: nothing', async () => {
    await send(house.url, '/api/topup/', { ...SALE, phone: 'none' });
    await send(house.url, '/api/topup/', '{"broken', { headers: { 'Content-Type': 'application/json' } });
    await send(house.url, '/api/topup/', { network: 2, phone: '08021234567', mobile_number: '07990000000', amount: 100 });
    expect(seen).toEqual([]);
  });
});
