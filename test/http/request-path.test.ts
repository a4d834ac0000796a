import fc from 'fast-check';
import { hasFragment, isClimbing, originForm, queryOf, readPath } from '../../src/http/request-path';

describe('readPath', () => {
  test.each([
    ['/api/topup/', '/api/topup/'],
    ['/api/topup', '/api/topup'],
    ['//api//user/?x=1', '/api/user/'],
    ['http://sell.example:8080/api/user', '/api/user'],
    ['HTTPS://sell.example', '/'],
    ['/api/transaction/AIRTIMEPIN%7C1-2', '/api/transaction/AIRTIMEPIN|1-2'],
    ['/api/transaction/a%20b', '/api/transaction/a b'],
    ['/api/user#x', '/api/user'],
    ['/', '/'],
    ['*', '/*'],
  ])('of %s is %s', (target, path) => expect(readPath(target)).toBe(path));

  // Each may be the id of an order; below any other address nothing is served.
  test.each([
    ['/api/../user', '/api/../user'],
    ['/..', '/..'],
    ['/api/%2e%2e/user', '/api/../user'],
    ['/api/%00', '/api/\u0000'],
    ['/api\\user', '/api\\user'],
    ['/api/%zz%41', '/api/%zzA'],
    ['/%ff', '/%ff'],
    ['/a%0d%0ab', '/a\r\nb'],
    ['/caf\u00c3\u00a9', '/café'],
    ['/café', '/café'],
    ['/ł', '/ł'],
  ])('of %j is %j', (target, path) => expect(readPath(target)).toBe(path));

  test('is stable when its result is encoded and read again', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), fc.string(), (url, tail) => {
        const path = readPath(`${url}/${encodeURIComponent(tail)}`);
        expect(path).toMatch(/^\/(?!\/)/);
        expect(readPath(path.split('/').map(encodeURIComponent).join('/'))).toBe(path);
      }),
    );
  });

  test('throws for no address', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (target) => readPath(target).startsWith('/')));
  });
});

test('originForm always begins with a slash', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.webUrl()), (target) => originForm(target).startsWith('/')));
});

test.each([
  ['/a?b=1', 'b=1'],
  ['/a', ''],
  ['/a?', ''],
  ['/a?b=?&c', 'b=?&c'],
])('queryOf %s is %s', (target, query) => expect(queryOf(target)).toBe(query));

test.each([
  '/../x',
  '/a/..',
  '/a/%2e%2E/b',
  '/a%2f..%5cb',
  '/a\\..\\b',
  '/..;/b',
  '/%252e%25252e/b',
  '/%c0%ae%c0%ae/b',
  '/..%00/b',
])('isClimbing is true for %s', (target) => {
  expect(isClimbing(target)).toBe(true);
});

test.each(['/a/b..c', '/...', '/a?x=/../', '/.hidden', '/a%2eb', '/..a'])('isClimbing is false for %s', (target) => {
  expect(isClimbing(target)).toBe(false);
});

test.each(['/a#b', '/a?b=1#c', '#', '/a#'])('hasFragment is true for %s', (target) => expect(hasFragment(target)).toBe(true));
test.each(['/a%23b', '/a?b=%23'])('hasFragment is false for %s', (target) => expect(hasFragment(target)).toBe(false));
