import { createOrderNumbers } from '../../src/journal/order-number';

const START_MS = Date.UTC(2026, 0, 1);

describe('order numbers', () => {
  test('numbers rise with time and within one millisecond', () => {
    const take = createOrderNumbers();
    const free = (): boolean => false;
    expect([take(START_MS + 5, free), take(START_MS + 5, free), take(START_MS + 6, free)]).toEqual([5000, 5001, 6000]);
  });

  test('a taken number is passed over', () => {
    expect(createOrderNumbers()(START_MS + 5, (number) => number < 5003)).toBe(5003);
  });

  test('a clock before 2026 still gives positive numbers', () => {
    expect(createOrderNumbers()(1, () => false)).toBe(1);
  });
});
