import { keepName } from '../../src/domain/shown-words';
import { keepAddress, keepWord } from '../../src/traffic/keepable';

const none = {};

test('a name that is the key itself, or a part of it, gives way wherever the key stands', () => {
  const basic = `Basic ${Buffer.from('shopkeeper:1234').toString('base64')}`;
  expect([
    keepName('shopkeeper', { authorization: 'Token shopkeeper:1234' }),
    keepName('shopkeeper', { token: 'shopkeeper' }),
    keepName('shopkeeper', { authorization: basic }),
    keepName('keeper', { authorization: basic }),
    keepWord('ShopKeeper', { authorization: 'Bearer shopkeeper' }),
    keepAddress('/api/shopkeeper/', { authorization: 'Token: shopkeeper' }),
    // Short parts of a key are in many a word.
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
