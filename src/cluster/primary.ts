/**
 * Several processes that serve as one: the primary sells nothing. It has the mappings, the embedded sandbox, the admin port and what the workers
 * share, and replaces a worker that dies. (Decision 0053.)
 */
import { closeAll, createTools, openMapping, shownHost, startSandbox, watchFolder } from '../around';
import type { Config } from '../config';
import { systemClock } from '../domain/clock';
import type { Traffic } from '../domain/traffic';
import type { PinVerdict } from '../gateway/order/pin-guard';
import { STOP_DEADLINE_MS, type Service } from '../main';
import type { LiveMapping, Reloaded } from '../mapping/live';
import { prepareDataFolder } from '../start/data-folder';
import { readOpenFilesLimit, shareDescriptors } from '../start/descriptors';
import { openAdmin } from '../start/open-admin';
import type { Log } from '../telemetry/log';
import { hireCrew, leaveWithinMs, type Crew } from './crew';
import type { Hears } from './line';
import { createMetricsOfAll } from './metrics-of-all';
import { createSharedGuards, type SharedGuards } from './shared-guards';
import type { Briefing, HungUp, KeyJudged, KeyVisit, PinTurnAsked, PinTurnDone, RepeatKept } from './what-is-said';

/** Starts all processes or throws a sentence about what is in the way; none is left running then. */
export async function startPrimary(config: Config, log: Log): Promise<Omit<Service, 'gateway'>> {
  const closers: (() => Promise<void>)[] = [];
  try {
    return await start(config, log, closers);
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

async function start(config: Config, log: Log, closers: (() => Promise<void>)[]): Promise<Omit<Service, 'gateway'>> {
  const clock = systemClock;
  for (const detail of prepareDataFolder(config.dataDir)) log.warn('data_folder', { detail });
  const unwritable = new Set<number>();
  const isJournalWritable = (): boolean => unwritable.size === 0;
  const tools = createTools(config, { log, clock, closers, mapping: () => live.current(), isJournalWritable });
  const { observer, metrics } = tools;
  const guards = createSharedGuards(clock);
  let brief: (briefing: Omit<Briefing, 'worker' | 'files'>) => void = () => undefined;
  const briefed = new Promise<Omit<Briefing, 'worker' | 'files'>>((resolve) => (brief = resolve));
  const crew: Crew = hireCrew({
    ...{ workers: config.workers, log },
    hears: (worker) => ({
      join: async () => ({ worker, ...(await briefed), files: live.files() }) satisfies Briefing,
      writable: (isWritable: boolean) => void (isWritable ? unwritable.delete(worker) : unwritable.add(worker)),
      ...hearsForAll(worker, guards, () => crew),
    }),
    onGone: (worker) => {
      unwritable.delete(worker);
      guards.forget(worker);
      ofAll.gone(worker);
    },
  });
  const ofAll = createMetricsOfAll({
    own: metrics.registry,
    askWorkers: () => crew.askAll('metrics'),
    serving: () => crew.lines().length,
  });
  closers.push(() => crew.stop(undefined, 0));

  let spreading: Promise<void> = Promise.resolve();
  const reloaded = (what: Reloaded): void => {
    observer.reloaded(what);
    if (what.kind === 'reloaded') spreading = spread(live, crew, spreading);
  };
  const live: LiveMapping = openMapping(config, { ...observer, reloaded });
  metrics.mappingLoaded(live.current().hash);
  const sandbox = config.upstreamUrl === undefined ? await startSandbox(config, tools) : undefined;
  const upstreamUrl = config.upstreamUrl ?? sandbox!.url;
  watchFolder(config, live, tools);
  brief({ workers: config.workers, upstreamUrl });
  const publicUrl = await crew.started;

  let isStopping = false;
  const admin = await openAdmin(config, {
    ...{ live, sandbox: sandbox?.sandbox, registry: ofAll, journal: { isWritable: isJournalWritable } },
    connectionsMax: shareDescriptors(readOpenFilesLimit(), config.upstreamConnections, sandbox !== undefined).admin,
    traffic: config.trafficShapes ? trafficOfAll(crew) : undefined,
    isStopping: () => isStopping,
    onTrouble: observer.trouble,
    everywhere: () => spreading,
  });
  closers.unshift(() => admin.close());
  return {
    ...{ publicUrl, upstreamUrl, live, sandbox: sandbox?.sandbox },
    adminUrl: `http://${shownHost(config.adminHost)}:${admin.port}`,
    stop: async (signal) => {
      isStopping = true;
      await crew.stop(signal, leaveWithinMs(signal === 'SIGTERM' ? config.drainSeconds : 0, STOP_DEADLINE_MS));
      await closeAll(closers);
    },
  };
}

function hearsForAll(worker: number, guards: SharedGuards, crew: () => Crew): Hears {
  return {
    pinTurn: (asked: PinTurnAsked) => guards.pinTurn(asked, worker),
    pinDone: (done: PinTurnDone) => {
      // The others hear of it before the next of them has its turn.
      if (done.verdict !== undefined) crew().tellAll('pinVerdict', done.verdict, worker);
      guards.pinDone(done);
    },
    pinVerdict: (verdict: PinVerdict) => {
      crew().tellAll('pinVerdict', verdict, worker);
      guards.pinVerdict(verdict);
    },
    keyEnter: (visit: KeyVisit) => guards.keyEnter(visit),
    keyVerdict: (judged: KeyJudged) => guards.keyVerdict(judged),
    repeatTurn: (content: string) => guards.repeatTurn(content, worker),
    repeatDone: (turn: number) => guards.repeatDone(turn),
    repeatKept: (kept: RepeatKept) => guards.repeatKept(kept),
    hungUp: (hungUp: HungUp) => crew().tellAll('hungUp', hungUp, worker),
  };
}

/** Every worker takes the set in use here; one that does not is replaced by one that begins with it. */
async function spread(live: LiveMapping, crew: Crew, before: Promise<void>): Promise<void> {
  await before;
  const { hash } = live.current();
  const using = new Map(await crew.askAll('useMapping', live.files()));
  for (const [worker] of crew.lines()) if (using.get(worker) !== hash && live.current().hash === hash) crew.replace(worker);
}

/** All write to one file; each writes down what it has seen before it reads. */
function trafficOfAll(crew: Crew): { read: () => Promise<Traffic>; forget: () => Promise<void> } {
  const inTurns = async (kind: string): Promise<unknown> => {
    let last: unknown;
    for (const [, line] of crew.lines()) last = await line.ask(kind);
    return last;
  };
  return {
    read: async () => (await inTurns('traffic')) as Traffic,
    forget: async () => void (await inTurns('forgetTraffic')),
  };
}
