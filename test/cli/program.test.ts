import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runHere } from './run-here';
import { newFolder } from '../new-folder';

const COMMANDS = [
  'serve',
  'sandbox',
  'check',
  'explain',
  'family',
  'test',
  'plan',
  'apply',
  'reload',
  'history',
  'rollback',
  'drift',
  'orders',
  'orders list',
  'orders show',
  'orders export',
  'orders report',
  'orders find',
  'orders recheck',
  'orders reconcile',
  'record',
  'demo',
  'doctor',
  'backup',
  'restore',
  'config',
  'fingerprint',
];

const folder = newFolder();
let cwd: jest.SpyInstance;
beforeAll(() => {
  writeFileSync(join(folder, 'a-file'), 'text');
  // Settings are read from the folder in which the command runs.
  cwd = jest.spyOn(process, 'cwd').mockReturnValue(folder);
});
afterAll(() => cwd.mockRestore());

/** Exactly one sentence: nothing on the other stream, no second line, no stack, and where to read more. */
async function expectUsage(line: string, sentence: RegExp, help: string): Promise<void> {
  const { code, stdout, stderr } = await runHere(
    ...line
      .split(' ')
      .filter((word) => word !== '')
      .map((word) => (/^a-file/.test(word) ? join(folder, word) : word)),
  );
  expect({ line, code, stdout }).toEqual({ line, code: 2, stdout: '' });
  expect(stderr).toMatch(/^[A-Z`][^\n]+\.\n$/);
  expect(stderr).not.toMatch(/error:|\bat [\w.]+ \(/);
  expect(stderr).toMatch(sentence);
  expect(stderr).toContain(`(see \`${help} --help\`).`);
}

// These commands ask for this option before they check the others.
const WITH_REQUIRED = ['apply', 'record'];
test.each(COMMANDS.filter((command) => !WITH_REQUIRED.includes(command)))(
  'an option that %s does not have is refused in one sentence',
  async (command) => {
    await expectUsage(`${command} --no-such-option`, /^Unknown option '--no-such-option'/, `compat-gateway ${command}`);
  },
);

test.each([
  'serve',
  'sandbox',
  'demo',
  'doctor',
  'reload',
  'orders list',
  'orders export',
  'orders report',
  'config',
  'fingerprint',
])('%s takes no argument', async (command) => {
  await expectUsage(
    `${command} surplus`,
    /^Too many arguments for '\w+': expected 0 arguments but got 1/,
    `compat-gateway ${command}`,
  );
});

test.each([
  ['', /^`compat-gateway` needs a command: serve, sandbox, check, /, 'compat-gateway'],
  ['chekc', /^Unknown command 'chekc'; did you mean check\?/, 'compat-gateway'],
  ['--no-such-option', /^Unknown option '--no-such-option'/, 'compat-gateway'],
  ['help nothing', /^There is no command 'nothing'/, 'compat-gateway'],
  ['orders', /^`compat-gateway orders` needs a command: list, show, export, report/, 'compat-gateway orders'],
  ['orders lst', /^Unknown command 'lst'; did you mean list\?/, 'compat-gateway orders'],
  ['orders help nothing', /^There is no command 'nothing'/, 'compat-gateway orders'],
  ['orders show', /^Missing required argument 'id'/, 'compat-gateway orders show'],
  ['orders show a b', /^Too many arguments/, 'compat-gateway orders show'],
  ['orders list --since', /^Option '--since <age>' argument missing/, 'compat-gateway orders list'],
  ['orders list --sicne 1h', /^Unknown option '--sicne'; did you mean --since\?/, 'compat-gateway orders list'],
  ...['3x', 'yesterday', '2026-11-21', '-1h', '1.5h', '', '1h30m', '99999999d'].map(
    (age) =>
      [`orders list --since=${age}`, /is invalid: expected an age such as 90m, 24h or 7d/, 'compat-gateway orders list'] as const,
  ),
  ['orders export --since 1y', /expected an age/, 'compat-gateway orders export'],
  ['orders report --since 1y', /expected an age/, 'compat-gateway orders report'],
  ...['0', '-1', '1.5', 'many', '1e3', '99999999'].map(
    (limit) =>
      [`orders list --limit=${limit}`, /is invalid: expected a whole number from 1/, 'compat-gateway orders list'] as const,
  ),
  ['orders list --outcome failed', / is invalid: allowed choices are open, succeeded, /, 'compat-gateway orders list'],
  ['orders export --format xml', /allowed choices are csv, json/, 'compat-gateway orders export'],
  ['orders export --outcome failed', /allowed choices are open, /, 'compat-gateway orders export'],
  ['check . .', /^Too many arguments for 'check'/, 'compat-gateway check'],
  ['check nowhere', /^The folder 'nowhere' cannot be used: there is no such folder/, 'compat-gateway check'],
  ['check --format xml', /allowed choices are human, json, sarif/, 'compat-gateway check'],
  ['check --json --format sarif', /cannot be used with/, 'compat-gateway check'],
  ['check --max-warnings many', /whole number/, 'compat-gateway check'],
  ['test nowhere', /there is no such folder/, 'compat-gateway test'],
  ['test --junit .', /the name of a file is expected/, 'compat-gateway test'],
  ['plan nowhere', /^The folder 'nowhere' cannot be used: there is no such folder/, 'compat-gateway plan'],
  ['plan . .', /^Too many arguments for 'plan'/, 'compat-gateway plan'],
  ['plan --against', /argument missing/, 'compat-gateway plan'],
  ['plan . --against a-file', /it is a file, where a folder is expected/, 'compat-gateway plan'],
  ['apply', /^Required option '--plan <id>' not specified/, 'compat-gateway apply'],
  ['apply --plan 0123456789abcdef --no-such-option', /^Unknown option '--no-such-option'/, 'compat-gateway apply'],
  ['apply --plan latest', /16 hex digits/, 'compat-gateway apply'],
  ['apply . . --plan 0123456789abcdef', /^Too many arguments for 'apply'/, 'compat-gateway apply'],
  ['apply nowhere --plan 0123456789abcdef', /^The folder 'nowhere' cannot be used/, 'compat-gateway apply'],
  ...['0', '-1', '201', 'many', '1e2'].map(
    (rate) => [`demo --rate=${rate}`, /expected a number from 0\.1 to 200/, 'compat-gateway demo'] as const,
  ),
  ['backup', /^Missing required argument 'folder'/, 'compat-gateway backup'],
  ['backup a b', /^Too many arguments/, 'compat-gateway backup'],
  ['restore', /^Missing required argument 'folder'/, 'compat-gateway restore'],
  ['demo --for 1d', /expected a time such as/, 'compat-gateway demo'],
  ['record', /^Required option '--caller <name>' not specified/, 'compat-gateway record'],
  ...['1y', '0s', '25h', '1.5h', 'long'].map(
    (time) => [`record --caller Ada --for ${time}`, /expected a time such as 90s, 10m or 1h/, 'compat-gateway record'] as const,
  ),
  ['record --caller=', /expected 1 to 200 characters/, 'compat-gateway record'],
  ['orders recheck r1 --address nowhere', /expected an IP address/, 'compat-gateway orders recheck'],
  ['record --caller Ada --max 0', /expected a whole number from 1 to 10000/, 'compat-gateway record'],
  ['drift nowhere', /^The folder 'nowhere' cannot be used/, 'compat-gateway drift'],
  ['drift --json --patch', /cannot be used with/, 'compat-gateway drift'],
  ['test . .', /^Too many arguments for 'test'/, 'compat-gateway test'],
  ['test --fail-under most', /expected a number from 0 to 100/, 'compat-gateway test'],
  ['test --fail-under 95', /nothing is measured for --fail-under/, 'compat-gateway test'],
  ['test --fail-under 100.1', /expected a number from 0 to 100/, 'compat-gateway test'],
  ['test --junit', /argument missing/, 'compat-gateway test'],
  ['test --filter', /argument missing/, 'compat-gateway test'],
  ['reload --expect', /argument missing/, 'compat-gateway reload'],
  ['reload --expect zzz', /expected the 16 hex digits that plan, check and history print/, 'compat-gateway reload'],
  ['explain --file', /argument missing/, 'compat-gateway explain'],
  ['explain --file .', /it is a folder, where a file is expected/, 'compat-gateway explain'],
  ['explain --file a-file --order x', /cannot be used with/, 'compat-gateway explain'],
  ['explain --file a-file', /[Ee]xpected a curl command line/, 'compat-gateway explain'],
  ['explain --file a-file curl http://x', /^Either --file or a command line/, 'compat-gateway explain'],
  ['explain --order x curl http://x', /^Either --order or a command line/, 'compat-gateway explain'],
  ['explain curl -X POST', /names no address/, 'compat-gateway explain'],
] as const)('wrong usage `%s` prints one sentence, with exit code 2', async (line, sentence, help) => {
  await expectUsage(line, sentence, help);
});

test('an argument with a line break or of great length is shown on one line', async () => {
  const { code, stderr } = await runHere('orders', 'list', '--since', `a\nb${'x'.repeat(10_000)}`);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^[^\n]{50,600}\n$/);
});

test.each([['--help'], ['-h'], ['help']])('%s lists every command, with exit code 0', async (word) => {
  const { code, stdout, stderr } = await runHere(word);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const command of COMMANDS.filter((name) => !name.includes(' ')))
    expect(stdout).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
});

test.each(COMMANDS)('%s has a help of its own, with its exit codes and an example', async (command) => {
  for (const words of [
    [...command.split(' '), '--help'],
    ['help', ...command.split(' ')],
  ]) {
    const { code, stdout, stderr } = await runHere(...words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: compat-gateway ${command.split(' ')[0]}`);
  }
  const { stdout } = await runHere(...command.split(' '), '--help');
  expect(stdout).toMatch(/Exit codes?: /);
  expect(stdout).toMatch(new RegExp(`^Examples?\\b.*:\\n(?:  .*\\n)*  .*compat-gateway ${command}`, 'm'));
  // A default in milliseconds is none that the command takes.
  expect(stdout).not.toMatch(/default: \d{4,}/);
});

test.each([['--version'], ['-V']])('%s prints the version of package.json', async (word) => {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- what npm reads, read as npm reads it
  const { version } = require('../../package.json') as { version: string };
  expect(await runHere(word)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});
