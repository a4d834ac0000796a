// What a request costs the gateway, everything on, beside programs that people would use instead or build by hand: `npm run bench:peers`.
//   npm run bench:peers -- [--rounds 5] [--seconds 2] [--warm-up 30000] [--node 24] [--only 'new connections|status'] [--peers ../shared/bench]
// Each program has one core, scripts and v1 share the other; one is asked at a time, and in each round all have their turn. Prints
// medians, and the gateway's figure to each peer's of the same round: the median of the ratios, the lowest and the highest.
import { fork } from 'node:child_process';
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
import { ask, openV1 } from './gateway-process.mjs';
import { medians, rounded } from './gateway-report.mjs';
import { REQUESTS } from './gateway-requests.mjs';
import { eachMessage } from './gateway-wire.mjs';
import { freePort, installed, LINE_UP, PURCHASE } from './peers/line-up.mjs';

const bench = dirname(fileURLToPath(import.meta.url));
const CORE_OF_OTHERS = '1';
const START_LIMIT_MS = 20_000;
const WARM_UP_SECONDS_MAX = 120;
/** For a load whose requests have warmed the program up already. */
const WARM_UP_AGAIN = 3_000;
/** A turn at a fixed rate is longer: it has few requests, and one major collection of garbage would be its whole p99. */
const TURNS_AT_A_RATE = 5;
const SLOW_V1_MS = 50;

const kept = { request: PURCHASE, connections: 64, isKept: true, rate: 0 };
const WARM = 'purchases, kept connections';
const LOADS = {
  [WARM]: kept,
  'purchases, new connections': { ...kept, isKept: false },
  'purchases, 500 a second': { ...kept, rate: 500 },
  'purchases, 2,000 in flight': { ...kept, connections: 2_000, v1Ms: SLOW_V1_MS },
  'purchases, 5,000 connections': { ...kept, connections: 5_000, v1Ms: SLOW_V1_MS },
  'purchases, the first thousand': { ...kept, requestsMax: 1_000, isFresh: true },
  'order status': { ...kept, request: 'order status' },
  'plan list': { ...kept, request: 'plan list' },
  'smartcard lookup': { ...kept, request: 'smartcard lookup' },
  'v1 passed through': { ...kept, request: 'v1 passed through' },
};
/** What a right reply contains. */
const RIGHT = {
  [PURCHASE]: [/"Status": ?"successful"/, /"mobile_number": ?"08030000001"/, /"reference": ?"TXN\d+"/],
  'order status': [/"Status": ?"successful"/, /"reference": ?"TXN\d+"/],
  'plan list': [/"id": ?101,/, /"MTN 500MB SME \(30 days\)"/, /"9MOBILE"/],
  'smartcard lookup': [/"Customer_Name": ?"ADA OBI"/],
  'v1 passed through': [/"status":"success"/, /"reference":"TXN\d+"/],
};
/** Figures of which less is better; memory is the process's own, without mapped files. */
const COMPARED = ['CPU µs', 'p50 ms', 'p99 ms', 'memory MB'];

const options = readOptions();
const { rounds, seconds, node } = options;
const loads = Object.keys(LOADS).filter((name) => options.only.split('|').some((words) => name.includes(words)));
const peers = resolve(options.peers);

if (loads.length === 0) fail(`--only: no load's name has "${options.only}". There are: ${Object.keys(LOADS).join('; ')}.`);
const asked = new Set(loads.map((name) => LOADS[name].request));
const titles = installed(peers).filter((title) => LINE_UP[title].answers.some((name) => asked.has(name)));
if (titles.length < 2) fail('None of the peers can be started here.');
const program = findNode(node);

const pinned = { execPath: 'taskset', execArgv: ['-c', CORE_OF_OTHERS, process.execPath] };
const { v1, v1Url } = await openV1(pinned);
const scripts = fork(join(bench, 'gateway-load.mjs'), pinned);

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
const running = [];
let warmFigures = {};
try {
  for (const title of titles)
    running.push(
      await open(
        title,
        LINE_UP[title].answers.filter((name) => asked.has(name)),
      ),
    );
  for (const name of loads) await compare(name);
} finally {
  for (const one of running) await close(one);
  scripts.disconnect();
  v1.disconnect();
}

function readOptions() {
  const text = (value) => ({ type: 'string', default: value });
  const known = { rounds: text('5'), seconds: text('2'), 'warm-up': text('30000'), node: text('24'), only: text('') };
  let values;
  try {
    ({ values } = parseArgs({ options: { ...known, peers: text(join(bench, '../../shared/bench')) } }));
  } catch (error) {
    fail(error.message);
  }
  for (const name of ['rounds', 'seconds', 'warm-up', 'node']) {
    if (!(Number(values[name]) > 0)) fail(`--${name}: "${values[name]}" is no number above 0.`);
    values[name] = Number(values[name]);
  }
  return values;
}

function fail(message) {
  console.error(message);
  process.exit(2);
}

/** Starts a program and sends each of these requests once: only a request with the right reply may be measured. */
async function open(title, names) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-peers-'));
  const port = await freePort();
  const processes = await LINE_UP[title].start({ folder, node: program, peers, port, v1Port: new URL(v1Url).port });
  const one = { title, folder, port, processes, met: new Set() };
  const until = Date.now() + START_LIMIT_MS;
  for (const name of names)
    for (;;) {
      const wrong = await wrongAnswer(port, name).catch(({ message }) => message);
      if (wrong === undefined) break;
      if (Date.now() < until) {
        await sleep(20);
        continue;
      }
      const log = readFileSync(join(folder, 'log'), 'utf8').slice(-500);
      await close(one);
      throw new Error(`${title} gives no right answer to "${name}": ${wrong}\n${log}`);
    }
  return one;
}

