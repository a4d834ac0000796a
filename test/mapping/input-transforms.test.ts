import fc from 'fast-check';
import { nairaText } from '../../src/domain/amount';
import type { AmountMinor } from '../../src/domain/amount';
import { InexactNumber, type JsonValue } from '../../src/domain/json';
import type { LegacyValue } from '../../src/domain/legacy';
import { INPUT_TRANSFORMS, parseText } from '../../src/mapping/input-transforms';

const HUGE = new InexactNumber('12345678901234567890');
const NAMES = Object.keys(INPUT_TRANSFORMS);

const accepted: readonly (readonly [string, LegacyValue, JsonValue])[] = [
  ['text', ' hello ', 'hello'],
  ['text', 12, '12'],
  ['text', false, 'false'],
  ['text', '', ''],
  ['text', HUGE, '12345678901234567890'],
  ['identifier', '0012345678', '0012345678'],
  ['identifier', '1234 5678-9012', '123456789012'],
  ['identifier', 45_700_000_001, '45700000001'],
  ['identifier', 'A1b2', 'A1b2'],
  ['phone', '+234 803 000 0001', '08030000001'],
  ['phone', 8030000001, '08030000001'],
  ['phone_list', '08030000001,08060000002', ['08030000001', '08060000002']],
  ['phone_list', '8030000001; 2348060000002\n', ['08030000001', '08060000002']],
  ['phone_list', ['08030000001', 8060000002, ''], ['08030000001', '08060000002']],
  ['phone_list', 8030000001, ['08030000001']],
  ['phone_list', '+234 803 000 0001', ['08030000001']],
  ['phone_list', '0803 000 0001, 0806-000-0002 ,\r\n8051234567', ['08030000001', '08060000002', '08051234567']],
  ['phone_list', '08030000001 08060000002', ['08030000001', '08060000002']],
  // v1 sends to each number once, so a duplicate is dropped and the count in the reply is right.
  ['phone_list', '08030000001,08060000002,+2348030000001', ['08030000001', '08060000002']],
  ['naira', '1,000.50', 100_050],
  ['naira', '₦500', 50_000],
  ['naira', 0, 0],
  ['naira', new InexactNumber('100.00'), 10_000],
  ['denomination', '100', 100],
  ['denomination', '1,000', 1000],
  ['denomination', 100.0, 100],
  ['quantity', '3', 3],
  ['quantity', '3.0', 3],
  ['quantity', 0, 0],
  ['plan_id', '007', 7],
  ['plan_id', 101, 101],
  ...['true', 'TRUE', ' 1 ', 'on', 'yes', 'y', true, 1].map((yes) => ['flag', yes, true] as const),
  ...['false', '0', 'off', 'no', 'n', '', 'null', false, 0, null].map((no) => ['flag', no, false] as const),
  ['order_id', 'REQ_1|a', 'REQ_1|a'],
  ['order_id', 20260101, '20260101'],
  ['order_id', HUGE, '12345678901234567890'],
];

test.each(accepted)('%s reads %p as %j', (name, raw, value) => {
  expect(INPUT_TRANSFORMS[name]!.read(raw)).toEqual({ value });
});

const refused: readonly (readonly [string, LegacyValue, RegExp])[] = [
  ['text', {}, /a text/],
  ['text', 'x'.repeat(10_001), /^at most 10000 characters$/],
  ['identifier', HUGE, /sent as text/],
  ['identifier', 1.5, /digits/],
  ['identifier', -1, /digits/],
  ['identifier', 1e-7, /digits/],
  ['identifier', 1e21, /digits/],
  ['identifier', '12/34', /digits/],
  ['identifier', '', /digits/],
  ['identifier', 'x'.repeat(41), /digits/],
  ['identifier', true, /digits/],
  ['phone', HUGE, /11-digit/],
  ['phone', '0803', /11-digit/],
  ['phone', null, /11-digit/],
  ['phone_list', '08030000001,nobody', /number 2 of the list/],
  ['phone_list', '0803 000 0001, \n nobody', /number 2 of the list/],
  ['phone_list', '', /at least one/],
  ['phone_list', [], /at least one/],
  ['phone_list', [['08030000001']], /number 1 of the list/],
  ['phone_list', null, /at least one/],
  ['phone_list', Array.from({ length: 10_001 }, (_, index) => 8_030_000_000 + index).join(), /at most 10000/],
  ['naira', '100.005', /naira/],
  ['naira', HUGE, /naira/],
  ['naira', 'free', /naira/],
  ['denomination', '100.50', /whole naira/],
  ['denomination', 0, /whole naira/],
  ['denomination', -100, /whole naira/],
  ['denomination', new InexactNumber('100.00'), /whole naira/],
  ['quantity', 1.5, /whole number/],
  ['quantity', -1, /whole number/],
  ['quantity', HUGE, /sent as text/],
  ['quantity', '1e3', /whole number/],
  ['plan_id', 'big one', /plan list/],
  ['plan_id', '1234567890123456', /plan list/],
  ['flag', 'perhaps', /true or false/],
  ['flag', [], /true or false/],
  ['flag', HUGE, /true or false/],
  ['order_id', '', /request id/],
  ['order_id', 'x'.repeat(1_001), /request id/],
  ['order_id', {}, /request id/],
];

test.each(refused)('%s refuses %p with what it expected', (name, raw, sentence) => {
  const read = INPUT_TRANSFORMS[name]!.read(raw);
  expect(read).toEqual({ expected: expect.stringMatching(sentence) });
});

const raw = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: fc.constantFrom(...'0123456789+-., ;\n₦NGtrueoff|/ ') }),
  fc.double(),
  fc.stringMatching(/^\d{16,30}$/).map((text) => new InexactNumber(text)),
) as fc.Arbitrary<LegacyValue>;

test.each(NAMES)('%s gives a value or a sentence about what was expected for any input', (name) => {
  fc.assert(
    fc.property(raw, (value) => {
      const read = INPUT_TRANSFORMS[name]!.read(value);
      return 'value' in read ? JSON.stringify(read.value) !== undefined : read.expected.length > 0;
    }),
    { numRuns: 500 },
  );
});

test.each(NAMES)('%s reads its own result as the same value again', (name) => {
  const { read, isAmount } = INPUT_TRANSFORMS[name]!;
  fc.assert(
    fc.property(raw, (value) => {
      const first = read(value);
      if (!('value' in first)) return;
      const spelled = isAmount === true ? nairaText(first.value as AmountMinor) : first.value;
      expect(read(spelled)).toEqual(first);
    }),
    { numRuns: 500 },
  );
});

test.each(NAMES)('the refusal of %s never contains the sent value', (name) => {
  const read = INPUT_TRANSFORMS[name]!.read('§12§');
  if ('expected' in read) expect(read.expected).not.toContain('§');
});

test('every transform has a description of one sentence', () => {
  for (const { describe: sentence } of Object.values(INPUT_TRANSFORMS)) expect(sentence).toMatch(/^[A-Z].*[.…]$/);
});

test.each<[LegacyValue, string | undefined]>([
  [' a ', 'a'],
  [5, '5'],
  [true, undefined],
  [null, undefined],
  [HUGE, undefined],
  [{}, undefined],
])('the text of %p is %j', (value, text) => {
  expect(parseText(value)).toBe(text);
});
