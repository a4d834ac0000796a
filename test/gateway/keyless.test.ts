import { inspect } from 'node:util';
import { type Credentials, Secret } from '../../src/domain/credentials';
import type { GatewayError } from '../../src/domain/errors';
import {
  createKeyless,
  createLookupCounts,
  createLookupMemory,
  type KeylessNews,
  type LookedUp,
  type OtherKeyless,
} from '../../src/gateway/keyless';
import { createKeyring } from '../../src/gateway/read/keyring';
import { LOOKUPS_MAX } from '../../src/mapping/language/callers';
import type { LookupLimits } from '../../src/mapping/mapping';
import type { Finding } from '../../src/upstream/upstream';
import { createVirtualClock } from '../domain/virtual-clock';

const SHOP = '192.0.2.1';
const COMMON = { calls: 2, windowMs: 300_000, total: 12, owner: 4, rememberMs: 300_000 };
const LIMITS = { ...COMMON, seller: { calls: 3, windowMs: 300_000, withinMs: 3_600_000 } };
const NO_SELLERS = { ...COMMON, seller: undefined };
const refused = (httpStatus: number): Finding => ({ kind: 'refused', httpStatus, body: {} });

function setUpKeyless(lookupKey: string | undefined = 'operators_key:9876', others?: OtherKeyless, clock = createVirtualClock()) {
  const keyring = createKeyring(new Secret('test'));
  const keyless = createKeyless({ lookupKey: lookupKey === '' ? undefined : new Secret(lookupKey), keyring, clock, others });
  const seller = (name: string): Credentials => ({
    apiKey: new Secret(name),
    pin: new Secret('1234'),
    fingerprint: keyring.fingerprint(new Secret(name)),
  });
  /** One lookup without a key; gives the name of the key that served it. */
  const ask = (address: string, limits: LookupLimits = LIMITS) => {
    const credentials = keyless.keyFor(address, limits);
    return nameOf(credentials === undefined ? undefined : keyless.take(credentials, address, limits));
  };
  /** For this many addresses in a row, the name of the key that served or the error code. */
  const askFrom = (addresses: number, perAddress = 1) =>
    Array.from({ length: addresses }, (_, address) =>
      Array.from({ length: perAddress }, () => {
        try {
          return ask(`198.51.100.${address}`);
        } catch (error) {
          return (error as GatewayError).code;
        }
      }),
    );
  return { clock, keyless, seller, ask, askFrom };
}

const REFUSAL = expect.objectContaining({ code: 'too_many_lookups' });
const nameOf = (credentials: Credentials | undefined): string | undefined => credentials?.apiKey.revealForUseOnly();

test('the key that sold last from an address serves its lookups, and no other address', () => {
  const { keyless, seller } = setUpKeyless();
  keyless.sold(seller('k1'), SHOP);
  keyless.sold(seller('k2'), SHOP);
  expect(nameOf(keyless.keyFor(SHOP, LIMITS))).toBe('k2');
  expect(nameOf(keyless.keyFor('192.0.2.2', LIMITS))).toBe('operators_key');
});

test('a lent key that finds something is not lent on as the key of a seller', () => {
  const { keyless, seller } = setUpKeyless();
  keyless.sold({ ...seller('lent'), isLookupKey: true }, SHOP);
  expect(nameOf(keyless.keyFor(SHOP, LIMITS))).toBe('operators_key');
});

test("the lent key comes without its PIN and is marked as not the caller's own", () => {
  const { keyless, seller } = setUpKeyless();
  keyless.sold(seller('k1'), SHOP);
  const key = keyless.keyFor(SHOP, LIMITS)!;
  expect([key.pin, key.isLookupKey, key.isSeller]).toEqual([undefined, true, true]);
  expect(inspect(keyless, { depth: 9 })).not.toContain('k1');
});

test("a lent key serves a number of lookups from any address; then the operator's key serves more of them than a stranger has", () => {
  const { keyless, seller, ask } = setUpKeyless();
  keyless.sold(seller('k1'), SHOP);
  keyless.sold(seller('k1'), '192.0.2.2');
  const names = ['192.0.2.2', SHOP, SHOP, SHOP, SHOP, SHOP, SHOP].map((address) => ask(address));
  expect(names).toEqual(['k1', 'k1', 'k1', ...Array<string>(4).fill('operators_key')]);
  expect(() => ask(SHOP)).toThrow(REFUSAL);
  expect(ask('192.0.2.3')).toBe('operators_key');
});

test('a stranger has a number of lookups, an IPv6 network counts as one, and other strangers have their own', () => {
  const { ask } = setUpKeyless();
  for (const address of ['2001:db8::1', '2001:db8::2']) expect(ask(address)).toBe('operators_key');
  expect(() => ask('2001:db8::3')).toThrow(REFUSAL);
  expect(ask('2001:db8:0:1::1')).toBe('operators_key');
});

