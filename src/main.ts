/** Builds everything and ties it together: the only file that knows all the rooms. */
import { closeAll, createTools, openMapping, shownHost, startSandbox, watchFolder, type Opening, type Tools } from './around';
import { createPriceLists } from './price-lists/price-lists';
import type { Config } from './config';
import { openConfiguredJournal } from './start/configured-journal';
import { openConfiguredTraffic } from './start/configured-traffic';
import { prepareDataFolder } from './start/data-folder';
import { createDeadline, pause, systemClock, type Clock } from './domain/clock';
import { readOpenFilesLimit, shareDescriptors, sharesOfWorker, type DescriptorShares } from './start/descriptors';
import type { GatewayError } from './domain/errors';
import type { LegacyReply, LegacyRequest } from './domain/legacy';
import { createGateway, type Gateway } from './gateway/gateway';
import type { GatewayParts, Together } from './gateway/walk-parts';
import { createKeyGuard, type KeyGuard } from './gateway/key-guard';
import { createLearntPatience, type LearntEntry, type LearntPatience } from './gateway/order/learnt-patience';
import { createApp, type PartialRequest } from './http/app';
import { createClientAddress, createProxies } from './http/client-address';
import { DEFAULT_HTTP_LIMITS } from './http/http-limits';
import { createPassthrough, type PassthroughOptions } from './http/passthrough';
import { KnownAddresses } from './http/connection/known-addresses';
import { createHttpServer, type HttpServer } from './http/server';
import { listening } from './start/listening';
import { openAdmin } from './start/open-admin';
import { watchUntold } from './watch/mark-untold';
import type { Journal } from './journal/journal';
import type { LiveMapping } from './mapping/live';
import type { Mapping } from './mapping/mapping';
import { watchOpenOrders } from './watch/open-orders';
import type { Observer } from './watch/observer';
import type { Sandbox } from './sandbox/sandbox';
import type { Log } from './telemetry/log';
import { watchContraryEnds } from './watch/contrary-ends';
import { loggedJournal } from './telemetry/logged-journal';
import { measuredUpstream } from './telemetry/measured';
import type { Metrics } from './telemetry/metrics';
import { createPatienceFile, readPatienceFile } from './watch/patience-file';
import { createStopLog, type StopLog } from './watch/stop-log';
import { watchUpstream } from './watch/watch-upstream';
import { V1_ENDPOINTS } from './upstream/v1';
import { createHttpUpstream } from './upstream/http-upstream';
import type { Upstream } from './upstream/upstream';
import { createVisitors } from './upstream/visitors';

export interface Service {
  /** Where scripts go: `http://127.0.0.1:8080`. */
  readonly publicUrl: string;
  readonly adminUrl: string;
  /** The v1 that is sold through. */
  readonly upstreamUrl: string;
  /** The embedded sandbox, when there is one. */
  readonly sandbox: Sandbox | undefined;
  readonly gateway: Gateway;
  readonly live: LiveMapping;
  /**
   * Takes no more requests, lets orders under way come to an end, closes everything. The log says what asked for it.
   * SIGTERM comes from a supervisor: load balancers are given the time to notice first. (Decision 0039.)
   */
  stop(signal?: string): Promise<void>;
}

/** What one of several processes that serve as one has from the others, and shares with them. */
export interface Joined {
  /** From 1. */
  readonly worker: number;
  readonly workers: number;
  readonly upstreamUrl: string;
  readonly mapping: () => Mapping;
  readonly openKeyGuard: (journal: Journal) => KeyGuard;
  readonly together: Together;
  /** The same memory; the hang-ups that each process meets are learnt by all. */
  readonly sharePatience: (learnt: LearntPatience) => LearntPatience;
}

/** The part that sells: journal, way to v1, gateway, and the door that scripts come in by. */
export interface Selling {
  readonly publicUrl: string;
  readonly gateway: Gateway;
  readonly metrics: Metrics;
  readonly journal: Pick<Journal, 'isWritable'>;
  readonly traffic: ReturnType<typeof openConfiguredTraffic>;
  readonly adminConnections: number;
  stop(signal?: string): Promise<void>;
}

