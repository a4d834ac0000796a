// Whether anything grows: the built gateway for ten minutes at 70 % of a core, in front of a sandbox that loses, delays and breaks
// one sale in fifty (each of its ten moods in turn).
//   npm run bench:soak -- [--minutes 10] [--load 0.7] [--rate 0] [--connections 512]
// `--rate` asks so often per second, whatever that takes. Prints every minute; then the last third beside the first, and
// whether v1's books balance with no order sold twice.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ask, gatewayEnvironment, urlOf } from './gateway-process.mjs';
import { medians, quantile } from './gateway-report.mjs';

const bench = dirname(fileURLToPath(import.meta.url));
const house = dirname(bench);
const REQUEST = 'airtime, format B, in trouble';
const CALIBRATION = { seconds: 30, rate: 150 };
const TICKS_PER_SECOND = 100;
const NAIRA = 10_000_000_000;

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    load: { type: 'string', default: '0.7' },
    rate: { type: 'string', default: '0' },
    connections: { type: 'string', default: '512' },
  },
});
const [minutes, load, wantedRate, connections] = ['minutes', 'load', 'rate', 'connections'].map((name) => Number(options[name]));

const { openSandbox } = createRequire(import.meta.url)('../dist/sandbox/sandbox.js');
const folder = mkdtempSync(join(tmpdir(), 'bench-soak-'));
const sandbox = await openSandbox({ relaxed: true });
sandbox.admin.fundWallet('sandbox_demo', NAIRA);
const { url: v1Url } = await sandbox.listen(0);
const log = openSync(join(folder, 'log'), 'a');
const gateway = fork(join(house, 'dist/cli/main.js'), ['serve'], {
  cwd: folder,
  env: gatewayEnvironment(folder, v1Url, house),
  stdio: ['ignore', log, log, 'ipc'],
});
const scripts = fork(join(bench, 'gateway-load.mjs'));
try {
  const url = await urlOf(gateway, join(folder, 'log'));
  const order = { url, name: REQUEST, connections, isKept: false };
  const cold = await ask(scripts, { ...order, run: 'cold', ...CALIBRATION });
  const before = processorSeconds();
  const warm = await ask(scripts, { ...order, run: 'warm', ...CALIBRATION });
  const rate = wantedRate || Math.floor((load * warm.requests) / (processorSeconds() - before));
  console.log(`${rate} sales a second for ${minutes} minutes, Node ${process.version}`);
  const soaking = ask(scripts, { ...order, run: 'soak', seconds: minutes * 60, rate, isTold: true });
  const sizes = [];
  for (let minute = 0; minute < minutes; minute += 1) {
    await sleep(60_000);
    sizes.push(sizeOfGateway());
    console.log(`minute ${minute + 1}: ${JSON.stringify(sizes.at(-1))}`);
  }
  const soaked = await soaking;
  report(rowsOf(soaked.told, sizes), [cold, warm, soaked]);
} finally {
  gateway.kill('SIGTERM');
  if (gateway.exitCode === null) await once(gateway, 'exit');
  scripts.disconnect();
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Of all threads of the gateway. */
function processorSeconds() {
  const stat = readFileSync(`/proc/${gateway.pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) / TICKS_PER_SECOND;
}

function sizeOfGateway() {
  const status = readFileSync(`/proc/${gateway.pid}/status`, 'utf8');
  const megabytes = (name) => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024);
  return {
    // Its own memory, and beside it what it has read of the journal's file: pages of the system's cache, which grow with the journal.
    'memory MB': megabytes('RssAnon'),
    'mapped MB': megabytes('RssFile'),
    files: readdirSync(`/proc/${gateway.pid}/fd`).length,
  };
}

/** One for each minute in which scripts asked. */
function rowsOf(told, sizes) {
  const from = Math.min(...told.map(({ at }) => at));
  return sizes.map((size, minute) => {
    const times = told.filter(({ at }) => Math.floor((at - from) / 60_000) === minute).map(({ ms }) => ms);
    return { 'sales/s': times.length / 60, 'p50 ms': quantile(times, 0.5), 'p95 ms': quantile(times, 0.95), ...size };
  });
}

function report(rows, takes) {
  const third = Math.max(1, Math.floor(rows.length / 3));
  const [first, last] = [medians(rows.slice(0, third)), medians(rows.slice(-third))];
  console.table(
    Object.fromEntries(
      Object.keys(first).map((name) => [
        name,
        { first: +first[name].toFixed(1), last: +last[name].toFixed(1), 'last / first': +(last[name] / first[name]).toFixed(2) },
      ]),
    ),
  );
  const sum = (name) => takes.reduce((total, take) => total + take[name], 0);
  const { isBalanced, faults } = sandbox.admin.checkLedger();
  console.log(`Asked ${sum('requests')}, not answered ${sum('broken')}, told otherwise than 200 ${sum('refused')}.`);
  console.log(`v1 has ${sandbox.admin.countOrders()} orders; its books balance: ${isBalanced}, faults: ${faults.length}.`);
}
