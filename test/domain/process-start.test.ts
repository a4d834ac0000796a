import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { startOf } from '../../src/domain/process-start';

test('a process keeps its start time, another process has another, and an ended one has none', async () => {
  expect(startOf(process.pid)).not.toBe('');
  expect(startOf(process.pid)).toBe(startOf(process.pid));
  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  expect(startOf(child.pid!)).not.toBe(startOf(process.pid));
  child.kill();
  await once(child, 'exit');
  expect(startOf(child.pid!)).toBe('');
});

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('one that has ended, and whose parent has not asked how, runs no more', async () => {
  const parent = spawn('sh', ['-c', 'true & echo $!; exec sleep 60']);
  const [bytes] = (await once(parent.stdout, 'data')) as [Buffer];
  const dead = Number(bytes.toString());
  for (let tries = 0; tries < 100 && startOf(dead) !== ''; tries += 1) await sleep(10);
  expect(startOf(dead)).toBe('');
  parent.kill();
  await once(parent, 'exit');
});
