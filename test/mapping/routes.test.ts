import type { Operation, Route } from '../../src/mapping/mapping';
import { createRouter, parseRoute } from '../../src/mapping/routes';
import { readPath } from '../../src/http/request-path';
import { shippedMapping } from './mapping-set';

const route = (text: string, operation: string, format?: string): Route => ({ ...parseRoute(text)[0]!, operation, format });

function routerOf(...routes: Route[]): ReturnType<typeof createRouter> {
  const operations = new Map(routes.map(({ operation }) => [operation, { name: operation } as Operation]));
  return createRouter(routes, operations, new Set(['a', 'b']));
}

/** The operation, or the reason why there is none. */
function answer(match: ReturnType<ReturnType<typeof createRouter>>): string {
  return match.kind === 'matched' ? match.operation.name : match.kind;
}

test('a route lists its methods before its path', () => {
  expect(parseRoute('GET|POST /api/user/')).toEqual([{ methods: ['GET', 'POST'], path: '/api/user' }]);
  expect(parseRoute('GET /')).toEqual([{ methods: ['GET'], path: '/' }]);
});

test('a segment of a route may have several words, and each word gives an address', () => {
  const methods = ['GET', 'POST'];
  expect(parseRoute('GET|POST /api/data|topup/requery|status/:id')).toEqual([
    { methods, path: '/api/data/requery/:id' },
    { methods, path: '/api/data/status/:id' },
    { methods, path: '/api/topup/requery/:id' },
    { methods, path: '/api/topup/status/:id' },
  ]);
});

const match = routerOf(
  route('POST /api/topup', 'buy'),
  route('GET /api/topup/:id', 'status'),
  route('GET /api/topup/list', 'list'),
  route('POST /api/topup/:request_id', 'buy'),
  route('GET /api/topup/requery/:order', 'requery'),
  route('POST /api/cable', 'only_b', 'b'),
  route('GET /', 'home'),
);

test.each([
  ['POST', '/api/topup', 'buy'],
  ['POST', '/api/topup/', 'buy'],
  ['POST', '/a/api/topup/', 'buy'],
  ['GET', '/api/topup/list', 'list'],
  ['GET', '/api/topup/list/', 'list'],
  ['GET', '/api/topup/7', 'status'],
  ['GET', '/api/topup/requery', 'status'],
  ['GET', '/api/topup/requery/7', 'requery'],
  ['GET', '/', 'home'],
  ['DELETE', '/api/topup', 'wrong_method'],
  ['PUT', '/a/api/topup', 'wrong_method'],
  ['GET', '/api', 'unknown_path'],
  ['GET', '/api/topup/requery/7/8', 'unknown_path'],
  ['GET', '/api/Topup', 'unknown_path'],
  ['POST', '/c/api/topup', 'unknown_path'],
  ['POST', '/a', 'unknown_path'],
  ['POST', '/a/a/api/topup', 'unknown_path'],
])('%s %s is matched as %s', (method, path, expected) => {
  expect(answer(match(method, path))).toBe(expected);
});

test('a parameter of the address has the name that the route of its own method gives it', () => {
  expect(match('GET', '/api/topup/7')).toMatchObject({ parameters: { id: '7' } });
  expect(match('POST', '/api/topup/r-7/')).toMatchObject({ parameters: { request_id: 'r-7' } });
  expect(match('GET', '/api/topup/requery/7')).toMatchObject({ parameters: { order: '7' } });
  expect(match('GET', '/api/topup/list')).toMatchObject({ parameters: {} });
});

test('several parameters of one address keep their order', () => {
  const several = routerOf(route('GET /api/:service/of/:id', 'status'));
  expect(several('GET', '/api/data/of/9')).toMatchObject({ parameters: { service: 'data', id: '9' } });
});

test('a request with a wrong method gets the allowed methods', () => {
  expect(match('PUT', '/api/topup/7')).toEqual({ kind: 'wrong_method', allowed: ['GET', 'POST'] });
});

test('a prefix pins the format, and so does an address of one format only', () => {
  expect(match('POST', '/a/api/topup')).toMatchObject({ pinnedFormat: 'a' });
  expect(match('POST', '/b/api/topup/')).toMatchObject({ pinnedFormat: 'b' });
  expect(match('POST', '/api/topup')).toMatchObject({ pinnedFormat: undefined });
  expect(match('POST', '/api/cable')).toMatchObject({ pinnedFormat: 'b' });
});

describe('the shipped mapping', () => {
  const mapping = shippedMapping();
  const spellings = mapping.routes.flatMap(({ methods, path, operation, format }) =>
    methods.map((method) => [method, path.replaceAll(/:[a-z_]+/g, 'some-id'), operation, path, format] as const),
  );

  test.each(spellings)(
    '%s %s is matched as %s with and without a slash at the end and under every prefix',
    (method, path, operation, written, format) => {
      const names = [...written.matchAll(/:([a-z_]+)/g)].map(([, name]) => name);
      for (const prefix of ['', ...(format === undefined ? ['/a', '/b', '/c'] : [`/${format}`])]) {
        for (const spelling of [path, `${path}/`]) {
          const found = mapping.matchRoute(method, `${prefix}${spelling}`);
          expect(answer(found)).toBe(operation);
          expect(found).toMatchObject({
            parameters: Object.fromEntries(names.map((name) => [name, 'some-id'])),
            pinnedFormat: prefix === '' ? format : prefix.slice(1),
          });
        }
      }
    },
  );

  test.each([
    ['GET', '/api/cable/', 'list_b_cable'],
    ['POST', '/api/cable/', 'buy_cable'],
    ['GET', '/api/cable/cable-validation', 'verify_smartcard'],
    ['GET', '/api/cable/77', 'order_status'],
    ['GET', '/api/data/data_plans', 'list_data_plans'],
    ['GET', '/api/data/', 'wrong_method'],
    ['GET', '/api/transactions/', 'list_orders'],
    ['GET', '/api/data/77', 'order_status'],
    ['POST', '/api/data/ref-77', 'buy_data'],
    ['GET', '/api/transaction/status', 'order_status'],
  ])('%s %s, an address whose meaning depends on method or depth, is matched as %s', (method, path, operation) => {
    expect(answer(mapping.matchRoute(method, path))).toBe(operation);
  });
});

