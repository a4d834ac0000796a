import { pause } from '../../../src/domain/clock';
import type { Outcome } from '../../../src/domain/outcome';
import { createPinGuard } from '../../../src/gateway/order/pin-guard';
import { takePinTurns } from '../../../src/gateway/order/pin-turns';
import type { Upstream, V1Call } from '../../../src/upstream/upstream';
import { createVirtualClock } from '../../domain/virtual-clock';
import { keyring, owner } from './pin-owner';

const WRONG: Outcome = { kind: 'rejected', httpStatus: 400, message: 'Invalid transaction PIN' };
const CALL: V1Call = { method: 'POST', path: '/airtime', body: {} };
const SOLD: Outcome = { kind: 'succeeded', reference: 'V1' };
const RIGHT_PIN = '1234';
const REFUSED = {
  kind: 'rejected',
  httpStatus: 400,
  message: expect.stringMatching(/^Invalid transaction PIN\. .*not tried again/),
};

/** A slow v1 that counts wrong PINs as specified and locks at the third. */
function openHouse({
  answersAfterMs = 300,
  isDuplicate = false,
  says,
}: { answersAfterMs?: number; isDuplicate?: boolean; says?: Outcome } = {}) {
  const clock = createVirtualClock();
  const sent: { pin: string | undefined; atMs: number; timeoutMs: number }[] = [];
  const startedAt = clock.elapsed();
  let wrong = 0;
  const upstream: Upstream = {
    async send(_call, _requestId, { credentials, timeoutMs }) {
      const pin = credentials.pin?.revealForUseOnly();
      sent.push({ pin, atMs: clock.elapsed() - startedAt, timeoutMs });
      await pause(clock, answersAfterMs);
      if (says === undefined && pin !== RIGHT_PIN) wrong += 1;
      const outcome =
        says ?? (wrong >= 3 ? { kind: 'rejected', httpStatus: 400, message: 'locked' } : pin === RIGHT_PIN ? SOLD : WRONG);
      return { outcome, isDuplicate };
    },
    find: async () => ({ kind: 'unavailable', reason: 'not asked' }),
    close: async () => undefined,
  };
  const send = takePinTurns(upstream, createPinGuard(clock, keyring), clock);
  const order = (pin?: string, timeoutMs = 20_000, key = 'K') =>
    send(CALL, 'r', { credentials: owner(key, pin), clientAddress: '203.0.113.9', timeoutMs });
  const orderAtOnce = async (count: number, pin?: string, key?: string) => {
    const orders = Promise.all(Array.from({ length: count }, () => order(pin, undefined, key)));
    await clock.advance(20_000);
    return (await orders).map(({ outcome }) => outcome);
  };
  return { clock, elapsed: () => clock.elapsed() - startedAt, sent, order, orderAtOnce, wrongs: () => wrong };
}

test('of ten purchases at once with one wrong PIN one is tried, and another PIN can still be tried', async () => {
  const house = openHouse();
  const outcomes = await house.orderAtOnce(10, '9999');
  expect(house.wrongs()).toBe(1);
  expect(outcomes[0]).toEqual(WRONG);
  expect(outcomes.slice(1)).toEqual(Array.from({ length: 9 }, () => REFUSED));
  expect(await house.orderAtOnce(1, RIGHT_PIN)).toEqual([SOLD]);
});

test('of ten different wrong PINs at once two are tried, and the account is not locked', async () => {
  const house = openHouse();
  const orders = Promise.all(Array.from({ length: 10 }, (_, guess) => house.order(String(5000 + guess))));
  await house.clock.advance(20_000);
  expect((await orders).map(({ outcome }) => outcome.kind)).toEqual(Array(10).fill('rejected'));
  expect(house.wrongs()).toBe(2);
});

test.each([
  ['a v1 that judges nothing', [RIGHT_PIN, '9999'], false, 1],
  ['a v1 that judges nothing, and a shop that has sold', ['9999', '9999'], true, 1],
  ['a shop that has not sold yet', ['9999', '9999'], false, 2],
])('%s: of two untried PINs only this many are sent', async (_title, pins, hasSold, count) => {
  const house = openHouse({ answersAfterMs: 15_000 });
  if (hasSold) await house.orderAtOnce(1, RIGHT_PIN);
  const before = house.sent.length;
  const orders = Promise.all(pins.map((pin) => house.order(pin)));
  await house.clock.advance(14_000);
  expect(house.sent.length - before).toBe(count);
  await house.clock.advance(20_000);
  const [, { outcome }] = (await orders) as [unknown, { outcome: Outcome }];
  if (count === 1)
    expect(outcome).toMatchObject({ kind: 'rejected', httpStatus: 400, message: expect.stringMatching(/Nothing was charged/) });
});

test('a right PIN is never refused: at first it waits for one answer, and never again once v1 accepted it', async () => {
  const house = openHouse();
  expect(await house.orderAtOnce(10, RIGHT_PIN)).toEqual(Array.from({ length: 10 }, () => SOLD));
  expect(house.sent.map(({ atMs }) => atMs)).toEqual([0, ...Array.from({ length: 9 }, () => 300)]);
  const now = house.elapsed();
  await house.orderAtOnce(50, RIGHT_PIN);
  expect(house.sent.slice(10).every(({ atMs }) => atMs === now)).toBe(true);
});

test('a wrong PIN beside the right one costs the right one nothing', async () => {
  const house = openHouse();
  const [wrong, right] = [house.orderAtOnce(4, '9999'), house.orderAtOnce(4, RIGHT_PIN)];
  expect(await right).toEqual(Array.from({ length: 4 }, () => SOLD));
  await wrong;
  expect(house.wrongs()).toBe(1);
});

test('a v1 without answers delays no order for more than two seconds, and the wait counts as time of the attempt', async () => {
  const house = openHouse({ answersAfterMs: 15_000 });
  await house.orderAtOnce(4, RIGHT_PIN);
  expect(house.sent.map(({ atMs }) => atMs)).toEqual([0, 2_000, 2_000, 2_000]);
  expect(house.sent.map(({ timeoutMs }) => timeoutMs)).toEqual([20_000, 18_000, 18_000, 18_000]);
});

test('an attempt with little time waits for half of it at most', async () => {
  const house = openHouse({ answersAfterMs: 15_000 });
  const orders = Promise.all([1, 2, 3].map(() => house.order(RIGHT_PIN, 400)));
  await house.clock.advance(20_000);
  await orders;
  expect(house.sent[1]).toEqual({ pin: RIGHT_PIN, atMs: 200, timeoutMs: 200 });
});

test('other keys and keys without a PIN do not wait', async () => {
  const house = openHouse({ answersAfterMs: 15_000 });
  void house.orderAtOnce(3, '9999');
  void house.orderAtOnce(2, RIGHT_PIN, 'L');
  void house.orderAtOnce(5);
  await house.clock.advance(0);
  expect(house.sent).toHaveLength(1 + 1 + 5);
});

test.each<[string, { isDuplicate?: boolean; says: Outcome }]>([
  ['an order that v1 had already', { isDuplicate: true, says: SOLD }],
  ['a refusal for another reason', { says: { kind: 'rejected', httpStatus: 400, message: 'Insufficient balance.' } }],
  ['no answer', { says: { kind: 'unknown', reason: 'HTTP 500' } }],
])('%s proves no PIN: the turns go on', async (_title, options) => {
  const house = openHouse(options);
  await house.orderAtOnce(2, '9999');
  const now = house.elapsed();
  await house.orderAtOnce(4, '9999');
  expect(house.sent.slice(2).map(({ atMs }) => atMs - now)).toEqual([0, 300, 600, 900]);
});
