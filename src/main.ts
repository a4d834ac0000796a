/** Builds and connects the parts of a process: those that sell are here, the others in `around`. */
import {
  closeAll,
  createTools,
  openAdmin,
  openMapping,
  openSandboxes,
  openOrCloseAll,
  shownHost,
  watchFolder,
  type Opening,
  type Tools,
} from './around';
import { createPriceLists } from './price-lists/price-lists';
import type { Config } from './config';
import { createDoor } from './door';
import { openConfiguredJournal, createConfiguredNotes, openConfiguredTraffic } from './start/configured-stores';
import { prepareDataFolder } from './start/data-folder';
import { createDeadline, createFollowingClock, pause, systemClock, type Clock, type FollowingClock } from './domain/clock';
import { readOpenFilesLimit, shareDescriptors, sharesOfWorker, type DescriptorShares } from './start/descriptors';
import { createGateway, type Gateway } from './gateway/gateway';
import type { GatewayParts, SharedParts } from './gateway/walk-parts';
import type { Sets } from './gateway/read/earlier-set';
import type { Keyring } from './gateway/read/keyring';
import { createKeyGuard, type KeyGuard } from './gateway/key-guard';
import { takeBackMark } from './gateway/tell/mark-told';
import type { LearntPatience } from './gateway/order/learnt-patience';
import { KnownAddresses } from './http/connection/loop-turns';
import type { HttpServer } from './http/server';
import { DEMO_KEY } from './start/sandboxed-keys';
import { ensureFree, listening } from './start/listening';
import type { AskV1 } from './start/orders-desk';
import { watchUntold } from './watch/mark-untold';
import { openToldLog, toldFiles } from './watch/told-log';
import type { Journal } from './journal/journal';
import type { Notes } from './orders/notes';
import type { LiveMapping } from './mapping/live';
import { openSetHistory } from './mapping/set-history';
import type { Mapping } from './mapping/mapping';
import type { Sandbox } from './sandbox/sandbox';
import type { Log } from './telemetry/log';
import { watchOpenOrders } from './watch/watch-orders';
import type { Wallets } from './watch/wallets';
import type { Metrics } from './telemetry/metrics';
import { KeptRecordings, RequestNoter, type Unnumbered } from './watch/recordings';
import { openAlarms } from './watch/open-alarms';
import { openLearntPatience } from './watch/patience-file';
import type { RepeatedRefusals } from './watch/repeated-refusals';
import type { SellingSightings } from './watch/sightings';
import { createStopLog, type StopLog } from './watch/stop-log';
import { watchUpstream } from './watch/watch-upstream';
import { createHttpUpstream, type CallDone } from './upstream/http-upstream';
import type { Upstream } from './upstream/upstream';
import { createVisitors } from './upstream/visitors';
import { wrapJournal, wrapUpstream } from './wrappers';

export interface Service {
  /** The address for scripts, for example `http://127.0.0.1:8080`. */
  readonly publicUrl: string;
  readonly adminUrl: string;
  /** The base address of v1. */
  readonly upstreamUrl: string;
  /** The embedded sandbox, when there is one. */
  readonly sandbox: Sandbox | undefined;
  readonly gateway: Gateway;
  readonly live: LiveMapping;
  /**
   * Accepts no more requests, waits for the orders under way, closes everything. `signal` is the cause in the log. SIGTERM comes from a
   * supervisor: the gateway first serves on for DRAIN_SECONDS, so that load balancers notice. (Decision 0039.)
   */
  stop(signal?: string): Promise<void>;
}

/** The parts that a worker gets from the primary and shares with the other workers. */
export interface Joined {
  /** The worker's number, from 1. */
  readonly worker: number;
  readonly workers: number;
  readonly upstreamUrl: string;
  /** The address of the embedded sandbox, for keys in the sandbox; the primary starts the sandbox. */
  readonly sandboxUrl: () => Promise<string>;
  readonly mapping: () => Mapping;
  readonly openKeyGuard: (journal: Journal) => KeyGuard;
  readonly shared: SharedParts;
  /** Returns the same memory, connected so that a hang-up met by one process is learnt by all. */
  readonly sharePatience: (learnt: LearntPatience) => LearntPatience;
  /** Keeps a request of a caller who is being recorded. */
  readonly keepRecorded: (fingerprint: string, recorded: Unnumbered) => void;
}

