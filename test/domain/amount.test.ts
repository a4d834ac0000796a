import fc from 'fast-check';
import { addKobo, kobo, nairaNumber, nairaText, parseNaira, ZERO_KOBO } from '../../src/domain/amount';

test.each<[unknown, number]>([
  [100, 100_00],
  [0, 0],
  [100.5, 100_50],
  [0.1, 10],
  [-5, -5_00],
  ['100', 100_00],
  ['100.5', 100_50],
  ['100.50', 100_50],
  ['100.500', 100_50],
  ['100.000000', 100_00],
  [' 100 ', 100_00],
  ['1,000', 1_000_00],
  ['1,000.50', 1_000_50],
  ['12,345,678.90', 12_345_678_90],
  ['₦500', 500_00],
  ['₦ 1,500', 1_500_00],
  ['NGN 250', 250_00],
  ['N100', 100_00],
  ['0100', 100_00],
  ['-0.01', -1],
])('%j naira are %i kobo', (value, minor) => {
  expect(parseNaira(value)).toBe(minor);
});

test.each<[unknown]>([
  ['0.001'],
  [0.001],
  [0.1 + 0.2],
  ['100.505'],
  ['1,00'],
  ['1,000,00'],
  [',100'],
  ['1.000,50'],
  ['1e3'],
  [1e21],
  [1e-7],
  ['0x10'],
  ['--5'],
  ['100 naira'],
  [''],
  ['.5'],
  ['5.'],
  [NaN],
  [Infinity],
  [true],
  [null],
  [undefined],
  [[100]],
  [{}],
  ['1234567890123'],
])('%j is no amount and is neither rounded nor guessed', (value) => {
  expect(parseNaira(value)).toBeUndefined();
});

test('minus zero is zero', () => {
  expect(Object.is(parseNaira('-0.00'), 0)).toBe(true);
});

test.each<[number, number, string]>([
  [98050, 980.5, '980.50'],
  [5, 0.05, '0.05'],
  [0, 0, '0.00'],
  [-1, -0.01, '-0.01'],
  [100_000_000, 1_000_000, '1000000.00'],
])('%i kobo are shown as %d and as %s', (minor, number, text) => {
  expect(nairaNumber(kobo(minor))).toBe(number);
  expect(nairaText(kobo(minor))).toBe(text);
});

test.each([1.5, NaN, Infinity, 2 ** 53])('%d kobo throws, because it is no whole number of kobo', (value) => {
  expect(() => kobo(value)).toThrow(RangeError);
});

test.each<[number, number, number]>([
  [9_800, 200, 10_000],
  [9_800, -10_000, -200],
  [Number.MAX_SAFE_INTEGER, 1, Number.MAX_SAFE_INTEGER],
  [-Number.MAX_SAFE_INTEGER, -1, -Number.MAX_SAFE_INTEGER],
])('the sum of %d and %d kobo is %d, and never beyond the largest amount', (one, other, sum) => {
  expect(addKobo(kobo(one), kobo(other))).toBe(sum);
});

test('zero kobo is an amount', () => {
  expect(ZERO_KOBO).toBe(kobo(0));
});

const amounts = fc.integer({ min: -99_999_999_999_999, max: 99_999_999_999_999 }).filter((value) => !Object.is(value, -0));

test('an amount shown as text reads back as itself', () => {
  fc.assert(fc.property(amounts, (value) => parseNaira(nairaText(kobo(value))) === value));
});

test('an amount shown as a number reads back as itself, also through JSON', () => {
  fc.assert(fc.property(amounts, (value) => parseNaira(JSON.parse(JSON.stringify(nairaNumber(kobo(value))))) === value));
});

test('any value gives whole kobo or undefined, and never throws', () => {
  const anything = fc.oneof(fc.anything(), fc.string({ unit: fc.constantFrom(...'0123456789.,-₦N e+ ') }));
  fc.assert(
    fc.property(anything, (value) => {
      const amount = parseNaira(value);
      return amount === undefined || Number.isSafeInteger(amount);
    }),
    { numRuns: 1_000 },
  );
});
