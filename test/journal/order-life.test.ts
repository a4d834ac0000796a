import {
  buildOrder,
  createOrderNumbers,
  decideOpening,
  settleAttempt,
  settleOrder,
  withoutGoods,
} from '../../src/journal/order-life';
import { kobo } from '../../src/domain/amount';
import type { Order } from '../../src/domain/order';
import type { Outcome } from '../../src/domain/outcome';
import { newOrder } from './new-order';

const order: Order = { ...newOrder(), number: 1, attempts: 1 };

describe('settling', () => {
  test('an answer that changes nothing gives the very same order', () => {
    const settled = settleOrder(order, { kind: 'declined' }, 5);
    expect(settled).toMatchObject({ settledAtMs: 5 });
    expect(settleOrder(settled, { kind: 'unknown', reason: 'late' }, 6)).toBe(settled);
  });

  test('the time of an outcome is when it was first told, also where more is told later', () => {
    const sold = settleOrder(order, { kind: 'succeeded', reference: 'V1' }, 5);
    expect(settleOrder(sold, { kind: 'succeeded', reference: 'V1', delivery: { charged: kobo(5) } }, 6)).toMatchObject({
      ...{ settledAtMs: 5, outcome: { delivery: { charged: 5 } } },
    });
  });

  test('the start of an attempt reopens no order that has ended meanwhile', () => {
    const refused = settleOrder(order, { kind: 'rejected', httpStatus: 403 }, 1);
    expect(settleOrder(refused, { kind: 'unknown', reason: 'begins', isBeginning: true }, 2)).toBe(refused);
    expect(settleOrder(order, { kind: 'unknown', reason: 'begins', isBeginning: true }, 2)).toMatchObject({ settledAtMs: 2 });
    expect(settleOrder(refused, { kind: 'unknown', reason: 'reset' }, 2).outcome?.kind).toBe('unknown');
  });

  test('a refusal is of the attempt that got it, a refund of the order', () => {
    const again: Order = { ...order, attempts: 2 };
    expect(settleAttempt(again, { kind: 'rejected', httpStatus: 403 }, 5, 1)).toBe(again);
    expect(settleAttempt(again, { kind: 'declined' }, 5, 1).outcome).toEqual({ kind: 'declined' });
  });

  test('a proof that nothing was sent does not apply to an attempt that began after the search', () => {
    const tried = settleOrder(order, { kind: 'unknown', reason: 'begins', isBeginning: true }, order.openedAtMs + 9);
    const proof = { kind: 'not_sent', reason: 'absent', isProven: true } as const;
    expect(settleOrder(tried, proof, order.openedAtMs + 8)).toBe(tried);
    expect(settleOrder(tried, proof, order.openedAtMs + 10).outcome).toEqual(proof);
  });

  test('a proof ends an order only as it was read, whatever the clocks of two machines say', () => {
    const seen = { tries: order.attempts, lastTriedAtMs: order.openedAtMs };
    const proof = { kind: 'not_sent', reason: 'absent', isProven: true, sought: seen } as const;
    // Tried again by a machine whose clock is behind ours.
    const tried = settleOrder(order, { kind: 'unknown', reason: 'begins', isBeginning: true }, order.openedAtMs + 1);
    const reopened: Order = { ...order, attempts: 2 };
    for (const other of [tried, reopened]) expect(settleOrder(other, proof, order.openedAtMs + 5_000)).toBe(other);
    expect(settleOrder(order, proof, order.openedAtMs - 5_000).outcome).toEqual(proof);
    expect(withoutGoods(proof)).toEqual(proof);
  });

  test('only fields known by name are kept', () => {
    const extra = { kind: 'succeeded', voucher: 'v', delivery: { charged: kobo(5), units: 'u' } } as const;
    expect(withoutGoods(extra)).toEqual({ kind: 'succeeded', delivery: { charged: 5 } });
    expect(withoutGoods({ kind: 'rejected', httpStatus: 429, message: 'slow down', retryAfterSeconds: 3 })).toEqual({
      kind: 'rejected',
      httpStatus: 429,
      message: 'slow down',
      retryAfterSeconds: 3,
    });
  });

  test('an empty list of cards counts as no goods', () => {
    expect(withoutGoods({ kind: 'succeeded', delivery: { pins: [] } })).toEqual({ kind: 'succeeded', delivery: {} });
  });

  test('goods with pattern characters are found in a message literally', () => {
    const outcome = withoutGoods({ kind: 'succeeded', message: 'PIN a.c*(1) not abcc1', delivery: { token: 'a.c*(1)' } });
    expect(outcome).toMatchObject({ message: 'PIN *** not abcc1' });
  });

  const TOKEN = '26362054405982757802';

  test.each<[string, Outcome, string]>([
    [
      'that has words around it in its own field',
      { kind: 'succeeded', message: `Token ${TOKEN}`, delivery: { token: `Token : ${TOKEN}` } },
      'Token ***',
    ],
    [
      'that stands beside the units',
      { kind: 'succeeded', message: 'Token 26362054, 35.2 kWh', delivery: { token: '2636-2054 / 35.2 kWh' } },
      'Token ***, 35.2 kWh',
    ],
    ['that only the message has', { kind: 'pending', message: `Token ${TOKEN}`, delivery: { token: null } }, 'Token ***'],
    ['with dots in it', { kind: 'pending', message: 'Token 2636.2054.4059.8275.7802.' }, 'Token ***.'],
    [
      'with dots in it, and none in its own field',
      { kind: 'succeeded', message: 'PIN 1234.5678,90', delivery: { token: '1234567890' } },
      'PIN ***',
    ],
    ['of a success without data', { kind: 'succeeded', message: `Your PIN is 5555 4444-3333 22` }, 'Your PIN is ***'],
    [
      'that cannot be read',
      { kind: 'succeeded', message: 'Your PIN is 5555444433', delivery: { goodsMissing: true } },
      'Your PIN is ***',
    ],
  ])('goods in a message are not kept: a token or PIN %s', (_title, outcome, message) => {
    expect(withoutGoods(outcome)).toMatchObject({ message });
  });

  test.each<Outcome>([
    { kind: 'succeeded', message: 'Airtime of N100 to 2348031234567 on 2026-11-30' },
    { kind: 'succeeded', message: 'Meter 45700012345 is credited', delivery: { token: TOKEN } },
    { kind: 'declined', message: `Order ${TOKEN} is refunded` },
  ])('other numbers in a message are kept: %j', (outcome) => {
    expect(withoutGoods(outcome)).toMatchObject({ message: (outcome as { message: string }).message });
  });
});

