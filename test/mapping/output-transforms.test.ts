import fc from 'fast-check';
import type { JsonValue } from '../../src/domain/json';
import { OUTPUT_TRANSFORMS, TABLE_TRANSFORMS } from '../../src/mapping/output-transforms';

const PINS = [
  { pin: '1111', serial: 'S1' },
  { pin: '2222', serial: 'S2' },
];
// 2026-01-31 23:30 in UTC is already February in Lagos.
const NIGHT = Date.UTC(2026, 0, 31, 23, 30, 5);

test.each<[string, JsonValue, JsonValue]>([
  ['naira', 98050, 980.5],
  ['naira', -5, -0.05],
  ['naira', '98050', null],
  ['naira', 1.5, null],
  ['naira_text', 98050, '980.50'],
  ['naira_text', 1_000_000_00, '1000000.00'],
  ['naira_text', null, null],
  ['text', 7, '7'],
  ['text', 'seven', 'seven'],
  ['text', true, 'true'],
  ['text', ['a'], '["a"]'],
  ['upper', 'prepaid', 'PREPAID'],
  ['lower', 'MTN', 'mtn'],
  ['cut_30', 'x'.repeat(31), 'x'.repeat(30)],
  ['cut_30', '𝒳'.repeat(31), '𝒳'.repeat(30)],
  ['cut_30', 'short', 'short'],
  ['comma', ['0803', '0806'], '0803,0806'],
  ['comma', [], ''],
  ['count', ['a', 'b'], 2],
  ['count', 'ab', null],
  ['iso', NIGHT, '2026-01-31T23:30:05.000Z'],
  ['iso', 'now', null],
  ['iso', 1e300, null],
  ['datetime', NIGHT, '2026-02-01 00:30:05'],
  ['datetime', 8.64e15, null],
  ['datetime', {}, null],
  ['pins', PINS, '1111,2222'],
  ['pins', [PINS[0]!], '1111'],
  ['pins', [], null],
  ['pins', 'p', null],
  ['pins', [null], null],
  ['pins', [...PINS, { pin: 3 }], null],
  ['serials', PINS, 'S1,S2'],
  ['serials', [{}], null],
  ['pin_serial', PINS, '1111<=>S1,2222<=>S2'],
  ['pin_serial', [1], null],
])('%s of %j is %j', (name, value, expected) => {
  expect(OUTPUT_TRANSFORMS[name]!.apply(value)).toEqual(expected);
});

const NAMES = Object.keys(OUTPUT_TRANSFORMS);

test.each(NAMES)('%s is total: any JSON gives JSON and never throws', (name) => {
  const values = fc.oneof(fc.jsonValue(), fc.double(), fc.array(fc.record({ pin: fc.jsonValue(), serial: fc.jsonValue() })));
  fc.assert(
    fc.property(values, (value) => {
      const made = OUTPUT_TRANSFORMS[name]!.apply(value as JsonValue);
      return made !== undefined && JSON.stringify(made) !== undefined;
    }),
    { numRuns: 300 },
  );
});

test('every transform has a description of one sentence, and no name is in both tables', () => {
  for (const { describe: sentence } of Object.values(OUTPUT_TRANSFORMS)) expect(sentence).toMatch(/^[A-Z].*\.$/);
  for (const sentence of Object.values(TABLE_TRANSFORMS)) expect(sentence).toMatch(/\.$/);
  expect(NAMES.filter((name) => name in TABLE_TRANSFORMS)).toEqual([]);
});
