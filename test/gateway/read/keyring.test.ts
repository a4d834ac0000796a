import fc from 'fast-check';
import { createHmac, randomBytes } from 'node:crypto';
import { Secret } from '../../../src/domain/credentials';
import { createKeyedHash, createKeyring, looksLikeToken, showRequestId } from '../../../src/gateway/read/keyring';

const keyring = createKeyring(new Secret('a'.repeat(64)));
const other = createKeyring(new Secret('b'.repeat(64)));
const content = { apiKey: new Secret('acme_live_k3y'), pin: new Secret('73519'), format: 'a' };

test('a token is hex after its mark, with no word that a client might cut out of it', () => {
  const token = keyring.sealToken(content);
  expect(token).toMatch(/^cga2\.a\.[0-9a-f]+$/);
  expect(token.toLowerCase()).not.toMatch(/token|bearer|basic|\s/);
  expect(token).not.toContain('acme');
  expect(looksLikeToken(token)).toBe(true);
});

test('a token gives back the key, the PIN and the format of its login', () => {
  const opened = keyring.openToken(keyring.sealToken(content))!;
  expect([opened.apiKey.revealForUseOnly(), opened.pin?.revealForUseOnly(), opened.format]).toEqual([
    'acme_live_k3y',
    '73519',
    'a',
  ]);
  expect(keyring.openToken(keyring.sealToken({ apiKey: content.apiKey, format: 'b' }))!.pin).toBeUndefined();
});

test('the logins of an hour give one token, and another login another', () => {
  const token = keyring.sealToken(content);
  expect(keyring.sealToken(content)).toBe(token);
  expect(createKeyring(new Secret('a'.repeat(64))).sealToken(content)).toBe(token);
  expect(keyring.sealToken({ ...content, pin: new Secret('73510') })).not.toBe(token);
  expect(keyring.sealToken({ ...content, format: 'b' }).slice(7)).not.toBe(token.slice(7));
});

test('a token ages from the hour of its login, across restarts and whatever else the setting is', () => {
  const [hour, day] = [3_600_000, 86_400_000];
  const at = (nowMs: number, days = 30) => createKeyring(new Secret('a'.repeat(64)), { days, now: () => nowMs });
  const token = at(0).sealToken(content);
  expect(at(hour - 1).sealToken(content)).toBe(token);
  expect(at(hour).sealToken(content)).not.toBe(token);
  const isExpired = (nowMs: number, days?: number) => at(nowMs, days).openToken(token)?.isExpired;
  expect([30 * day, 30 * day + hour - 1, 30 * day + hour].map((nowMs) => isExpired(nowMs))).toEqual([false, false, true]);
  expect([isExpired(30 * day + hour, 31), isExpired(2 * day, 1)]).toEqual([false, true]);
  expect(at(day).openToken(at(2 * day).sealToken(content))?.isExpired).toBe(false);
});

test('a token of the form that had no hour opens nothing, and is never taken for a key', () => {
  const plain = 'cga1.a.82363dced6f88e4ea93445a1464bf33523e207f0c6d46001a923cab3715b0288da13efbbb57f1f7e3c78ec887cec4b38c3df2d';
  expect([keyring.openToken(plain), looksLikeToken(plain)]).toEqual([undefined, true]);
});

test('a gateway with another secret cannot open it', () => {
  expect(other.openToken(keyring.sealToken(content))).toBeUndefined();
});

test('a token that was changed anywhere opens nothing', () => {
  const token = keyring.sealToken(content);
  fc.assert(
    fc.property(fc.nat({ max: token.length - 1 }), fc.constantFrom(...'0123456789abcdefgG.'), (at, sign) => {
      const changed = token.slice(0, at) + sign + token.slice(at + 1);
      return changed === token || keyring.openToken(changed) === undefined;
    }),
    { numRuns: 500 },
  );
  for (const text of [
    token.slice(0, -2),
    token.slice(0, -1),
    `${token}00`,
    token.replace('cga2.a.', 'cga2.b.'),
    '',
    'cga2.a.',
    'cga2..00',
  ])
    expect(keyring.openToken(text)).toBeUndefined();
});

test('any text at all opens nothing and never throws', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `cga2.a.${text}`),
      ),
      (text) => keyring.openToken(text) === undefined,
    ),
  );
});

test('any key and PIN come back as they were', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[!-~]{1,256}$/), fc.option(fc.stringMatching(/^\d{4,6}$/)), (key, pin) => {
      const sealed = keyring.sealToken({
        apiKey: new Secret(key),
        format: 'a',
        ...(pin === null ? {} : { pin: new Secret(pin) }),
      });
      const opened = keyring.openToken(sealed);
      return opened?.apiKey.revealForUseOnly() === key && (opened.pin?.revealForUseOnly() ?? null) === pin;
    }),
  );
});

test('a fingerprint is 32 hex digits, the same wherever the secret is the same, and tells nothing of the key', () => {
  const key = new Secret('acme_live_k3y');
  const print = keyring.fingerprint(key);
  expect(print).toMatch(/^[0-9a-f]{32}$/);
  expect(keyring.fingerprint(new Secret('acme_live_k3y'))).toBe(print);
  expect(other.fingerprint(key)).not.toBe(print);
  expect(keyring.fingerprint(new Secret('acme_live_k3z'))).not.toBe(print);
});

test('a hash of content is keyed, and is not the fingerprint of the same text', () => {
  expect(keyring.hash('08030000001')).toMatch(/^[0-9a-f]{32}$/);
  expect(keyring.hash('08030000001')).not.toBe(other.hash('08030000001'));
  expect(keyring.hash('x')).not.toBe(keyring.fingerprint(new Secret('x')));
});

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

const namedKeyring = createKeyring(new Secret('a secret of this gateway'));
const show = (id: string): string => showRequestId(id, namedKeyring);

test('an id is shown as it was sent', () => {
  for (const id of ['SHOP-17', '1732270000123', 'AIRTIME_6581c02d|1.a-b']) expect(show(id)).toBe(id);
});

test('an id that names somebody is always the same keyed hash, and another one under another secret', () => {
  const shown = show('08031234567');
  expect(shown).toMatch(/^id~[0-9a-f]{16}$/);
  expect([show('08031234567'), show('08031234568') === shown]).toEqual([shown, false]);
  expect(showRequestId('08031234567', createKeyring(new Secret('another secret')))).not.toBe(shown);
});
