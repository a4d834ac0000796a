// Durable orders per second of the PostgreSQL journal: each order is opened and settled, both committed (synchronous_commit on).
//   npm run bench:postgres -- [postgres://user:password@host:port/database] [seconds per level] [gateways]
// Without an address it starts Debian's PostgreSQL in a temporary folder. The database should be one for this alone: it is filled.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { randomBytes } from 'node:crypto';

const require = createRequire(import.meta.url);
const { openPostgresJournal } = require('../dist/journal/postgres/postgres-journal.js');

const LEVELS = [1, 64, 1000];
const WARM_UP_MS = 2000;
const NOBODY = 65_534;
const seconds = Number(process.argv[3] ?? 5);
const gateways = Number(process.argv[4] ?? 1);

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

async function measure(url, concurrent) {
  const spoolDir = mkdtempSync(join(tmpdir(), 'bench-spool-'));
  const journals = await Promise.all(Array.from({ length: gateways }, () => openPostgresJournal({ url, spoolDir })));
  const run = randomBytes(4).toString('hex');
  const openMs = [];
  const bothMs = [];
  let next = 0;
  let isRunning = true;
  const loop = async (_, nth) => {
    const journal = journals[nth % gateways];
    while (isRunning) {
      const index = next++;
      const requestId = `${run}-${index.toString(36).padStart(9, '0')}`;
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
  openMs.length = bothMs.length = 0;
  const cpu = process.cpuUsage();
  const start = performance.now();
  await sleep(seconds * 1000);
  const elapsedMs = performance.now() - start;
  const orders = bothMs.length;
  const { user, system } = process.cpuUsage(cpu);
  const [opens, boths] = [openMs.slice(0, orders), bothMs.slice(0, orders)].map((times) => Float64Array.from(times).sort());
  isRunning = false;
  await Promise.all(loops);
  await Promise.all(journals.map((journal) => journal.close()));
  rmSync(spoolDir, { recursive: true });
  return {
    concurrent,
    'orders/s': Math.round((orders / elapsedMs) * 1000),
    'open p50 ms': +quantile(opens, 0.5).toFixed(2),
    'open p99 ms': +quantile(opens, 0.99).toFixed(2),
    'added p50 ms': +quantile(boths, 0.5).toFixed(2),
    'added p99 ms': +quantile(boths, 0.99).toFixed(2),
    'cpu µs/order': Math.round((user + system) / orders),
  };
}

/** Debian's PostgreSQL as it is configured by default, in a folder of its own. */
async function startServer() {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql').sort((a, b) => b - a) : [];
  if (versions.length === 0) throw new Error('Give the address of a database, or install PostgreSQL: apt-get install postgresql');
  const bin = join('/usr/lib/postgresql', versions[0], 'bin');
  const folder = mkdtempSync(join(tmpdir(), 'bench-postgres-'));
  const isRoot = process.getuid() === 0;
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  const user = { cwd: folder, ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}) };
  const data = join(folder, 'data');
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8', '--locale', 'C'], {
    ...user,
    stdio: 'ignore',
  });
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  const settings = ['-c', `port=${port}`, '-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=${folder}`];
  const server = spawn(join(bin, 'postgres'), ['-D', data, ...settings], { ...user, stdio: 'ignore' });
  return {
    url: `postgres://bench@127.0.0.1:${port}/postgres`,
    async end() {
      server.kill('SIGINT');
      await once(server, 'close');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const server = process.argv[2]?.startsWith('postgres') ? { url: process.argv[2], end: async () => {} } : await startServer();
try {
  const where = server.url.replace(/^.*@/, '');
  console.log(
    `PostgreSQL journal at ${where}, open + settle committed, ${gateways} gateway(s) in this process, ${availableParallelism()} cores, Node ${process.version}`,
  );
  const rows = [];
  for (const concurrent of LEVELS) rows.push(await measure(server.url, concurrent));
  console.table(Object.fromEntries(rows.map(({ concurrent, ...row }) => [concurrent, row])));
} finally {
  await server.end();
}
