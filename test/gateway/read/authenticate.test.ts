import fc from 'fast-check';
import { Secret } from '../../../src/domain/credentials';
import { GatewayError } from '../../../src/domain/errors';
import type { LegacyHeaders } from '../../../src/domain/legacy';
import { authenticate } from '../../../src/gateway/read/authenticate';
import { createKeyring } from '../../../src/gateway/read/keyring';

const keyring = createKeyring(new Secret('a'.repeat(64)));
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const OLD = createKeyring(new Secret('a'.repeat(64)), { days: 30, now: () => 0 }).sealToken({
  apiKey: new Secret('KEY'),
  format: 'a',
});
const TOKEN = keyring.sealToken({ apiKey: new Secret('KEY'), pin: new Secret('1234'), format: 'a' });

/** `key` or `key:pin`, then `basic` when it was a login and the format of a token. */
function read(headers: LegacyHeaders): string {
  const found = authenticate(headers, keyring);
  if (found === undefined) return 'none';
  const { apiKey, pin, tokenFormat } = found.credentials;
  const key = [apiKey.revealForUseOnly(), ...(pin === undefined ? [] : [pin.revealForUseOnly()])].join(' / ');
  return [key, ...(found.isBasic ? ['basic'] : []), ...(tokenFormat === undefined ? [] : [tokenFormat])].join(', ');
}

// Facts 2.1 and PRODUCT 5.
test.each<[LegacyHeaders, string]>([
  [{ authorization: 'Token KEY:1234' }, 'KEY / 1234'],
  [{ authorization: 'Token  KEY:1234' }, 'KEY / 1234'],
  [{ authorization: '  token\tKEY:1234  ' }, 'KEY / 1234'],
  [{ authorization: 'TOKEN KEY' }, 'KEY'],
  [{ authorization: 'Bearer KEY:1234' }, 'KEY / 1234'],
  [{ authorization: 'bearer   KEY' }, 'KEY'],
  [{ authorization: 'Token: KEY:1234' }, 'KEY / 1234'],
  [{ authorization: 'Token:KEY:1234' }, 'KEY / 1234'],
  [{ authorization: 'Token : KEY' }, 'KEY'],
  [{ authorization: 'KEY:1234' }, 'KEY / 1234'],
  [{ authorization: 'KEY' }, 'KEY'],
  [{ token: 'KEY:1234' }, 'KEY / 1234'],
  [{ token: 'Token KEY' }, 'KEY'],
  [{ authorization: '', token: 'KEY' }, 'KEY'],
  [{ authorization: 'Token KEY', token: 'OTHER' }, 'KEY'],
  // The PIN: 4 to 6 digits after the last colon.
  [{ authorization: 'Token KEY:123' }, 'KEY:123'],
  [{ authorization: 'Token KEY:1234567' }, 'KEY:1234567'],
  [{ authorization: 'Token KEY:123456' }, 'KEY / 123456'],
  [{ authorization: 'Token KEY:12a4' }, 'KEY:12a4'],
  [{ authorization: 'Token K:E:Y:0000' }, 'K:E:Y / 0000'],
  [{ authorization: 'Token KEY:1234:5678' }, 'KEY:1234 / 5678'],
  [{ authorization: 'Token :1234' }, '1234'],
  // Basic: base64 in any padding, or the pair itself.
  [{ authorization: `Basic ${base64('KEY:1234')}` }, 'KEY / 1234, basic'],
  [{ authorization: `Basic  ${base64('KEY:1234')}` }, 'KEY / 1234, basic'],
  [{ authorization: `basic ${base64('KEY:12345').replaceAll('=', '')}` }, 'KEY / 12345, basic'],
  [{ authorization: `Basic ${base64('K?>>:1234').replaceAll('+', '-').replaceAll('/', '_')}` }, 'K?>> / 1234, basic'],
  [{ authorization: 'Basic KEY:1234' }, 'KEY / 1234, basic'],
  // Pasted with blanks.
  [{ authorization: 'Token KEY : 1234' }, 'KEY / 1234'],
  [{ authorization: 'Token KEY :' }, 'KEY'],
  [{ authorization: 'Basic KEY: 1234' }, 'KEY / 1234, basic'],
  [{ token: 'KEY: 1234' }, 'KEY / 1234'],
  // `echo KEY:PIN | base64`.
  [{ authorization: `Basic ${base64('KEY:1234\n')}` }, 'KEY / 1234, basic'],
  [{ authorization: `Basic ${base64(' KEY : 1234 ')}` }, 'KEY / 1234, basic'],
  [{ authorization: `Basic ${base64('KEY:\r\n')}` }, 'KEY, basic'],
  [{ authorization: `Basic ${base64('KEY:')}` }, 'KEY, basic'],
  // A script whose PIN is not configured.
  [{ authorization: 'Token KEY:' }, 'KEY'],
  [{ authorization: `Basic ${base64('acme_live_demo')}` }, 'acme_live_demo, basic'],
  [{ authorization: 'Basic acme_live_demo' }, 'acme_live_demo, basic'],
  [{ authorization: 'Basic: KEY:1234' }, 'KEY / 1234, basic'],
  // The token of a login, with and without a scheme.
  [{ authorization: `Token ${TOKEN}` }, 'KEY / 1234, a'],
  [{ authorization: `Bearer ${TOKEN}` }, 'KEY / 1234, a'],
  [{ authorization: TOKEN }, 'KEY / 1234, a'],
  [{ token: TOKEN }, 'KEY / 1234, a'],
  [{ authorization: `Basic ${TOKEN}` }, 'KEY / 1234, basic, a'],
  // None at all.
  [{}, 'none'],
  [{ authorization: '' }, 'none'],
  [{ authorization: '   ' }, 'none'],
  [{ authorization: 'Token' }, 'none'],
  [{ authorization: 'Token ' }, 'none'],
  [{ authorization: 'Basic' }, 'none'],
  [{ authorization: 'Bearer:' }, 'none'],
])('%j is %s', (headers, expected) => {
  expect(read(headers)).toBe(expected);
});

