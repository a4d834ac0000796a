import type { IncomingHttpHeaders } from 'node:http';
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

describe('a script that buys whatever its login said, while v1 does not answer the login', () => {
  const house = useHouse({
    v1: ({ method, headers }) => {
      if (headers.authorization !== 'Bearer KEY') return { http: 401, body: { status: 'error', message: 'Invalid API key.' } };
      return method === 'POST' ? { http: 200, body: { status: 'success', data: { reference: 'R1' } } } : { http: 502, body: {} };
    },
  });
  const logIn = (pair: string): Promise<Told> =>
    send(house.url, '/api/user/', undefined, { key: null, method: 'POST', headers: { Authorization: `Basic ${pair}` } });

  test('sells with the AccessToken that it hears beside the failure', async () => {
    const { status, body } = await logIn('KEY:1234');
    expect([status, body.status]).toEqual([503, 'fail']);
    const sale = await send(house.url, '/api/topup/', SALE, { key: body.AccessToken });
    expect([sale.status, sale.body.status, sale.body.reference]).toEqual([200, 'success', 'R1']);
  });

  test('gets no AccessToken for a key that v1 refuses', async () => {
    const { status, body } = await logIn('WRONG:1234');
    expect([status, body.AccessToken]).toEqual([401, undefined]);
  });
});

const seen: { url: string; headers: IncomingHttpHeaders; forwarded: string[]; body: string }[] = [];
const v1: V1 = ({ url, headers, rawHeaders }, _url, body) => {
  const forwarded = rawHeaders.filter((_, index) => index % 2 === 1 && /^x-forwarded-for$/i.test(rawHeaders[index - 1]!));
  seen.push({ url: url!, headers, forwarded, body });
  return { http: 200, body: { status: 'success', data: {} } };
};
const passing = useHouse({ v1, logLevel: 'debug', env: { PASSTHROUGH_HEADERS: 'X-Tenant' } });

test('of the pass-through v1 gets what was sent, with one address', async () => {
  const raw = '{"a" : 1.0, "b":"₦"}';
  await send(passing.url, '/api/v1/anything?x=%20y', raw, {
    key: null,
    headers: { Authorization: 'Bearer KEY', 'X-Forwarded-For': '10.0.0.9', 'X-Tenant': 'acme', 'X-Shop': 'acme' },
  });
  expect([seen[0]?.headers['x-tenant'], seen[0]?.headers['x-shop']]).toEqual(['acme', undefined]);
  expect(passing.logLines.join('')).toMatch(/"field":"x-shop".*"passthrough_header_dropped"/);
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({ url: '/api/v1/anything?x=%20y', body: raw, forwarded: ['127.0.0.1'] });
  expect(seen[0]!.headers.authorization).toBe('Bearer KEY');
});
