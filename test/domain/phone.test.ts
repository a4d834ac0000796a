import fc from 'fast-check';
import { parsePhone } from '../../src/domain/phone';

test.each([
  '08030000001',
  ' 08030000001 ',
  '0803 000 0001',
  '0803-000-0001',
  '(0803) 000.0001',
  '8030000001',
  '2348030000001',
  '+2348030000001',
  '+234 803 000 0001',
  '+234 (0)803 000 0001',
  '23408030000001',
  '002348030000001',
])('%s is 08030000001', (text) => {
  expect(parsePhone(text)).toBe('08030000001');
});

test.each([
  '',
  ' ',
  '0803000000',
  '080300000011',
  '0803000000x',
  '803000000',
  '2348030000',
  '++2348030000001',
  '+1 212 555 0100',
  '٠٨٠٣٠٠٠٠٠٠١',
  '08030000001,08030000002',
])('%j is no phone number', (text) => {
  expect(parsePhone(text)).toBeUndefined();
});

test('any text gives eleven digits that read back as themselves, or nothing', () => {
  const texts = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0123456789+-(). ') }));
  fc.assert(
    fc.property(texts, (text) => {
      const phone = parsePhone(text);
      return phone === undefined || (/^0\d{10}$/.test(phone) && parsePhone(phone) === phone);
    }),
    { numRuns: 1_000 },
  );
});

test('every usual spelling of a number is the same number', () => {
  const numbers = fc.stringMatching(/^0[789][01]\d{8}$/);
  fc.assert(
    fc.property(numbers, (number) =>
      [number.slice(1), `234${number.slice(1)}`, `+234${number.slice(1)}`, `${number.slice(0, 4)} ${number.slice(4)}`].every(
        (spelling) => parsePhone(spelling) === number,
      ),
    ),
  );
});
