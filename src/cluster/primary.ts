/**
 * Several processes that serve as one: the primary sells nothing. It has the mappings, the embedded sandbox, the admin port and the guards that
 * the workers share, and replaces a worker that dies. (Decision 0053.)
 */
import { closeAll, createTools, openAdmin, openMapping, openSandboxes, openOrCloseAll, shownHost, watchFolder } from '../around';
import type { Config } from '../config';
import { systemClock, within } from '../domain/clock';
import type { Traffic } from '../domain/traffic';
import type { KeylessNews } from '../gateway/keyless';
import type { PinVerdict } from '../gateway/order/pin-guard';
import type { Journal } from '../journal/journal';
import { STOP_DEADLINE_MS, type Service } from '../main';
import type { LiveMapping, Reloaded } from '../mapping/live';
import type { AskV1 } from '../start/orders-desk';
import type { NotesStore } from '../orders/notes-store';
import type { Rechecked } from '../gateway/recheck';
import { prepareDataFolder } from '../start/data-folder';
import { openConfiguredNotes, openJournalBeside } from '../start/configured-stores';
import { readOpenFilesLimit, shareDescriptors } from '../start/descriptors';
import { ensureFree } from '../start/listening';
import type { Log } from '../telemetry/log';
import { openAlarms } from '../watch/open-alarms';
import { together, type SellingSightings } from '../watch/sightings';
import { KeptRecordings } from '../watch/recordings';
import { createMetricsOfAll, stopWithinMs, WorkerPool } from './worker-pool';
import type { Wallet, Wallets } from '../watch/wallets';
import { createSharedGuards, type SharedGuards } from './shared-guards';
import {
  settingsToSend,
  type MessageHandlers,
  type JoinReply,
  type Waited,
  type KeyJudged,
  type KeyVisit,
  type Channel,
  type PinTurnAsked,
  type PinTurnDone,
  type RecordAsked,
  type RecordedInWorker,
  type Recheck,
  type RepeatKept,
} from './channel';

/**
 * How long a worker may take to use a new set. Checking one takes a second, and many times that beside sales, which go on meanwhile. The limit is
 * generous, because killing a worker leaves its scripts without a reply.
 */
const USE_MS = 60_000;

/** Starts all processes. Throws an Error that explains the obstacle, or when `stopAsked` resolves meanwhile; no process is left running then. */
export async function startPrimary(config: Config, log: Log, stopAsked: Promise<unknown>): Promise<Omit<Service, 'gateway'>> {
  for (const detail of prepareDataFolder(config)) log.warn('data_folder', { detail });
  await ensureFree(config, ['public', 'admin']);
  return openOrCloseAll((closers) => start(config, log, closers), stopAsked);
}

async function start(config: Config, log: Log, closers: (() => Promise<void>)[]): Promise<Omit<Service, 'gateway'>> {
  const clock = systemClock;
  const unwritable = new Set<number>();
  const isJournalWritable = (): boolean => unwritable.size === 0;
  const tools = createTools(config, { log, clock, closers, mapping: () => live.current(), isJournalWritable });
  const guards = createSharedGuards(clock);
  let brief: (briefing: Omit<JoinReply, 'worker' | 'files'>) => void = () => undefined;
  const briefed = new Promise<Omit<JoinReply, 'worker' | 'files'>>((resolve) => (brief = resolve));
  const pool: WorkerPool = new WorkerPool({
    ...{ workers: config.workers, log },
    handlers: (worker) => ({
      join: async () => ({ worker, ...(await briefed), files: live.files() }) satisfies JoinReply,
      sandboxUrl: () => sandboxes.sandboxUrl(),
      recorded: ({ caller, recorded }: RecordedInWorker) => recordings.add(caller, recorded),
      // A worker's replacement continues the recordings that are under way.
      recording: () => recordings.underWay(),
      ...sharedHandlers(worker, { guards, unwritable, wallets: tools.wallets, pool: () => pool }),
    }),
    onGone: (worker) => {
      unwritable.delete(worker);
      guards.forget(worker);
      ofAll.gone(worker);
    },
  });
  const recordings = new KeptRecordings((caller, untilMs) => pool.tellAll('record', { caller, untilMs } satisfies RecordAsked));
  const ofAll = createMetricsOfAll({
    own: tools.metrics.registry,
    askWorkers: () => pool.askAll('metrics'),
    serving: () => pool.channels().length,
  });
  // When the start fails, some workers may sell already: they must be stopped.
  closers.push(() => pool.stop(undefined, stopWithinMs(0, STOP_DEADLINE_MS)));

  let spreading: Promise<void> = Promise.resolve();
  const reloaded = (what: Reloaded): void => {
    tools.observer.reloaded(what);
    if (what.kind !== 'reloaded') return;
    sandboxes.announce();
    spreading = spread(live, pool, spreading);
  };
  const live: LiveMapping = openMapping(config, { ...tools.observer, reloaded });
  tools.metrics.mappingLoaded(live.current().hash);
  const sandboxes = await openSandboxes(config, tools, () => live.current());
  const { sandbox, upstreamUrl } = sandboxes;
  watchFolder(config, live, tools);
  brief({ workers: config.workers, upstreamUrl, settings: settingsToSend(config) });
  const publicUrl = await pool.started;
  live.begin();
  let isStopping = false;
  const admin = await openAdmin(config, {
    alarms: openAlarms(config, tools, { live, journal: { isWritable: isJournalWritable }, selling: () => seenByAll(pool) }),
    ...{ recordings, publicUrl, upstreamUrl, tools, ...ordersBeside(config, pool, closers) },
    ...{ live, sandbox, registry: ofAll, journal: { isWritable: isJournalWritable } },
    connectionsMax: shareDescriptors(readOpenFilesLimit(), config.upstreamConnections, sandbox !== undefined).admin,
    traffic: config.trafficShapes ? trafficOfAll(pool) : undefined,
    ...{ isStopping: () => isStopping, isServing: () => pool.channels().length > 0 },
    onTrouble: tools.observer.trouble,
    everywhere: () => spreading,
  });
  closers.unshift(() => admin.close());
  return {
    ...{ publicUrl, upstreamUrl, live, sandbox },
    adminUrl: `http://${shownHost(config.adminHost)}:${admin.port}`,
    stop: async (signal) => {
      isStopping = true;
      await pool.stop(signal, stopWithinMs(signal === 'SIGTERM' ? config.drainSeconds : 0, STOP_DEADLINE_MS));
      await closeAll(closers);
    },
  };
}

