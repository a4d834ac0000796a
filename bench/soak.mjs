// Whether anything grows: the built gateway for ten minutes at 70 % of a core, in front of a sandbox that loses, delays and breaks
// one sale in fifty (each of its ten moods in turn).
//   npm run bench:soak -- [--minutes 10] [--load 0.7] [--rate 0] [--connections 512] [--quiet 0]
// `--rate` asks so often per second, whatever that takes. After every minute scripts pause until the last of them is told, and what the gateway holds is counted
// after a forced collection: what is not collected is held. The last minute stands beside the second, when code is compiled; the
// exit code is 1 where held memory or the median has grown beyond a third, and the classes that grew are named. `--quiet` waits so many
// seconds at the end for pending orders to be given up (220): then nothing of them may be left. Where the machine had no processor to spare, times say nothing
// and are not judged. Last it tells whether v1's books balance.
import { fork } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { cpus } from 'node:os';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ask, gatewayEnvironment, openGateway, processorMicros } from './gateway-process.mjs';
import { quantile } from './gateway-report.mjs';
import { growthOf, readClasses } from './heap-classes.mjs';

const bench = dirname(fileURLToPath(import.meta.url));
const house = dirname(bench);
const REQUEST = 'airtime, format B, in trouble';
const CALIBRATION = { seconds: 30, rate: 150 };
const GROWTH_MAX = 4 / 3;
/** Of all cores together. With less spare time than this, a program that wants to run has to wait. */
const IDLE_LEAST = 0.1;
const CLASSES_SHOWN = 12;
const NAIRA = 10_000_000_000;

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    load: { type: 'string', default: '0.7' },
    rate: { type: 'string', default: '0' },
    connections: { type: 'string', default: '512' },
    quiet: { type: 'string', default: '0' },
  },
});
const [minutes, load, wantedRate, connections, quiet] = ['minutes', 'load', 'rate', 'connections', 'quiet'].map((name) =>
  Number(options[name]),
);

const { openSandbox } = createRequire(import.meta.url)('../dist/sandbox/sandbox.js');
const sandbox = await openSandbox({ relaxed: true });
sandbox.admin.fundWallet('sandbox_demo', NAIRA);
const { url: v1Url } = await sandbox.listen(0);
const {
  process: gateway,
  folder,
  url,
  close,
} = await openGateway({
  house,
  environment: (own) => gatewayEnvironment(own, v1Url, house),
  flags: ['--expose-gc', '--require', join(bench, 'gateway-probe.cjs')],
});
const scripts = fork(join(bench, 'gateway-load.mjs'));
try {
  const order = { url, name: REQUEST, connections, isKept: false };
  const cold = await ask(scripts, { ...order, run: 'cold', ...CALIBRATION });
  const before = processorSeconds();
  const warm = await ask(scripts, { ...order, run: 'warm', ...CALIBRATION });
  const rate = wantedRate || Math.floor((load * warm.requests) / (processorSeconds() - before));
  console.log(`${rate} sales a second for ${minutes} minutes, Node ${process.version}`);
  const rows = [];
  const takes = [cold, warm];
  const classes = [];
  for (let minute = 1; minute <= minutes; minute += 1) {
    const row = await soak(minute, { ...order, run: `soak-${minute}`, seconds: 60, rate, isTold: true }, takes);
    rows.push(row);
    console.log(`minute ${minute}: ${JSON.stringify(row)}`);
    if (minute === Math.min(2, minutes) || minute === minutes) classes.push(await classesOfGateway(minute));
  }
  if (quiet > 0) {
    await sleep(quiet * 1_000);
    classes.push(await classesOfGateway('quiet'));
  }
  report(rows, takes, classes);
} finally {
  await close();
  scripts.disconnect();
  await sandbox.close();
}

function processorSeconds() {
  return processorMicros(gateway.pid) / 1e6;
}

/** One minute of sales, and then what the gateway holds. */
async function soak(minute, order, takes) {
  const [usedBefore, idleBefore, startedAt] = [processorSeconds(), idleSeconds(), performance.now()];
  const take = await ask(scripts, order);
  const seconds = (performance.now() - startedAt) / 1_000;
  takes.push(take);
  const times = take.told.map(({ ms }) => ms);
  const share = (used) => +(used / seconds).toFixed(2);
  return {
    'sales/s': Math.round(times.length / order.seconds),
    'p50 ms': +quantile(times, 0.5).toFixed(1),
    'p95 ms': +quantile(times, 0.95).toFixed(1),
    'of a core': share(processorSeconds() - usedBefore),
    idle: share((idleSeconds() - idleBefore) / cpus().length),
    'held MB': +((await ask(gateway, 'heap')) / 2 ** 20).toFixed(1),
    ...sizeOfGateway(),
  };
}

/** Of all cores, in seconds. */
function idleSeconds() {
  return cpus().reduce((sum, { times }) => sum + times.idle, 0) / 1_000;
}

async function classesOfGateway(name) {
  const file = join(folder, `${name}.heapsnapshot`);
  await ask(gateway, { snapshot: file });
  const classes = readClasses(file);
  rmSync(file);
  return classes;
}

function sizeOfGateway() {
  const status = readFileSync(`/proc/${gateway.pid}/status`, 'utf8');
  const megabytes = (name) => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024);
  return {
    // Its own memory with garbage and what the collector keeps for the next, and beside it what it has read of the journal's file: pages
    // of the system's cache, which grow with the journal.
    'memory MB': megabytes('RssAnon'),
    'mapped MB': megabytes('RssFile'),
    files: readdirSync(`/proc/${gateway.pid}/fd`).length,
  };
}

function report(rows, takes, classes) {
  const [first, last] = [rows[Math.min(1, rows.length - 1)], rows.at(-1)];
  const growth = (name) => +(last[name] / first[name]).toFixed(2);
  console.table(
    Object.fromEntries(Object.keys(first).map((name) => [name, { second: first[name], last: last[name], growth: growth(name) }])),
  );
  const hadRoom = rows.every(({ idle }) => idle >= IDLE_LEAST);
  if (!hadRoom) console.log(`Times are not judged: less than ${IDLE_LEAST * 100} % of the machine was idle.`);
  const grown = ['held MB', ...(hadRoom ? ['p50 ms'] : [])].filter((name) => growth(name) > GROWTH_MAX);
  console.log(grown.length === 0 ? 'Nothing grew beyond a third.' : `GREW: ${grown.join(', ')}.`);
  console.log(`What the gateway holds more than at the end of the second minute${quiet > 0 ? ', when all is quiet' : ''}:`);
  console.table(growthOf(classes[0], classes.at(-1), CLASSES_SHOWN));
  const sum = (name) => takes.reduce((total, take) => total + take[name], 0);
  const { isBalanced, faults } = sandbox.admin.checkLedger();
  console.log(`Asked ${sum('requests')}, not answered ${sum('broken')}, told otherwise than 200 ${sum('refused')}.`);
  console.log(`v1 has ${sandbox.admin.countOrders()} orders; its books balance: ${isBalanced}, faults: ${faults.length}.`);
  if (grown.length > 0) process.exitCode = 1;
}
