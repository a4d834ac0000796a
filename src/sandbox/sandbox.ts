import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PROJECT_FOLDER } from '../domain/project-folder';
import type { KeptValues } from '../mapping/kept-value';
import { SandboxAdmin } from './admin';
import { createRealClock, type Clock } from './clock';
import { answerBrokenRequests, createV1Listener, parseTrustedProxies, V1_BASE_PATH } from './http';
import { loadConfig, type SandboxConfig } from './load-config';
import { checkStore, openLmdbStore, type OnStoreFailure } from './store/lmdb-store';
import { createMemoryStore, type Store } from './store/store';
import { WebhookPoster } from './webhook/post-webhook';
import { createWorld, type World, type WorldOptions } from './world';

export interface SandboxOptions {
  /** The folder that keeps the state across restarts; undefined keeps the state in memory only. */
  readonly dataDir?: string | undefined;
  /** The folder with accounts.yaml and catalog.yaml; undefined means the shipped one. */
  readonly configDir?: string | undefined;
  /** For load tests: lifts rate limits and the duplicate window, and answers before an order is on disk. */
  readonly relaxed?: boolean | undefined;
  readonly clock?: Clock | undefined;
  /** Measures how long a webhook receiver takes. It is separate from `clock`, which can be moved: receivers live in real time. */
  readonly receiverClock?: Clock | undefined;
  /** Results of reading the YAML files, kept from earlier runs of the program. */
  readonly kept?: KeptValues | undefined;
  /** Makes references, tokens, PINs and names the same in every run. */
  readonly seed?: string | undefined;
  /** Addresses or networks whose X-Forwarded-For is trusted, in addition to loopback. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** A certificate (PEM) that webhook receivers may use, in addition to publicly trusted ones. */
  readonly webhookCa?: string | undefined;
  /** Called with the first failed write, and with undefined when writing works again. Between the two, purchases are refused. */
  readonly onStoreFailure?: OnStoreFailure;
}

export type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

const SHIPPED_CONFIG = join(PROJECT_FOLDER, 'sandbox');
// Longer than clients keep idle connections, so that no connection is closed while a request is on its way.
const KEEP_ALIVE_MS = 65_000;
const SERVER_OPTIONS = {
  keepAliveTimeout: KEEP_ALIVE_MS,
  headersTimeout: KEEP_ALIVE_MS + 1_000,
  // Node refuses a request without Host with an empty body. The sandbox does not need the header.
  requireHostHeader: false,
} as const;

/** Opens a v1 service. Throws if its YAML has problems, or if its data folder is damaged or in use by another process. */
export async function openSandbox(options: SandboxOptions = {}) {
  const { dataDir, relaxed: isRelaxed = false, seed } = options;
  const config = loadConfig(options.configDir ?? SHIPPED_CONFIG, options.kept);
  const trusted = parseTrustedProxies(options.trustedProxies ?? []);
  if (dataDir !== undefined) await checkStore(dataDir);
  const store = dataDir === undefined ? createMemoryStore() : openLmdbStore(dataDir, options.onStoreFailure);
  const lifetime = new AbortController();
  const clock = openClock(store, lifetime.signal, options.clock);
  const poster = new WebhookPoster(options.receiverClock ?? createRealClock(), options.webhookCa);
  const world = await openWorld(config, store, { clock, poster, isRelaxed, seed }).catch(async (error: unknown) => {
    // Otherwise this process would keep the data folder, and no later attempt could open it.
    lifetime.abort();
    await poster.close();
    await store.close().catch(() => undefined);
    throw error;
  });
  const listener = createV1Listener(world, trusted);
  const servers = new Set<Server>();
  return {
    /** v1 under /api/v1, for another server. */
    listener,
    admin: new SandboxAdmin(world),
    /** Port 0 means any free port. */
    async listen(port: number, host = '127.0.0.1'): Promise<{ port: number; url: string }> {
      const server = createServer(SERVER_OPTIONS, listener);
      answerBrokenRequests(server, listener);
      servers.add(server);
      await new Promise<void>((done, fail) => server.once('error', fail).listen(port, host, done));
      const { port: bound } = server.address() as AddressInfo;
      return { port: bound, url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}${V1_BASE_PATH}` };
    },
    /** Stops listening, writes everything to disk and releases the data folder. */
    async close(): Promise<void> {
      lifetime.abort();
      await Promise.all([...servers].map((server) => closeServer(server)));
      await poster.close();
      await world.webhooks.idle();
      await store.close();
    },
  };
}

async function openWorld(config: SandboxConfig, store: Store, options: WorldOptions): Promise<World> {
  const world = createWorld(config, store, options);
  await store.committed();
  return world;
}

/**
 * The given clock or the machine's, moved as far as in earlier runs: the times of orders must not lie ahead of it. Its timers do
 * nothing once the sandbox is closed, because the next sandbox on the same data sets its own timers.
 */
function openClock(store: Store, closing: AbortSignal, given: Clock | undefined): Clock {
  let movedMs = new Map(store.entries<number>('setting')).get('moved_ms') ?? 0;
  const clock = given ?? createRealClock(movedMs);
  return {
    ...clock,
    setTimer: (delayMs, fire) =>
      clock.setTimer(delayMs, () => {
        if (!closing.aborted) fire();
      }),
    advance(ms) {
      movedMs += ms;
      store.put('setting', 'moved_ms', movedMs);
      clock.advance(ms);
    },
  };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });
}
