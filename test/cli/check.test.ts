import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyMappings, editFile, MAPPINGS } from '../mapping/mapping-set';
import { runHere, withSettings } from './run-here';

let folder: string;
beforeEach(() => (folder = copyMappings()));
withSettings(() => ({}));

const run = (...args: readonly string[]): ReturnType<typeof runHere> => runHere('check', ...args);

const edit = (file: string, from: string | RegExp, to: string): void => editFile(join(folder, file), from, to);

test('a sound folder gives one line and exit code 0', async () => {
  expect(await run(folder)).toEqual({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(/^\d+ formats, \d+ operations, \d+ routes: no problems \(hash [0-9a-f]{16}\)\.\n$/),
  });
});

test('an error is told with place, rule, hint and line, and gives exit code 1', async () => {
  edit('format-a.yaml', 'numbers:', 'numbrs:');
  const { code, stdout } = await run(folder);
  expect(code).toBe(1);
  const lines = stdout.split('\n');
  expect(lines[0]).toMatch(/format-a\.yaml:\d+:1 {2}unknown-key {2}unknown key `numbrs`$/);
  expect(lines[1]).toBe('    did you mean `numbers`?');
  expect(lines[2]).toMatch(/^ {4}\d+ \| numbrs: /);
  expect(lines[3]).toMatch(/^ {4} +\| \^$/);
  expect(lines.at(-2)).toBe('1 error: these mappings cannot be used.');
});

test('every problem has a hint: its own, or the advice of its rule', async () => {
  edit('replies.yaml', 'status: fail,', 'status: queued,');
  edit('replies.yaml', 'not_found: Not found.', "not_found: ''");
  const { stdout } = await run(folder, '--json');
  expect(JSON.parse(stdout)).toMatchObject([
    { code: 'failure-word-misread', hint: 'use `fail`' },
    { code: 'text-empty', hint: expect.stringContaining('Write a sentence') },
  ]);
});

test('warnings fail the command only above the allowed number', async () => {
  edit('replies.yaml', /^blocks:$/m, 'blocks:\n  spare: { always: { x: 1 } }');
  expect(await run(folder)).toMatchObject({ code: 0, stdout: expect.stringContaining('(warning)') });
  expect((await run(folder, '--max-warnings', '1')).code).toBe(0);
  expect((await run(folder, '--max-warnings', '0')).code).toBe(1);
});

test('--json and --format sarif print the same problems for programs', async () => {
  edit('replies.yaml', 'http: 400', 'http: 200');
  const { code, stdout } = await run(folder, '--json');
  expect(code).toBe(1);
  const [problem] = JSON.parse(stdout);
  expect(problem).toMatchObject({ code: 'outcome-http', severity: 'error', frame: expect.stringContaining('^') });
  expect(JSON.parse((await run(folder, '--format', 'json')).stdout)).toEqual([problem]);
  expect(JSON.parse((await run(folder, '--format', 'sarif')).stdout).runs[0].results[0]).toMatchObject({
    ruleId: 'outcome-http',
    locations: [{ physicalLocation: { region: { startLine: problem.line, startColumn: problem.column } } }],
  });
});

test('--fix repairs what is safe, keeps comments, and says which files it wrote', async () => {
  edit('request-id.yaml', '[request-id, ', '[request-id, request-id, ');
  edit('operations/data.yaml', 'POST /api/data,', 'POST /api//data/,');
  const before = ['request-id.yaml', 'operations/data.yaml'].map((file) => readFileSync(join(MAPPINGS, file), 'utf8'));
  const { code, stdout } = await run(folder, '--fix');
  expect(code).toBe(0);
  expect(stdout).toMatch(/operations\/data\.yaml: mended\n.*request-id\.yaml: mended\n.*no problems/);
  expect(['request-id.yaml', 'operations/data.yaml'].map((file) => readFileSync(join(folder, file), 'utf8'))).toEqual(before);
});

test('a mapping folder that does not exist is a problem', async () => {
  process.env['MAPPINGS_DIR'] = join(folder, 'nowhere');
  expect(await run()).toMatchObject({ code: 1, stdout: expect.stringContaining('unreadable-folder') });
});

test('one cause with many effects is shown once and first; --all and --json show each effect', async () => {
  edit('replies.yaml', '  purchase:', '  purchse:');
  const count = (text: string): number => text.match(/ {2}unknown-block {2}/g)!.length;
  const short = (await run(folder)).stdout;
  expect(count(short)).toBe(1);
  expect(short).toMatch(/ {4}and \d+ more that may be gone with it: .*:\d+, .*, …; --all tells each/);
  const all = count((await run(folder, '--all')).stdout);
  expect(all).toBeGreaterThan(5);
  expect((JSON.parse((await run(folder, '--json')).stdout) as unknown[]).length).toBe(all);
  expect(short).toContain(`${all} errors: these mappings cannot be used.`);
});