/** The part that sells: journal, upstream, gateway, and the server for scripts. */
export interface Selling {
  readonly publicUrl: string;
  readonly gateway: Gateway;
  readonly metrics: Metrics;
  readonly journal: Journal;
  readonly notes: Pick<Notes, 'store'>;
  readonly askV1: AskV1;
  readonly wallets: Wallets;
  readonly traffic: ReturnType<typeof openConfiguredTraffic>;
  readonly adminConnections: number;
  /** The state of v1 and of open orders, for the alarms. */
  readonly sightings: () => SellingSightings;
  readonly noter: RequestNoter;
  stop(signal?: string): Promise<void>;
}

/** How long a stop waits for requests and orders under way, all together. Orders not ended by then are open in the journal. */
export const STOP_DEADLINE_MS = 25_000;

/** Starts everything in this process. Throws what hinders it, or where `stopAsked` resolves first; nothing is left running then. The clock is the gateway's. */
export async function startService(
  config: Config,
  log: Log,
  clock = systemClock,
  stopAsked?: Promise<unknown>,
): Promise<Service> {
  return openOrCloseAll((closers) => start(config, log, createFollowingClock(clock), closers), stopAsked);
}

/** Starts the part that sells, as one of several processes. */
export async function startWorker(config: Config, log: Log, joined: Joined): Promise<Selling> {
  return openOrCloseAll(async (closers) => {
    const clock = createFollowingClock(systemClock);
    const parts = {
      log,
      clock,
      closers,
      mapping: joined.mapping,
      isJournalWritable: () => selling.journal.isWritable(),
    };
    const selling = await sell(config, createTools(config, parts), { ...joined, clock, joined, hasSandbox: false });
    return selling;
  });
}

async function start(config: Config, log: Log, clock: FollowingClock, closers: (() => Promise<void>)[]): Promise<Service> {
  const mapping = (): Mapping => live.current();
  for (const detail of prepareDataFolder(config)) log.warn('data_folder', { detail });
  await ensureFree(config, ['public', 'admin']);
  const tools = createTools(config, { log, clock, closers, mapping, isJournalWritable: () => selling.journal.isWritable() });
  const { observer, metrics } = tools;
  const live = openMapping(config, {
    ...observer,
    reloaded(what) {
      observer.reloaded(what);
      if (what.kind === 'reloaded') sandboxes.announce();
    },
  });
  const sandboxes = await openSandboxes(config, tools, mapping);
  const { sandbox, upstreamUrl, sandboxUrl } = sandboxes;
  watchFolder(config, live, tools);
  const recordings = new KeptRecordings((caller, untilMs) => selling.noter.record(caller, untilMs));
  const keepRecorded = recordings.add.bind(recordings);
  const selling = await sell(config, tools, {
    clock,
    mapping,
    upstreamUrl,
    sandboxUrl,
    hasSandbox: sandbox !== undefined,
    keepRecorded,
    begin: () => live.begin(),
  });
  let isStopping = false;
  const alarms = openAlarms(config, tools, { live, journal: selling.journal, selling: async () => selling.sightings() });
  const admin = await openAdmin(config, {
    alarms,
    ...{ live, sandbox, registry: metrics.registry, connectionsMax: selling.adminConnections },
    ...{ journal: selling.journal, traffic: selling.traffic, recordings, publicUrl: selling.publicUrl, upstreamUrl },
    ...{ tools, openNotes: () => selling.notes.store, openJournal: async () => selling.journal },
    askV1: selling.askV1,
    isStopping: () => isStopping,
    onTrouble: observer.trouble,
  });
  // Closed last: while orders are held, operators must see that, and `/readyz` must tell load balancers to send nothing more.
  closers.unshift(() => admin.close());
  return {
    ...{ upstreamUrl, sandbox, live, publicUrl: selling.publicUrl, gateway: selling.gateway },
    adminUrl: `http://${shownHost(config.adminHost)}:${admin.port}`,
    stop: (signal) => {
      isStopping = true;
      return selling.stop(signal);
    },
  };
}

