import { compileNumberings, toNumbering } from '../../src/mapping/numbering';
import { shippedMapping } from './mapping-set';

test('a numbering is a map from numbers', () => {
  expect([...toNumbering({ '1': 'MTN', '2': 'GLO' })]).toEqual([
    [1, 'MTN'],
    [2, 'GLO'],
  ]);
});

test('a table or a value that is not there is reported, and the rest is read', () => {
  const codes: string[] = [];
  const said = { network: { 1: 'MTN', 9: 'NOBODY' }, netwrk: { 1: 'MTN' } };
  const numberings = compileNumberings(said, ['families', 'x', 'numbers'], shippedMapping().tables, (path, code) => {
    codes.push(`${path.join('.')} ${code}`);
  });
  expect(codes).toEqual(['families.x.numbers.network.9 unknown-value', 'families.x.numbers.netwrk unknown-table']);
  expect([...numberings.keys()]).toEqual(['network']);
  expect(numberings.get('network')?.get(1)).toBe('MTN');
});
