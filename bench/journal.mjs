// Durable orders per second of the LMDB journal: each order is opened and settled, both flushed to disk.
//   npm run bench:journal -- [--seconds 5] [--folder DIR] [--sizes 10000,1000000,5000000]
// Without sizes: a new journal for each number of orders at a time. With sizes: one journal that grows, measured as it holds so many
// orders, 64 at a time; five million take some 12 GB in the folder and a quarter of an hour.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

const require = createRequire(import.meta.url);
const { openLmdbJournal } = require('../dist/journal/lmdb-journal.js');

const LEVELS = [1, 64, 1000];
const WARM_UP_MS = 1000;
const KEPT_UP = 64;
const FILLING = 2_000;
const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    folder: { type: 'string', default: tmpdir() },
    sizes: { type: 'string', default: '' },
  },
});
const seconds = Number(options.seconds);
const parent = options.folder;
const sizes = options.sizes.split(',').filter((size) => size !== '');
for (const size of sizes) if (!/^[1-9]\d*$/.test(size)) throw new Error(`--sizes: "${size}" is no number of orders.`);

/** Keys of 200 resellers; their orders come in turn, as in a shop they would by chance. */
const owners = Array.from({ length: 200 }, (_, index) => createHash('md5').update(`owner ${index}`).digest('hex'));
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const quantile = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;

function intent(owner, requestId) {
  const fields = { phone: '08030000001', network: 'MTN', amount: 10_000, ported: false };
  const echo = { 'request-id': requestId };
  return { owner, requestId, operation: 'buy_airtime', format: 'b', fields, echo, contentHash: owner, openedAtMs: Date.now() };
}

function outcome(index) {
  const delivery = { charged: 9_800, balanceBefore: 5_000_000, balanceAfter: 4_990_200 };
  return { kind: 'succeeded', message: 'Airtime purchase successful', reference: `TXN${100_000_000_000 + index}`, delivery };
}

/** Opens and settles orders until told to stop; gives how long each took. */
function sell(journal, firstIndex, concurrent, ordersMax = Infinity) {
  const times = { openMs: [], bothMs: [] };
  let next = firstIndex;
  let isRunning = true;
  const loop = async () => {
    while (isRunning && next < ordersMax) {
      const index = next++;
      const owner = owners[index % owners.length];
      // Ids of scripts are clock times, random texts and counters: spread over the whole tree they cost the most.
      const requestId = `REQ-${createHash('md5').update(String(index)).digest('base64url')}`;
      const start = performance.now();
      await journal.open(intent(owner, requestId));
      const opened = performance.now();
      await journal.settle(owner, requestId, outcome(index), Date.now());
      if (ordersMax !== Infinity) continue;
      times.openMs.push(opened - start);
      times.bothMs.push(performance.now() - start);
    }
  };
  const ended = Promise.all(Array.from({ length: concurrent }, loop));
  const stop = async () => {
    isRunning = false;
    await ended;
    return next;
  };
  return { times, ended, stop };
}

/** What orders cost now, of which so many are under way at a time. Gives the figures and how many orders the journal then holds. */
async function measure(journal, firstIndex, concurrent) {
  const { times, stop } = sell(journal, firstIndex, concurrent);
  await sleep(WARM_UP_MS);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  times.openMs.length = times.bothMs.length = 0;
  const cpu = process.cpuUsage();
  const start = performance.now();
  await sleep(seconds * 1000);
  const elapsedMs = performance.now() - start;
  const orders = times.bothMs.length;
  const { user, system } = process.cpuUsage(cpu);
  delay.disable();
  const [opens, boths] = [times.openMs, times.bothMs].map((all) => Float64Array.from(all.slice(0, orders)).sort());
  const held = await stop();
  const figures = {
    'orders/s': Math.round((orders / elapsedMs) * 1000),
    'open p50 ms': +quantile(opens, 0.5).toFixed(2),
    'open p99 ms': +quantile(opens, 0.99).toFixed(2),
    'added p50 ms': +quantile(boths, 0.5).toFixed(2),
    'added p99 ms': +quantile(boths, 0.99).toFixed(2),
    'loop delay p99 ms': +(delay.percentile(99) / 1e6).toFixed(1),
    'loop delay max ms': +(delay.max / 1e6).toFixed(1),
    'cpu µs/order': Math.round((user + system) / orders),
  };
  return { figures, held };
}

async function inNewJournal(run) {
  const dir = mkdtempSync(join(parent, 'bench-journal-'));
  const journal = await openLmdbJournal({ dir });
  try {
    return await run(journal, () => statSync(join(dir, 'data.mdb')).size);
  } finally {
    await journal.close();
    rmSync(dir, { recursive: true });
  }
}

const measureLevel = (concurrent) =>
  inNewJournal(async (journal, bytes) => {
    const { figures, held } = await measure(journal, 0, concurrent);
    return { concurrent, ...figures, 'bytes/order': Math.round(bytes() / held) };
  });

const measureGrowth = () =>
  inNewJournal(async (journal, bytes) => {
    const grown = [];
    let held = 0;
    for (const size of sizes.map(Number)) {
      await sell(journal, held, FILLING, size).ended;
      const measured = await measure(journal, Math.max(held, size), KEPT_UP);
      held = measured.held;
      grown.push({ orders: size, ...measured.figures, 'bytes/order': Math.round(bytes() / held) });
      console.log(JSON.stringify(grown.at(-1)));
    }
    const [first] = grown;
    return grown.map((row) => ({ ...row, 'to the first': +(row['cpu µs/order'] / first['cpu µs/order']).toFixed(2) }));
  });

console.log(
  `LMDB journal, open + settle durable, ${availableParallelism()} cores, Node ${process.version}, folder under ${parent}`,
);
if (sizes.length > 0) {
  const grown = await measureGrowth();
  console.table(Object.fromEntries(grown.map(({ orders, ...row }) => [orders, row])));
} else {
  const rows = [];
  for (const concurrent of LEVELS) rows.push(await measureLevel(concurrent));
  console.table(Object.fromEntries(rows.map(({ concurrent, ...row }) => [concurrent, row])));
}