const { trail, ...bare } = newOrder();

test('a refusal is the answer to every request that had come before anybody could hear it, and a later one opens the order anew', () => {
  const refused = settleOrder(order, { kind: 'rejected', httpStatus: 400 }, 1_000);
  const opened = (cameAtMs?: number) =>
    decideOpening(refused, { ...newOrder(), ...(cameAtMs === undefined ? {} : { cameAtMs }) }, () => 2);
  for (const cameAtMs of [999, 1_050]) expect(opened(cameAtMs)).toEqual({ kind: 'found', order: refused });
  // No script has waited so long: the clock was set.
  expect([undefined, 1_100, 1_000 - 3_600_000].map((cameAtMs) => opened(cameAtMs).kind)).toEqual([
    'reopened',
    'reopened',
    'reopened',
  ]);
});

describe('an order', () => {
  test('has what it was built from', () => {
    const outcome = { kind: 'unknown', reason: 'reset' } as const;
    const intent = { ...bare, trail, wordsHash: 'words' };
    expect(buildOrder(intent, { number: 7, attempts: 2, outcome, settledAtMs: 5 })).toStrictEqual({
      ...intent,
      number: 7,
      attempts: 2,
      outcome,
      settledAtMs: 5,
    });
  });

  test('has no field for an absent value, and none for an answer without its time', () => {
    const order = buildOrder({ ...bare, trail: null, wordsHash: undefined }, { number: 7, attempts: 1, outcome: undefined });
    expect(order).toStrictEqual({ ...bare, number: 7, attempts: 1 });
    expect(buildOrder(bare, { number: 7, attempts: 1, settledAtMs: 5 })).toStrictEqual({ ...bare, number: 7, attempts: 1 });
  });

  test('keeps nothing else of its intent', () => {
    const careless = { ...bare, pin: '1234' };
    expect(buildOrder(careless, { number: 7, attempts: 1 })).not.toHaveProperty('pin');
  });
});

test('when a script was told is kept', () => {
  expect(buildOrder(newOrder(), { number: 1, attempts: 1, toldAtMs: 0 }).toldAtMs).toBe(0);
});

const START_MS = Date.UTC(2026, 0, 1);

describe('order numbers', () => {
  test('numbers rise with time and within one millisecond', () => {
    const take = createOrderNumbers();
    const free = (): boolean => false;
    expect([take(START_MS + 5, free), take(START_MS + 5, free), take(START_MS + 6, free)]).toEqual([5000, 5001, 6000]);
  });

  test('a taken number is skipped', () => {
    expect(createOrderNumbers()(START_MS + 5, (number) => number < 5003)).toBe(5003);
  });

  test('a clock before 2026 still gives positive numbers', () => {
    expect(createOrderNumbers()(1, () => false)).toBe(1);
  });
});
