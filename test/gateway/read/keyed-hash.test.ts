import { createHmac, randomBytes } from 'node:crypto';
import { createKeyedHash } from '../../../src/gateway/read/keyed-hash';

test.each([
  ['nothing', ''],
  ['ASCII', 'airtime 08031234567'],
  ['text of three bytes a letter', '₦'.repeat(1_365)],
  ['surrogates, paired and not', '😀 \ud83d \udc00'],
  ['more than is hashed at once', 'x'.repeat(1_366)],
  ['a long text', 'SMS '.repeat(10_000)],
])('is the HMAC-SHA-256 of Node: %s', (_what, text) => {
  const key = randomBytes(32);
  const hash = createKeyedHash(key);
  expect(hash(text)).toBe(createHmac('sha256', key).update(text).digest('hex'));
});

test('a short text after a long one has nothing of the long one in it', () => {
  const key = randomBytes(32);
  const hash = createKeyedHash(key);
  hash('x'.repeat(1_000));
  expect(hash('short')).toBe(createHmac('sha256', key).update('short').digest('hex'));
});
