/** The built program: its commands come from one file and print the same as those from many files. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { placeProgram } from '../docs/place-program';
import { MAPPINGS, copyMappings } from '../mapping/mapping-set';
import { newFolder } from '../new-folder';

let dist: string;
let cwd: string;
let broken: string;
beforeAll(async () => {
  const house = newFolder();
  placeProgram(house);
  dist = join(house, 'dist');
  cwd = join(newFolder(), 'elsewhere');
  mkdirSync(cwd);
  broken = copyMappings(join(newFolder(), 'mappings'));
  writeFileSync(join(broken, 'request-id.yaml'), 'request_id: [\n');
});

function evaluate(script: string, ...words: readonly string[]) {
  const env = { PATH: process.env['PATH'], DATA_DIR: join(cwd, 'data'), MAPPINGS_DIR: MAPPINGS };
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', script, '--', ...words], { cwd, env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

const SALE = [
  'http://h/api/topup/',
  '-H',
  'Authorization: Token K:1234',
  '-d',
  '{"network":2,"mobile_number":"08051234567","amount":100}',
];

test.each([
  ['--help'],
  ['orders', 'lst'],
  ['no-such-command'],
  ['config'],
  // The texts of the rules are in docs/rules, the demo's shop in sandbox.
  ['check', () => broken],
  ['demo', '--mood', 'none'],
  // The places of the rules of a set that the build has checked are those of the files.
  ['explain', 'curl', ...SALE],
  ['orders', 'list'],
] as (string | (() => string))[][])('`%s` prints the same from one file as from many', (...given) => {
  const words = given.map((word) => (typeof word === 'string' ? word : word()));
  const one = evaluate(`require(process.argv[1])`, join(dist, 'cli', 'main.js'), ...words);
  const many = evaluate(`require(process.argv[1]).runProgram(process.argv.slice(2))`, join(dist, 'cli', 'program.js'), ...words);
  expect(one).toEqual(many);
  expect(`${one.stdout}${one.stderr}`).not.toBe('');
  // A command that only reads leaves no file behind.
  expect(readdirSync(cwd)).toEqual([]);
});

test.each(['serve.js', 'cli.js'])('%s is ASCII: V8 would hold it in two bytes a character otherwise', (name) => {
  expect(readFileSync(join(dist, 'one-file', name), 'utf8').match(/[^\0-\x7f].*/)).toBeNull();
});

test('runs under its own name, as npx runs it in a clone', () => {
  const { status, stdout, error } = spawnSync(join(dist, 'cli', 'main.js'), ['--version'], { cwd, encoding: 'utf8' });
  expect({ status, stdout, error }).toEqual({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), error: undefined });
});

test.each([
  ['fingerprint', ['cli/main.js', 'one-file/cli.js']],
  ['serve', ['cli/main.js', 'cli/program.js', 'domain/project-folder.js', 'one-file/serve.js']],
])('all modules that `%s` loads', (command, files) => {
  const loaded = `Object.keys(require.cache).filter((file) => !file.includes('node_modules')).map((file) => file.split('/').slice(-2).join('/'))`;
  const script = `require(process.argv[1]); process.once('exit', () => console.error(${loaded}.sort().join(' ')))`;
  expect(evaluate(script, join(dist, 'cli', 'main.js'), command, '--help')).toMatchObject({ stderr: `${files.join(' ')}\n` });
});
