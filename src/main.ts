/** Builds everything and ties it together: the only file that knows all the rooms. */
import { join } from 'node:path';
import { createPriceLists } from './price-lists/price-lists';
import type { Config } from './config';
import { openConfiguredJournal } from './start/configured-journal';
import { openConfiguredTraffic } from './start/configured-traffic';
import { prepareDataFolder } from './start/data-folder';
import { createDeadline, pause, systemClock, type Clock } from './domain/clock';
import { readOpenFilesLimit, shareDescriptors, type DescriptorShares } from './start/descriptors';
import type { GatewayError } from './domain/errors';
import type { LegacyReply, LegacyRequest } from './domain/legacy';
import { createGateway, type Gateway } from './gateway/gateway';
import type { GatewayParts } from './gateway/walk-parts';
import { createKeyGuard } from './gateway/key-guard';
import { createKeyring } from './gateway/read/keyring';
import { showRequestId } from './gateway/read/show-request-id';
import { idInHeader } from './gateway/tell/refuse';
import { createLearntPatience, type LearntEntry, type LearntPatience } from './gateway/order/learnt-patience';
import { readGatewaySecret } from './start/gateway-secret';
import { createApp, type PartialRequest } from './http/app';
import { createClientAddress, createProxies } from './http/client-address';
import { DEFAULT_HTTP_LIMITS } from './http/http-limits';
import { createPassthrough, type PassthroughOptions } from './http/passthrough';
import { KnownAddresses } from './http/connection/known-addresses';
import { createHttpServer, type HttpServer } from './http/server';
import { listening } from './start/listening';
import { openAdmin } from './start/open-admin';
import { watchUntold } from './watch/mark-untold';
import { openLiveMapping, type LiveMapping } from './mapping/live';
import { formatProblems } from './mapping/by-cause';
import { watchOpenOrders } from './watch/open-orders';
import { createObserver, type Observer } from './watch/observer';
import { openSandbox, type Sandbox } from './sandbox/sandbox';
import type { Log } from './telemetry/log';
import { watchContraryEnds } from './watch/contrary-ends';
import { loggedJournal } from './telemetry/logged-journal';
import { measuredUpstream } from './telemetry/measured';
import { createMetrics, type Metrics } from './telemetry/metrics';
import { createPatienceFile, readPatienceFile } from './watch/patience-file';
import { createStopLog, type StopLog } from './watch/stop-log';
import { routesBehindV1 } from './start/routes-behind-v1';
import { watchMappings } from './watch/watch-mappings';
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

/** How long a stop waits for requests and orders under way, all together; what is not over then is found in the journal. */
const STOP_DEADLINE_MS = 25_000;

