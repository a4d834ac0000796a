/** The parts around selling, which exist once for all processes that serve as one: tools, mappings, the embedded sandbox and the admin port. */
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Registry } from 'prom-client';
import { createAdminServer, type AdminServer } from './admin/admin-server';
import { createAlarmsRouter, createReadRouter, createTrafficRouter, type Running } from './admin/read-routers';
import { createOrdersRouter } from './admin/orders-router';
import { createMappingRouter } from './admin/mapping-router';
import { createRecordRouter } from './admin/record-router';
import { describeConfig, type Config } from './config';
import { nairaNumber } from './domain/amount';
import type { Clock } from './domain/clock';
import type { LegacyHeaders } from './domain/legacy';
import { openOnce } from './domain/open-once';
import type { Recordings } from './domain/recorded-request';
import { createKeyring, type Keyring, showRequestId } from './gateway/read/keyring';
import { idInHeader } from './gateway/tell/refuse';
import { callerTitle } from './mapping/caller-name';
import { formatProblems } from './mapping/problem';
import { type LiveMapping, openLiveMapping } from './mapping/live';
import type { Mapping } from './mapping/mapping';
import { openSetHistory } from './mapping/set-history';
import type { Journal } from './journal/journal';
import { journalFolder } from './journal/open-journal';
import type { NotesStore } from './orders/notes-store';
import { createSandboxAdminRouter } from './sandbox/admin-router';
import { openSandbox, type Sandbox } from './sandbox/sandbox';
import { openOrdersDesk, type AskV1, type OrdersDesk } from './start/orders-desk';
import { mountConsole } from './start/console';
import { readOpenFilesLimit } from './start/descriptors';
import { takeGatewaySecret } from './start/gateway-secret';
import { listening, routesBehindV1 } from './start/listening';
import { keptValues } from './start/one-file';
import { type Log, namedLog } from './telemetry/log';
import { createMetrics, type Metrics } from './telemetry/metrics';
import { openTraces, type Traces } from './telemetry/traces';
import type { AlarmsWatch } from './watch/alarms';
import { createObserver, type Observer } from './watch/observer';
import { announceSandboxed } from './start/sandboxed-keys';
import { createRepeatedRefusals, type RepeatedRefusals } from './watch/repeated-refusals';
import { readPatienceFile } from './watch/patience-file';
import { createWallets, type Wallets } from './watch/wallets';
import { watchMappings } from './watch/watch-mappings';

const DAY_MS = 24 * 3_600_000;

export interface Opening {
  readonly observer: Observer;
  readonly log: Log;
  readonly clock: Clock;
  readonly closers: (() => Promise<void>)[];
}

/** The tools that every serving process has. */
export interface Tools extends Opening {
  readonly metrics: Metrics;
  readonly keyring: Keyring;
  readonly showId: (id: string) => string;
  readonly repeated: RepeatedRefusals;
  /** Undefined without TRACES_URL. */
  readonly traces: Traces | undefined;
  readonly wallets: Wallets;
}

interface ToolSources extends Omit<Opening, 'observer'> {
  readonly mapping: () => Mapping;
  readonly isJournalWritable: () => boolean;
}

export function createTools(config: Config, { mapping, isJournalWritable, ...sources }: ToolSources): Tools {
  const { clock } = sources;
  const titleOf = (fingerprint: string): string | undefined => callerTitle(mapping(), fingerprint);
  const log = namedLog(sources.log, titleOf);
  const metrics = createMetrics({ logLinesLost: () => log.linesLost(), isJournalWritable });
  const keyring = createKeyring(takeGatewaySecret(config, journalFolder(config.journalUrl, config.dataDir)), {
    days: config.tokenDays,
    now: () => clock.now(),
  });
  const showId = (id: string): string => showRequestId(id, keyring);
  const repeated = createRepeatedRefusals(clock);
  const headerId = (headers: LegacyHeaders): string | undefined => idInHeader(headers, mapping());
  const watching = createObserver(log, metrics, { showId, headerId, titleOf, repeated });
  const wallets = createWallets({ mapping, clock });
  const { tracesUrl: url } = config;
  const traces = url === undefined ? undefined : openTraces({ url, showId, onTrouble: watching.trouble });
  if (traces !== undefined) sources.closers.push(() => traces.close());
  const observer = traces === undefined ? watching : { ...watching, read: tracedRead(watching, traces) };
  return { ...sources, log, metrics, keyring, showId, observer, repeated, wallets, traces };
}

function tracedRead({ read }: Observer, traces: Traces): Observer['read'] {
  return (parsed, sentId) => {
    traces.wasRead();
    read?.(parsed, sentId);
  };
}

