// Durable orders per second of the LMDB journal: each order is opened and settled, both flushed to disk.
//   npm run build && node bench/journal.mjs [seconds per level] [folder on the disk to measure]
import { createRequire } from 'node:module';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

const require = createRequire(import.meta.url);
const { openLmdbJournal } = require('../dist/journal/lmdb-journal.js');

const LEVELS = [1, 64, 1000];
const WARM_UP_MS = 1000;
const seconds = Number(process.argv[2] ?? 5);
const parent = process.argv[3] ?? tmpdir();

const owner = '0123456789abcdef0123456789abcdef';
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const quantile = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;

function intent(requestId) {
  const fields = { phone: '08030000001', network: 'MTN', amount: 10_000, ported: false };
  const echo = { 'request-id': requestId };
  return { owner, requestId, operation: 'buy_airtime', format: 'b', fields, echo, contentHash: owner, openedAtMs: Date.now() };
}

function outcome(index) {
  const delivery = { charged: 9_800, balanceBefore: 5_000_000, balanceAfter: 4_990_200 };
  return { kind: 'succeeded', message: 'Airtime purchase successful', reference: `TXN${100_000_000_000 + index}`, delivery };
}

async function measure(concurrent) {
  const dir = mkdtempSync(join(parent, 'bench-journal-'));
  const journal = await openLmdbJournal({ dir });
  const openMs = [];
  const bothMs = [];
  let next = 0;
  let isRunning = true;
  const loop = async () => {
    while (isRunning) {
      const index = next++;
      const requestId = `REQ-${index.toString(36).padStart(9, '0')}`;
      const start = performance.now();
      await journal.open(intent(requestId));
      const opened = performance.now();
      await journal.settle(owner, requestId, outcome(index), Date.now());
      openMs.push(opened - start);
      bothMs.push(performance.now() - start);
    }
  };
  const loops = Array.from({ length: concurrent }, loop);
  await sleep(WARM_UP_MS);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  openMs.length = bothMs.length = 0;
  const cpu = process.cpuUsage();
  const start = performance.now();
  await sleep(seconds * 1000);
  const elapsedMs = performance.now() - start;
  const orders = bothMs.length;
  const { user, system } = process.cpuUsage(cpu);
  delay.disable();
  const [opens, boths] = [openMs.slice(0, orders), bothMs.slice(0, orders)].map((times) => Float64Array.from(times).sort());
  isRunning = false;
  await Promise.all(loops);
  await journal.close();
  const bytesPerOrder = Math.round(statSync(join(dir, 'data.mdb')).size / next);
  rmSync(dir, { recursive: true });
  return {
    concurrent,
    'orders/s': Math.round((orders / elapsedMs) * 1000),
    'open p50 ms': +quantile(opens, 0.5).toFixed(2),
    'open p99 ms': +quantile(opens, 0.99).toFixed(2),
    'added p50 ms': +quantile(boths, 0.5).toFixed(2),
    'added p99 ms': +quantile(boths, 0.99).toFixed(2),
    'loop delay p99 ms': +(delay.percentile(99) / 1e6).toFixed(1),
    'loop delay max ms': +(delay.max / 1e6).toFixed(1),
    'cpu µs/order': Math.round((user + system) / orders),
    'bytes/order': bytesPerOrder,
  };
}

console.log(
  `LMDB journal, open + settle durable, ${availableParallelism()} cores, Node ${process.version}, folder under ${parent}`,
);
const rows = [];
for (const concurrent of LEVELS) rows.push(await measure(concurrent));
console.table(Object.fromEntries(rows.map(({ concurrent, ...row }) => [concurrent, row])));