test('below every address of a purchase an order can be asked for, because "not found" would be read as a failure of a sold order', () => {
  const mapping = shippedMapping();
  const addresses = mapping.routes
    .filter(({ operation, path }) => mapping.operations.get(operation)?.kind === 'purchase' && !path.includes(':'))
    .map(({ path }) => path);
  expect(addresses.length).toBeGreaterThan(20);
  expect(addresses.filter((path) => answer(mapping.matchRoute('GET', `${path}/77`)) !== 'order_status')).toEqual([]);
});

test('a redirect, which makes of a purchase a GET, leads to no list but that of cable packages, which scripts read', () => {
  const { routes, operations, matchRoute } = shippedMapping();
  const bought = routes.filter(({ operation, path }) => operations.get(operation)?.kind === 'purchase' && !path.includes(':'));
  expect(new Set(bought.map(({ path }) => answer(matchRoute('GET', path))))).toEqual(new Set(['wrong_method', 'list_b_cable']));
});

describe('the path below the address of an order status is the id of the order', () => {
  const { matchRoute } = shippedMapping();
  const read = (method: string, rawPath: string) => {
    const found = matchRoute(method, readPath(rawPath), rawPath);
    return found.kind === 'matched' ? [found.operation.name, found.parameters['id'], found.readings] : found.kind;
  };

  test.each([
    ['/api/transaction/r-1', 'r-1', ['r-1']],
    ['/api/transaction/r-1/', 'r-1', ['r-1/', 'r-1']],
    ['/api/transaction/INV%2F2026%2F0042', 'INV/2026/0042', ['INV/2026/0042', 'INV%2F2026%2F0042']],
    ['/api/transaction/INV/2026/0042', 'INV/2026/0042', ['INV/2026/0042']],
    ['//api//transaction//r-1', 'r-1', ['/r-1', 'r-1']],
    ['/api/transaction/A//B', 'A//B', ['A//B', 'A/B']],
    ['/api/transaction/..', '..', ['..']],
    ['/api/transaction/../x', '../x', ['../x']],
    ['/api/transaction/a+b', 'a+b', ['a+b', 'a b']],
    ['/api/transaction/100%', '100%', ['100%']],
    ['/api/transaction/%2525', '%25', ['%25', '%2525']],
    ['/api/transaction/a%5Cb%09c%0Ad', 'a\\b\tc\nd', ['a\\b\tc\nd', 'a%5Cb%09c%0Ad']],
    ['/api/transaction/status/r-1', 'status/r-1', ['status/r-1']],
    ['/api/data/requery/7', '7', ['7', 'requery/7']],
    ['/api/data/requery%2F7', 'requery/7', ['requery/7', 'requery%2F7']],
    ['/api/data/requery/7/8', '7/8', ['7/8', 'requery/7/8']],
    ['/api/data/INV/7', 'INV/7', ['INV/7']],
    ['/a/api/transaction/INV/7', 'INV/7', ['INV/7']],
    ['/api/transaction/b%2Fapi', 'b/api', ['b/api', 'b%2Fapi']],
  ])('GET %s asks for the order %j', (path, id, readings) => {
    expect(read('GET', path)).toEqual(['order_status', id, readings]);
  });

  test.each([
    ['GET', '/api/data/data_plans'],
    ['GET', '/api/cable/cable-validation'],
    ['GET', '/api/transaction/status'],
    ['GET', '/api/transaction/status/'],
    ['POST', '/api/data/r-1'],
  ])('%s %s has a route of its own and no order id', (method, path) => {
    expect(read(method, path)).toEqual([expect.any(String), undefined, []]);
  });

  test('an encoded slash belongs to the parameter', () => {
    expect(read('GET', '/api/data/%2F')).toEqual(['order_status', '/', ['/', '%2F']]);
    expect(matchRoute('POST', '/api/data/INV/7', '/api/data/INV%2F7')).toMatchObject({ parameters: { request_id: 'INV/7' } });
    expect(matchRoute('POST', '/api/topup', '/api%2Ftopup')).toEqual({ kind: 'unknown_path' });
  });

  test('the parameter of a purchase takes only one segment of the address', () => {
    expect(read('POST', '/api/data/INV/7')).toBe('unknown_path');
    expect(read('GET', '/api/nothing/../transaction')).toBe('unknown_path');
  });
});

test.each([
  ['slashes before its end', `/api/transaction/a${'/'.repeat(50_000)}x`],
  ['slashes at its end', `/api/transaction/a${'/'.repeat(50_000)}`],
  ['segments', `/api/transaction/${'a/'.repeat(50_000)}`],
  ['segments that nothing serves', `/api/zzz/${'a/'.repeat(50_000)}`],
])('an address of 50,000 %s is matched at once', (_, path) => {
  const { matchRoute } = shippedMapping();
  const beganMs = performance.now();
  matchRoute('GET', path);
  matchRoute('PUT', path);
  expect(performance.now() - beganMs).toBeLessThan(1_000);
});
