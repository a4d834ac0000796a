// `npm run faults`: copies the project, plants the faults of test/planted-faults.yaml into src/ one after another, and runs for each the tests
// that should notice it: the named ones or the test of the file's own name, then those that import the file, then whole sales and histories.
// --list: only whether every fault still finds its text. --only N,M and --from N: by the numbers that --list shows. --quick: only the named tests.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { install, root } from './setup.mjs';

const LAST_RESORT = ['test/flows', 'test/faults', 'test/simulation'];
/** Named tests that take longer hang, which is noticed as well; the last resort may take a while. */
const NAMED_MINUTES_MAX = 2;
const MINUTES_MAX = 20;

const { values: asked } = parseArgs({
  options: { list: { type: 'boolean' }, quick: { type: 'boolean' }, only: { type: 'string' }, from: { type: 'string' } },
});
if (asked.list !== true) install();
const entries = parse(readFileSync(join(root, 'test/planted-faults.yaml'), 'utf8'));
const faults = entries
  .flatMap(({ file, tests, faults: ofFile }) => ofFile.map((fault) => ({ file, tests, ...fault })))
  .map((fault, index) => ({ ...fault, nth: index + 1 }))
  .filter(
    ({ nth }) => (asked.only === undefined || asked.only.split(',').includes(String(nth))) && nth >= Number(asked.from ?? 1),
  );

const lost = faults.flatMap((fault) => complaintOf(fault) ?? []);
for (const complaint of lost) console.error(complaint);
if (asked.list) for (const { nth, file, wrong } of faults) console.log(`${nth}. ${file}: ${wrong}`);
else if (lost.length === 0) process.exitCode = runAll();
if (lost.length > 0) process.exitCode = 1;

function runAll() {
  const copy = copyProject();
  try {
    const rows = faults.map((fault) => tryFault(fault, copy));
    // A suite that fails without a fault as well has noticed nothing.
    const suites = [...new Set(rows.flatMap(({ suite }) => suite ?? []))];
    if (faults.some(({ built }) => built)) build(copy);
    const failing = suites.length === 0 ? [] : runTests(copy, suites, { LONG_TESTS: '1' });
    for (const suite of failing) console.error(`${suite} fails without a fault as well: what it noticed does not count.`);
    const noticed = rows.filter(({ suite }) => suite !== undefined && !failing.includes(suite));
    const missed = rows.filter((row) => !noticed.includes(row));
    console.log(`\n${noticed.length} of ${rows.length} planted faults were noticed.`);
    for (const { fault } of missed) console.log(`NOT NOTICED: ${fault.nth}. ${fault.file}: ${fault.wrong}`);
    return missed.length === 0 ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Plants one fault, runs tests until one fails, and puts the file back. */
function tryFault(fault, copy) {
  const { nth, file, wrong, tests = ownTests(file) } = fault;
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  const startedAt = Date.now();
  writeFileSync(
    path,
    source.replace(patternOf(fault.text), () => fault.with),
  );
  if (fault.built) build(copy);
  const runs = [
    () => (tests.length === 0 ? [] : runTests(copy, ['--bail', ...tests], { LONG_TESTS: '1' }, NAMED_MINUTES_MAX)),
    () => runTests(copy, ['--bail', '--findRelatedTests', file], { QUICK_TESTS: '1' }),
    () => runTests(copy, ['--bail', ...LAST_RESORT], {}),
  ];
  let suites = [];
  for (const run of asked.quick ? runs.slice(0, 1) : runs) if (suites.length === 0) suites = run();
  writeFileSync(path, source);
  const seconds = Math.round((Date.now() - startedAt) / 1_000);
  const [suite] = suites;
  console.log(`${String(nth).padStart(3)}  ${`${seconds} s`.padStart(5)}  ${suite ?? 'NOT NOTICED'}  ${file}: ${wrong}`);
  return { fault, suite };
}

/** The suites with a failed test. A suite that cannot even be loaded is an error of the fault, not a discovery. */
function runTests(copy, words, env, minutesMax = MINUTES_MAX) {
  const args = [join(root, 'node_modules/jest/bin/jest.js'), '--silent', '--maxWorkers=2', '--passWithNoTests', ...words];
  const options = { cwd: copy, env: { ...process.env, ...env }, encoding: 'utf8', timeout: minutesMax * 60_000 };
  const { status, stderr, error } = spawnSync(process.execPath, args, { ...options, maxBuffer: Infinity });
  if (error?.code === 'ETIMEDOUT') return minutesMax === NAMED_MINUTES_MAX ? words.slice(-1) : [];
  // As Jest prints them, also when it stops at the first.
  const suites = [...stderr.matchAll(/^FAIL (\S+)/gm)].map(([, suite]) => suite);
  if (stderr.includes('Test suite failed to run') || (status !== 0 && suites.length === 0)) {
    console.error(`These tests cannot be run:\n${stderr}`);
    return [];
  }
  return suites;
}

function copyProject() {
  const copy = mkdtempSync(join(tmpdir(), 'planted-faults-'));
  for (const name of readdirSync(root)) {
    if (!['.git', 'node_modules', 'dist', 'coverage', 'data'].includes(name))
      cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** For tests that play the built program. */
function build(copy) {
  const { status, stderr } = spawnSync('npm', ['run', '-s', 'build'], { cwd: copy, encoding: 'utf8' });
  if (status !== 0) throw new Error(`The copy cannot be built:\n${stderr}`);
}

function ownTests(file) {
  const test = file.replace(/^src\//, 'test/').replace(/\.ts$/, '.test.ts');
  return existsSync(join(root, test)) ? [test] : [];
}

/** However the formatter breaks its lines. */
function patternOf(text) {
  const tokens = text.match(/[\w$]+|\S/g) ?? [];
  const escaped = tokens.map((token) => token.replace(/[^\w]/g, '\\$&'));
  const parts = escaped.map((token, at) => {
    if (at === 0) return token;
    const isClosing = /^[)\]}]$/.test(tokens[at]);
    const areWords = /[\w$]$/.test(tokens[at - 1]) && /^[\w$]/.test(tokens[at]);
    return `${areWords ? '\\s+' : '\\s*'}${isClosing ? ',?\\s*' : ''}${token}`;
  });
  return new RegExp(parts.join(''), 'g');
}

function complaintOf({ nth, file, text }) {
  const count = (path) => (existsSync(path) ? [...readFileSync(path, 'utf8').matchAll(patternOf(text))].length : 0);
  const found = count(join(root, file));
  if (found === 1) return undefined;
  if (found > 1) return `${nth}. ${file} has the text of this fault ${found} times: ${text}`;
  const elsewhere = readdirSync(join(root, 'src'), { recursive: true })
    .filter((name) => name.endsWith('.ts') && count(join(root, 'src', name)) > 0)
    .map((name) => join('src', name));
  const where = elsewhere.length === 0 ? 'nor has any other file' : `it is now in ${elsewhere.join(', ')}`;
  return `${nth}. ${file} no longer has the text of this fault; ${where}: ${text}`;
}
