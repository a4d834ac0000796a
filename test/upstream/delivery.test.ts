import fc from 'fast-check';
import { readDelivery, readNaira } from '../../src/upstream/delivery';
import type { JsonObject } from '../../src/domain/json';

describe('the delivery', () => {
  it('holds what v1 told and nothing else', () => {
    expect(readDelivery({})).toEqual({});
    expect(readDelivery({ reference: 'v1-9', token: null, pins: [] })).toEqual({ token: null });
  });

  it('has the charge only when both balances are known', () => {
    expect(readDelivery({ balance_before: 100 })).toEqual({ balanceBefore: 10_000 });
    expect(readDelivery({ balance_before: '1,000.50', balance_after: 900 })).toMatchObject({ charged: 10_050 });
  });

  it('has no charge when the balance rose in between', () => {
    expect(readDelivery({ balance_before: 100, balance_after: 150 })).not.toHaveProperty('charged');
  });

  it('keeps token and cards exactly', () => {
    const pins = [{ pin: '0012', serial: 'S1' }];
    expect(readDelivery({ token: '0011-2233', pins })).toEqual({ token: '0011-2233', pins });
  });

  it.each([
    { token: 12345678901234567890 },
    { token: ['1'] },
    { pins: 'a,b' },
    { pins: [{ pin: 12, serial: 's' }] },
    { pins: [{ pin: '12' }] },
  ])('says that goods are missing when they cannot be read: %j', (data) => {
    expect(readDelivery(data as JsonObject)).toEqual({ goodsMissing: true });
  });

  it('passes over a balance that is no amount', () => {
    expect(readDelivery({ balance_before: 'plenty', balance_after: {} })).toEqual({});
  });

  it('reads every kobo amount through the noise of a double', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000_000_00 }), fc.integer({ min: -1, max: 1 }), (minor, steps) => {
        const naira = minor / 100;
        const noisy = naira + steps * 2 * Number.EPSILON * naira;
        expect(readNaira(noisy)).toBe(minor);
      }),
    );
    expect(readNaira(0.1 + 0.2)).toBe(30);
    expect(readNaira(0.125)).toBeUndefined();
    expect(readNaira(Number.POSITIVE_INFINITY)).toBeUndefined();
  });
});
