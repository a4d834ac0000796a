/** A whole house for a test: gateway, journal and sandbox in one process, on real sockets and free ports. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join, resolve } from 'node:path';
import { text as readBody } from 'node:stream/consumers';
import { stringify } from 'yaml';
import { loadConfig, type Config } from '../../src/config';
import type { Clock } from '../../src/domain/clock';
import { Secret } from '../../src/domain/credentials';
import { createKeyring } from '../../src/gateway/read/keyring';
import { startService, type Service } from '../../src/main';
import { createLog, type LogLevel } from '../../src/telemetry/log';
import { listen, type Listening } from '../listen';
import { newFolder } from '../new-folder';
import { opened } from '../opened';
import { copyMappings } from '../mapping/mapping-set';

export const MAPPINGS = resolve(__dirname, '..', '..', 'mappings');

export interface House {
  readonly service: Service;
  readonly url: string;
  readonly dataDir: string;
  /** The shipped folder, or the copy that the test asked for. */
  readonly mappingsDir: string;
  readonly logLines: readonly string[];
  /** The same, parsed. */
  log(): LogLine[];
  /** The page of metrics. */
  metrics(): Promise<string>;
  /** The number of this sample on it; 0 when it is not there. */
  sample(name: string): Promise<number>;
  /** The naira in the wallet of a key, as v1 has it. */
  wallet(key?: string): Promise<number>;
  close(): Promise<void>;
}

export type LogLine = Readonly<Record<string, unknown>>;

export interface HouseOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Not removed when given: for tests that restart. */
  readonly dataDir?: string;
  readonly clock?: Clock;
  readonly logLevel?: LogLevel;
  /** The test's own v1 on a real socket, instead of the sandbox. */
  readonly v1?: V1;
  /** Changes a copy of the shipped mappings, which the house then uses. */
  readonly changeMappings?: (folder: string) => void;
  /** The entries of these keys, given as scripts send them, in that copy's callers.yaml. */
  readonly callers?: Readonly<Record<string, object>>;
}

export type V1 = (request: IncomingMessage, url: URL, body: string) => AnswerOfV1;

export interface AnswerOfV1 {
  readonly http: number;
  readonly body: object | string;
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

export async function openHouse(options: HouseOptions = {}): Promise<House> {
  const { env, dataDir = newFolder(), clock, logLevel = 'info', callers } = options;
  const v1 = options.v1 === undefined ? undefined : await openV1(options.v1);
  const copy = options.changeMappings === undefined && callers === undefined ? undefined : copyMappings(newFolder());
  if (copy !== undefined) options.changeMappings?.(copy);
  if (callers !== undefined) nameKeys(copy!, callers);
  const logLines: string[] = [];
  const log = createLog(logLevel, { write: (line: string) => void logLines.push(line) });
  const own = {
    ...(callers === undefined ? {} : { GATEWAY_SECRET: SECRET }),
    ...(copy === undefined ? {} : { MAPPINGS_DIR: copy }),
    ...(v1 === undefined ? {} : { UPSTREAM_URL: `${v1.url}/api/v1` }),
  };
  const service = await startService(configFor(dataDir, { ...own, ...env }), log, clock);
  const metrics = async (): Promise<string> => (await fetch(`${service.adminUrl}/metrics`)).text();
  return {
    service,
    url: service.publicUrl,
    dataDir,
    mappingsDir: copy ?? MAPPINGS,
    logLines,
    log: () => logLines.map((line) => JSON.parse(line) as LogLine),
    metrics,
    async sample(name) {
      const line = (await metrics()).split('\n').find((one) => one.startsWith(`${name} `)) ?? '';
      return Number(line.slice(name.length));
    },
    wallet: async (key) => (await askV1(service, '/balance', key)).body.data.wallet_balance,
    async close() {
      await service.stop();
      await v1?.close();
    },
  };
}

function openV1(answer: V1): Promise<Listening> {
  const server = createServer((request, response) => {
    void readBody(request).then((sent) => {
      const { http, body } = answer(request, new URL(request.url!, 'http://v1'), sent);
      response.writeHead(http, { 'content-type': 'application/json' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  return listen(server);
}

/** A house for all tests of a file or of a `describe`. */
export const useHouse = (options?: HouseOptions): House => opened(() => openHouse(options));

/** A new house for each test. */
export const useHouses = (options?: HouseOptions): House => opened(() => openHouse(options), beforeEach, afterEach);

/** A house of a single test's own. */
export async function withHouse(options: HouseOptions, play: (house: House) => Promise<void>): Promise<void> {
  const house = await openHouse(options);
  await play(house).finally(() => house.close());
}

/** The GATEWAY_SECRET of a house with `callers`. */
export const SECRET = 'c0ffee'.repeat(6);
export const fingerprintOf = (key: string): string => createKeyring(new Secret(SECRET)).fingerprint(new Secret(key));

/** Writes the entries of these keys, given as scripts send them, into the folder's callers.yaml. */
export function nameKeys(folder: string, byKey: Readonly<Record<string, object>>): void {
  const keys = Object.fromEntries(Object.entries(byKey).map(([key, says]) => [fingerprintOf(key), says]));
  const shipped = readFileSync(join(MAPPINGS, 'callers.yaml'), 'utf8');
  const lines = stringify({ keys }).replace(/^/gm, '  ');
  writeFileSync(
    join(folder, 'callers.yaml'),
    shipped.replace('  keys: {}\n', () => lines),
  );
}

/** Does the same for a running house and reloads its mappings. */
export async function renameKeys({ mappingsDir, service }: House, byKey: Readonly<Record<string, object>>): Promise<void> {
  nameKeys(mappingsDir, byKey);
  expect(await service.live.reload()).toMatchObject({ kind: 'reloaded' });
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
  /** Hangs up. */
  readonly signal?: AbortSignal | null;
}

/** Posts JSON as most scripts do, or sends a GET when there is no body. */
export async function send(url: string, path: string, body?: unknown, options: SendOptions = {}): Promise<Told> {
  const { key = 'sandbox_demo:1234', headers = {}, method, signal = null } = options;
  const response = await fetch(`${url}${path}`, {
    signal,
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

/** The sale that most suites send: airtime for a number of its own network. */
export const AIRTIME = { network: 1, mobile_number: '08031234567', amount: 100, Ported_number: true };

export const buyAirtime = ({ url }: Pick<House, 'url'>, fields: object = {}, options?: SendOptions): Promise<Told> =>
  send(url, '/api/topup/', { ...AIRTIME, ...fields }, options);

/** v1's own answer, with which replies are compared. */
export async function askV1(service: Service, path: string, key = 'sandbox_demo'): Promise<Told> {
  const response = await fetch(`${service.upstreamUrl}${path}`, { headers: { Authorization: `Bearer ${key}` } });
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text), text, headers: response.headers };
}
