import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { playHistory } from './history';

const ROOT = resolve(__dirname, '..', '..');
// A few thousand by default, for a developer who waits. CI plays more.
const ORDERS = Number(process.env['SIMULATED_ORDERS'] ?? 3_000) / 2;

test('the same seed gives the same history, to the last step', async () => {
  for (const seed of [7, 181]) {
    const [first, second] = [await playHistory({ seed }), await playHistory({ seed })];
    expect([second.digest, second.events]).toEqual([first.digest, first.events]);
  }
  expect((await playHistory({ seed: 8 })).digest).not.toBe((await playHistory({ seed: 7 })).digest);
});

// Each of these seeds once broke an invariant.
test.each([3, 6, 20, 47, 97, 181, 711893511])('the history of seed %i violates no invariant', async (seed) => {
  expect((await playHistory({ seed })).violations).toEqual([]);
});

/** Runs `npm run simulate` in a process of its own, where it is twice as fast as inside the test runner. */
function simulate(...options: string[]): Promise<{ readonly code: number | null; readonly text: string }> {
  return new Promise((done) => {
    const hook = resolve(ROOT, 'test', 'journal', 'run-typescript.cjs');
    const args = ['--max-semi-space-size=64', '-r', hook, resolve(ROOT, 'bench', 'simulate.ts'), ...options];
    const child = spawn(process.execPath, args, { cwd: ROOT });
    const parts: string[] = [];
    child.stdout.on('data', (part: Buffer) => parts.push(part.toString()));
    child.stderr.on('data', (part: Buffer) => parts.push(part.toString()));
    child.once('close', (code) => done({ code, text: parts.join('') }));
  });
}

test(`${2 * ORDERS} orders of random seeds violate no invariant`, async () => {
  const runs = await Promise.all(['1', '2'].map((processes) => simulate('--orders', String(ORDERS), '--processes', processes)));
  for (const { code, text } of runs) {
    // The first two lines show the seeds and the rate.
    process.stdout.write(`simulation: ${text.split('\n').slice(0, 2).join('; ')}\n`);
    if (code !== 0) throw new Error(text);
  }
}, 900_000);

test('npm run simulate exits with 1 and prints the steps when an invariant does not hold', async () => {
  const { code, text } = await simulate('--seed', '1', '--orders', '50', '--mutant', 'a pending order counts as sold');
  expect(code).toBe(1);
  expect(text).toContain('success is true: ');
  expect(text).toContain('script ← ');
}, 60_000);