/** Adds the callers' wallet balances to this process's metrics. */
function showWallets({ metrics, wallets }: Pick<Tools, 'metrics' | 'wallets'>, mapping: () => Mapping): void {
  metrics.watchWallets(() =>
    wallets.list().flatMap(({ fingerprint, balance }) => {
      const caller = callerTitle(mapping(), fingerprint);
      return caller === undefined ? [] : [{ caller, naira: nairaNumber(balance) }];
    }),
  );
}

export function watchFolder(config: Config, live: LiveMapping, { observer, clock, closers }: Omit<Opening, 'log'>): void {
  if (!config.mappingsWatch) return;
  const watching = watchMappings(config.mappingsDir, live, clock, observer.trouble);
  closers.push(async () => watching.stop());
}

/**
 * Opens the mappings of the folder, or the last good ones when those have problems; the problems are reported. Throws an Error when neither can
 * be used.
 */
export function openMapping(config: Config, observer: Observer): LiveMapping {
  const obstacle = (mapping: Mapping): string | undefined => routesBehindV1(mapping, config.v1Path);
  const opened = openLiveMapping({
    obstacle,
    folder: config.mappingsDir,
    history: openSetHistory(config.dataDir, { keepMs: config.journalDays * DAY_MS }),
    kept: keptValues(config.dataDir),
    onReload: observer.reloaded,
  });
  if ('problems' in opened) throw new Error(`The mappings cannot be used:\n${formatProblems(opened.problems)}`);
  const hidden = obstacle(opened.live.current());
  if (hidden !== undefined) throw new Error(hidden);
  const problems = opened.live.problems();
  if (problems.length > 0) observer.reloaded({ kind: 'refused', hash: opened.live.current().hash, problems });
  return opened.live;
}

async function startSandbox(config: Config, { observer, log, closers }: Opening): Promise<{ sandbox: Sandbox; url: string }> {
  const sandbox = await openSandbox({
    dataDir: join(config.dataDir, 'sandbox'),
    relaxed: config.sandboxRelaxed,
    seed: config.sandboxSeed,
    kept: keptValues(config.dataDir),
    // The gateway calls the sandbox from the sandbox's own address and forwards its scripts' addresses, so that address is trusted.
    trustedProxies: [...config.trustedProxies, ...(isIP(config.sandboxHost) === 0 ? [] : [config.sandboxHost])],
    onStoreFailure: (failure) => {
      if (failure === undefined) log.info('sandbox_write_recovered');
      else observer.trouble('sandbox_write_failed', failure);
    },
  });
  const close = (): Promise<void> => sandbox.close().catch((error: unknown) => observer.trouble('sandbox_write_failed', error));
  try {
    const { url } = await listening(config, 'sandbox', (port, host) => sandbox.listen(port, host));
    closers.push(close);
    return { sandbox, url };
  } catch (error) {
    // A later attempt needs the data folder, which an open sandbox keeps to itself.
    await close();
    throw error;
  }
}

export async function openSandboxes(config: Config, tools: Tools, mapping: () => Mapping) {
  const embedded = config.upstreamUrl === undefined ? await startSandbox(config, tools) : undefined;
  const sandboxUrl = openOnce(async () => embedded?.url ?? (await startSandbox(config, tools)).url, tools.clock);
  const announce = (): void => announceSandboxed(mapping(), sandboxUrl, tools.log);
  announce();
  return {
    /** The base address of v1. */
    upstreamUrl: config.upstreamUrl ?? embedded!.url,
    /** The embedded sandbox, when it is the upstream. */
    sandbox: embedded?.sandbox,
    /** The sandbox's address, for keys in the sandbox; the first call starts the sandbox. */
    sandboxUrl,
    /** To be called after a reload: warns of the keys that are in the sandbox now. */
    announce,
  };
}

