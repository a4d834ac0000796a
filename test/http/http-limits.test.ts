import { DEFAULT_HTTP_LIMITS } from '../../src/http/http-limits';

describe('the default limits', () => {
  test('limit everything', () => {
    for (const limit of Object.values(DEFAULT_HTTP_LIMITS)) expect(Number.isSafeInteger(limit) && limit > 0).toBe(true);
  });

  test('give the body less time than the whole request, so that a slow body is refused with the right words', () => {
    expect(DEFAULT_HTTP_LIMITS.bodyTimeMs).toBeLessThan(DEFAULT_HTTP_LIMITS.requestTimeMs);
  });
});
