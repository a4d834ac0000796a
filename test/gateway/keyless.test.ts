import { inspect } from 'node:util';
import { Secret, type Credentials } from '../../src/domain/credentials';
import { createKeyless } from '../../src/gateway/keyless';
import { createKeyring } from '../../src/gateway/keyring';
import type { Finding } from '../../src/upstream/upstream';
import { createVirtualClock } from '../domain/virtual-clock';

const SHOP = '192.0.2.1';
const LIMITS = { calls: 2, windowMs: 300_000, seller: { calls: 3, windowMs: 300_000, withinMs: 3_600_000 } };
const NO_SELLERS = { calls: 2, windowMs: 300_000, seller: undefined };
const refused = (httpStatus: number): Finding => ({ kind: 'refused', httpStatus, body: {} });

function harness(lookupKey: string | undefined = 'operators_key:9876') {
  const clock = createVirtualClock();
  const keyring = createKeyring(new Secret('test'));
  const keyless = createKeyless({ lookupKey: lookupKey === '' ? undefined : new Secret(lookupKey), keyring, clock });
  const seller = (name: string): Credentials => ({
    apiKey: new Secret(name),
    pin: new Secret('1234'),
    fingerprint: keyring.fingerprint(new Secret(name)),
  });
  return { clock, keyless, seller };
}

const nameOf = (credentials: Credentials | undefined): string | undefined => credentials?.apiKey.revealForUseOnly();

test('the key that sold from an address last serves its lookups, and no other address', () => {
  const { keyless, seller } = harness();
  keyless.sold(seller('k1'), SHOP);
  keyless.sold(seller('k2'), SHOP);
  expect(nameOf(keyless.keyFor(SHOP, LIMITS))).toBe('k2');
  expect(nameOf(keyless.keyFor('192.0.2.2', LIMITS))).toBe('operators_key');
});

test('it comes without its PIN and marked as not the own key of whoever asks', () => {
  const { keyless, seller } = harness();
  keyless.sold(seller('k1'), SHOP);
  const key = keyless.keyFor(SHOP, LIMITS)!;
  expect([key.pin, key.isLookupKey, key.isSeller]).toEqual([undefined, true, true]);
  expect(inspect(keyless, { depth: 9 })).not.toContain('k1');
});

test('so many lookups with one key, whatever the address; then so many by the address with the key of the operator', () => {
  const { keyless, seller } = harness();
  keyless.sold(seller('k1'), SHOP);
  keyless.sold(seller('k1'), '192.0.2.2');
  const names = ['192.0.2.2', SHOP, SHOP, SHOP, SHOP].map((address) => nameOf(keyless.keyFor(address, LIMITS)));
  expect(names).toEqual(['k1', 'k1', 'k1', 'operators_key', 'operators_key']);
  expect(() => keyless.keyFor(SHOP, LIMITS)).toThrow(expect.objectContaining({ code: 'too_many_lookups' }));
});

test('a sale of long ago, and a mapping without a word about sellers, leave it to the operator', async () => {
  const { clock, keyless, seller } = harness();
  keyless.sold(seller('k1'), SHOP);
  expect(nameOf(keyless.keyFor(SHOP, NO_SELLERS))).toBe('operators_key');
  await clock.advance(3_600_001);
  expect(nameOf(keyless.keyFor(SHOP, LIMITS))).toBe('operators_key');
});

test('without a key of the operator the limit is told, and an address that never sold has no key', () => {
  const { keyless, seller } = harness('');
  expect(keyless.keyFor(SHOP, LIMITS)).toBeUndefined();
  keyless.sold(seller('k1'), SHOP);
  for (let call = 0; call < 3; call += 1) expect(nameOf(keyless.keyFor(SHOP, LIMITS))).toBe('k1');
  expect(() => keyless.keyFor(SHOP, LIMITS)).toThrow(expect.objectContaining({ code: 'too_many_lookups' }));
});

test.each([401, 403, 429])('where v1 answers it %d, the key of the operator asks', (httpStatus) => {
  const { keyless, seller } = harness();
  keyless.sold(seller('k1'), SHOP);
  const first = keyless.keyFor(SHOP, LIMITS)!;
  expect(nameOf(keyless.keyAfter(first, refused(httpStatus), SHOP, LIMITS))).toBe('operators_key');
  // A key that v1 does not take is forgotten; one that asked too often is not.
  expect(nameOf(keyless.keyFor(SHOP, LIMITS))).toBe(httpStatus === 429 ? 'k1' : 'operators_key');
});

test('no other answer and no other key is asked again', () => {
  const { keyless, seller } = harness();
  keyless.sold(seller('k1'), SHOP);
  const first = keyless.keyFor(SHOP, LIMITS)!;
  for (const finding of [refused(400), { kind: 'found', body: {} }, { kind: 'unavailable', reason: 'HTTP 502' }] as Finding[])
    expect(keyless.keyAfter(first, finding, SHOP, LIMITS)).toBeUndefined();
  expect(keyless.keyAfter(seller('k2'), refused(401), SHOP, LIMITS)).toBeUndefined();
});
