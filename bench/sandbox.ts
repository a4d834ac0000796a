/**
 * How many purchases per second the sandbox serves over HTTP, and what an order costs in memory. The load comes from another
 * process, so that the two share only the machine.
 */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRealClock, type Clock } from '../src/sandbox/clock';
import { openSandbox } from '../src/sandbox/sandbox';

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 10);
const CONNECTIONS = Number(process.env['BENCH_CONNECTIONS'] ?? 64);
// `tsc --outDir dist-bench` puts this file two folders below the project.
const CONFIG = join(process.cwd(), 'sandbox');

interface LoadResult {
  readonly purchases: number;
  readonly failures: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A clock that leaps each time it is read, so that no rate limit applies and only the wait for the disk is measured. */
function leapingClock(): Clock {
  const real = createRealClock();
  let nowMs = real.now();
  return { ...real, now: () => (nowMs += 2_500) };
}

async function measure(name: string, dataDir: string | undefined, relaxed: boolean): Promise<void> {
  const clock = relaxed ? undefined : leapingClock();
  const sandbox = await openSandbox({ dataDir, relaxed, clock, configDir: CONFIG, seed: 'bench' });
  const { url } = await sandbox.listen(0);
  for (const key of ['acme_live_demo', 'sandbox_demo']) sandbox.admin.fundWallet(key, 10_000_000_000);
  // The gateway meets a sandbox with warm code and warm connections.
  await load(url, 2);
  globalThis.gc?.();
  const before = process.memoryUsage();
  const cpuBefore = process.cpuUsage();
  const ordersBefore = sandbox.admin.countOrders();
  const result = await load(url, SECONDS);
  const cpu = process.cpuUsage(cpuBefore);
  globalThis.gc?.();
  const after = process.memoryUsage();
  const orders = sandbox.admin.countOrders() - ordersBefore;
  const perHundredThousand = (bytes: number) => `${(((bytes / orders) * 100_000) / 1_048_576).toFixed(0)} MiB`;
  console.log(
    [
      name.padEnd(34),
      `${(result.purchases / result.seconds).toFixed(0).padStart(6)} purchases/s`,
      `p50 ${result.p50Ms.toFixed(1)} ms`,
      `p99 ${result.p99Ms.toFixed(1)} ms`,
      `${((cpu.user + cpu.system) / result.purchases).toFixed(0)} µs of CPU each`,
      `failures ${result.failures}`,
      `heap ${perHundredThousand(after.heapUsed - before.heapUsed)} and rss ${perHundredThousand(after.rss - before.rss)} per 100,000 orders (${orders} made)`,
    ].join('  '),
  );
  const report = sandbox.admin.checkLedger();
  if (!report.isBalanced) console.log(`LEDGER: ${report.faults.slice(0, 5).join('; ')}`);
  await sandbox.close();
}

function load(url: string, seconds: number): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const child = fork(join(__dirname, 'sandbox-load.js'), [url, String(seconds), String(CONNECTIONS)]);
    child.once('message', (message) => resolve(message as LoadResult));
    child.once('error', reject);
  });
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-bench-'));
  try {
    await measure('memory, relaxed', undefined, true);
    await measure('LMDB, relaxed', join(folder, 'relaxed'), true);
    await measure('LMDB, each reply after its flush', join(folder, 'durable'), false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

void main();
