/** The whole house for a test: gateway, journal and sandbox in one process, on real sockets and free ports. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadConfig, type Config } from '../../src/config';
import type { Clock } from '../../src/domain/clock';
import { startService, type Service } from '../../src/main';
import { createLog, type LogLevel } from '../../src/telemetry/log';

export const MAPPINGS = resolve(__dirname, '..', '..', 'mappings');

export interface House {
  readonly service: Service;
  readonly url: string;
  readonly dataDir: string;
  readonly logLines: readonly string[];
  close(): Promise<void>;
}

export interface HouseOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Kept when given: for tests that restart. */
  readonly dataDir?: string;
  readonly clock?: Clock;
  readonly logLevel?: LogLevel;
}

export function configFor(dataDir: string, env: Readonly<Record<string, string>> = {}): Config {
  const loaded = loadConfig(
    {
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_PORT: '0',
      SANDBOX_PORT: '0',
      DATA_DIR: dataDir,
      MAPPINGS_DIR: MAPPINGS,
      SANDBOX_RELAXED: '1',
      // Tests count the requests that reach v1.
      UPSTREAM_PROBE_SECONDS: '0',
      ...env,
    },
    dataDir,
  );
  if ('problems' in loaded) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
}

export async function openHouse({ env, dataDir, clock, logLevel = 'info' }: HouseOptions = {}): Promise<House> {
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'compat-gateway-'));
  const logLines: string[] = [];
  const log = createLog(logLevel, { write: (line: string) => void logLines.push(line) });
  const service = await startService(configFor(folder, env), log, clock);
  return {
    service,
    url: service.publicUrl,
    dataDir: folder,
    logLines,
    async close() {
      await service.stop();
      if (dataDir === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface Told {
  readonly status: number;
  // Replies are read as freely as a script reads them.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
  readonly text: string;
  readonly headers: Headers;
}

export interface SendOptions {
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
}

/** Posts JSON as most scripts do, or gets when there is no body. */
export async function send(url: string, path: string, body?: unknown, options: SendOptions = {}): Promise<Told> {
  const { key = 'sandbox_demo:1234', headers = {}, method } = options;
  const response = await fetch(`${url}${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    redirect: 'manual',
    headers: {
      ...(key === null ? {} : { Authorization: `Token ${key}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text), text, headers: response.headers };
}

/** What v1 itself says: the truth that replies are held against. */
export async function askV1(service: Service, path: string, key = 'sandbox_demo'): Promise<Told> {
  const response = await fetch(`${service.upstreamUrl}${path}`, { headers: { Authorization: `Bearer ${key}` } });
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text), text, headers: response.headers };
}