async function close({ processes, folder }) {
  for (const child of processes.toReversed()) {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
}

async function wrongAnswer(port, name) {
  const { first = [], request } = REQUESTS[name];
  for (const bytes of first) await askOnce(port, bytes);
  const { head, body } = await askOnce(port, request(1, `check-${Date.now()}`));
  const isRight = head.startsWith('HTTP/1.1 200') && RIGHT[name].every((part) => part.test(body));
  return isRight ? undefined : head + body.slice(0, 1_000);
}

function askOnce(port, bytes) {
  return new Promise((done, reject) => {
    const socket = connect(port, '127.0.0.1').once('error', reject);
    socket.once('close', () => reject(new Error(`Port ${port} hung up.`)));
    eachMessage(socket, (head, body) => {
      done({ head, body });
      socket.destroy();
    });
    socket.write(bytes);
  });
}

async function compare(name) {
  const { request, v1Ms = 0, isFresh = false } = LOADS[name];
  const met = running.filter(({ title }) => LINE_UP[title].answers.includes(request));
  if (met.length < 2) return console.log(`\n${name}: no peer that answers this is installed`);
  v1.send({ v1Ms: 0 });
  for (const one of isFresh ? [] : met) await warm(one, name);
  v1.send({ v1Ms });
  const taken = Object.fromEntries(met.map(({ title }) => [title, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const one of round % 2 === 0 ? met : met.toReversed()) {
      const measured = isFresh ? await open(one.title, [request]) : one;
      taken[one.title].push(await measure(measured, name));
      if (isFresh) await close(measured);
    }
  report(name, taken);
}

async function warm(one, name) {
  const { request } = LOADS[name];
  const requestsMax = one.met.has(request) ? WARM_UP_AGAIN : options['warm-up'];
  await load(one, { ...LOADS[name], rate: 0, seconds: WARM_UP_SECONDS_MAX, requestsMax, isFirst: !one.met.has(request) });
  one.met.add(request);
}

function load({ port }, order) {
  return ask(scripts, { ...order, url: `http://127.0.0.1:${port}`, name: order.request, run: randomUUID() });
}

function secondsOf(name) {
  return LOADS[name].rate === 0 ? seconds : seconds * TURNS_AT_A_RATE;
}

async function measure(one, name) {
  const before = processorMicros(one);
  const took = await load(one, { ...LOADS[name], seconds: secondsOf(name) });
  const cpuMicros = processorMicros(one) - before;
  const { requests, tookMs, refused, broken, sample } = took;
  if (refused + broken > 0)
    console.error(`${one.title}, ${name}: of ${requests} answers ${refused} not 200, ${broken} broken off, such as ${sample}`);
  return {
    'requests/s': (requests / tookMs) * 1_000,
    'CPU µs': cpuMicros / requests,
    'p50 ms': took.p50Ms,
    'p99 ms': took.p99Ms,
    'memory MB': memoryMegabytes(one),
    'not 200': refused + broken,
  };
}

function report(name, taken) {
  const { gateway, ...others } = taken;
  if (name === WARM) warmFigures = Object.fromEntries(Object.entries(taken).map(([title, rows]) => [title, medians(rows)]));
  const figures = Object.entries(taken).map(([title, rows]) => [
    title,
    rounded({ ...medians(rows), ...toWarm(name, title, rows) }),
  ]);
  const ratios = Object.entries(others).map(([title, rows]) => [
    title,
    Object.fromEntries(COMPARED.map((figure) => [figure, spreadOf(gateway, rows, figure)])),
  ]);
  console.log(`\n${name}: ${rounds} rounds of ${secondsOf(name)} s, medians, Node ${node}, ${availableParallelism()} cores`);
  console.table(Object.fromEntries(figures));
  console.log('The gateway to each of them: the median of the ratios (the lowest to the highest)');
  console.table(Object.fromEntries(ratios));
}

/** The figures of a program just started, compared with those of the same program when warm. */
function toWarm(name, title, rows) {
  const warmed = warmFigures[title];
  if (!LOADS[name].isFresh || warmed === undefined) return {};
  const figures = medians(rows);
  return Object.fromEntries(
    ['CPU µs', 'p50 ms', 'p99 ms'].map((figure) => [`${figure} to warm`, figures[figure] / warmed[figure]]),
  );
}

function spreadOf(ours, theirs, figure) {
  if ([...ours, ...theirs].some((row) => row['not 200'] > 0)) return 'not all sold';
  const ratios = ours.map((row, round) => row[figure] / theirs[round][figure]).toSorted((a, b) => a - b);
  const [least, middle, most] = [ratios[0], ratios[ratios.length >> 1], ratios.at(-1)].map((ratio) => ratio.toFixed(2));
  return `${middle} (${least} to ${most})`;
}

/** The processes of a program with all their children. */
function pidsOf({ processes }) {
  const withChildren = (pid) => {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? [];
    return [pid, ...children.flatMap(withChildren)];
  };
  return processes.flatMap(({ pid }) => withChildren(pid));
}

/** Of all threads, in nanoseconds: for many processes with little work each, the ticks in `stat` are too coarse. */
function processorMicros(one) {
  const threads = pidsOf(one).flatMap((pid) => readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`));
  return threads.reduce((sum, thread) => sum + Number(readFileSync(`${thread}/schedstat`, 'utf8').split(' ', 1)[0]), 0) / 1_000;
}

function memoryMegabytes(one) {
  const kilobytes = pidsOf(one).map((pid) => /^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  return kilobytes.reduce((sum, size) => sum + Number(size), 0) / 1024;
}