test.each<[string, LegacyHeaders]>([
  ['a space within', { authorization: 'Token my key' }],
  ['a line break', { authorization: 'Token KEY\r\nX-Forwarded-For: 10.0.0.9' }],
  ['a line break within, before a PIN', { authorization: 'Token KEY\nOTHER:1234' }],
  ['a zero byte', { token: 'KEY\u0000' }],
  ['a letter beyond ASCII', { authorization: 'Token KÉY' }],
  ['257 characters', { authorization: `Token ${'k'.repeat(257)}` }],
  ['a token that was changed', { authorization: `Token ${TOKEN.slice(0, -1)}` }],
  ['a token of nobody', { authorization: 'Token cga2.a.00' }],
])('a key with %s is refused, and not repeated', (_title, headers) => {
  expect.assertions(3);
  try {
    authenticate(headers, keyring);
  } catch (error) {
    expect(error).toBeInstanceOf(GatewayError);
    expect((error as GatewayError).code).toBe('bad_credentials');
    expect((error as GatewayError).detail).not.toMatch(/K.?Y\b(?!>)|cga2|kkk|my key/);
  }
});

test('a token that is too old tells whose it is, and that it is', () => {
  const read = authenticate({ authorization: `Token ${OLD}` }, keyring)!;
  expect([read.isExpired, read.credentials.fingerprint]).toEqual([true, keyring.fingerprint(new Secret('KEY'))]);
  expect(authenticate({ authorization: `Token ${TOKEN}` }, keyring)).not.toHaveProperty('isExpired');
});

test('one key has one fingerprint, however it is sent', () => {
  const prints = [`Token KEY:1234`, `Bearer KEY`, `Basic ${base64('KEY:1234')}`, `Token ${TOKEN}`].map(
    (authorization) => authenticate({ authorization }, keyring)!.credentials.fingerprint,
  );
  expect(new Set(prints).size).toBe(1);
});

test('any header at all gives a key that fits into a header, nothing, or a refusal', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `Basic ${text}`),
        fc.string().map((text) => `Token ${text}`),
      ),
      (authorization) => {
        try {
          const found = authenticate({ authorization }, keyring);
          return found === undefined || /^[\x21-\x7e]{1,256}$/.test(found.credentials.apiKey.revealForUseOnly());
        } catch (error) {
          return error instanceof GatewayError && error.code === 'bad_credentials';
        }
      },
    ),
    { numRuns: 1_000 },
  );
});

test('every key and PIN without a colon are found in every spelling', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9_]{5,40}$/), fc.stringMatching(/^\d{4,6}$/), (key, pin) => {
      fc.pre(!/^(?:token|bearer|basic)/.test(key));
      for (const spelling of ['Token K', 'token   K', 'Bearer K', 'Token: K', 'K', 'Basic B', 'Basic  P', 'Basic K']) {
        const pair = `${key}:${pin}`;
        const header = spelling.replace(/K$/, pair).replace(/B$/, base64(pair)).replace(/P$/, base64(pair).replace(/=+$/, ''));
        expect(read({ authorization: header }).replace(', basic', '')).toBe(`${key} / ${pin}`);
      }
    }),
  );
});
