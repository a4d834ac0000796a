/** Tests the search for secrets: it finds a secret in any place and form, and nothing else. */
import { CORE, formsOf, goodsIn, markedText, search } from './marks';
import { chanceOfRun } from '../chance';

const marks = { texts: new Set(['cga1.abcdefghijklmnop']), pins: new Set(['493817']), goods: new Set(['12345678901234567890']) };
const found = (bytes: Buffer | string): number => search(Buffer.from(bytes as string), 'here', marks).length;
const key = markedText(chanceOfRun(), 'acme_live_');

test.each([
  ['a key as it is', key],
  ['a key in lower case', key.toLowerCase()],
  ['a key in UTF-16', Buffer.from(`x${key}`, 'utf16le')],
  ['a key in UTF-16, most significant byte first', Buffer.from(`x${key}`, 'utf16le').swap16()],
  ['a key in hex', `..${Buffer.from(key).toString('hex')}`],
  ['a key in base64', Buffer.from(`${key}:1234`).toString('base64')],
  ['a key in base64, one byte later', Buffer.from(`x${key}`).toString('base64')],
  ['a key in base64, two bytes later', Buffer.from(`xy${key}`).toString('base64url')],
  ['a key in URL encoding', [...Buffer.from(key)].map((byte) => `%${byte.toString(16)}`).join('')],
  ['an AccessToken', '{"x":"cga1.abcdefghijklmnop"}'],
  ['a token in groups', 'Token: 1234-5678-9012-3456-7890.'],
  ['a token in UTF-16', Buffer.from('12345678901234567890', 'utf16le')],
  ['a PIN after its key', 'k:493817'],
  ['a PIN as a value', '{"pin":"493817"}'],
])('the search finds %s', (_, bytes) => {
  expect(found(bytes)).toBeGreaterThan(0);
});

test.each(['Zk7Mk4', '1493817', '0.493817', '493817ms', '1234567890123456789', 'cga1.'])(
  'the search does not take %s for a secret',
  (text) => {
    expect(found(text)).toBe(0);
  },
);

test('all forms of a text differ, and card PINs and tokens are read at any depth of a reply', () => {
  expect(new Set(formsOf(CORE).map(([, bytes]) => bytes.toString('hex'))).size).toBeGreaterThanOrEqual(8);
  expect(
    goodsIn({ pin: '0011223344556677,8899001122334455', a: [{ token: '1234-5678-9012-3456-7890', id: '98765432109876' }] }),
  ).toEqual(['0011223344556677', '8899001122334455', '12345678901234567890']);
});
