// What a purchase costs the gateway, everything on, beside programs that people would use instead or build by hand: `npm run bench:peers`.
//   npm run bench:peers -- [--rounds 5] [--seconds 2] [--warm-up 30000] [--node 24] [--only 'new connections'] [--peers ../shared/bench]
// Each program has one core, scripts and v1 share the other; one is asked at a time, and in each round all have their turn. Prints
// medians, and the gateway's figure to each peer's of the same round: the median of the ratios, the lowest and the highest.
import { execFileSync, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findNode } from '../scripts/find-node.mjs';
import { ask } from './gateway-process.mjs';
import { medians } from './gateway-report.mjs';
import { REQUESTS } from './gateway-requests.mjs';
import { eachMessage } from './gateway-wire.mjs';
import { freePort, installed, LINE_UP } from './peers/line-up.mjs';

const bench = dirname(fileURLToPath(import.meta.url));
const REQUEST = 'airtime, format B';
const CORE_OF_PROGRAM = 0;
const CORE_OF_OTHERS = 1;
const START_LIMIT_MS = 20_000;
const WARM_UP_SECONDS_MAX = 120;
const MICROS_PER_TICK = 10_000;
const LOADS = {
  'kept connections, 64 at a time': { connections: 64, isKept: true, rate: 0 },
  'new connections, 64 at a time': { connections: 64, isKept: false, rate: 0 },
  '500 purchases a second, kept': { connections: 64, isKept: true, rate: 500 },
  '2,000 in flight, kept': { connections: 2_000, isKept: true, rate: 0 },
};
/** Figures of which less is better; memory is the process's own, without mapped files. */
const COMPARED = ['CPU µs', 'p50 ms', 'p99 ms', 'memory MB'];

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    'warm-up': { type: 'string', default: '30000' },
    node: { type: 'string', default: '24' },
    only: { type: 'string', default: '' },
    peers: { type: 'string', default: join(bench, '../../shared/bench') },
  },
});
const [rounds, seconds, warmUp] = ['rounds', 'seconds', 'warm-up'].map((name) => {
  const number = Number(options[name]);
  if (!(number > 0)) throw new Error(`--${name}: "${options[name]}" is no number above 0.`);
  return number;
});
const loads = Object.keys(LOADS).filter((name) => name.includes(options.only));
if (loads.length === 0)
  throw new Error(`--only: no load has "${options.only}" in its name; there are: ${Object.keys(LOADS).join('; ')}.`);
const peers = resolve(options.peers);
const node = findNode(options.node);

const v1 = fork(join(bench, 'gateway-v1.mjs'), [], { env: { ...process.env, BENCH_CATALOG: '{"status":"success","data":[]}' } });
const [{ url: v1Url }] = await once(v1, 'message');
const scripts = fork(join(bench, 'gateway-load.mjs'));
for (const { pid } of [v1, scripts]) pin(pid, CORE_OF_OTHERS);

const programs = [];
try {
  for (const title of installed(peers)) await open(title);
  for (const program of programs)
    await load(program, { ...LOADS[loads[0]], rate: 0, seconds: WARM_UP_SECONDS_MAX, requestsMax: warmUp });
  for (const name of loads) {
    for (let round = 0; round < rounds; round += 1)
      for (const program of round % 2 === 0 ? programs : programs.toReversed()) await measure(program, name);
    report(name);
  }
} finally {
  for (const { processes, folder } of programs) await close(processes, folder);
  scripts.disconnect();
  v1.disconnect();
}

async function open(title) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-peers-'));
  const port = await freePort();
  const processes = await LINE_UP[title].start({ folder, node, peers, port, v1Port: new URL(v1Url).port });
  for (const child of processes) child.once('exit', (code) => code > 0 && console.error(`${title} ended: ${logOf(folder)}`));
  const program = { title, folder, port, processes, taken: Object.fromEntries(loads.map((name) => [name, []])) };
  programs.push(program);
  await sellOne(program);
  for (const pid of pidsOf(program)) pin(pid, CORE_OF_PROGRAM);
}

