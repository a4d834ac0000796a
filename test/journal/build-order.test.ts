import { buildOrder } from '../../src/journal/build-order';
import { newOrder } from './new-order';

const { trail, ...bare } = newOrder();

describe('an order', () => {
  test('has what it was built from', () => {
    const outcome = { kind: 'unknown', reason: 'reset' } as const;
    const intent = { ...bare, trail, askedHash: 'asked' };
    expect(buildOrder(intent, { number: 7, tries: 2, outcome, settledAtMs: 5 })).toStrictEqual({
      ...intent,
      number: 7,
      tries: 2,
      outcome,
      settledAtMs: 5,
    });
  });

  test('has no field for what is absent, and none for an answer without its time', () => {
    const order = buildOrder({ ...bare, trail: null, askedHash: undefined }, { number: 7, tries: 1, outcome: undefined });
    expect(order).toStrictEqual({ ...bare, number: 7, tries: 1 });
    expect(buildOrder(bare, { number: 7, tries: 1, settledAtMs: 5 })).toStrictEqual({ ...bare, number: 7, tries: 1 });
  });

  test('keeps nothing else that its intent carries', () => {
    const careless = { ...bare, pin: '1234' };
    expect(buildOrder(careless, { number: 7, tries: 1 })).not.toHaveProperty('pin');
  });
});

test('when a script was told is kept', () => {
  expect(buildOrder(newOrder(), { number: 1, tries: 1, toldAtMs: 0 }).toldAtMs).toBe(0);
});
