import { spawnSync } from 'node:child_process';
import { builtProgram } from '../docs/place-program';
import { MAPPINGS, useHouse } from '../flows/house';
import { runCommand } from './run-command';
import { runHere, withSettings } from './run-here';

const house = useHouse();
withSettings(() => ({
  DATA_DIR: house.dataDir,
  HOST: '127.0.0.1',
  ADMIN_PORT: new URL(house.service.adminUrl).port,
  UPSTREAM_URL: house.service.upstreamUrl,
}));

test('every finding is printed with what to do, and findings that need action decide the exit code', async () => {
  process.env['TRUSTED_PROXIES'] = '10.0.0.0/8';
  const { code, stdout } = await runHere('doctor');
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^MEND {2}proxies +TRUSTED_PROXIES is wide: 10\.0\.0\.0\/8\.\n +Why: .*\n +Do: {2}Name the proxies one by one/m,
  );
  expect(stdout).toMatch(/^well {2}v1 +v1 answers at/m);
  expect(stdout).toMatch(/\d things? needs? doing\.\n$/);
});

test('--json prints the same, here for an invalid setting', async () => {
  process.env['PORT'] = 'nope';
  const { code, stdout } = await runHere('doctor', '--json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual([
    {
      check: 'settings',
      level: 'mend',
      what: expect.stringMatching(/^PORT must be/) as string,
      why: 'The gateway does not start.',
      todo: expect.any(String) as string,
    },
  ]);
});

test('doctor and config name variables that look like a misspelt setting, and not those of other programs', async () => {
  const foreign = [
    'PGHOST',
    'PORT_X',
    'HOSTNAME',
    'JOURNAL_STREAM',
    'NODE_VERSION',
    'GATEWAY_PORT',
    'WORKER_ID',
    'SLACK_WEBHOOK',
  ];
  for (const name of [...foreign, 'npm_config_data_dir', 'JOURNAL_KEYS', 'UPSTREAMURL']) process.env[name] = 'hunter2';
  const sentence = 'JOURNAL_KEYS in the environment is not a setting; did you mean JOURNAL_KEY?';
  // UPSTREAM_URL is set, so UPSTREAMURL is a variable of its own.
  expect(await runHere('config')).toMatchObject({ code: 0, stderr: `${sentence}\n` });
  const { stdout } = await runHere('doctor', '--json');
  expect((JSON.parse(stdout) as { check: string }[]).filter(({ check }) => check === 'settings')).toEqual([
    expect.objectContaining({ level: 'note', what: sentence }),
  ]);
  expect(stdout).not.toContain('hunter2');
});

test('a key is read from a pipe, checked at v1, and never printed; an invalid key is not repeated', async () => {
  const env = { ADMIN_PORT: '1', UPSTREAM_URL: house.service.upstreamUrl, DATA_DIR: house.dataDir };
  const { stdout } = await runCommand(['doctor', '--key'], { cwd: house.dataDir, env, input: 'sandbox_demo:1234\n' });
  expect(stdout).toMatch(/^well {2}key +The key works: \d+ naira/m);
  expect(stdout).not.toMatch(/sandbox_demo|\b1234\b/);
  const none = await runCommand(['doctor', '--key'], { cwd: house.dataDir, env, input: 'not a key\n' });
  expect(none).toMatchObject({ code: 1, stdout: '', stderr: 'This is not an API key.\n' });
});

test('a low limit of open files is found by the process that has it', () => {
  const words = [builtProgram(), 'doctor', '--json'];
  const { stdout } = spawnSync('sh', ['-c', 'ulimit -n 600; exec "$@"', 'doctor', process.execPath, ...words], {
    env: { PATH: process.env['PATH'], ADMIN_PORT: '1', DATA_DIR: house.dataDir, MAPPINGS_DIR: MAPPINGS },
    encoding: 'utf8',
  });
  expect(JSON.parse(stdout)).toContainEqual(
    expect.objectContaining({ check: 'machine', level: 'mend', what: 'The limit of open files is 600.' }),
  );
});
