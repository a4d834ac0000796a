// How many purchases per second the sandbox serves over HTTP, and what an order costs in memory. The load comes from another
// process, so that the two share only the machine: `npm run bench:sandbox`.
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ask } from './gateway-process.mjs';

const require = createRequire(import.meta.url);
const { createRealClock } = require('../dist/sandbox/clock.js');
const { openSandbox } = require('../dist/sandbox/sandbox.js');

const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const CONNECTIONS = Number(process.env.BENCH_CONNECTIONS ?? 64);

/** A clock that leaps each time it is read, so that no rate limit applies and only the wait for the disk is measured. */
function leapingClock() {
  const real = createRealClock();
  let nowMs = real.now();
  return { ...real, now: () => (nowMs += 2_500) };
}

const scripts = fork(join(dirname(fileURLToPath(import.meta.url)), 'gateway-load.mjs'));

async function measure(name, dataDir, relaxed) {
  const sandbox = await openSandbox({ dataDir, relaxed, clock: relaxed ? undefined : leapingClock(), seed: 'bench' });
  const { url } = await sandbox.listen(0);
  sandbox.admin.fundWallet('acme_live_demo', 10_000_000_000);
  const load = (run, seconds) =>
    ask(scripts, { url, name: 'airtime at v1', run, connections: CONNECTIONS, isKept: true, rate: 0, seconds });
  // The gateway meets a sandbox with warm code and warm connections.
  await load('warm', 2);
  globalThis.gc();
  const before = process.memoryUsage();
  const cpuBefore = process.cpuUsage();
  const ordersBefore = sandbox.admin.countOrders();
  const { requests, tookMs, p50Ms, p99Ms, refused, broken } = await load('sold', SECONDS);
  const cpu = process.cpuUsage(cpuBefore);
  globalThis.gc();
  const after = process.memoryUsage();
  const orders = sandbox.admin.countOrders() - ordersBefore;
  const perHundredThousand = (bytes) => `${(((bytes / orders) * 100_000) / 1_048_576).toFixed(0)} MiB`;
  console.log(
    [
      name.padEnd(34),
      `${((requests / tookMs) * 1_000).toFixed(0).padStart(6)} purchases/s`,
      `p50 ${p50Ms.toFixed(1)} ms`,
      `p99 ${p99Ms.toFixed(1)} ms`,
      `${((cpu.user + cpu.system) / requests).toFixed(0)} µs of CPU each`,
      `failures ${refused + broken}`,
      `heap ${perHundredThousand(after.heapUsed - before.heapUsed)} and rss ${perHundredThousand(after.rss - before.rss)} per 100,000 orders (${orders} made)`,
    ].join('  '),
  );
  const report = sandbox.admin.checkLedger();
  if (!report.isBalanced) console.log(`LEDGER: ${report.faults.slice(0, 5).join('; ')}`);
  await sandbox.close();
}

const folder = mkdtempSync(join(tmpdir(), 'sandbox-bench-'));
try {
  await measure('memory, relaxed', undefined, true);
  await measure('LMDB, relaxed', join(folder, 'relaxed'), true);
  await measure('LMDB, each reply after its flush', join(folder, 'durable'), false);
} finally {
  scripts.disconnect();
  rmSync(folder, { recursive: true, force: true });
}
