import { compileNumberings, createOwnNumbers } from '../../src/mapping/numbering';
import { shippedMapping } from './mapping-set';
import { createTable } from '../../src/mapping/table';

test('an unknown table or value in the numbers is reported, and the rest is read', () => {
  const codes: string[] = [];
  const said = { network: { 1: 'MTN', 9: 'NOBODY' }, netwrk: { 1: 'MTN' } };
  const numberings = compileNumberings(said, ['families', 'x', 'numbers'], shippedMapping().tables, (path, code) => {
    codes.push(`${path.join('.')} ${code}`);
  });
  expect(codes).toEqual(['families.x.numbers.network.9 unknown-value', 'families.x.numbers.netwrk unknown-table']);
  expect([...numberings.keys()]).toEqual(['network']);
  expect(numberings.get('network')?.get(1)).toBe('MTN');
});

test('a number that the format does not list has its meaning in the table', () => {
  const table = createTable('plan', {
    title: 'plan',
    values: { S: { words: [] }, M: { words: [] } },
    numbers: { 1: 'S', 2: 'M' },
  });
  const numberings = compileNumberings({ plan: { 2: 'S', 7: 'M' } }, [], new Map([['plan', table]]), () => undefined);
  expect([...numberings.get('plan')!]).toEqual([
    [2, 'S'],
    [7, 'M'],
    [1, 'S'],
  ]);
});

const { tables } = shippedMapping();
const own = (table: string, numbers: Record<string, string>, unknown: string[] = []) =>
  createOwnNumbers(tables.get(table)!, numbers, false, (number, expected) => void unknown.push(`${number}: ${expected}`));

test.each<[string, string, unknown]>([
  ['data_plan', '57', 57],
  ['data_plan', '057', 57],
  ['network', 'MTN', 'MTN'],
  ['network', 'etisalat', '9MOBILE'],
  // A number has the meaning of the table, or else is v1's number.
  ['cable_provider', '1', 'GOTV'],
  ['cable_provider', '107', 107],
  ['disco', '3', 3],
  ['exam', 'jamb', 'JAMB'],
  ['meter_type', 'Pre-Paid', 'prepaid'],
])("a caller's own number may mean the %s %j", (table, ours, meaning) => {
  const unknown: string[] = [];
  expect(own(table, { 7: ours }, unknown).meanings.get(7)).toBe(meaning);
  expect(unknown).toEqual([]);
});

test.each([
  ['network', 'VODAFONE', /mobile network such as MTN/],
  // A number of a network has a meaning only within a format.
  ['network', '1', /the number 1 means none/],
  ['data_plan', 'MTN 1GB', /the number of a data plan/],
  ['disco', 'Abuja Electric', /its number/],
])('a meaning that is no %s is reported: %j', (table, ours, expected) => {
  const unknown: string[] = [];
  expect(own(table, { 7: ours }, unknown).meanings.size).toBe(0);
  expect(unknown).toEqual([expect.stringMatching(expected)]);
});

test('the lowest of several numbers for one value is shown to the caller', () => {
  const table = createTable('plan', { title: 'plan', unlisted: 'number' });
  const { meanings, numberOf } = createOwnNumbers(table, { '09': '57', 12: '57', 30: '58' }, false, () => undefined);
  expect([...meanings]).toEqual([
    [12, 57],
    [30, 58],
    [9, 57],
  ]);
  expect([numberOf(57), numberOf(58), numberOf(59)]).toEqual([9, 30, undefined]);
});
