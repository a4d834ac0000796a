// What strangers without a key cost the sales: the built product as it is sold with, between scripts that buy at a given rate, v1, and a crowd of
// hostile connections, each in a process of its own. First quiet, then attacked, then what is left of it.
//   npm run bench:hostile -- [--rounds 3] [--seconds 15] [--rate 100] [--each 50] [--kinds 'slow headers'] [--nodes 24] [--files 1024] [--profile DIR]
// Every script opens a connection for its sale, as PHP does. `--files` are the open files that the gateway may have. Linux only: /proc tells memory,
// descriptors, and how long the gateway's main thread ran and how long it waited for a processor, which other programs on the machine had.
import { fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findNode } from '../scripts/find-node.mjs';
import { ask, gatewayEnvironment, openGateway, openV1 } from './gateway-process.mjs';
import { medians, quantile } from './gateway-report.mjs';

const bench = dirname(fileURLToPath(import.meta.url));
const house = dirname(bench);
const SALE = 'airtime, format A';
const WARM_UP_REQUESTS = 4_000;
const LOOK_MS = 50;
/** How long the gateway is watched after the attack, and the time in which every figure must be back to normal. */
const AFTER_SECONDS = 8;
/** Sales are as quick as before when the median of a second is. */
const SLOWER_MAX = 3;
/** How much memory may vary by garbage collection and still count as not growing. */
const STEADY = 1.05;

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '15' },
    rate: { type: 'string', default: '100' },
    each: { type: 'string', default: '50' },
    kinds: { type: 'string', default: '' },
    nodes: { type: 'string', default: '24' },
    files: { type: 'string', default: '1024' },
    profile: { type: 'string' },
  },
});
const [rounds, seconds, rate, each, files] = ['rounds', 'seconds', 'rate', 'each', 'files'].map((name) => Number(options[name]));
const nodes = options.nodes.split(',').map((major) => ({ title: `Node ${major}`, program: findNode(major) }));

const { v1, v1Url } = await openV1({ catalog: JSON.stringify({ filler: 'x'.repeat(20_000) }) });

const rows = [];
for (let round = 0; round < rounds; round += 1)
  for (const node of nodes) {
    const figures = await measure(node, round);
    rows.push({ node: node.title, figures });
  }
v1.disconnect();

console.log(
  `${rate} sales a second, ${each} hostile connections of each kind, medians of ${rounds} rounds of ${seconds} s; ${availableParallelism()} cores`,
);
const table = {};
for (const { title } of nodes) {
  const ofNode = medians(rows.filter(({ node }) => node === title).map(({ figures }) => figures));
  for (const [name, value] of Object.entries(ofNode)) (table[name] ??= {})[title] = +value.toFixed(2);
}
console.table(table);

async function measure(node, round) {
  const { process: gateway, url, close } = await startGateway(node);
  const scripts = fork(join(bench, 'gateway-load.mjs'));
  const crowd = fork(join(bench, 'hostile-crowd.mjs'));
  try {
    const order = { url, name: SALE, connections: 64, isKept: false };
    await ask(scripts, { ...order, connections: 4, run: `warm-${round}`, rate: 0, seconds: 60, requestsMax: WARM_UP_REQUESTS });
    const looks = [];
    const watching = setInterval(() => looks.push(look(gateway.pid)), LOOK_MS);
    const selling = ask(scripts, {
      ...order,
      run: `sale-${round}`,
      rate,
      seconds: seconds * 2 + AFTER_SECONDS + 4,
      isTold: true,
    });
    await sleep(2_000);
    const quietAt = Date.now();
    await sleep(seconds * 1_000);
    const attackAt = Date.now();
    await ask(crowd, { port: Number(new URL(url).port), each, kinds: options.kinds });
    await sleep(seconds * 1_000);
    const endAt = Date.now();
    await ask(crowd, 'end');
    const sold = await selling;
    clearInterval(watching);
    return figuresOf({ sold, looks, quietAt, attackAt, endAt });
  } finally {
    scripts.disconnect();
    crowd.disconnect();
    await close();
  }
}

function startGateway({ program }) {
  const profiling = options.profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', resolve(options.profile)];
  return openGateway({
    house,
    environment: (folder) => gatewayEnvironment(folder, v1Url, house),
    program: 'sh',
    flags: ['-c', `ulimit -n ${files}; exec "$@"`, 'gateway', program, '--max-semi-space-size=32', ...profiling],
  });
}

/** Asked from outside, because the process itself is busy. */
function look(pid) {
  const rss = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
  const [ranNs, waitedNs] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ').map(Number);
  return { at: Date.now(), rss, files: readdirSync(`/proc/${pid}/fd`).length, ranMs: ranNs / 1e6, waitedMs: waitedNs / 1e6 };
}

function figuresOf({ sold, looks, quietAt, attackAt, endAt }) {
  const between = (all, from, to) => all.filter(({ at }) => at >= from && at < to);
  const [quiet, attacked] = [between(sold.told, quietAt, attackAt), between(sold.told, attackAt, endAt)];
  const [before, during] = [between(looks, quietAt, attackAt), between(looks, attackAt, endAt)];
  const p99 = (sales) =>
    quantile(
      sales.map(({ ms }) => ms),
      0.99,
    );
  const most = (of, name) => Math.max(...of.map((one) => one[name]));
  const filesBefore = most(before, 'files');
  const percent = (of, name) => ((of.at(-1)[name] - of[0][name]) / (of.at(-1).at - of[0].at)) * 100;
  const backAfter = (isBack) => {
    for (let at = endAt; at < endAt + AFTER_SECONDS * 1_000; at += LOOK_MS) if (isBack(at)) return (at - endAt) / 1_000;
    return AFTER_SECONDS;
  };
  const filesBack = backAfter((at) => between(looks, at, Infinity).every((one) => one.files <= filesBefore));
  const memoryBack = backAfter((at) => most(between(looks, at, Infinity), 'rss') <= most(during, 'rss') * STEADY);
  const salesBack = backAfter((at) => p99(between(sold.told, at, at + 1_000)) < SLOWER_MAX * p99(quiet));
  return {
    'p50 quiet ms': quantile(
      quiet.map(({ ms }) => ms),
      0.5,
    ),
    'p50 attacked ms': quantile(
      attacked.map(({ ms }) => ms),
      0.5,
    ),
    'p99 quiet ms': p99(quiet),
    'p99 attacked ms': p99(attacked),
    'p99 ratio': p99(attacked) / p99(quiet),
    'sales lost': sold.refused + sold.broken,
    'RSS quiet MB': most(before, 'rss'),
    'RSS attacked MB': most(during, 'rss'),
    'RSS ratio': most(during, 'rss') / most(before, 'rss'),
    'files quiet': filesBefore,
    'files attacked': most(during, 'files'),
    'files limit': files,
    'thread busy quiet %': percent(before, 'ranMs'),
    'thread busy attacked %': percent(during, 'ranMs'),
    'thread waits quiet %': percent(before, 'waitedMs'),
    'thread waits attacked %': percent(during, 'waitedMs'),
    'files back s': filesBack,
    'memory back s': memoryBack,
    'sales back s': salesBack,
  };
}
