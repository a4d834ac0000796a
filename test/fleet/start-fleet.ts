/** The parts of deploy/compose.yaml as plain processes of this machine: PostgreSQL, two gateways, and HAProxy in front of them. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess } from '../end-process';
import { prepareGateway, type GatewayProcess } from '../crash/gateway-process';
import { freePort } from '../free-port';
import { postgresFolder, startPostgres, type PostgresServer } from '../journal/postgres/start-postgres';

export const DEPLOY = resolve(__dirname, '..', '..', 'deploy');
const START_MS = 15_000;
const LOOK_MS = 50;

export interface Fleet {
  /** The address for scripts. */
  readonly url: string;
  readonly gateways: readonly GatewayProcess[];
  readonly postgres: PostgresServer;
  /** The last lines of the balancer's log. */
  balancerOutput(): string;
  end(): Promise<void>;
}

/** A suite that needs a fleet; without its programs, one test that says what is missing. In CI and the long tests they are required. */
export function describeFleet(name: string, suite: () => void): void {
  const isDemanded = process.env['CI'] === 'true' || process.env['LONG_TESTS'] === '1';
  const hasBalancer = spawnSync('haproxy', ['-v']).status === 0;
  if ((hasBalancer && postgresFolder !== undefined) || isDemanded) describe(name, suite);
  else describe.skip(`${name} (not installed: apt-get install postgresql haproxy)`, suite);
}

/** The gateways share journal, secret and v1, and have a data folder each. */
export async function startFleet({
  upstreamUrl,
  port,
}: {
  readonly upstreamUrl: string;
  readonly port?: number;
}): Promise<Fleet> {
  const closers: (() => Promise<unknown> | void)[] = [];
  const end = async (): Promise<void> => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    const postgres = await startPostgres();
    closers.push(() => postgres.close());
    const env = {
      JOURNAL_URL: await postgres.createDatabase(),
      GATEWAY_SECRET: '0123456789abcdef'.repeat(2),
      TRUSTED_PROXIES: '127.0.0.1',
      DRAIN_SECONDS: '1',
    };
    const gateways = [await openGateway(upstreamUrl, env, closers), await openGateway(upstreamUrl, env, closers)];
    const started = await Promise.all(gateways.map((gateway) => gateway.start()));
    if (started.includes(false))
      throw new Error(`A gateway did not start: ${gateways.map((one) => one.complaints()).join('\n')}`);
    const url = `http://127.0.0.1:${port ?? (await freePort())}`;
    const output = await openBalancer(url, gateways, closers);
    return { url, gateways, postgres, balancerOutput: output, end };
  } catch (error) {
    await end();
    throw error;
  }
}

type Closers = (() => Promise<unknown> | void)[];

async function openGateway(
  upstreamUrl: string,
  env: Readonly<Record<string, string>>,
  closers: Closers,
): Promise<GatewayProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), 'compat-fleet-'));
  closers.push(() => rmSync(dataDir, { recursive: true, force: true }));
  const gateway = await prepareGateway({ dataDir, upstreamUrl, env });
  closers.push(() => gateway.end('SIGTERM'));
  return gateway;
}

async function openBalancer(url: string, gateways: readonly GatewayProcess[], closers: Closers): Promise<() => string> {
  const addresses = gateways.map((gateway, index) => [
    [`GATEWAY_${index + 1}`, new URL(gateway.url).host],
    [`GATEWAY_${index + 1}_ADMIN_PORT`, new URL(gateway.adminUrl).port],
  ]);
  const own = { BALANCER_ADDRESS: new URL(url).host, BALANCER_FILES: DEPLOY };
  const env = { ...process.env, ...Object.fromEntries(addresses.flat()), ...own };
  const balancer = spawn('haproxy', ['-db', '-f', join(DEPLOY, 'haproxy.cfg')], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [balancer.stdout, balancer.stderr]) stream.on('data', (part: Buffer) => (output += part.toString()));
  closers.push(() => endProcess(balancer));
  const until = Date.now() + START_MS;
  while (!(await isServing(url))) {
    if (balancer.exitCode !== null || Date.now() > until) throw new Error(`HAProxy does not serve: ${output}`);
    await sleep(LOOK_MS);
  }
  return () => output.split('\n').slice(-20).join('\n');
}

/** While HAProxy has no gateway it replies itself, with 200. */
async function isServing(url: string): Promise<boolean> {
  return fetch(`${url}/api/nothing`).then(
    ({ status }) => status === 404,
    () => false,
  );
}
