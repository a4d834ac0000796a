import type { Problem } from '../../src/mapping/problem';
import { createReport, partsAt, Places } from '../../src/mapping/source';
import { mergeFiles } from '../../src/mapping/load';
import { filesWith } from './mapping-set';

const locate = (path: readonly PropertyKey[], what: 'key' | 'value' = 'value'): { line: number; column: number } => ({
  line: path.length,
  column: what === 'key' ? 1 : 2,
});

test('a value is located at the nearest known place above it', () => {
  const places = new Places();
  places.add(['operations', 'buy'], 'a.yaml', locate);
  places.add(['formats', 'x'], 'x.yaml', locate, []);
  expect(places.find(['operations', 'buy', 'fields', 'phone'])).toEqual({ file: 'a.yaml', line: 4, column: 2 });
  expect(places.find(['formats', 'x', 'proof', 0], 'key')).toEqual({ file: 'x.yaml', line: 2, column: 1 });
  expect(places.find(['nowhere'])).toEqual({ file: '(mappings)', line: 1, column: 1 });
  expect(places.fileOf(['operations', 'buy'])).toBe('a.yaml');
  expect(places.fileOf(['operations'])).toBeUndefined();
});

test('a report turns a path into a problem with the place that its rule has, or that is given', () => {
  const places = new Places();
  places.add(['texts', 'found'], 'a.yaml', locate);
  const problems: Problem[] = [];
  const report = createReport(places, problems);
  report(['texts', 'found'], 'schema', 'this is odd');
  report(['texts', 'found'], 'unused-row', 'this is odd', { hint: 'mend it' });
  report(['texts', 'found'], 'unused-row', 'this is odd', { at: 'value' });
  expect(problems).toEqual([
    { file: 'a.yaml', line: 2, column: 2, code: 'schema', severity: 'error', message: 'this is odd' },
    { file: 'a.yaml', line: 2, column: 1, code: 'unused-row', severity: 'warning', message: 'this is odd', hint: 'mend it' },
    { file: 'a.yaml', line: 2, column: 2, code: 'unused-row', severity: 'warning', message: 'this is odd' },
  ]);
});

test('parts are found by a pattern, with their paths and the names in place of its stars', () => {
  const source = mergeFiles(filesWith()).source!;
  expect(partsAt(source, 'formats.*.numbers.*.*')).toEqual([
    { value: 'MTN', path: ['formats', 'x', 'numbers', 'network', '1'], names: ['x', 'network', '1'] },
    { value: 'GLO', path: ['formats', 'x', 'numbers', 'network', '2'], names: ['x', 'network', '2'] },
  ]);
  const [first] = partsAt(source, 'operations.*.ignore.*');
  expect(first).toEqual({ value: 'mobile_number', path: ['operations', 'buy', 'ignore', 0], names: ['buy', '0'] });
  expect(partsAt(source, 'families.*.proof.*.path')).toEqual([]);
});
