/** Tests the search itself: it finds a secret in any place and form, and nothing else. */
import { CORE, formsOf, goodsIn, markedText, search } from './marks';
import { createChance } from '../crash/chance';

const marks = { texts: new Set(['cga1.abcdefghijklmnop']), pins: new Set(['493817']), goods: new Set(['12345678901234567890']) };
const found = (bytes: Buffer | string): number => search(Buffer.from(bytes as string), 'here', marks).length;
const key = markedText(createChance(), 'acme_live_');

test.each([
  ['as it is', key],
  ['in lower case', key.toLowerCase()],
  ['in UTF-16', Buffer.from(`x${key}`, 'utf16le')],
  ['in UTF-16, most significant first', Buffer.from(`x${key}`, 'utf16le').swap16()],
  ['in hex', `..${Buffer.from(key).toString('hex')}`],
  ['in base64', Buffer.from(`${key}:1234`).toString('base64')],
  ['in base64, one further', Buffer.from(`x${key}`).toString('base64')],
  ['in base64, two further', Buffer.from(`xy${key}`).toString('base64url')],
  ['URL-encoded', [...Buffer.from(key)].map((byte) => `%${byte.toString(16)}`).join('')],
  ['an AccessToken', '{"x":"cga1.abcdefghijklmnop"}'],
  ['a token in groups', 'Token: 1234-5678-9012-3456-7890.'],
  ['a token in UTF-16', Buffer.from('12345678901234567890', 'utf16le')],
  ['a PIN behind its key', 'k:493817'],
  ['a PIN as a value', '{"pin":"493817"}'],
])('a secret %s is found', (_, bytes) => {
  expect(found(bytes)).toBeGreaterThan(0);
});

test.each(['Zk7Mk4', '1493817', '0.493817', '493817ms', '1234567890123456789', 'cga1.'])('%s is no secret', (text) => {
  expect(found(text)).toBe(0);
});

test('every form of a text is another one, and goods are read wherever a reply has them', () => {
  expect(new Set(formsOf(CORE).map(([, bytes]) => bytes.toString('hex'))).size).toBeGreaterThanOrEqual(8);
  expect(
    goodsIn({ pin: '0011223344556677,8899001122334455', a: [{ token: '1234-5678-9012-3456-7890', id: '98765432109876' }] }),
  ).toEqual(['0011223344556677', '8899001122334455', '12345678901234567890']);
});
