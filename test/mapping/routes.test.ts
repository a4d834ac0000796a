import type { Operation } from '../../src/mapping/mapping';
import { createRouter, parseRoute, trimSlash, type Route } from '../../src/mapping/routes';
import { shippedMapping } from './mapping-set';

const route = (text: string, operation: string, format?: string): Route => ({ ...parseRoute(text), operation, format });

function routerOf(...routes: Route[]): ReturnType<typeof createRouter> {
  const operations = new Map(routes.map(({ operation }) => [operation, { name: operation } as Operation]));
  return createRouter(routes, operations, new Set(['a', 'b']));
}

/** `operation`, or why there is none. */
function answer(match: ReturnType<ReturnType<typeof createRouter>>): string {
  return match.kind === 'matched' ? match.operation.name : match.kind;
}

test.each([
  ['/api/topup/', '/api/topup'],
  ['/api/topup///', '/api/topup'],
  ['/', '/'],
  ['///', '/'],
  ['', '/'],
])('%j without its last slashes is %j', (path, trimmed) => {
  expect(trimSlash(path)).toBe(trimmed);
});

test('a route lists its methods before its path', () => {
  expect(parseRoute('GET|POST /api/user/')).toEqual({ methods: ['GET', 'POST'], path: '/api/user' });
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
])('%s %s is %s', (method, path, expected) => {
  expect(answer(match(method, path))).toBe(expected);
});

test('a part of the address has the name that its own route gives it, whatever another method calls it there', () => {
  expect(match('GET', '/api/topup/7')).toMatchObject({ parameters: { id: '7' } });
  expect(match('POST', '/api/topup/r-7/')).toMatchObject({ parameters: { request_id: 'r-7' } });
  expect(match('GET', '/api/topup/requery/7')).toMatchObject({ parameters: { order: '7' } });
  expect(match('GET', '/api/topup/list')).toMatchObject({ parameters: {} });
});

test('several parts of one address keep their order', () => {
  const several = routerOf(route('GET /api/:service/of/:id', 'status'));
  expect(several('GET', '/api/data/of/9')).toMatchObject({ parameters: { service: 'data', id: '9' } });
});

test('a wrong method names the methods that are right', () => {
  expect(match('PUT', '/api/topup/7')).toEqual({ kind: 'wrong_method', allowed: ['GET', 'POST'] });
});

test('a prefix pins the format, and so does an address that only one format has', () => {
  expect(match('POST', '/a/api/topup')).toMatchObject({ pinnedFormat: 'a' });
  expect(match('POST', '/b/api/topup/')).toMatchObject({ pinnedFormat: 'b' });
  expect(match('POST', '/api/topup')).toMatchObject({ pinnedFormat: undefined });
  expect(match('POST', '/api/cable')).toMatchObject({ pinnedFormat: 'b' });
});

describe('the shipped mapping', () => {
  const mapping = shippedMapping();
  const spellings = mapping.routes.flatMap(({ methods, path, operation }) =>
    methods.map((method) => [method, path.replaceAll(/:[a-z_]+/g, 'some-id'), operation, path] as const),
  );

  test.each(spellings)('%s %s is %s in every slash spelling and under every prefix', (method, path, operation, written) => {
    const names = [...written.matchAll(/:([a-z_]+)/g)].map(([, name]) => name);
    for (const prefix of ['', '/a', '/b']) {
      for (const spelling of [path, `${path}/`]) {
        const found = mapping.matchRoute(method, `${prefix}${spelling}`);
        expect(answer(found)).toBe(operation);
        expect(found).toMatchObject({
          parameters: Object.fromEntries(names.map((name) => [name, 'some-id'])),
          pinnedFormat: prefix === '' ? undefined : prefix.slice(1),
        });
      }
    }
  });

  test.each([
    ['GET', '/api/cable/', 'list_b_cable'],
    ['POST', '/api/cable/', 'buy_cable'],
    ['GET', '/api/cable/cable-validation', 'verify_smartcard'],
    ['GET', '/api/cable/77', 'order_status'],
    ['GET', '/api/data/data_plans', 'list_data_plans'],
    ['GET', '/api/data/', 'list_orders'],
    ['GET', '/api/data/77', 'order_status'],
    ['POST', '/api/data/ref-77', 'buy_data'],
    ['GET', '/api/transaction/status', 'order_status'],
  ])('%s %s, which means two things by method or depth, is %s', (method, path, operation) => {
    expect(answer(mapping.matchRoute(method, path))).toBe(operation);
  });
});
