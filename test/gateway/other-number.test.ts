import { isOtherNumber } from '../../src/gateway/other-number';

test.each<[string, string, boolean]>([
  ['08031234567', '+234 803 123 4568', true],
  ['08031234567', '2348031234567', false],
  ['08031234567', '0803****568', false],
  ['08031234567', '', false],
])('where the phone %s was served, %j is another: %p', (served, shown, isOther) => {
  expect(isOtherNumber(shown, { numbers: [served], isPhoneServed: true })).toBe(isOther);
});

test.each<[string, string, boolean]>([
  ['45021234567', '45021234568', true],
  ['0045021234', '45021234', false],
  ['45021234567', '08031234567', false],
  ['45021234567', '4502****', false],
])('where the meter %s was served, %j is another: %p', (served, shown, isOther) => {
  expect(isOtherNumber(shown, { numbers: [served], isPhoneServed: false })).toBe(isOther);
});
