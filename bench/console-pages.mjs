// The console of a gateway that sells: how long each page takes, what an open Overview takes from the sales, and how long a purchase takes while
// plan and coverage are computed. Used by `bench/console.mjs`, on its journal.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, cpSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ask, gatewayEnvironment, openV1, processorMicros, urlOf } from './gateway-process.mjs';
import { quantile } from './gateway-report.mjs';

const bench = dirname(fileURLToPath(import.meta.url));
const house = dirname(bench);
const ROUNDS = 30;
const TURNS = 8;
const TURN_SECONDS = 4;
const ORDER = { name: 'airtime, format B', connections: 64, isKept: true, rate: 0 };
const COMPUTING_RATE = 100;
const COMPUTING_SECONDS = 20;

/** Prints three tables. `phone` and `requestId` belong to an existing order. */
export async function measurePages({ dataDir, secret, owners, phone, requestId }) {
  const { v1, v1Url } = await openV1();
  const logFile = join(dataDir, 'log');
  const log = openSync(logFile, 'a');
  const environment = {
    ...gatewayEnvironment(dataDir, v1Url, house),
    GATEWAY_SECRET: secret,
    MAPPINGS_DIR: nameCallers(join(dataDir, 'mappings'), owners),
  };
  const flags = ['--max-semi-space-size=32', join(house, 'dist/cli/main.js'), 'serve'];
  const gateway = spawn(process.execPath, flags, { cwd: dataDir, env: environment, stdio: ['ignore', log, log] });
  try {
    const url = await urlOf(gateway, logFile);
    const adminUrl = /Probes and metrics: (http:\/\/[^\s/]+)/.exec(readFileSync(logFile, 'utf8'))[1];
    await printPages(`${adminUrl}/console`, phone, requestId);
    await printCost(gateway.pid, url, `${adminUrl}/console`);
    await printComputing(url, `${adminUrl}/console`);
  } finally {
    gateway.kill('SIGTERM');
    if (gateway.exitCode === null) await once(gateway, 'exit');
    closeSync(log);
    v1.disconnect();
  }
}

/** The shipped mappings with a title for each key, so that each has a page. */
function nameCallers(folder, owners) {
  cpSync(join(house, 'mappings'), folder, { recursive: true });
  const file = join(folder, 'callers.yaml');
  const keys = owners.map((owner, nth) => `    ${owner}: { title: Shop ${nth} }`);
  writeFileSync(file, readFileSync(file, 'utf8').replace('  keys: {}', ['  keys:', ...keys].join('\n')));
  return folder;
}

async function printPages(consoleUrl, phone, requestId) {
  const found = await textOf(`${consoleUrl}/orders?q=${requestId}`);
  const story = /\/console(\/orders\/[0-9a-f]+\/\d+)/.exec(found)[1];
  const owner = story.split('/')[2];
  const pages = {
    Overview: '',
    'Orders, the latest': '/orders',
    'Orders, a phone number': `/orders?q=${phone}`,
    'Orders, a request id': `/orders?q=${requestId}`,
    'Orders, of a caller': `/orders?caller=${owner}`,
    'Orders, declined': '/orders?outcome=declined',
    "An order's story": story,
    Callers: '/callers',
    'A caller': `/callers/${owner}`,
    Mappings: '/mappings',
    Try: '/try',
  };
  const rows = [];
  for (const [page, path] of Object.entries(pages)) {
    const times = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const startedAt = performance.now();
      await textOf(`${consoleUrl}${path}`);
      times.push(performance.now() - startedAt);
    }
    const [first] = times;
    rows.push({
      page,
      'first ms': +first.toFixed(1),
      'median ms': +quantile(times, 0.5).toFixed(1),
      'p99 ms': +quantile(times, 0.99).toFixed(1),
    });
  }
  console.table(rows);
}

async function textOf(url, options) {
  const answer = await fetch(url, options);
  if (answer.status !== 200) throw new Error(`${url} answers ${answer.status}.`);
  return answer.text();
}

/** Measures the same load with the Overview open and closed in turn. */
async function printCost(pid, url, consoleUrl) {
  const scripts = fork(join(bench, 'gateway-load.mjs'));
  const turn = async (run) => {
    const before = processorMicros(pid);
    const { requests, tookMs, refused, broken, sample } = await ask(scripts, { ...ORDER, url, run, seconds: TURN_SECONDS });
    if (refused + broken > 0) throw new Error(`${refused} refused, ${broken} broken, such as ${sample}`);
    return { rate: requests / (tookMs / 1_000), micros: (processorMicros(pid) - before) / requests };
  };
  await ask(scripts, { ...ORDER, url, run: 'warm', seconds: 60, requestsMax: 15_000 });
  const turns = [];
  for (let nth = 0; nth < TURNS; nth += 1) {
    const closed = await turn(`closed-${nth}`);
    const looking = new AbortController();
    const stream = await fetch(`${consoleUrl}/live/overview`, { signal: looking.signal });
    void stream.text().catch(() => undefined);
    await sleep(200);
    const open = await turn(`open-${nth}`);
    looking.abort();
    turns.push({ rate: open.rate / closed.rate, micros: open.micros / closed.micros, open, closed });
  }
  scripts.disconnect();
  const middle = (read) => quantile(turns.map(read), 0.5);
  console.table({
    'orders a second': {
      closed: Math.round(middle((one) => one.closed.rate)),
      open: Math.round(middle((one) => one.open.rate)),
      ratio: +middle((one) => one.rate).toFixed(3),
    },
    'processor µs an order': {
      closed: Math.round(middle((one) => one.closed.micros)),
      open: Math.round(middle((one) => one.open.micros)),
      ratio: +middle((one) => one.micros).toFixed(3),
    },
  });
}

/** Purchases at a steady rate, alone and while plan and coverage of the shipped mappings are computed without a pause. */
async function printComputing(url, consoleUrl) {
  const scripts = fork(join(bench, 'gateway-load.mjs'));
  const turn = async (run) => {
    const told = await ask(scripts, { ...ORDER, url, run, rate: COMPUTING_RATE, seconds: COMPUTING_SECONDS });
    if (told.refused + told.broken > 0) throw new Error(`${told.refused} refused, ${told.broken} broken, such as ${told.sample}`);
    return { purchases: told.requests, 'p50 ms': +told.p50Ms.toFixed(1), 'p99 ms': +told.p99Ms.toFixed(1) };
  };
  const planned = { method: 'POST', body: new URLSearchParams({ kind: 'folder' }), headers: { 'sec-fetch-site': 'same-origin' } };
  await turn('warm-computing');
  const alone = await turn('alone');
  let computed = 0;
  let isOver = false;
  const compute = async () => {
    while (!isOver) {
      await textOf(`${consoleUrl}/mappings/coverage`);
      await textOf(`${consoleUrl}/mappings/plan`, planned);
      computed += 1;
    }
  };
  const computing = compute();
  const beside = await turn('computing');
  isOver = true;
  await computing;
  scripts.disconnect();
  console.table({ alone, [`while ${computed} plans and coverages are computed`]: beside });
}
