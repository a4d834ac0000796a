import { RateLimits } from '../../src/sandbox/limits';
import { createVirtualClock } from '../../src/sandbox/clock';
import { Refusal } from '../../src/sandbox/answer';

const take = (limits: RateLimits, account: string, names: Parameters<RateLimits['take']>[1]) => {
  try {
    limits.take(account, names);
    return 'taken';
  } catch (error) {
    return error instanceof Refusal ? error.retryAfterSeconds : error;
  }
};

describe('rate limits', () => {
  test('give the seconds until the window has room', () => {
    const clock = createVirtualClock(0);
    const limits = new RateLimits(clock, false);
    for (let count = 0; count < 30; count += 1) {
      expect(take(limits, 'a', ['purchase'])).toBe('taken');
      clock.advance(1_000);
    }
    expect(take(limits, 'a', ['purchase'])).toBe(30);
    clock.advance(29_999);
    expect(take(limits, 'a', ['purchase'])).toBe(1);
    clock.advance(1);
    expect(take(limits, 'a', ['purchase'])).toBe('taken');
  });

  test('do not count a request in any of its windows when one of them is full', () => {
    const clock = createVirtualClock(0);
    const limits = new RateLimits(clock, false);
    for (let count = 0; count < 20; count += 1) take(limits, 'a', ['purchase', 'bulk_sms']);
    for (let count = 0; count < 20; count += 1) expect(take(limits, 'a', ['purchase', 'bulk_sms'])).toBe(3_600);
    for (let count = 0; count < 10; count += 1) expect(take(limits, 'a', ['purchase'])).toBe('taken');
  });
});
