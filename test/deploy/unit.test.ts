/** deploy/compat-gateway.service, as systemd reads it and as the program needs it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONFIG_KEYS } from '../../src/config';
import { STOP_DEADLINE_MS } from '../../src/main';
import { DEPLOY } from '../fleet/start-fleet';
import { describeWith } from './installed';
import { newFolder } from '../new-folder';

const unit = readFileSync(join(DEPLOY, 'compat-gateway.service'), 'utf8');
const valueOf = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

test('a stop has the time of the drain, of the orders under way and of what follows them', () => {
  const drain = Number(CONFIG_KEYS.find(({ name }) => name === 'DRAIN_SECONDS')?.fallback);
  expect(Number(valueOf('TimeoutStopSec'))).toBeGreaterThanOrEqual(drain + STOP_DEADLINE_MS / 1_000 + 10);
  // With WORKERS a signal to all would be heard by the first process alone, and the last SIGKILL must reach all.
  expect(valueOf('KillMode')).toBe('mixed');
});

test('its settings are settings, its folders are those that it may write, and a reload is the signal of one', () => {
  const settings = valueOf('Environment').split(' ').map((pair) => pair.split('=') as [string, string]); // prettier-ignore
  for (const [name, value] of settings) {
    expect(CONFIG_KEYS.map((key) => key.name)).toContain(name);
    if (name.endsWith('_DIR')) expect(value.startsWith(`/var/lib/${valueOf('StateDirectory')}/`)).toBe(true);
  }
  expect(valueOf('ExecReload')).toContain('-HUP');
  expect(readFileSync(join(DEPLOY, 'logrotate.conf'), 'utf8')).toContain(`/var/log/${valueOf('LogsDirectory')}/`);
  expect(Number(valueOf('LimitNOFILE'))).toBeGreaterThanOrEqual(20_000);
});

describeWith('systemd-analyze', ['--version'], 'systemd', () => {
  let file: string;
  const folder = newFolder();
  beforeAll(() => {
    file = join(folder, 'compat-gateway.service');
    writeFileSync(file, unit.replace('/usr/bin/node', process.execPath));
  });

  test('finds nothing wrong with it', () => {
    const { status, stderr, stdout } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  });

  test('calls it well shut in: what it may do beyond serving is next to nothing', () => {
    // From 0 (shut in) to 10: 2 at most. Its own network and compiled code are what is left.
    const args = ['security', '--offline=true', '--no-pager', '--threshold=20', file];
    expect(execFileSync('systemd-analyze', args, { encoding: 'utf8' })).toMatch(/Overall exposure level .*: [01]\.\d OK/);
  });
});