/** Asks v1 with the key that an operator has typed. The key is kept no longer than the call takes. */
function askThrough(gateway: Pick<Gateway, 'recheck'>, keyring: Pick<Keyring, 'fingerprint'>): AskV1 {
  return (apiKey, requestId, address) =>
    gateway.recheck({ apiKey, fingerprint: keyring.fingerprint(apiKey) }, address, requestId);
}

interface SellingParts extends Pick<Joined, 'keepRecorded' | 'sandboxUrl'> {
  readonly clock: FollowingClock;
  readonly mapping: () => Mapping;
  readonly upstreamUrl: string;
  readonly hasSandbox: boolean;
  readonly joined?: Joined;
  /** Called when the server accepts connections, before the first request is served. */
  readonly begin?: () => void;
}

async function sell(config: Config, tools: Tools, parts: SellingParts): Promise<Selling> {
  const { clock, mapping, upstreamUrl, hasSandbox, joined } = parts;
  const { observer, log, closers, metrics, showId, keyring, repeated } = tools;
  metrics.mappingLoaded(mapping().hash);
  const setOf = openSetHistory(config.dataDir).mappingOf;
  const sets = (): Sets => ({ mapping: mapping(), setOf });
  const { journal, endSigns, toldSales, toldLog, hasNeighbours, ...watched } = await openOrders(config, tools, clock);
  const traffic = openConfiguredTraffic(config, mapping, metrics, observer.trouble);
  closers.push(() => traffic?.stop() ?? Promise.resolve());
  const known = new KnownAddresses();
  const shares = sharesOfWorker(
    shareDescriptors(readOpenFilesLimit(), config.upstreamConnections, hasSandbox),
    joined?.workers ?? 1,
  );
  const keyGuard = joined?.openKeyGuard(journal) ?? createKeyGuard({ clock, journal });
  const { v1, watch } = openUpstream(upstreamUrl, { config, shares, metrics, log, showId, clock, closers, repeated });
  const notes = createConfiguredNotes(config, { ...tools, mapping });
  closers.push(() => notes.stop());
  const upstream = wrapUpstream(v1, { ...tools, sandboxUrl: parts.sandboxUrl, keyGuard, notes });
  // All workers share one journal: only the first counts its open orders and reports them.
  const watchingOrders =
    (joined?.worker ?? 1) === 1 ? watchOpenOrders({ journal, sets, clock, log, metrics, showId }) : undefined;
  closers.push(async () => watchingOrders?.stop());
  const gateway = openGateway(config, {
    ...{ mapping, setOf, upstream, known, keyring, keyGuard, metrics, observer, clock, closers, joined },
    sandboxKey: config.upstreamUrl === undefined ? undefined : DEMO_KEY,
    crowdedSeconds: v1.crowdedSeconds,
    onTold: (order, told) => toldLog.note(order, told),
    toldSales: () => (joined !== undefined || hasNeighbours() ? toldSales : undefined),
    ...watched,
    journal: wrapJournal(journal, tools, sets),
  });
  const deadline = createDeadline(clock, STOP_DEADLINE_MS);
  const stopping = createStopLog({ log, clock, journal, orders: () => gateway.inFlight });
  closers.push(async () => {
    const hasDrained = await gateway.drain(deadline.leftMs());
    await stopping.drained();
    await toldLog.close();
    await endSigns(hasDrained && journal.isWritable());
  });
  const noter = new RequestNoter(showId, parts.keepRecorded);
  const server = createDoor(config, { ...tools, gateway, notes, traffic, shares, known, upstreamUrl, noter });
  stopping.watch(server.server);
  const { port } = await listening(config, 'public', (onPort, host) => server.listen(onPort, host));
  closers.push(() => server.close(deadline.leftMs()));
  parts.begin?.();
  return {
    sightings: () => ({
      ...{ v1: watch.seen(), openOrders: watchingOrders?.seen() },
      ...{ loops: repeated.loops(), withoutMoney: repeated.withoutMoney() },
    }),
    askV1: askThrough(gateway, keyring),
    ...{ gateway, metrics, journal, notes, traffic, noter, wallets: tools.wallets, adminConnections: shares.admin },
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
  readonly repeated: RepeatedRefusals;
}

function openUpstream(baseUrl: string, { config, shares, closers, repeated, ...parts }: UpstreamOpening) {
  const watch = watchUpstream(baseUrl, { ...parts, probeSeconds: config.upstreamProbeSeconds });
  const { metrics } = parts;
  const onCall = (call: CallDone): void => {
    watch.noteCall(call);
    repeated.noteCall(call);
  };
  const v1 = createHttpUpstream({ baseUrl, connections: shares.sales, onCall, onWaited: metrics.callWaited });
  metrics.watchTurns(() => v1.turns);
  closers.push(() => v1.close());
  closers.push(async () => watch.stop());
  return { v1, watch };
}

interface GatewayOpening
  extends
    Omit<Opening, 'log'>,
    Pick<GatewayParts, 'journal' | 'upstream' | 'keyring' | 'sandboxKey' | 'toldSales' | 'unmarkedMs' | 'haveAllSigned'>,
    Required<Pick<GatewayParts, 'keyGuard' | 'crowdedSeconds' | 'onTold'>> {
  readonly mapping: () => Mapping;
  readonly setOf: Sets['setOf'];
  readonly known: KnownAddresses;
  readonly metrics: Metrics;
  readonly joined: Joined | undefined;
}

function openGateway(config: Config, { known, metrics, observer, closers, joined, ...parts }: GatewayOpening): Gateway {
  const learnt = openLearntPatience(config.dataDir, { ...parts, observer, metrics, closers });
  return createGateway({
    ...parts,
    ...rememberV1(parts.upstream, parts.clock, known),
    learntPatience: joined?.sharePatience(learnt) ?? learnt,
    shared: joined?.shared,
    timeZone: config.timeZone,
    lookupKey: config.lookupApiKey,
    journalDays: config.journalDays,
    ordersMax: config.ordersMax,
    random: Math.random,
    onTrouble: observer.trouble,
    ...(observer.read === undefined ? {} : { onRead: observer.read }),
    onWrongPin: observer.wrongPin,
  });
}

/** The memory of keys that v1 has accepted or refused, and the price lists that depend on it. */
function rememberV1(upstream: Upstream, clock: Clock, known: KnownAddresses): Pick<GatewayParts, 'visitors' | 'priceLists'> {
  const onAccepted = (address: string): void => known.add(address);
  const visitors = createVisitors({ upstream, clock: () => clock.elapsed(), onAccepted });
  return { visitors, priceLists: createPriceLists({ upstream, visitors, clock }) };
}

async function openOrders(config: Config, { observer, log, closers }: Opening, clock: FollowingClock) {
  const journal = await openConfiguredJournal(config, observer.journal);
  closers.push(() => journal.close());
  const { processes } = journal;
  if (processes !== undefined) clock.follow(processes);
  const onMarked = (count: number): void => log.warn('untold_orders', { count });
  const toldSales = processes?.toldSales ?? toldFiles(config.dataDir, clock);
  let hasNeighbours = false;
  const onNeighbours = (isBeside: boolean): void => void (hasNeighbours = isBeside);
  const onTrouble = observer.trouble;
  const watched = await watchUntold({ dataDir: config.dataDir, journal, toldSales, clock, onMarked, onNeighbours, onTrouble });
  closers.push(async () => watched.endSigns(false));
  const toldLog = openToldLog(toldSales, clock, { onLate: (sale) => void takeBackMark(sale, { journal, clock, onTrouble }) });
  return { journal, ...watched, toldSales, toldLog, hasNeighbours: () => hasNeighbours };
}

/** Serves on for the drain time, so that load balancers notice that they should send nothing more. */
async function leave(server: HttpServer, drainSeconds: number, clock: Clock, stopping: StopLog): Promise<void> {
  if (drainSeconds === 0) return;
  server.leave();
  await pause(clock, drainSeconds * 1_000);
  stopping.drainEnded();
}
