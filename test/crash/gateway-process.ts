/** A gateway as operators run it: a process of its own, which can be killed at any instant. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess } from '../end-process';
import { freePort } from '../free-port';

const HOUSE = resolve(__dirname, '..', '..');
const PROGRAM = join(HOUSE, 'dist', 'cli', 'main.js');

export interface GatewayOptions {
  readonly dataDir: string;
  readonly upstreamUrl: string;
  readonly mappingsDir?: string;
  /** A file with the certificate of an upstream behind TLS. */
  readonly trusts?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The working directory; by default the data folder, which is made where it is not given. */
  readonly cwd?: string;
  /** Open files for standard output and standard error; by default this process reads both. */
  readonly stdout?: number;
  readonly stderr?: number;
  /** What its shell does before: `ulimit -n 100`. */
  readonly before?: string;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly tookMs: number;
}

export interface GatewayProcess {
  /** Stays the same over restarts. */
  readonly url: string;
  readonly adminUrl: string;
  readonly pid: number | undefined;
  /** How long each start took until the process accepted requests. */
  readonly startsMs: readonly number[];
  isUp(): boolean;
  untilUp(): Promise<void>;
  /** Resolves to true once the process accepts requests, or to false when it was killed before. */
  start(): Promise<boolean>;
  /** Resolves when the process is gone. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<Exit>;
  /** Stops the process wherever it is (SIGSTOP), as a frozen container is stopped. */
  freeze(): void;
  thaw(): void;
  /** What it wrote to standard error; shown when a test fails. */
  complaints(): string;
  /** What it wrote to standard output: its greeting and its log. */
  output(): string;
}

export async function prepareGateway(options: GatewayOptions): Promise<GatewayProcess> {
  if (!existsSync(PROGRAM)) throw new Error('dist/ is missing: `npm test` and `npm run build` make it');
  const [port, adminPort] = [await freePort(), await freePort()];
  const adminUrl = `http://127.0.0.1:${adminPort}`;
  const startsMs: number[] = [];
  let child: ChildProcess | undefined;
  let isReady = false;
  let complaints = '';
  let output = '';
  return {
    url: `http://127.0.0.1:${port}`,
    adminUrl,
    get pid() {
      return child?.pid;
    },
    startsMs,
    isUp: () => isReady,
    async untilUp() {
      while (!isReady) await sleep(10);
    },
    async start() {
      const startedAt = performance.now();
      const shell = `${options.before ?? ':'}; exec "$@"`;
      const started = spawn('sh', ['-c', shell, 'gateway', process.execPath, PROGRAM, 'serve'], {
        cwd: options.cwd ?? options.dataDir,
        env: {
          PATH: process.env['PATH'],
          HOST: '127.0.0.1',
          PORT: String(port),
          ADMIN_PORT: String(adminPort),
          DATA_DIR: options.dataDir,
          MAPPINGS_DIR: options.mappingsDir ?? join(HOUSE, 'mappings'),
          UPSTREAM_URL: options.upstreamUrl,
          LOG_LEVEL: 'error',
          // No load balancer stands in front that would have to notice the stop.
          DRAIN_SECONDS: '0',
          ...options.env,
          ...(options.trusts === undefined ? {} : { NODE_EXTRA_CA_CERTS: options.trusts }),
        },
        stdio: ['ignore', options.stdout ?? 'pipe', options.stderr ?? 'pipe'],
      });
      child = started;
      const outputBefore = output.length;
      started.stderr?.on('data', (bytes: Buffer) => (complaints = `${complaints}${bytes.toString()}`.slice(-4_000)));
      started.stdout?.on('data', (bytes: Buffer) => (output += bytes.toString()));
      const gone = once(started, 'exit').then(() => (isReady = false));
      const greeted = async (): Promise<true> => {
        while (!output.includes('Probes and metrics', outputBefore)) await once(started.stdout!, 'data');
        return true;
      };
      const isUp = await Promise.race([started.stdout === null ? untilReady(adminUrl) : greeted(), gone]);
      if (isUp) startsMs.push(performance.now() - startedAt);
      isReady = isUp;
      return isUp;
    },
    async end(signal) {
      const ending = child!;
      const startedAt = performance.now();
      isReady = false;
      await endProcess(ending, signal);
      return { code: ending.exitCode, signal: ending.signalCode, tookMs: performance.now() - startedAt };
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    complaints: () => complaints,
    output: () => output,
  };
}

/** For a process whose greeting goes to a file. */
async function untilReady(adminUrl: string): Promise<true> {
  for (;;) {
    const answer = await fetch(`${adminUrl}/readyz`).catch(() => undefined);
    if (answer?.status === 200) return true;
    await sleep(20);
  }
}
