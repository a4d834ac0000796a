/** deploy/compat-gateway.service as systemd reads it and as the program needs it. */
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

test('a stop has time for the drain, for the orders under way and for the work after them', () => {
  const drain = Number(CONFIG_KEYS.find(({ name }) => name === 'DRAIN_SECONDS')?.fallback);
  expect(Number(valueOf('TimeoutStopSec'))).toBeGreaterThanOrEqual(drain + STOP_DEADLINE_MS / 1_000 + 10);
  // With WORKERS the first signal must reach only the first process, and the last SIGKILL must reach all.
  expect(valueOf('KillMode')).toBe('mixed');
});

test('where the system kills one worker for want of memory, the others serve on', () => {
  expect(valueOf('OOMPolicy')).toBe('continue');
});

test('its settings exist, its folders are those that it may write, and a reload signals one process', () => {
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

  test('finds no fault in it', () => {
    const { status, stderr, stdout } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  });

  test('rates it as well confined: it may do almost nothing besides serving', () => {
    // From 0 (confined) to 10, at most 2: its own network and compiled code remain.
    const args = ['security', '--offline=true', '--no-pager', '--threshold=20', file];
    expect(execFileSync('systemd-analyze', args, { encoding: 'utf8' })).toMatch(/Overall exposure level .*: [01]\.\d OK/);
  });
});
