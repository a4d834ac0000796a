import { compareNumber, type SameNumber } from '../../src/domain/same-number';

test.each<[string, string, SameNumber]>([
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
  ['08031234567', '0802****567', 'unlike'],
  ['08031234567', '0803****777', 'unlike'],
  ['08031234567', '45005207777', 'unlike'],
  ['08031234567', 'AB12345', 'unlike'],
])('where the phone %s was served, %j is %s', (served, shown, expected) => {
  expect(compareNumber(shown, { numbers: [served], isPhoneServed: true })).toBe(expected);
});

test.each<[string, string, SameNumber]>([
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
  ['45021234567', '4503****567', 'unlike'],
  ['45021234567', '4567', 'unclear'],
  ['45021234567', '567', 'other'],
  ['05021234567', '2345021234567', 'other'],
  ['45021234567', '08031234567', 'unlike'],
  ['45021234567', '2348031234567', 'unlike'],
])('where the meter or smartcard %s was served, %j is %s', (served, shown, expected) => {
  expect(compareNumber(shown, { numbers: [served], isPhoneServed: false })).toBe(expected);
});

test('of several numbers that were sent with one order any may be shown', () => {
  const served = { numbers: ['45021234567', '08031234567'], isPhoneServed: false };
  expect(compareNumber('234 803 123 4567', served)).toBe('same');
  expect(compareNumber('4502-123-4567', served)).toBe('same');
  expect(compareNumber('45021234568', served)).toBe('other');
});
