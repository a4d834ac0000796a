import { InexactNumber } from '../../src/domain/json';
import type { LegacyValue } from '../../src/domain/legacy';
import { fieldKindOf } from '../../src/traffic/field-kind';

test.each<[LegacyValue, string]>([
  [5, 'integer'],
  [-5, 'integer'],
  [5.5, 'decimal'],
  [new InexactNumber('12345678901234567890'), 'integer'],
  [new InexactNumber('0.12345678901234567890'), 'decimal'],
  ['5', 'digits'],
  ['0451', 'digits'],
  ['08031234567', 'phone'],
  ['+234 803-123-4567', 'phone'],
  ['8031234567', 'phone'],
  ['1,000', 'amount'],
  ['₦500', 'amount'],
  ['100.50', 'amount'],
  ['1,00,0', 'text'],
  ['MTN', 'word'],
  ['SHARE AND SELL', 'word'],
  ['9MOBILE', 'word'],
  ['VTU2024', 'text'],
  ['abuja-electric', 'word'],
  ['true', 'flag'],
  [' Off ', 'flag'],
  [true, 'flag'],
  ['', 'empty'],
  ['   ', 'empty'],
  [null, 'null'],
  ['a@b.example', 'text'],
  ['9'.repeat(50), 'text'],
  [['1'], 'list'],
  [{ a: 1 }, 'object'],
])('%j is %s', (value, kind) => {
  expect(fieldKindOf(value)).toBe(kind);
});

test('long texts cost no more than short ones', () => {
  const before = process.cpuUsage();
  for (let turn = 0; turn < 1_000; turn += 1) fieldKindOf(`${'a1 '.repeat(30_000)}!`);
  // Work of this process in microseconds: what others do on the machine is not in it.
  expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
});