/** How long a stop waits for requests and orders under way, all together; what is not over then is found in the journal. */
export const STOP_DEADLINE_MS = 25_000;

/** Starts everything in this process or throws a sentence about what is in the way; nothing is left running then. The clock is the gateway's. */
export async function startService(config: Config, log: Log, clock = systemClock): Promise<Service> {
  return orNothing((closers) => start(config, log, clock, closers));
}

/** Starts the part that sells, as one of several processes. */
export async function startWorker(config: Config, log: Log, joined: Joined): Promise<Selling> {
  return orNothing(async (closers) => {
    const parts = {
      log,
      clock: systemClock,
      closers,
      mapping: joined.mapping,
      isJournalWritable: () => selling.journal.isWritable(),
    };
    const selling = await sell(config, createTools(config, parts), { ...joined, joined, hasSandbox: false });
    return selling;
  });
}

async function orNothing<T>(open: (closers: (() => Promise<void>)[]) => Promise<T>): Promise<T> {
  const closers: (() => Promise<void>)[] = [];
  try {
    return await open(closers);
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

async function start(config: Config, log: Log, clock: Clock, closers: (() => Promise<void>)[]): Promise<Service> {
  const mapping = (): Mapping => live.current();
  for (const detail of prepareDataFolder(config.dataDir)) log.warn('data_folder', { detail });
  const tools = createTools(config, { log, clock, closers, mapping, isJournalWritable: () => selling.journal.isWritable() });
  const { observer, metrics } = tools;
  const live = openMapping(config, observer);
  const sandbox = config.upstreamUrl === undefined ? await startSandbox(config, tools) : undefined;
  const upstreamUrl = config.upstreamUrl ?? sandbox!.url;
  watchFolder(config, live, tools);
  const selling = await sell(config, tools, { mapping, upstreamUrl, hasSandbox: sandbox !== undefined });
  let isStopping = false;
  const admin = await openAdmin(config, {
    ...{ live, sandbox: sandbox?.sandbox, registry: metrics.registry, connectionsMax: selling.adminConnections },
    ...{ journal: selling.journal, traffic: selling.traffic },
    isStopping: () => isStopping,
    onTrouble: observer.trouble,
  });
  // Closed last of all: while orders are held somebody must see that, and that nothing more may be sent here.
  closers.unshift(() => admin.close());
  return {
    ...{ upstreamUrl, sandbox: sandbox?.sandbox, live, publicUrl: selling.publicUrl, gateway: selling.gateway },
    adminUrl: `http://${shownHost(config.adminHost)}:${admin.port}`,
    stop: (signal) => {
      isStopping = true;
      return selling.stop(signal);
    },
  };
}

interface SellingParts {
  readonly mapping: () => Mapping;
  readonly upstreamUrl: string;
  readonly hasSandbox: boolean;
  readonly joined?: Joined;
}

async function sell(config: Config, tools: Tools, { mapping, upstreamUrl, hasSandbox, joined }: SellingParts): Promise<Selling> {
  const { observer, log, clock, closers, metrics, showId, keyring } = tools;
  metrics.mappingLoaded(mapping().hash);
  const { journal, endSigns } = await openOrders(config, tools);
  const traffic = openConfiguredTraffic(config, mapping, metrics, observer.trouble);
  closers.push(() => traffic?.stop() ?? Promise.resolve());
  const known = new KnownAddresses();
  const shares = sharesOfWorker(
    shareDescriptors(readOpenFilesLimit(), config.upstreamConnections, hasSandbox),
    joined?.workers ?? 1,
  );
  const keyGuard = joined?.openKeyGuard(journal) ?? createKeyGuard({ clock, journal });
  const v1 = openUpstream(upstreamUrl, { config, shares, metrics, log, showId, clock, closers });
  const upstream = keyGuard.hear(v1.upstream);
  // All see the same journal: one of them counts and tells.
  const watchingOrders =
    (joined?.worker ?? 1) === 1 ? watchOpenOrders({ journal, mapping, clock, log, metrics, showId }) : undefined;
  closers.push(async () => watchingOrders?.stop());
  const gateway = openGateway(config, {
    ...{ mapping, upstream, known, keyring, keyGuard, metrics, observer, clock, closers, joined },
    crowdedSeconds: v1.crowdedSeconds,
    journal: watchContraryEnds(loggedJournal(journal, log, showId), { mapping, log, metrics, showId }),
  });
  const deadline = createDeadline(clock, STOP_DEADLINE_MS);
  const stopping = createStopLog({ log, clock, journal, orders: () => gateway.inFlight });
  closers.push(async () => {
    const hasDrained = await gateway.drain(deadline.leftMs());
    await stopping.drained();
    await endSigns(hasDrained && journal.isWritable());
  });
  const server = createDoor(config, { gateway, observer, traffic, metrics, log, shares, known, upstreamUrl });
  stopping.watch(server.server);
  const { port } = await listening(config, 'public', (onPort, host) => server.listen(onPort, host));
  closers.push(() => server.close(deadline.leftMs()));
  return {
    ...{ gateway, metrics, journal, traffic, adminConnections: shares.admin },
    publicUrl: `http://${shownHost(config.host)}:${port}`,
    stop: async (signal) => {
      stopping.begin(signal);
      if (signal === 'SIGTERM') await leave(server, config.drainSeconds, clock, stopping);
      deadline.begin();
      gateway.beginStop();
      await closeAll(closers);
      stopping.end();
    },
  };
}

interface UpstreamOpening extends Omit<Opening, 'observer'> {
  readonly config: Config;
  readonly shares: DescriptorShares;
  readonly metrics: Metrics;
  readonly showId: (id: string) => string;
}

function openUpstream(baseUrl: string, { config, shares, closers, ...parts }: UpstreamOpening) {
  const watch = watchUpstream(baseUrl, { ...parts, probeSeconds: config.upstreamProbeSeconds });
  const { metrics } = parts;
  const v1 = createHttpUpstream({ baseUrl, connections: shares.sales, onCall: watch.noteCall, onWaited: metrics.callWaited });
  metrics.watchTurns(() => v1.turns);
  const upstream = measuredUpstream(v1, metrics);
  closers.push(() => upstream.close());
  closers.push(async () => watch.stop());
  return { upstream, crowdedSeconds: v1.crowdedSeconds };
}

interface GatewayOpening
  extends
    Omit<Opening, 'log'>,
    Pick<GatewayParts, 'journal' | 'upstream' | 'keyring'>,
    Required<Pick<GatewayParts, 'keyGuard' | 'crowdedSeconds'>> {
  readonly mapping: () => Mapping;
  readonly known: KnownAddresses;
  readonly metrics: Metrics;
  readonly joined: Joined | undefined;
}

function openGateway(config: Config, { known, metrics, observer, closers, joined, ...parts }: GatewayOpening): Gateway {
  const learnt = openLearntPatience(config, parts.clock, observer, metrics, closers);
  return createGateway({
    ...parts,
    ...rememberV1(parts.upstream, parts.clock, known),
    learntPatience: joined?.sharePatience(learnt) ?? learnt,
    together: joined?.together,
    lookupKey: config.lookupApiKey,
    ordersMax: config.ordersMax,
    random: Math.random,
    onTrouble: observer.trouble,
    onRead: observer.read,
    onWrongPin: observer.wrongPin,
  });
}

/** What v1 has said of keys, and the price lists that are shown by it. */
function rememberV1(upstream: Upstream, clock: Clock, known: KnownAddresses): Pick<GatewayParts, 'visitors' | 'priceLists'> {
  const onAccepted = (address: string): void => known.add(address);
  const visitors = createVisitors({ upstream, clock: () => clock.elapsed(), onAccepted });
  return { visitors, priceLists: createPriceLists({ upstream, visitors, clock: () => clock.elapsed() }) };
}

interface DoorParts extends Pick<Opening, 'observer' | 'log'> {
  readonly gateway: Gateway;
  readonly traffic: ReturnType<typeof openConfiguredTraffic>;
  readonly metrics: Metrics;
  readonly shares: DescriptorShares;
  readonly known: KnownAddresses;
  readonly upstreamUrl: string;
}

/** Where scripts come in: compat routes, and v1 passed through. */
function createDoor(config: Config, parts: DoorParts): HttpServer {
  const { gateway, observer, traffic, metrics, shares, known, upstreamUrl } = parts;
  const refuse = (error: GatewayError, partial?: PartialRequest): LegacyReply => gateway.refuse(error, partial);
  const clientAddress = createClientAddress(config.trustedProxies);
  const app = createApp({
    handle: async (request: LegacyRequest, { receivedAtMs, line }) => {
      const served = await gateway.handle(request, line);
      observer.served(request, served, receivedAtMs, line.hasHungUp);
      traffic?.record(request, served);
      return served.reply;
    },
    refuse,
    passthrough: createPassthrough({ upstreamUrl, clientAddress, ...passthroughOptions(config, parts) }),
    v1Path: config.v1Path,
    clientAddress,
    limits: DEFAULT_HTTP_LIMITS,
    onRequestDone: observer.requestDone,
    onInFlight: (by) => metrics.inFlight(by),
    incident: observer.incident,
  });
  const limits = { ...DEFAULT_HTTP_LIMITS, connectionsMax: shares.public };
  const proxies = createProxies(config.trustedProxies, clientAddress);
  return createHttpServer(app, limits, (error) => refuse(observer.brokenRequest(error)), { proxies, known });
}

/** Every path of v1 asks for a key (section 5): whoever is answered there has one. */
const V1_PATHS: ReadonlySet<string> = new Set(V1_ENDPOINTS.map(({ path }) => path));

function passthroughOptions(config: Config, { observer, log, shares, known }: DoorParts): Partial<PassthroughOptions> {
  return {
    socketsMax: shares.passthrough,
    onAnswer: (clientAddress, { path, status }) => {
      if (status >= 200 && status < 300 && V1_PATHS.has(path)) known.add(clientAddress);
    },
    headers: config.passthroughHeaders,
    onError: (error) => observer.trouble('passthrough', error),
    onDroppedHeader: (field) => log.debug('passthrough_header_dropped', { field }),
  };
}

async function openOrders(config: Config, { observer, log, clock, closers }: Opening) {
  const journal = await openConfiguredJournal(config, observer.journal);
  closers.push(() => journal.close());
  const onMarked = (count: number): void => log.warn('untold_orders', { count });
  const endSigns = await watchUntold({ dataDir: config.dataDir, journal, clock, onMarked, onTrouble: observer.trouble });
  closers.push(async () => endSigns(false));
  return { journal, endSigns };
}

/** Serves on while load balancers learn that they should send nothing more. */
async function leave(server: HttpServer, drainSeconds: number, clock: Clock, stopping: StopLog): Promise<void> {
  if (drainSeconds === 0) return;
  server.leave();
  await pause(clock, drainSeconds * 1_000);
  stopping.drainEnded();
}

function openLearntPatience(
  config: Config,
  clock: Clock,
  observer: Observer,
  metrics: Metrics,
  closers: (() => Promise<void>)[],
): LearntPatience {
  const { entries: known, problem } = readPatienceFile(config.dataDir);
  if (problem !== undefined) observer.trouble('patience_file', new Error(problem));
  const file = createPatienceFile(config.dataDir, clock, observer.trouble);
  closers.push(async () => file.close());
  const show = (entries: readonly LearntEntry[]): void => {
    const keys = new Map<string, number>();
    for (const { kind, limitMs } of entries) if (limitMs !== undefined) keys.set(kind, (keys.get(kind) ?? 0) + 1);
    metrics.setLearnt(keys);
  };
  show(known);
  return createLearntPatience(known, (kind, entries, isOwn) => {
    show(entries());
    // Whoever met it counts it and writes it down.
    if (!isOwn) return;
    metrics.hungUp(kind);
    file.save(entries);
  });
}
