import type { Problem } from '../../src/mapping/problem';
import { createReport, Places } from '../../src/mapping/source';

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

test('a report turns a path into a problem with its place', () => {
  const places = new Places();
  places.add(['texts', 'found'], 'a.yaml', locate);
  const problems: Problem[] = [];
  const report = createReport(places, problems);
  report(['texts', 'found'], 'schema', 'this is odd');
  report(['texts', 'found'], 'unused-row', 'this is odd', { hint: 'mend it', at: 'key' });
  expect(problems).toEqual([
    { file: 'a.yaml', line: 2, column: 2, code: 'schema', severity: 'error', message: 'this is odd' },
    { file: 'a.yaml', line: 2, column: 1, code: 'unused-row', severity: 'warning', message: 'this is odd', hint: 'mend it' },
  ]);
});
