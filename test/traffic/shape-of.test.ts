import { fieldKindOf, keepAddress, keepWord, shapeOf, signatureOf } from '../../src/traffic/shape-of';
import { matchRequest } from '../gateway/pure-steps';
import type { LegacyRequestParts } from '../gateway/legacy-request';
import { checkFiles } from '../../src/mapping/check';
import { shippedMapping } from '../mapping/mapping-set';
import { filesWith } from '../mapping/mapping-set';
import { InexactNumber } from '../../src/domain/json';
import type { LegacyValue } from '../../src/domain/legacy';
import { keepName } from '../../src/domain/shown-words';

function shape(parts: LegacyRequestParts) {
  const { request, operation, mapping } = matchRequest(parts);
  return shapeOf(request, operation, mapping);
}

test('a shape has the names and kinds of fields, in order of name, and no value', () => {
  expect(
    shape({
      path: '/api/topup/',
      body: { network: 1, mobile_number: '08031234567', amount: '1,000', Ported_number: true, memo: 'for Ada' },
      query: { debug: '1' },
      headers: { authorization: 'Token sandbox_demo:1234' },
    }),
  ).toEqual({
    method: 'POST',
    path: '/api/topup/',
    auth: 'token',
    fields: [
      { name: 'Ported_number', place: 'body', kind: 'flag' },
      { name: 'amount', place: 'body', kind: 'amount' },
      { name: 'debug', place: 'query', kind: 'digits' },
      { name: 'memo', place: 'body', kind: 'word' },
      { name: 'mobile_number', place: 'body', kind: 'phone' },
      { name: 'network', place: 'body', kind: 'integer' },
    ],
  });
});

test('the order of the fields does not change the shape', () => {
  expect(shape({ body: { a: 1, phone: 'x', b: '' } })).toEqual(shape({ body: { b: '', a: 2, phone: 'y' } }));
});

test("a shape keeps a word that a signal names, in the mapping's spelling, and no other word", () => {
  const wordOf = (value: string) => shape({ body: { plan_type: value } }).fields[0];
  expect(wordOf(' vtu ')).toEqual({ name: 'plan_type', place: 'body', kind: 'word', word: 'VTU' });
  expect(wordOf('share-and-sell')).toMatchObject({ word: 'SHARE AND SELL' });
  expect(wordOf('gifting')).toEqual({ name: 'plan_type', place: 'body', kind: 'word' });
});

test.each([
  [{ method: 'GET', path: '/api/transaction/INV-0001' }, '/api/transaction/:id'],
  [{ method: 'GET', path: '/b/api/transaction/INV-0001/' }, '/b/api/transaction/:id/'],
  [{ method: 'GET', path: '/api/transaction/transaction' }, '/api/transaction/:id'],
  [{ path: '/api/data/' }, '/api/data/'],
  [{ path: '/a/api/data' }, '/a/api/data'],
  [{ path: '/api/data/REQ_8841' }, '/api/data/:request_id'],
])('the request %j has the address %s in its shape', (parts, path) => {
  expect(shape({ body: { id: 1 }, ...parts }).path).toBe(path);
});

test('an address that the mapping in use does not know keeps plain words only', () => {
  const { request, operation } = matchRequest({ method: 'GET', path: '/api/transaction/INV-0001' });
  const other = checkFiles(filesWith('')).mapping!;
  expect(shapeOf(request, operation, other).path).toBe('/api/transaction/:value');
});

test.each([
  [{}, 'none'],
  [{ authorization: '  ' }, 'none'],
  [{ authorization: 'Basic YTpi' }, 'basic'],
  [{ authorization: 'bearer x' }, 'bearer'],
  [{ authorization: 'Token x' }, 'token'],
  [{ authorization: 'x' }, 'token'],
  [{ token: 'x' }, 'token_header'],
])('headers %j count as the way %s to send a key', (headers, auth) => {
  expect(shape({ headers }).auth).toBe(auth);
});

test('a request with very many fields keeps the known ones, and names that may be values count as one name', () => {
  const many = Object.fromEntries(
    Array.from({ length: 150 }, (_, index) => [`aa_${'abcdefghijklmnopqrst'[index % 20]}${index % 10}${'xyz'[index % 3]}`, 1]),
  );
  const { fields } = shape({ body: { ...many, phone: 'x', '0803123': 1, '0803124': 1 } });
  expect(fields.length).toBeLessThanOrEqual(40);
  expect(fields.map(({ name }) => name)).toContain('phone');
  expect(shape({ body: { '0803123': 1, '0803124': 2, '{"a":1}': '' } }).fields).toEqual([
    { name: ':value', place: 'body', kind: 'empty' },
    { name: ':value', place: 'body', kind: 'integer' },
  ]);
});

test('an unknown HTTP method is kept as OTHER', () => {
  const { request, operation } = matchRequest({});
  expect(shapeOf({ ...request, method: 'SECRET' }, operation, shippedMapping()).method).toBe('OTHER');
});

