// The gateway as a process of its own, for the benchmarks that measure it from outside.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const bench = dirname(fileURLToPath(import.meta.url));
const START_LIMIT_MS = 20_000;
/** Linux counts processor time in hundredths of a second. */
const TICK_MICROS = 10_000;

/** The gateway as in production: the shipped mappings of `house`, a journal on disk, one log line for each request. */
export function gatewayEnvironment(folder, v1Url, house) {
  return {
    PATH: process.env.PATH,
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    DRAIN_SECONDS: '0',
    DATA_DIR: folder,
    MAPPINGS_DIR: join(house, 'mappings'),
    UPSTREAM_URL: v1Url,
    LOG_LEVEL: 'info',
  };
}

/** Starts the built clone in `house`; `close` ends it and removes what it wrote. */
export async function openGateway({ house, environment, flags = [], program = process.execPath }) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-gateway-'));
  const logFile = join(folder, 'log');
  const log = openSync(logFile, 'a');
  const gateway = fork(join(house, 'dist/cli/main.js'), ['serve'], {
    cwd: folder,
    execPath: program,
    execArgv: flags,
    env: environment(folder),
    stdio: ['ignore', log, log, 'ipc'],
  });
  const close = async () => {
    gateway.kill('SIGTERM');
    if (gateway.exitCode === null && gateway.signalCode === null) await once(gateway, 'exit');
    closeSync(log);
    rmSync(folder, { recursive: true, force: true });
  };
  const url = await urlOf(gateway, logFile).catch((error) => close().then(() => Promise.reject(error)));
  return { folder, process: gateway, url, close };
}

/** The address of the gateway, once it serves. */
export async function urlOf(gateway, logFile) {
  const until = Date.now() + START_LIMIT_MS;
  for (;;) {
    const log = readFileSync(logFile, 'utf8');
    const url = /compat-gateway serves (\S+)/.exec(log)?.[1];
    if (url !== undefined) return url;
    if (gateway.exitCode !== null || Date.now() > until) throw new Error(`The gateway does not serve: ${log}`);
    await sleep(50);
  }
}

/** A v1 that answers at once, as a process of its own; it ends with `disconnect`. */
export async function openV1({ catalog, ...options } = {}) {
  const env = { ...process.env, BENCH_CATALOG: catalog ?? (await sandboxCatalog()) };
  const v1 = fork(join(bench, 'gateway-v1.mjs'), { ...options, env });
  const [{ url: v1Url }] = await once(v1, 'message');
  return { v1, v1Url };
}

/** A price list of real size: the sandbox's. */
async function sandboxCatalog() {
  const { openSandbox } = createRequire(import.meta.url)('../dist/sandbox/sandbox.js');
  const sandbox = await openSandbox({ relaxed: true });
  const { url } = await sandbox.listen(0);
  const answer = await fetch(`${url}/catalog`, { headers: { authorization: 'Bearer sandbox_demo' } });
  await sandbox.close();
  return answer.text();
}

/** User and system time of all threads of a process until now. */
export function processorMicros(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROS;
}

export function ask(child, question) {
  return new Promise((resolve, reject) => {
    const onExit = (code) => reject(new Error(`A process ended with ${code} while it was asked.`));
    child.once('exit', onExit).once('message', (answer) => {
      child.off('exit', onExit);
      resolve(answer);
    });
    child.send(question);
  });
}