/** Starts everything or throws a sentence about what is in the way; nothing is left running then. The clock is the gateway's. */
export async function startService(config: Config, log: Log, clock = systemClock): Promise<Service> {
  const closers: (() => Promise<void>)[] = [];
  try {
    return await start(config, log, clock, closers);
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

async function start(config: Config, log: Log, clock: Clock, closers: (() => Promise<void>)[]): Promise<Service> {
  const metrics = createMetrics({ logLinesLost: () => log.linesLost(), isJournalWritable: () => journal.isWritable() });
  const showId = (id: string): string => showRequestId(id, keyring);
  const observer = createObserver(log, metrics, { showId, headerId: (headers) => idInHeader(headers, live.current()) });
  for (const detail of prepareDataFolder(config.dataDir)) log.warn('data_folder', { detail });
  const live = openMapping(config, observer);
  metrics.mappingLoaded(live.current().hash);
  const keyring = createKeyring(readGatewaySecret(config), { days: config.tokenDays, now: () => clock.now() });
  const { journal, endSigns } = await openOrders(config, { observer, log, clock, closers });
  const traffic = openConfiguredTraffic(config, live.current, metrics, observer.trouble);
  closers.push(() => traffic?.stop() ?? Promise.resolve());
  const sandbox = config.upstreamUrl === undefined ? await startSandbox(config, { observer, log, clock, closers }) : undefined;
  const upstreamUrl = config.upstreamUrl ?? sandbox!.url;
  const known = new KnownAddresses();
  const shares = shareDescriptors(readOpenFilesLimit(), config.upstreamConnections, sandbox !== undefined);
  const keyGuard = createKeyGuard({ clock, journal });
  const v1 = openUpstream(upstreamUrl, { config, shares, metrics, log, showId, clock, closers });
  const upstream = keyGuard.hear(v1.upstream);
  watchFolder(config, live, { observer, log, clock, closers });
  const watchingOrders = watchOpenOrders({ journal, mapping: live.current, clock, log, metrics, showId });
  closers.push(async () => watchingOrders.stop());
  const gateway = openGateway(config, {
    ...{ live, upstream, known, keyring, keyGuard, metrics, observer, clock, closers },
    crowdedSeconds: v1.crowdedSeconds,
    journal: watchContraryEnds(loggedJournal(journal, log, showId), { mapping: live.current, log, metrics, showId }),
  });
  const deadline = createDeadline(clock, STOP_DEADLINE_MS);
  const stopping = createStopLog({ log, clock, journal, orders: () => gateway.inFlight });
  closers.push(async () => {
    const hasDrained = await gateway.drain(deadline.leftMs());
    await stopping.drained();
    endSigns(hasDrained && journal.isWritable());
  });

  const server = createDoor(config, { gateway, observer, traffic, metrics, log, shares, known, upstreamUrl });
  stopping.watch(server.server);
  const { port } = await listening(config, 'public', (onPort, host) => server.listen(onPort, host));
  closers.push(() => server.close(deadline.leftMs()));

  let isStopping = false;
  const admin = await openAdmin(config, {
    ...{ live, journal, traffic, sandbox: sandbox?.sandbox, registry: metrics.registry, connectionsMax: shares.admin },
    isStopping: () => isStopping,
    onTrouble: observer.trouble,
  });
  // Closed last of all: while orders are held somebody must see that, and that nothing more may be sent here.
  closers.unshift(() => admin.close());

  return {
    publicUrl: `http://${shownHost(config.host)}:${port}`,
    adminUrl: `http://${shownHost(config.adminHost)}:${admin.port}`,
    upstreamUrl,
    sandbox: sandbox?.sandbox,
    gateway,
    live,
    stop: async (signal) => {
      isStopping = true;
      stopping.begin(signal);
      if (signal === 'SIGTERM') await leave(server, config.drainSeconds, clock, stopping);
      deadline.begin();
      gateway.beginStop();
      await closeAll(closers);
      stopping.end();
    },
  };
}

function watchFolder(config: Config, live: LiveMapping, { observer, clock, closers }: Opening): void {
  if (!config.mappingsWatch) return;
  const watching = watchMappings(config.mappingsDir, live, clock, observer.trouble);
  closers.push(async () => watching.stop());
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
  readonly live: LiveMapping;
  readonly known: KnownAddresses;
  readonly metrics: Metrics;
}

function openGateway(config: Config, { live, known, metrics, observer, closers, ...parts }: GatewayOpening): Gateway {
  return createGateway({
    ...parts,
    ...rememberV1(parts.upstream, parts.clock, known),
    learntPatience: openLearntPatience(config, parts.clock, observer, metrics, closers),
    mapping: live.current,
    lookupKey: config.lookupApiKey,
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
      observer.served(request, served, receivedAtMs, line.hungUp.aborted);
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

interface Opening {
  readonly observer: Observer;
  readonly log: Log;
  readonly clock: Clock;
  readonly closers: (() => Promise<void>)[];
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
  return createLearntPatience(known, (kind, entries) => {
    metrics.hungUp(kind);
    show(entries());
    file.save(entries);
  });
}

/** The folder's mappings, or the last good ones when those have problems; the operator hears of it either way. */
function openMapping(config: Config, observer: Observer): LiveMapping {
  const opened = openLiveMapping({
    folder: config.mappingsDir,
    lastGoodFile: join(config.dataDir, 'mappings.last-good.json'),
    onReload: observer.reloaded,
  });
  if ('problems' in opened) throw new Error(`The mappings cannot be used:\n${formatProblems(opened.problems)}`);
  const hidden = routesBehindV1(opened.live.current(), config.v1Path);
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
    trustedProxies: config.trustedProxies,
    onEvent: (event) => {
      if (event.kind === 'unwritable') observer.trouble('sandbox_write_failed', event.error);
      if (event.kind === 'writable') log.info('sandbox_write_recovered');
    },
  });
  closers.push(() => sandbox.close().catch((error: unknown) => observer.trouble('sandbox_write_failed', error)));
  const { url } = await listening(config, 'sandbox', (port, host) => sandbox.listen(port, host));
  return { sandbox, url };
}

/** In reverse: what was opened last is closed first. One that fails does not keep the others open. */
async function closeAll(closers: (() => Promise<void>)[]): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close().catch(() => undefined);
}

/** An address that can be typed: nobody can call 0.0.0.0. */
function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
