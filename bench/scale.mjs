// Sales per second of one worker and of two, each sale on a connection of its own, as PHP sends it: `npm run bench:scale`. The load, v1 (the embedded
// sandbox, in the primary) and the workers share this machine: on two cores two workers cannot show what two cores of their own would.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const ROUNDS = Number(process.env.ROUNDS ?? 3);
const SECONDS = Number(process.env.SECONDS ?? 5);
const AT_ONCE = 32;
const WARM_UP = 1_500;

async function open(workers) {
  const dataDir = mkdtempSync(join(tmpdir(), 'scale-'));
  const child = spawn(process.execPath, ['--max-semi-space-size=32', join(ROOT, 'dist', 'cli', 'main.js'), 'serve'], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_PORT: '0',
      SANDBOX_PORT: '0',
      SANDBOX_RELAXED: '1',
      DRAIN_SECONDS: '0',
      LOG_LEVEL: 'info',
      DATA_DIR: dataDir,
      WORKERS: String(workers),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let text = '';
  const url = await new Promise((resolve, reject) => {
    child.stdout.on('data', (bytes) => {
      if (text.length < 100_000) text += bytes;
      const found = /compat-gateway serves (\S+)[^]*Probes and metrics/.exec(text);
      if (found !== null) resolve(found[1]);
    });
    child.once('exit', () => reject(new Error('the gateway did not start')));
  });
  const close = async () => {
    child.kill('SIGTERM');
    await exited;
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { url, close };
}

let sales = 0;
function sell(url) {
  sales += 1;
  const body = JSON.stringify({
    network: 'MTN',
    mobile_number: '08031234561',
    amount: 100,
    'request-id': `scale-${process.pid}-${sales}`,
  });
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: 'Token sandbox_demo:1234',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const sending = request(`${url}/api/topup/`, { method: 'POST', headers, agent: false }, (answer) => {
      answer
        .resume()
        .on('end', () => (answer.statusCode === 200 ? resolve() : reject(new Error(`answered ${answer.statusCode}`))));
    });
    sending.on('error', reject).end(body);
  });
}

async function measure(workers) {
  const { url, close } = await open(workers);
  try {
    const run = (isOver) =>
      Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          while (!isOver()) await sell(url);
        }),
      );
    let left = WARM_UP;
    await run(() => (left -= 1) < 0);
    const before = sales;
    const until = performance.now() + SECONDS * 1_000;
    await run(() => performance.now() >= until);
    return (sales - before) / SECONDS;
  } finally {
    await close();
  }
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const rates = { 1: [], 2: [] };
for (let round = 0; round < ROUNDS; round += 1) for (const workers of [1, 2]) rates[workers].push(await measure(workers));
for (const workers of [1, 2])
  console.log(
    `${workers} worker${workers === 1 ? '' : 's'}: ${Math.round(median(rates[workers]))} sales/s (${rates[workers].map(Math.round).join(', ')})`,
  );
console.log(
  `ratio ${(median(rates[2]) / median(rates[1])).toFixed(2)} on ${availableParallelism()} cores, which the load generator and the sandbox share with the workers`,
);