test('two requests have the same signature exactly when they have the same shape', () => {
  const requests: LegacyRequestParts[] = [
    { body: { phone: '08031234567', amount: 1 } },
    { body: { phone: '08051234567', amount: 2 } },
    { body: { phone: '08031234567', amount: '1' } },
    { body: { phone: '08031234567' }, query: { amount: 1 } },
    { body: { phone: '08031234567', amount: 1, plan_type: 'VTU' } },
    { body: { phone: '08031234567', amount: 1, plan_type: 'sns' } },
    { body: { phone: '08031234567', amount: 1, memo: 'sns' } },
    { body: { phone: '08031234567', amount: 1, other: 'sns' } },
    { body: { phone: '08031234567', amount: 1, '0803': 'sns' } },
    { body: { phone: '08031234567', amount: 1, '0805': 'sns' } },
    { body: { phone: '08031234567', amount: 1 }, path: '/api/airtime' },
    { body: { phone: '08031234567', amount: 1 }, headers: { token: 'x' } },
    { body: { phone: '08031234567', amount: 1 }, headers: { token: 'y' } },
    { method: 'GET', path: '/api/transaction/INV-0001' },
    { method: 'GET', path: '/api/transaction/INV-0002' },
  ];
  const seen = requests.map((parts) => {
    const { request, operation, mapping } = matchRequest(parts);
    return [signatureOf(request, operation, mapping), JSON.stringify(shapeOf(request, operation, mapping))] as const;
  });
  for (const [signature, shown] of seen)
    for (const [other, otherShown] of seen) expect(signature === other).toBe(shown === otherShown);
});

test.each<[LegacyValue, string]>([
  [5, 'integer'],
  [-5, 'integer'],
  [5.5, 'decimal'],
  [new InexactNumber('12345678901234567890'), 'integer'],
  [new InexactNumber('0.12345678901234567890'), 'decimal'],
  ['5', 'digits'],
  ['0451', 'digits'],
  ['08031234567', 'phone'],
  ['+234 803-123-4567', 'phone'],
  ['8031234567', 'phone'],
  ['1,000', 'amount'],
  ['₦500', 'amount'],
  ['100.50', 'amount'],
  ['1,00,0', 'text'],
  ['MTN', 'word'],
  ['SHARE AND SELL', 'word'],
  ['9MOBILE', 'word'],
  ['VTU2024', 'text'],
  ['abuja-electric', 'word'],
  ['true', 'flag'],
  [' Off ', 'flag'],
  [true, 'flag'],
  ['', 'empty'],
  ['   ', 'empty'],
  [null, 'null'],
  ['a@b.example', 'text'],
  ['9'.repeat(50), 'text'],
  [['1'], 'list'],
  [{ a: 1 }, 'object'],
])('the value %j has the kind %s', (value, kind) => {
  expect(fieldKindOf(value)).toBe(kind);
});

test('long texts are classified in at most 1 ms of processor time each', () => {
  const before = process.cpuUsage();
  for (let turn = 0; turn < 1_000; turn += 1) fieldKindOf(`${'a1 '.repeat(30_000)}!`);
  // Processor time of this process in microseconds, without the load of others.
  expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
});

const none = {};

test('a field name that is the key or a long part of it is masked, in whichever header the key came', () => {
  const basic = `Basic ${Buffer.from('shopkeeper:1234').toString('base64')}`;
  expect([
    keepName('shopkeeper', { authorization: 'Token shopkeeper:1234' }),
    keepName('shopkeeper', { token: 'shopkeeper' }),
    keepName('shopkeeper', { authorization: basic }),
    keepName('keeper', { authorization: basic }),
    keepWord('ShopKeeper', { authorization: 'Bearer shopkeeper' }),
    keepAddress('/api/shopkeeper/', { authorization: 'Token: shopkeeper' }),
    // Short parts of a key occur in many words.
    keepName('shop', { authorization: basic }),
  ]).toEqual([':value', ':value', ':value', ':value', ':value', '/api/:value/', 'shop']);
});

test.each([
  ['/api/buy-data/', '/api/buy-data/'],
  ['/api/v2/topup.php', '/api/v2/topup.php'],
  ['/api/transaction/REF-8841', '/api/transaction/:value'],
  ['/api/08031234567/balance', '/api/:value/balance'],
  ['/acme_live_demo/topup', '/:value/topup'],
  ['/wp-login.php', '/wp-login.php'],
  ['/api/buyData/BuyAirtime', '/api/buyData/BuyAirtime'],
  ['/api/XQL/RZWeaijSCUWEH/Ge', '/api/:value/:value/:value'],
  ['/', '/'],
  ['/a/b/c/d/e/f/g/h/i/j', '/a/b/c/d/e/f/g/h/:value'],
  ['/api/a%00b', '/api/:value'],
  [`/${'x'.repeat(30)}`, '/:value'],
])('the address %s is kept as %s', (path, kept) => {
  expect(keepAddress(path, none)).toBe(kept);
});

test.each([
  ['MTN-NG', 'mtnng'],
  [' Abuja Electric ', 'abujaelectric'],
  ['T2', 't2'],
  ['DStv', 'dstv'],
  ['StarTimes', 'startimes'],
  ['9Mobile', '9mobile'],
  ['XQLRZWeaijSCUWEHGe', ':value'],
  [7, '7'],
  ['07', '7'],
  ['999', '999'],
  [1000, ':value'],
  ['1234', ':value'],
  ['1234567', ':value'],
  ['08031234567', ':value'],
  ['sandbox_demo', ':value'],
  ['a1b2c3', ':value'],
  ['ada@shop.example', ':value'],
  ['the quick brown fox jumps over', ':value'],
  ['--', ':value'],
  [['MTN'], ':value'],
  [true, ':value'],
])('the word %j is kept as %s', (raw, kept) => {
  expect(keepWord(raw, none)).toBe(kept);
});