test('a refusal says that the number was not checked, and when to ask again; then a lookup is served', async () => {
  const { clock, ask } = setUpKeyless();
  ask(SHOP);
  await clock.advance(100_000);
  ask(SHOP);
  expect(() => ask(SHOP)).toThrow(
    expect.objectContaining({
      status: 429,
      retryAfterSeconds: 200,
      detail:
        'This number was not checked: too many lookups without an API key from your address. Send your own API key. Try again in 4 minutes.',
    }),
  );
  await clock.advance(200_000);
  expect(ask(SHOP)).toBe('operators_key');
  expect(() => ask(SHOP)).toThrow(REFUSAL);
});

test("all strangers together have what the owner's part leaves, and the last lookups go to those who had none", () => {
  const { askFrom } = setUpKeyless();
  const served = askFrom(10, 2).map((codes) => codes.filter((code) => code === 'operators_key').length);
  expect(served).toEqual([2, 2, 1, 1, 1, 1, 0, 0, 0, 0]);
});

test("the owner is never refused, and his lookups are taken from the strangers'; other keys do not count", () => {
  const { keyless, seller, askFrom } = setUpKeyless();
  for (let lookup = 0; lookup < 9; lookup += 1) keyless.take(seller('operators_key'), SHOP, LIMITS);
  for (let lookup = 0; lookup < 9; lookup += 1) keyless.take(seller('k1'), SHOP, LIMITS);
  expect(
    askFrom(5)
      .flat()
      .filter((code) => code === 'operators_key'),
  ).toHaveLength(3);
  expect(nameOf(keyless.take(seller('operators_key'), SHOP, LIMITS))).toBe('operators_key');
});

test('a mapping without a total limits each address alone', () => {
  const { ask } = setUpKeyless();
  const open = { ...LIMITS, total: Infinity, owner: 0 };
  for (let address = 0; address < 40; address += 1) expect(ask(`198.51.100.${address}`, open)).toBe('operators_key');
});

test("once v1 refuses more lookups of the operator's key, it is not asked for as long as v1 says", async () => {
  const { clock, keyless, ask } = setUpKeyless();
  const asked = keyless.take(keyless.keyFor(SHOP, LIMITS)!, SHOP, LIMITS);
  const limited: Finding = { kind: 'refused', httpStatus: 429, retryAfterSeconds: 30, body: {} };
  expect(() => keyless.keyAfter(asked, limited, SHOP, LIMITS)).toThrow(REFUSAL);
  expect(() => ask('192.0.2.9')).toThrow(expect.objectContaining({ retryAfterSeconds: 30 }));
  await clock.advance(30_000);
  expect(ask('192.0.2.9')).toBe('operators_key');
});

test("a sale of long ago, or a mapping without sellers, leaves the lookup to the operator's key", async () => {
  const { clock, keyless, seller } = setUpKeyless();
  keyless.sold(seller('k1'), SHOP);
  expect(nameOf(keyless.keyFor(SHOP, NO_SELLERS))).toBe('operators_key');
  await clock.advance(3_600_001);
  expect(nameOf(keyless.keyFor(SHOP, LIMITS))).toBe('operators_key');
});

test("without an operator's key the limit is told, and an address that never sold has no key", () => {
  const { keyless, seller, ask } = setUpKeyless('');
  expect(keyless.keyFor(SHOP, LIMITS)).toBeUndefined();
  keyless.sold(seller('k1'), SHOP);
  for (let call = 0; call < 3; call += 1) expect(ask(SHOP)).toBe('k1');
  expect(() => ask(SHOP)).toThrow(REFUSAL);
});

test.each([401, 403, 429])("where v1 answers the lent key %d, the operator's key asks", (httpStatus) => {
  const { keyless, seller } = setUpKeyless();
  keyless.sold(seller('k1'), SHOP);
  const first = keyless.keyFor(SHOP, LIMITS)!;
  expect(nameOf(keyless.keyAfter(first, refused(httpStatus), SHOP, LIMITS))).toBe('operators_key');
  // A key that v1 refuses is forgotten; a key that asked too often is not.
  expect(nameOf(keyless.keyFor(SHOP, LIMITS))).toBe(httpStatus === 429 ? 'k1' : 'operators_key');
});

test('after any other answer, and for any other key, no second key asks', () => {
  const { keyless, seller } = setUpKeyless();
  keyless.sold(seller('k1'), SHOP);
  const first = keyless.keyFor(SHOP, LIMITS)!;
  for (const finding of [refused(400), { kind: 'found', body: {} }, { kind: 'unavailable', reason: 'HTTP 502' }] as Finding[])
    expect(keyless.keyAfter(first, finding, SHOP, LIMITS)).toBeUndefined();
  expect(keyless.keyAfter(seller('k2'), refused(401), SHOP, LIMITS)).toBeUndefined();
});

