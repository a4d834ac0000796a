import { formatProblem } from '../../src/mapping/problem';

const problem = {
  file: 'mappings/format-a.yaml',
  line: 12,
  column: 7,
  code: 'unknown-key',
  severity: 'error',
  message: 'unknown key `fro`',
} as const;

test('a problem is one line that editors and CI can click', () => {
  expect(formatProblem(problem)).toBe('mappings/format-a.yaml:12:7  unknown-key  unknown key `fro`');
});

test('its hint stands indented below', () => {
  expect(formatProblem({ ...problem, hint: 'did you mean `from`?' })).toBe(
    'mappings/format-a.yaml:12:7  unknown-key  unknown key `fro`\n    did you mean `from`?',
  );
});
