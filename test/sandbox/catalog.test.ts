import fc from 'fast-check';
import { kobo } from '../../src/domain/amount';
import { cashbackOf, createCatalog, networkOfPhone, percentOf, priceFor } from '../../src/sandbox/catalog';
import { loadConfig } from '../../src/sandbox/load-config';

const catalog = createCatalog(loadConfig('sandbox').catalog);

describe('the catalog', () => {
  test.each([
    ['08031234567', 'MTN'],
    ['08051234567', 'GLO'],
    ['08021234567', 'AIRTEL'],
    ['08091234567', '9MOBILE'],
    ['09131234567', 'MTN'],
    ['09151234567', 'GLO'],
    ['09121234567', 'AIRTEL'],
    ['09081234567', '9MOBILE'],
    ['01234567890', undefined],
  ])('gives the network of the number %s: %s', (phone, network) => {
    expect(networkOfPhone(catalog, phone)).toBe(network);
  });

  test('gives every prefix to one network only', () => {
    const prefixes = catalog.file.networks.flatMap((network) => network.prefixes);
    expect(new Set(prefixes).size).toBe(prefixes.length);
  });

  test('has one price for all tiers or one for each', () => {
    expect(priceFor(kobo(500), 'any')).toBe(500);
    expect(priceFor({ standard: kobo(500), premium: kobo(400) }, 'premium')).toBe(400);
    expect(() => priceFor({ standard: kobo(500) }, 'premium')).toThrow(/premium/);
  });

  test('rounds a percentage to the nearest kobo, half a kobo up', () => {
    expect(percentOf(kobo(100), 2)).toBe(2);
    expect(percentOf(kobo(25), 2)).toBe(1);
    expect(percentOf(kobo(24), 2)).toBe(0);
    expect(percentOf(kobo(10_000), 3.5)).toBe(350);
  });

  test('computes a percentage in whole kobo, never more than the amount', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), fc.nat(10_000), (amount, points) => {
        const part = percentOf(kobo(amount), points / 100);
        expect(Number.isSafeInteger(part) && part >= 0 && part <= amount).toBe(true);
      }),
    );
  });

  test('pays cashback as a percentage, as a fixed sum or not at all', () => {
    expect(cashbackOf({ percent: 1 }, kobo(58_000))).toBe(580);
    expect(cashbackOf({ fixed: kobo(1_000) }, kobo(58_000))).toBe(1_000);
    expect(cashbackOf(null, kobo(58_000))).toBe(0);
  });
});