/** One sale, as soon as the program serves: what is measured must be a purchase. */
async function sellOne({ title, port, folder }) {
  const until = Date.now() + START_LIMIT_MS;
  for (;;) {
    const answer = await askOnce(port, REQUESTS[REQUEST].request(1, `first-${Date.now()}`)).catch((error) => ({
      head: error.message,
      body: '',
    }));
    if (answer.head.startsWith('HTTP/1.1 200') && /"Status": ?"successful"/.test(answer.body)) return;
    if (Date.now() > until) throw new Error(`${title} does not sell: ${answer.head} ${answer.body}\n${logOf(folder)}`);
    await sleep(100);
  }
}

function askOnce(port, bytes) {
  return new Promise((done, reject) => {
    const socket = connect(port, '127.0.0.1').once('error', reject);
    socket.once('close', () => reject(new Error('hung up')));
    eachMessage(socket, (head, body) => {
      done({ head, body });
      socket.destroy();
    });
    socket.write(bytes);
  });
}

function logOf(folder) {
  return readFileSync(join(folder, 'log'), 'utf8').slice(-500);
}

function load({ port }, order) {
  return ask(scripts, { ...order, url: `http://127.0.0.1:${port}`, name: REQUEST, run: randomUUID() });
}

async function measure(program, name) {
  const before = processorMicros(program);
  const took = await load(program, { ...LOADS[name], seconds });
  const cpuMicros = processorMicros(program) - before;
  const { requests, tookMs, refused, broken, sample } = took;
  if (refused + broken > 0) console.error(`${program.title}, ${name}: ${refused} refused, ${broken} broken, such as ${sample}`);
  program.taken[name].push({
    'requests/s': (requests / tookMs) * 1_000,
    'CPU µs': cpuMicros / requests,
    'p50 ms': took.p50Ms,
    'p99 ms': took.p99Ms,
    'memory MB': memoryMegabytes(program),
  });
}

function report(name) {
  const ours = programs.find(({ title }) => title === 'gateway').taken[name];
  const [figures, ratios] = [{}, {}];
  for (const { title, taken } of programs) {
    figures[title] = Object.fromEntries(
      Object.entries(medians(taken[name])).map(([figure, value]) => [figure, +value.toFixed(value < 100 ? 2 : 0)]),
    );
    if (title === 'gateway') continue;
    ratios[title] = Object.fromEntries(COMPARED.map((figure) => [figure, spreadOf(ours, taken[name], figure)]));
  }
  console.log(`\n${name}: ${rounds} rounds of ${seconds} s, medians, Node ${options.node}, ${availableParallelism()} cores`);
  console.table(figures);
  console.log('The gateway to each of them: the median of the ratios (the lowest to the highest)');
  console.table(ratios);
}

function spreadOf(ours, theirs, figure) {
  const ratios = ours.map((row, round) => row[figure] / theirs[round][figure]).toSorted((a, b) => a - b);
  const [least, middle, most] = [ratios[0], ratios[ratios.length >> 1], ratios.at(-1)].map((ratio) => ratio.toFixed(2));
  return `${middle} (${least} to ${most})`;
}

/** The processes of a program and all that they started. */
function pidsOf({ processes }) {
  const parents = new Map();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const fields = statOf(name);
    if (fields !== undefined) parents.set(Number(name), Number(fields[1]));
  }
  const own = new Set(processes.map(({ pid }) => pid));
  for (let size = 0; size !== own.size;) {
    size = own.size;
    for (const [pid, parent] of parents) if (own.has(parent)) own.add(pid);
  }
  return [...own];
}

function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined; // It has ended.
  }
}

function processorMicros(program) {
  const ticks = pidsOf(program).map((pid) => statOf(pid)?.slice(11, 13) ?? [0, 0]);
  return ticks.flat().reduce((sum, count) => sum + Number(count), 0) * MICROS_PER_TICK;
}

function memoryMegabytes(program) {
  const kilobytes = pidsOf(program).map((pid) =>
    Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0),
  );
  return kilobytes.reduce((sum, size) => sum + size, 0) / 1024;
}

function pin(pid, core) {
  execFileSync('taskset', ['-acp', String(core), String(pid)]);
}

async function close(processes, folder) {
  for (const child of processes.toReversed()) {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
}
