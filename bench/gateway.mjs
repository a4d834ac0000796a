// What a request costs the gateway: the built product on the shipped mappings and an LMDB journal, between scripts in one
// process and a v1 that answers at once in another.
//   npm run bench:gateway -- [--rounds 2] [--turns 4] [--seconds 1] [--connections 64] [--rate 0] [--only 'airtime, format A'] [--nodes 20,24,26] [--against DIR] [--flags=--max-semi-space-size=32]
// The versions of Node in `--nodes` take turns in each round (what is missing comes from the npm registry, once), and
// at the end none may cost more than 1.2 times the best. `--rate` asks so often per second instead of as often as possible. `--against` measures another built clone in the same
// rounds and shows its numbers under ours, with the ratio. `--flags` are Node's, for ours only: with `--against .` they
// are what is compared. `--profile` writes a CPU profile of each gateway into that folder.
import { fork } from 'node:child_process';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findNode } from '../scripts/find-node.mjs';
import { ask, gatewayEnvironment, openGateway, openV1 } from './gateway-process.mjs';
import { report } from './gateway-report.mjs';
import { REQUESTS } from './gateway-requests.mjs';

const bench = dirname(fileURLToPath(import.meta.url));
/** V8 compiles what it has run often, so this many requests come before a measurement, however slow the machine is. */
const WARM_UP_REQUESTS = 3_000;
const FIRST_WARM_UP_REQUESTS = 12_000;
const WARM_UP_SECONDS_MAX = 60;

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '2' },
    turns: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '1' },
    connections: { type: 'string', default: '64' },
    rate: { type: 'string', default: '0' },
    only: { type: 'string', default: '' },
    nodes: { type: 'string', default: '20,24,26' },
    against: { type: 'string' },
    flags: { type: 'string', default: '' },
    profile: { type: 'string' },
  },
});
const [rounds, turns, seconds, connections, rate] = ['rounds', 'turns', 'seconds', 'connections', 'rate'].map((name) =>
  Number(options[name]),
);
const nodes = options.nodes.split(',').map((major) => ({ title: `Node ${major}`, program: findNode(major) }));
const houses = [
  { house: dirname(bench), isOurs: true },
  ...(options.against === undefined ? [] : [{ house: resolve(options.against), isOurs: false }]),
];
/** What is measured in turn: each clone under each version of Node. */
const lineup = nodes.flatMap((node) => houses.map((house) => ({ ...house, node })));
const profiling = options.profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', resolve(options.profile)];
const flags = options.flags.split(' ').filter((flag) => flag !== '');
const names = Object.keys(REQUESTS).filter((name) => name.includes(options.only) && !REQUESTS[name].isOfSandbox);

const { v1, v1Url } = await openV1();
const scripts = fork(join(bench, 'gateway-load.mjs'));

const rows = [];
for (let round = 0; round < rounds; round += 1) await measureRound(round);
scripts.disconnect();
v1.disconnect();
const asked = `${connections} scripts at a time${rate === 0 ? '' : `, ${rate} requests/s`}`;
report(rows, `${asked}, ${rounds} rounds of ${turns} turns of ${seconds} s, medians`);

/** Each round starts new gateways, because V8's compiler happens to choose differently between processes. */
async function measureRound(round) {
  const gateways = [];
  try {
    // Who starts and warms up last is measured a fifth cheaper: with an even number of rounds all have that as often.
    for (const measured of round % 2 === 0 ? lineup : lineup.toReversed()) gateways.push(await startGateway(measured));
    for (const name of names) {
      for (const isKept of [true, false]) {
        const order = { name, connections, isKept, rate };
        const warmUp = name === names[0] && isKept ? FIRST_WARM_UP_REQUESTS : WARM_UP_REQUESTS;
        for (const gateway of gateways) await warm(gateway, order, { round, warmUp });
        for (const gateway of gateways) gateway.turns = [];
        for (const gateway of gateways) gateway.heapBefore = await ask(gateway.process, 'heap');
        // Short turns: what else the machine does meanwhile meets all of them alike. Who comes first changes.
        for (let turn = 0; turn < turns; turn += 1)
          for (const gateway of turn % 2 === 0 ? gateways : gateways.toReversed())
            await measureTurn(gateway, order, `${round}-${isKept ? 'kept' : 'new'}-${turn}`);
        for (const gateway of gateways) await noteTurns(gateway, order);
      }
    }
  } finally {
    for (const gateway of gateways) await gateway.close();
  }
}

async function startGateway(measured) {
  const { house, isOurs, node } = measured;
  const gateway = await openGateway({
    house,
    program: node.program,
    environment: (folder) => gatewayEnvironment(folder, v1Url, house),
    flags: ['--expose-gc', '--require', join(bench, 'gateway-probe.cjs'), ...profiling, ...(isOurs ? flags : [])],
  });
  return { ...measured, ...gateway };
}

async function warm({ url }, order, { round, warmUp }) {
  const run = `${round}-${order.isKept ? 'kept' : 'new'}-warm`;
  const warming = { ...order, url, run, rate: 0, seconds: WARM_UP_SECONDS_MAX, requestsMax: warmUp };
  await ask(scripts, { ...warming, isFirst: true });
}

async function measureTurn({ process, url, turns }, order, run) {
  const before = await ask(process, 'begin');
  const took = await ask(scripts, { ...order, url, run, seconds });
  turns.push({ took, before, after: await ask(process, 'end') });
}

async function noteTurns({ process, turns, heapBefore, isOurs, node }, { name, isKept }) {
  const requests = turns.reduce((sum, { took }) => sum + took.requests, 0);
  const heap = ((await ask(process, 'heap')) - heapBefore) / requests;
  const row = { request: `${name}, ${isKept ? 'kept' : 'new'}`, node: node.title, isOurs };
  for (const turn of turns) rows.push({ ...row, figures: { ...figuresOf(row, turn), 'heap B/request': heap } });
}

function figuresOf({ request, node }, { took, before, after }) {
  if (took.refused > 0 || took.broken > 0)
    console.error(`${request}, ${node}: ${took.refused} refused, ${took.broken} broken, such as ${took.sample}`);
  const { requests, tookMs, p50Ms, p99Ms } = took;
  return {
    'requests/s': (requests / tookMs) * 1_000,
    'p50 ms': p50Ms,
    'p99 ms': p99Ms,
    'CPU µs': (after.cpuMicros - before.cpuMicros) / requests,
    'loop p99 ms': after.loopMs.p99,
    'loop max ms': after.loopMs.max,
  };
}
