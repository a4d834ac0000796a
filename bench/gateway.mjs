// What a request costs the gateway: the built product on the shipped mappings and an LMDB journal, between scripts in one
// process and a v1 that answers at once in another.
//   npm run bench:gateway -- [--rounds 3] [--seconds 2] [--connections 64] [--rate 0] [--only 'airtime, format A'] [--against DIR] [--flags=--max-semi-space-size=32]
// `--rate` asks so often per second instead of as often as possible. `--against` measures another built clone in the same
// rounds and shows its numbers under ours, with the ratio. `--flags` are Node's, for ours only: with `--against .` they
// are what is compared. `--profile` writes a CPU profile of each gateway into that folder.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { REQUESTS } from './gateway-requests.mjs';

const bench = dirname(fileURLToPath(import.meta.url));
/** V8 compiles what it has seen often: so many requests come before a measurement, however slow the machine is. */
const WARM_UP_REQUESTS = 3_000;
const FIRST_WARM_UP_REQUESTS = 12_000;
const WARM_UP_SECONDS_MAX = 60;
const START_LIMIT_MS = 20_000;
/** What the rows of the other clone end with. */
const THAT = ' (against)';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '64' },
    rate: { type: 'string', default: '0' },
    only: { type: 'string', default: '' },
    against: { type: 'string' },
    flags: { type: 'string', default: '' },
    profile: { type: 'string' },
  },
});
const [rounds, seconds, connections, rate] = ['rounds', 'seconds', 'connections', 'rate'].map((name) => Number(options[name]));
const houses = [
  { house: dirname(bench), isOurs: true },
  ...(options.against === undefined ? [] : [{ house: resolve(options.against), isOurs: false }]),
];
const profiling = options.profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', resolve(options.profile)];
const flags = options.flags.split(' ').filter((flag) => flag !== '');
const names = Object.keys(REQUESTS).filter((name) => name.includes(options.only));

const v1 = fork(join(bench, 'gateway-v1.mjs'), [], { env: { ...process.env, BENCH_CATALOG: await sandboxCatalog() } });
const [{ url: v1Url }] = await once(v1, 'message');
const scripts = fork(join(bench, 'gateway-load.mjs'));

const found = new Map();
for (let round = 0; round < rounds; round += 1) {
  // Whoever comes first meets a cooler machine: the order changes.
  for (const measured of round % 2 === 0 ? houses : houses.toReversed()) await measureHouse(measured, round);
}
scripts.disconnect();
v1.disconnect();
console.log(
  `${connections} scripts at a time${rate === 0 ? '' : `, ${rate} requests/s`}, ${rounds} rounds of ${seconds} s, medians; ` +
    `Node ${process.version}, ${availableParallelism()} cores`,
);
console.table(Object.fromEntries([...found].map(([title, rows]) => [title, describe(rows, found.get(title.replace(THAT, '')))])));

/** A gateway of its own for each round: what the compiler of V8 happens to choose differs between processes. */
async function measureHouse(measured, round) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-gateway-'));
  const gateway = startGateway(measured, folder);
  try {
    const url = await urlOf(gateway, join(folder, 'log'));
    let warmUp = FIRST_WARM_UP_REQUESTS;
    for (const name of names) {
      for (const isKept of [true, false]) {
        const run = `${round}-${isKept ? 'kept' : 'new'}`;
        const order = { url, name, connections, isKept, rate };
        const warming = { ...order, run: `${run}-warm`, rate: 0, seconds: WARM_UP_SECONDS_MAX, requestsMax: warmUp };
        await ask(scripts, { ...warming, isFirst: true });
        warmUp = WARM_UP_REQUESTS;
        const before = await ask(gateway, 'begin');
        const took = await ask(scripts, { ...order, run, seconds });
        const after = await ask(gateway, 'end');
        note(`${name}, ${isKept ? 'kept' : 'new'}${measured.isOurs ? '' : THAT}`, took, before, after);
      }
    }
  } finally {
    gateway.kill('SIGTERM');
    if (gateway.exitCode === null) await once(gateway, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

function startGateway({ house, isOurs }, folder) {
  const log = openSync(join(folder, 'log'), 'a');
  return fork(join(house, 'dist/cli/main.js'), ['serve'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_PORT: '0',
      DATA_DIR: folder,
      MAPPINGS_DIR: join(house, 'mappings'),
      UPSTREAM_URL: v1Url,
      LOG_LEVEL: 'info',
    },
    execArgv: ['--expose-gc', '--require', join(bench, 'gateway-probe.cjs'), ...profiling, ...(isOurs ? flags : [])],
    stdio: ['ignore', log, log, 'ipc'],
  });
}

async function urlOf(gateway, logFile) {
  const until = Date.now() + START_LIMIT_MS;
  for (;;) {
    const log = readFileSync(logFile, 'utf8');
    const url = /compat-gateway serves (\S+)/.exec(log)?.[1];
    if (url !== undefined) return url;
    if (gateway.exitCode !== null || Date.now() > until) throw new Error(`The gateway does not serve: ${log}`);
    await sleep(50);
  }
}

function ask(child, question) {
  return new Promise((resolve, reject) => {
    const onExit = (code) => reject(new Error(`A process ended with ${code} while it was asked.`));
    child.once('exit', onExit).once('message', (answer) => {
      child.off('exit', onExit);
      resolve(answer);
    });
    child.send(question);
  });
}

/** A price list as large as a real one: the sandbox's. */
async function sandboxCatalog() {
  const { openSandbox } = createRequire(import.meta.url)('../dist/sandbox/sandbox.js');
  const sandbox = await openSandbox({ relaxed: true });
  const { url } = await sandbox.listen(0);
  const answer = await fetch(`${url}/catalog`, { headers: { authorization: 'Bearer sandbox_demo' } });
  await sandbox.close();
  return answer.text();
}

function note(title, took, before, after) {
  if (took.refused > 0 || took.broken > 0)
    console.error(`${title}: ${took.refused} refused, ${took.broken} broken, such as ${took.sample}`);
  const { requests, tookMs, p50Ms, p99Ms } = took;
  const row = {
    'requests/s': (requests / tookMs) * 1_000,
    'p50 ms': p50Ms,
    'p99 ms': p99Ms,
    'CPU µs': (after.cpuMicros - before.cpuMicros) / requests,
    'loop p99 ms': after.loopMs.p99,
    'loop max ms': after.loopMs.max,
    'heap B/request': (after.heap - before.heap) / requests,
  };
  found.set(title, [...(found.get(title) ?? []), row]);
}

function describe(rows, oursToCompare) {
  const medians = mediansOf(rows);
  const shown = Object.fromEntries(Object.entries(medians).map(([key, value]) => [key, +value.toFixed(value < 100 ? 2 : 0)]));
  if (rows === oursToCompare || oursToCompare === undefined) return shown;
  return { ...shown, 'our CPU / theirs': +(mediansOf(oursToCompare)['CPU µs'] / medians['CPU µs']).toFixed(3) };
}

function mediansOf(rows) {
  return Object.fromEntries(Object.keys(rows[0]).map((key) => [key, median(rows.map((row) => row[key]))]));
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}