/** The operator's tools for orders: the primary reads journal and notes itself, which the workers write, and one of the workers asks v1. */
function ordersBeside(config: Config, pool: WorkerPool, closers: (() => Promise<void>)[]) {
  return {
    openJournal: async (): Promise<Journal> => {
      const journal = await openJournalBeside(config);
      closers.unshift(() => journal.close());
      return journal;
    },
    openNotes: async (): Promise<NotesStore> => {
      const notes = await openConfiguredNotes(config);
      closers.push(() => notes.close());
      return notes;
    },
    /** Asks the first worker that sells. The key passes only through the memory of our own processes. */
    askV1: (async (key, requestId, address) => {
      const [first] = pool.channels();
      if (first === undefined) throw new Error('No process sells at the moment. Try again in a few seconds.');
      const asked: Recheck = { key: key.revealForUseOnly(), requestId, address };
      return (await first[1].ask('recheck', asked)) as Rechecked | undefined;
    }) satisfies AskV1,
  };
}

interface SharedHandlerParts {
  readonly guards: SharedGuards;
  readonly unwritable: Set<number>;
  readonly wallets: Wallets;
  readonly pool: () => WorkerPool;
}

function sharedHandlers(worker: number, { guards, unwritable, wallets, pool }: SharedHandlerParts): MessageHandlers {
  return {
    writable: (isWritable: boolean) => void (isWritable ? unwritable.delete(worker) : unwritable.add(worker)),
    wallets: (news: readonly Wallet[]) => news.forEach(wallets.note),
    pinTurn: (asked: PinTurnAsked) => guards.pinTurn(asked, worker),
    pinDone: (done: PinTurnDone) => {
      // The other workers get the verdict before one of them gets the next turn.
      if (done.verdict !== undefined) pool().tellAll('pinVerdict', done.verdict, worker);
      guards.pinDone(done);
    },
    pinVerdict: (verdict: PinVerdict) => {
      pool().tellAll('pinVerdict', verdict, worker);
      guards.pinVerdict(verdict);
    },
    keyEnter: (visit: KeyVisit) => guards.keyEnter(visit),
    keyVerdict: (judged: KeyJudged) => guards.keyVerdict(judged),
    repeatTurn: (content: string) => guards.repeatTurn(content, worker),
    repeatDone: (turn: number) => guards.repeatDone(turn),
    repeatKept: (kept: RepeatKept) => guards.repeatKept(kept),
    keyless: (news: KeylessNews) => pool().tellAll('keyless', news, worker),
    hungUp: (waited: Waited) => pool().tellAll('hungUp', waited, worker),
    answered: (waited: Waited) => pool().tellAll('answered', waited, worker),
  };
}

/**
 * Makes every worker use the set in use here, also a worker that is starting with an older one. A worker that fails to is replaced, and its
 * replacement begins with this set.
 */
async function spread(live: LiveMapping, pool: WorkerPool, before: Promise<void>): Promise<void> {
  await before;
  const { hash } = live.current();
  const use = async ([worker, channel]: readonly [number, Channel]): Promise<void> => {
    const used = await within(systemClock, USE_MS, channel.ask('useMapping', live.files())).catch(() => undefined);
    if (used !== hash && live.current().hash === hash) pool.replace(worker, channel);
  };
  await Promise.all(pool.allChannels().map(use));
}

async function seenByAll(pool: WorkerPool): Promise<SellingSightings> {
  const answers = (await pool.askAll('sightings')).map(([, answer]) => answer as SellingSightings | undefined);
  return together(answers.filter((seen) => seen !== undefined));
}

/** The workers share one file of traffic. Asked one after the other, each writes its own shapes before it reads the file. */
function trafficOfAll(pool: WorkerPool): { read: () => Promise<Traffic> } {
  return {
    read: async () => {
      let last: unknown;
      for (const [, channel] of pool.channels()) last = await channel.ask('traffic');
      return last as Traffic;
    },
  };
}