describe('two processes that serve together', () => {
  function both() {
    const clock = createVirtualClock();
    const told: KeylessNews[] = [];
    const hear: ((news: KeylessNews) => void)[] = [];
    const join = (own: number): OtherKeyless => ({
      tell(news) {
        told.push(news);
        hear[1 - own]?.(news);
      },
      onNews: (heard) => void (hear[own] = heard),
    });
    return { clock, told, one: setUpKeyless(undefined, join(0), clock), other: setUpKeyless(undefined, join(1), clock) };
  }

  test('a shop that sold at one process has its key lent by both, without its PIN, and a further sale sends no further message', async () => {
    const { clock, told, one, other } = both();
    one.keyless.sold(one.seller('k1'), SHOP);
    expect(nameOf(other.keyless.keyFor(SHOP, LIMITS))).toBe('k1');
    expect(other.keyless.keyFor(SHOP, LIMITS)!.pin).toBeUndefined();
    for (let sale = 0; sale < 100; sale += 1) (sale % 2 === 0 ? other : one).keyless.sold(one.seller('k1'), SHOP);
    expect(told).toHaveLength(1);
    await clock.advance(LIMITS.seller.withinMs / 2);
    one.keyless.sold(one.seller('k1'), SHOP);
    await clock.advance(LIMITS.seller.withinMs - 1);
    expect(nameOf(other.keyless.keyFor(SHOP, LIMITS))).toBe('k1');
  });

  test('the shop that sold last, at either process, lends its key', () => {
    const { one, other } = both();
    one.keyless.sold(one.seller('k1'), SHOP);
    other.keyless.sold(one.seller('k2'), SHOP);
    expect(nameOf(one.keyless.keyFor(SHOP, LIMITS))).toBe('k2');
    one.keyless.sold(one.seller('k1'), SHOP);
    expect(nameOf(other.keyless.keyFor(SHOP, LIMITS))).toBe('k1');
  });

  test('strangers get as many lookups as from one process, and the owner keeps his', () => {
    const { one, other } = both();
    const served = [...one.askFrom(20), ...other.askFrom(20)].flat().filter((name) => name === 'operators_key');
    expect(served).toHaveLength(LIMITS.total - LIMITS.owner);
  });

  test("a 429 of v1 to the operator's key holds strangers off at both", async () => {
    const { clock, one, other } = both();
    const asked = one.keyless.take(one.keyless.keyFor(SHOP, LIMITS)!, SHOP, LIMITS);
    const limited: Finding = { kind: 'refused', httpStatus: 429, retryAfterSeconds: 30, body: {} };
    expect(() => one.keyless.keyAfter(asked, limited, SHOP, LIMITS)).toThrow(REFUSAL);
    expect(() => other.ask('192.0.2.9')).toThrow(expect.objectContaining({ retryAfterSeconds: 30 }));
    await clock.advance(30_000);
    expect(other.ask('192.0.2.9')).toBe('operators_key');
  });
});

test('what is older than the window does not count, and each name counts for itself', async () => {
  const clock = createVirtualClock();
  const counts = createLookupCounts(clock);
  counts.add('a');
  await clock.advance(30_000);
  counts.add('a');
  expect(counts.within('a', 60_000)).toEqual({ count: 2, roomInMs: 30_000 });
  await clock.advance(30_000);
  expect(counts.within('a', 60_000)).toEqual({ count: 1, roomInMs: 30_000 });
  expect(counts.within('b', 60_000)).toEqual({ count: 0, roomInMs: 0 });
});

test('of one name as many are kept as the highest limit of a mapping needs, and no more', () => {
  const counts = createLookupCounts(createVirtualClock());
  for (let time = 0; time < LOOKUPS_MAX + 50; time += 1) counts.add('a');
  expect(counts.within('a', 60_000).count).toBe(LOOKUPS_MAX);
});

const named = (name: string): LookedUp => ({ finding: { kind: 'found', body: { data: { name } } }, values: {} });

test('a kept answer is found for as long as it is to be remembered', async () => {
  const clock = createVirtualClock();
  const memory = createLookupMemory(clock);
  memory.keep('a card', named('ADA OBI'));
  await clock.advance(59_999);
  expect(memory.find('a card', 60_000)).toEqual(named('ADA OBI'));
  expect(memory.find('another', 60_000)).toBeUndefined();
  await clock.advance(1);
  expect(memory.find('a card', 60_000)).toBeUndefined();
});

test('neither many answers nor a long one fill the memory', () => {
  const memory = createLookupMemory(createVirtualClock());
  memory.keep('long', named('A'.repeat(5_000)));
  expect(memory.find('long', 60_000)).toBeUndefined();
  for (let card = 0; card < 1_000; card += 1) memory.keep(`card ${card}`, named('B'.repeat(2_000)));
  const kept = Array.from({ length: 1_000 }, (_, card) => memory.find(`card ${card}`, 60_000)).filter((one) => one !== undefined);
  expect(kept.length).toBeGreaterThan(400);
  expect(kept.length).toBeLessThan(500);
});
