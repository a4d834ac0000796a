// Sales per second of one worker and of two, each sale on a connection of its own, as PHP sends it: `npm run bench:scale`. The load, v1 (the embedded
// sandbox, in the primary) and the workers share this machine: on two cores two workers cannot show what two cores of their own would.
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ask, gatewayEnvironment, openGateway } from './gateway-process.mjs';

const bench = dirname(fileURLToPath(import.meta.url));
const house = dirname(bench);
const ROUNDS = Number(process.env.ROUNDS ?? 3);
const SECONDS = Number(process.env.SECONDS ?? 5);
const ORDER = { name: 'airtime, format B, at the sandbox', connections: 32, isKept: false, rate: 0 };
const WARM_UP = { run: 'warm', seconds: 60, requestsMax: 1_500 };

const scripts = fork(join(bench, 'gateway-load.mjs'));

async function measure(workers, round) {
  const ofSandbox = { UPSTREAM_URL: 'sandbox', SANDBOX_PORT: '0', SANDBOX_RELAXED: '1', WORKERS: String(workers) };
  const { url, close } = await openGateway({
    house,
    environment: (folder) => ({ ...gatewayEnvironment(folder, '', house), ...ofSandbox }),
    flags: ['--max-semi-space-size=32'],
  });
  try {
    await ask(scripts, { ...ORDER, ...WARM_UP, url });
    const { requests, refused, broken, tookMs, sample } = await ask(scripts, {
      ...ORDER,
      url,
      run: `${round}`,
      seconds: SECONDS,
    });
    if (refused + broken > 0) throw new Error(`${refused} refused, ${broken} broken, such as ${sample}`);
    return (requests / tookMs) * 1_000;
  } finally {
    await close();
  }
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const rates = { 1: [], 2: [] };
for (let round = 0; round < ROUNDS; round += 1) for (const workers of [1, 2]) rates[workers].push(await measure(workers, round));
scripts.disconnect();
for (const workers of [1, 2])
  console.log(
    `${workers} worker${workers === 1 ? '' : 's'}: ${Math.round(median(rates[workers]))} sales/s (${rates[workers].map(Math.round).join(', ')})`,
  );
console.log(
  `ratio ${(median(rates[2]) / median(rates[1])).toFixed(2)} on ${availableParallelism()} cores, which the load generator and the sandbox share with the workers`,
);
