import { formatProblem, codeFrame, byCause, formatProblems, type Problem } from '../../src/mapping/problem';
import { checkFiles } from '../../src/mapping/check';
import { editedFiles } from './mapping-set';

const problem = {
  file: 'mappings/format-a.yaml',
  line: 12,
  column: 7,
  code: 'unknown-key',
  severity: 'error',
  message: 'unknown key `fro`',
} as const;

test('a problem is one line that editors and CI can click, with its hint indented on a second line', () => {
  const line = 'mappings/format-a.yaml:12:7  unknown-key  unknown key `fro`';
  expect(formatProblem(problem)).toBe(line);
  expect(formatProblem({ ...problem, hint: 'did you mean `from`?' })).toBe(`${line}\n    did you mean \`from\`?`);
});

test.each([
  ['shows the line with a caret below the place', 'bc: 2', 5, '2 | bc: 2\n  |     ^'],
  [
    'masks a secret',
    'key: acme_live_4f9a11c27b # here',
    29,
    '2 | key: ******************** # here\n  |                             ^',
  ],
  ['has no control characters', 'a:\u001b[31m\tb', 9, '2 | a: [31m b\n  |         ^'],
])('a frame %s', (_what, line, column, frame) => {
  expect(codeFrame(['a: 1', line], 2, column)).toBe(frame);
});

test('a frame cuts a long line around the place', () => {
  const frame = codeFrame([`${'x'.repeat(300)}y${'z'.repeat(300)}`], 1, 301)!;
  const [line, caret] = frame.split('\n') as [string, string];
  expect(line.length).toBeLessThan(120);
  expect(line[caret.indexOf('^')]).toBe('y');
});

test('there is no frame for a line that does not exist', () => {
  expect(codeFrame(['a'], 3, 1)).toBeUndefined();
});

const problemsOf = (...edit: Parameters<typeof editedFiles>): readonly Problem[] => checkFiles(editedFiles(...edit)).problems;

const causesOf = (problems: readonly Problem[]): string[] =>
  byCause(problems).map(({ problem, others }) => `${problem.line} ${problem.code} +${others.length}`);

test('an operation that lost a level of indentation is shown as one cause, with all its problems', () => {
  const problems = problemsOf('operations/airtime.yaml', /^ {4}(?=\S)/gm, '  ');
  expect(problems.length).toBeGreaterThan(20);
  expect(causesOf(problems)).toEqual([`3 schema +${problems.length - 1}`]);
});

test('fields that lost a level of indentation are shown as one cause', () => {
  const problems = problemsOf('operations/airtime.yaml', /^ {6}(?=(?:network|phone|amount|ported|kind): \{)/gm, '    ');
  expect(causesOf(problems)).toEqual([`7 schema +${problems.length - 1}`]);
  expect(formatProblems(problems)).toContain(`and ${problems.length - 1} more that may be gone with it: `);
});

test('a name that is missing in many places is shown as one cause', () => {
  const problems = problemsOf('replies.yaml', '  purchase:', '  purchse:');
  const [first, ...rest] = byCause(problems);
  expect(first!.problem.message).toBe('there is no block `purchase`');
  expect(first!.others.length).toBeGreaterThan(5);
  expect(rest).toEqual([]);
  const table = byCause(problemsOf('networks.yaml', '  network:', '  netwrk:'));
  expect(table[0]!.problem.message).toMatch(/`network`$/);
  expect(table[0]!.others.map(({ code }) => code)).toEqual(expect.arrayContaining(['unknown-table', 'unknown-transform']));
});

test('the problems after a broken line of YAML count to the cause in that line', () => {
  const problems = problemsOf('replies.yaml', '    success: { success: true }', '   success: { success: true }');
  expect(problems.length).toBeGreaterThan(1);
  expect(byCause(problems).length).toBe(1);
});

test('a cause of many problems is listed before a single problem, and no problem is lost', () => {
  const problems = [
    ...problemsOf('format-a.yaml', 'title:', 'titel:'),
    ...problemsOf('replies.yaml', '  purchase:', '  purchse:'),
  ];
  const causes = byCause(problems);
  expect(causes[0]!.problem.code).toBe('unknown-block');
  expect(causes.flatMap(({ problem, others }) => [problem, ...others]).length).toBe(problems.length);
  expect(causes.some(({ problem, others }) => problem.code === 'unknown-key' && others.length === 0)).toBe(true);
});

test('two problems of one kind are listed one by one', () => {
  const problems = problemsOf('callers.yaml', 'reconnect: 3s', 'reconnect: 3');
  expect(byCause([...problems, ...problems]).map(({ others }) => others.length)).toEqual([0, 0]);
  expect(byCause([])).toEqual([]);
});
