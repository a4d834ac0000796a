import fc from 'fast-check';
import {
  compareNumber,
  identityOf,
  isSameNumber,
  parseIdentifier,
  parsePhone,
  type NumberMatch,
  type ServedNumber,
} from '../../src/domain/number-identity';

const phone = (text: string): ServedNumber => ({ kind: 'phone', text });
const identifier = (text: string): ServedNumber => ({ kind: 'identifier', text });

test.each<[string, string, NumberMatch]>([
  ['08031234567', '08031234567', 'same'],
  ['08031234567', '+234 803-123-4567', 'same'],
  ['08031234567', '2348031234567', 'same'],
  ['08031234567', '8031234567', 'same'],
  ['08031234567', '+234 803 123 4568', 'other'],
  ['08031234567', '08039999999', 'other'],
  ['08031234567', '0803****567', 'unclear'],
  ['08031234567', '080****4567', 'unclear'],
  ['08031234567', '0803XXXX567', 'unclear'],
  ['08031234567', '*******4567', 'unclear'],
  ['08031234567', '080312345', 'unclear'],
  ['08031234567', '1234567', 'unclear'],
  ['08031234567', '0802****567', 'unclear'],
  ['08031234567', '0803****777', 'unclear'],
  ['08031234567', '45005207777', 'unclear'],
  ['08031234567', 'AB12345', 'unclear'],
  ['02012345678', '23402012345678', 'same'],
  ['02012345678', '+234 (0)201 234 5678', 'same'],
  ['02012345678', '02012345679', 'other'],
  ['02012345678', '2012345678', 'unclear'],
])('where the phone %s was served, %j is %s', (served, shown, expected) => {
  expect(compareNumber(shown, [phone(served)])).toBe(expected);
});

test.each<[string, string, NumberMatch]>([
  ['AB12345', 'AB12345', 'same'],
  ['AB12345', 'ab 12-345', 'same'],
  ['AB12345', 'CD12345', 'other'],
  ['AB12345', '12345', 'unclear'],
  ['12345', 'AB12345', 'other'],
  ['XX12345', 'xx12345', 'same'],
  ['XX12345', 'AB12345', 'other'],
  ['0045021234', '45021234', 'same'],
  ['45021234', '0045021234', 'same'],
  ['45021234567', '45021234568', 'other'],
  ['45021234567', '4502****567', 'unclear'],
  ['45021234567', '4502xxxx567', 'unclear'],
  ['45021234567', '4503****567', 'unclear'],
  ['45021234567', '4567', 'unclear'],
  ['45021234567', '567', 'other'],
  ['05021234567', '2345021234567', 'other'],
  ['45021234567', '08031234567', 'unclear'],
  ['45021234567', '2348031234567', 'unclear'],
  ['45021234567', '4502x234567', 'unclear'],
  ['45021234567', '４５０２１２３４５６７', 'unclear'],
  ['45021234567', '', 'unclear'],
  ['07012345678', '7012345678', 'same'],
  ['07012345678', '2347012345678', 'unclear'],
  ['7012345678', '+234 701 234 5678', 'unclear'],
  ['0AB12345', 'AB12345', 'unclear'],
  ['0AB12345', '0ab12345', 'same'],
  ['0AB1', 'AB1', 'other'],
  ['0000', '0', 'same'],
])('where the meter or smartcard %s was served, %j is %s', (served, shown, expected) => {
  expect(compareNumber(shown, [identifier(served)])).toBe(expected);
});

test('where one order had several numbers, v1 may show any of them', () => {
  const served = [identifier('45021234567'), phone('08031234567')];
  expect(compareNumber('234 803 123 4567', served)).toBe('same');
  expect(compareNumber('4502-123-4567', served)).toBe('same');
  expect(compareNumber('45021234568', served)).toBe('other');
  expect(compareNumber('08031234', served)).toBe('unclear');
});

test('no number compares as unclear when the order has none', () => {
  expect(compareNumber('08031234567', [])).toBe('unclear');
  expect(compareNumber('AB12345', [])).toBe('unclear');
});

test.each([
  ['AB12345', 'ab12345', true],
  ['AB12345', 'AB-12 345', true],
  ['AB12345', 'CD12345', false],
  ['AB12345', '12345', false],
  ['0AB12345', 'AB12345', false],
  ['0077012345', '77012345', true],
  ['07012345678', '2347012345678', false],
])('the identifiers %s and %s are the same: %s', (one, other, expected) => {
  expect(isSameNumber('identifier', one, other)).toBe(expected);
  expect(isSameNumber('identifier', other, one)).toBe(expected);
});

test.each([
  [' 0045 02-12 ', '00450212'],
  ['AB12345', 'AB12345'],
  ['', undefined],
  ['4502****', undefined],
  ['1'.repeat(41), undefined],
])('the identifier %j is sent to v1 as %j', (text, expected) => {
  expect(parseIdentifier(text)).toBe(expected);
});

test('a number and what v1 is sent for it have one identity', () => {
  const texts = fc.string({ unit: fc.constantFrom(...'0123789AbXx -+().') });
  fc.assert(
    fc.property(texts, (text) => {
      const sent = { phone: parsePhone(text), identifier: parseIdentifier(text) };
      return (['phone', 'identifier'] as const).every((kind) => {
        const one = sent[kind];
        return one === undefined || (isSameNumber(kind, one, text) && identityOf(kind, one) === identityOf(kind, text));
      });
    }),
    { numRuns: 1_000 },
  );
});

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
  '0803000000.0',
  '803000000.0',
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

test('any text gives eleven digits that read back as themselves, or undefined', () => {
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