/** The parts behind the admin port: readiness, metrics, mapping, traffic, sandbox and console. */
interface AdminParts {
  readonly tools: Tools;
  readonly connectionsMax: number;
  readonly registry: Pick<Registry, 'contentType' | 'metrics' | 'getMetricsAsJSON'> & Partial<Pick<Registry, 'getSingleMetric'>>;
  readonly live: LiveMapping;
  readonly journal: Pick<Journal, 'isWritable'>;
  readonly alarms: Pick<AlarmsWatch, 'active'>;
  /** Opens the journal for the console; called at its first read. */
  readonly openJournal: () => Promise<Journal>;
  /** Opens the notes, for reading. */
  readonly openNotes: () => Promise<NotesStore>;
  /** Asks v1 about an order through a process that sells. */
  readonly askV1: AskV1;
  readonly traffic: Parameters<typeof createTrafficRouter>[0];
  readonly sandbox: Sandbox | undefined;
  readonly recordings: Recordings;
  readonly publicUrl: string;
  readonly upstreamUrl: string;
  readonly isStopping: () => boolean;
  /** Whether a process serves at the public port. Absent when this process serves itself: then always true. */
  readonly isServing?: () => boolean;
  /** Resolves when every process uses the set that this one uses. */
  readonly everywhere?: () => Promise<void>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export async function openAdmin(config: Config, parts: AdminParts): Promise<AdminServer & { readonly port: number }> {
  const { connectionsMax, registry, live, traffic, sandbox, recordings, onTrouble, everywhere } = parts;
  showWallets(parts.tools, () => live.current());
  const orders = openDesk(config, parts);
  parts.tools.closers.push(() => orders.stopFollowing());
  const console = mountConsole(config, { ...parts, orders, learnt: () => readPatienceFile(config.dataDir).entries });
  const admin = createAdminServer({
    token: config.adminToken,
    connectionsMax,
    registry,
    readiness: () => ({ hash: live.current().hash, waitingFor: waitingFor(parts) }),
    routers: [
      { path: '/mapping', router: createMappingRouter(live, everywhere) },
      { path: '/traffic', router: createTrafficRouter(traffic) },
      { path: '/alarms', router: createAlarmsRouter(parts.alarms, (fingerprint) => callerTitle(live.current(), fingerprint)) },
      { path: '/running', router: createReadRouter(readRunning(config, parts)) },
      { path: '/record', router: createRecordRouter(recordings, () => live.current()) },
      { path: '/orders', router: createOrdersRouter((asked) => orders.recheck(asked)) },
      ...(sandbox === undefined ? [] : [{ path: '/sandbox', router: createSandboxAdminRouter(sandbox) }]),
      { path: '/console', router: console.router, isOpen: true },
    ],
    onError: (error) => onTrouble('admin', error),
  });
  const close = async (): Promise<void> => {
    await console.close();
    await admin.close();
    await orders.close();
  };
  try {
    const { port } = await listening(config, 'admin', (onPort, host) => admin.listen(onPort, host));
    return { ...admin, port, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function waitingFor({ isStopping, isServing, journal }: Pick<AdminParts, 'isStopping' | 'isServing' | 'journal'>): string[] {
  return [
    ...(isStopping() ? ['stopping'] : []),
    ...(isServing?.() === false ? ['workers'] : []),
    ...(journal.isWritable() ? [] : ['journal']),
  ];
}

function openDesk(config: Config, { tools, live, openJournal, openNotes, askV1, onTrouble }: AdminParts): OrdersDesk {
  const { keyring, clock } = tools;
  return openOrdersDesk(config, {
    ...{ keyring, clock, askV1, onTrouble, history: live.history, mapping: () => live.current() },
    journal: openOnce(openJournal, clock),
    notes: openOnce(openNotes, clock),
  });
}

function readRunning(config: Config, { publicUrl, upstreamUrl, sandbox }: AdminParts): () => Running {
  const running = {
    ...{ publicUrl, upstreamUrl, pid: process.pid, node: process.version, startedAtMs: Date.now() },
    openFilesMax: readOpenFilesLimit(),
    sandbox: sandbox === undefined ? undefined : { isRelaxed: config.sandboxRelaxed },
    settings: describeConfig(config).map(({ name, value }) => ({ name, value })),
  };
  return () => running;
}

/** Runs `open`. When it throws, or a stop is asked for before it ends, closes all that it has opened so far and throws the error. */
export async function openOrCloseAll<T>(
  open: (closers: (() => Promise<void>)[]) => Promise<T>,
  stopAsked: Promise<unknown> = new Promise(() => undefined),
): Promise<T> {
  const closers: (() => Promise<void>)[] = [];
  const stopped = stopAsked.then(() => Promise.reject(new Error('The start was stopped.')));
  try {
    return await Promise.race([open(closers), stopped]);
  } catch (error) {
    const closing = closeAll(closers);
    // After a stop `open` may still wait, for a database. It fails at the next part that it opens, so it never gets to sell.
    Object.freeze(closers);
    await closing;
    throw error;
  }
}

/** Calls the closers in reverse order, the last one first. One that fails does not stop the others. */
export async function closeAll(closers: (() => Promise<void>)[]): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close().catch(() => undefined);
}

/** A host that can be called, for showing: loopback for a wildcard address, an IPv6 address in brackets. */
export function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
