// One worker and two on one LMDB journal, one gateway and two on one PostgreSQL; each sale on a connection of its own, as PHP sends it: `npm run bench:scale`.
// Scripts, v1 and PostgreSQL are processes of their own on the same machine. So on two cores two that sell cannot show what two cores of their own would;
// what they use of a core for each sale tells more.
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ask, gatewayEnvironment, openGateway, openV1, processorMicros } from './gateway-process.mjs';
import { median } from './gateway-report.mjs';

const { postgresFolder, startPostgres } = createRequire(import.meta.url)('../test/journal/postgres/start-postgres.ts');

const bench = dirname(fileURLToPath(import.meta.url));
const house = dirname(bench);
const ROUNDS = Number(process.env.ROUNDS ?? 3);
const SECONDS = Number(process.env.SECONDS ?? 5);
const ORDER = { name: 'airtime, format B', connections: 16, isKept: false, rate: 0 };
/** For each selling process. */
const WARM_UP_REQUESTS = Number(process.env.WARM_UP ?? 3_000);
const GATEWAY_SECRET = randomBytes(32).toString('hex');

const { v1, v1Url } = await openV1();
/** Two, so that the scripts do not limit what they measure. */
const scripts = [1, 2].map(() => fork(join(bench, 'gateway-load.mjs')));
const postgres = postgresFolder === undefined ? undefined : await startPostgres();
const postgresUrl = await postgres?.createDatabase();

const childrenOf = (pid) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? [];
const cpuMicrosOf = (pids) => pids.reduce((sum, pid) => sum + processorMicros(pid), 0);

const open = (more) =>
  openGateway({
    house,
    environment: (folder) => ({ ...gatewayEnvironment(folder, v1Url, house), GATEWAY_SECRET, ...more }),
    flags: ['--max-semi-space-size=32'],
  });
const openWorkers = async (count) => {
  const gateway = await open({ WORKERS: String(count) });
  const { pid } = gateway.process;
  return { gateways: [gateway], selling: count === 1 ? [pid] : childrenOf(pid), beside: count === 1 ? [] : [pid] };
};
const openOnPostgres = async (count) => {
  const gateways = [];
  for (let nth = 0; nth < count; nth += 1) gateways.push(await open({ JOURNAL_URL: postgresUrl }));
  return { gateways, selling: gateways.map((gateway) => gateway.process.pid), beside: [] };
};
const KINDS = [
  { title: 'worker', openSome: openWorkers },
  ...(postgres === undefined ? [] : [{ title: 'gateway on PostgreSQL', openSome: openOnPostgres }]),
];

async function measure({ title, openSome }, count, round) {
  const { gateways, selling, beside } = await openSome(count);
  try {
    if (selling.length !== count) throw new Error(`${selling.length} processes sell, and not ${count}`);
    const load = (run, more) =>
      Promise.all(
        scripts.map((child, nth) =>
          ask(child, {
            ...ORDER,
            url: gateways[nth % gateways.length].url,
            run: `${title}${count}-${round}-${nth}-${run}`,
            ...more,
          }),
        ),
      );
    await load('warm', { seconds: 120, requestsMax: (WARM_UP_REQUESTS * count) / scripts.length });
    const before = [cpuMicrosOf(selling), cpuMicrosOf(beside)];
    const taken = await load('sold', { seconds: SECONDS });
    const bad = taken.find(({ refused, broken }) => refused + broken > 0);
    if (bad !== undefined) throw new Error(`${bad.refused} refused, ${bad.broken} broken, such as ${bad.sample}`);
    const sales = taken.reduce((sum, { requests }) => sum + requests, 0);
    return {
      rate: (sales / Math.max(...taken.map(({ tookMs }) => tookMs))) * 1_000,
      micros: (cpuMicrosOf(selling) - before[0]) / sales,
      besideMicros: (cpuMicrosOf(beside) - before[1]) / sales,
    };
  } finally {
    for (const gateway of gateways) await gateway.close();
  }
}

const takes = new Map(KINDS.flatMap(({ title }) => [1, 2].map((count) => [`${count} ${title}`, []])));
for (let round = 0; round < ROUNDS; round += 1)
  for (const kind of KINDS)
    for (const count of round % 2 === 0 ? [1, 2] : [2, 1])
      takes.get(`${count} ${kind.title}`).push(await measure(kind, count, round));
for (const child of [...scripts, v1]) child.disconnect();
await postgres?.close();

const shown = (values) => `${Math.round(median(values))} (${values.map(Math.round).join(', ')})`;
for (const { title } of KINDS) {
  const of = (count, name) => takes.get(`${count} ${title}`).map((take) => take[name]);
  for (const count of [1, 2])
    console.log(
      `${count} × ${title}: ${shown(of(count, 'rate'))} sales/s, ${shown(of(count, 'micros'))} µs of processor time each`,
    );
  const beside = of(2, 'besideMicros');
  if (median(beside) > 0) console.log(`  beside them the first process, which sells nothing: ${shown(beside)} µs`);
  const [cost1, cost2] = [1, 2].map((count) => median(of(count, 'micros')));
  console.log(
    `  two sell ${(median(of(2, 'rate')) / median(of(1, 'rate'))).toFixed(2)} of one, measured on ${availableParallelism()} cores that all the rest uses as well;`,
  );
  console.log(
    `  on two cores of their own ${((2 * cost1) / cost2).toFixed(2)} of one: computed (2 x ${Math.round(cost1)} / ${Math.round(cost2)}), not measured. That they wait for each other at the one journal is not in it.`,
  );
}
if (postgres === undefined)
  console.log('Gateways on PostgreSQL were not measured: it is not installed (apt-get install postgresql).');
