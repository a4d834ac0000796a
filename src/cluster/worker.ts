/** A worker: one of several processes that serve as one. It sells, and asks the primary for the guards that all must share. */
import cluster from 'node:cluster';
import type { Config } from '../config';
import { systemClock } from '../domain/clock';
import { Secret } from '../domain/credentials';
import { errorText } from '../domain/shown-words';
import { inTurns, oneByOne } from '../domain/steps';
import type { KeylessNews } from '../gateway/keyless';
import type { LearntPatience } from '../gateway/order/learnt-patience';
import type { PinGuard, PinVerdict } from '../gateway/order/pin-guard';
import { type Joined, type Selling, startWorker } from '../main';
import { checkOnceInSteps } from '../mapping/checked-set';
import type { MappingFileText } from '../mapping/load';
import type { Mapping } from '../mapping/mapping';
import { keptValues } from '../start/one-file';
import type { Log } from '../telemetry/log';
import { shareKeyGuard, sharePatience, sharePinTurns, shareRepeats } from './ask-primary';
import {
  openChannel,
  settingsSent,
  type JoinReply,
  type MessageHandlers,
  type Channel,
  type Recheck,
  type RecordAsked,
  type RecordedInWorker,
  type Waited,
} from './channel';

const LOOK_EVERY_MS = 250;
const TELL_WALLETS_MS = 2_000;

export interface OpenLog {
  readonly log: Log;
  /** Opens LOG_FILE anew after a rotation. */
  readonly reopen: () => void;
}

/** Serves until the primary sends `stop` or is gone. The settings are those of the primary. */
export async function serveAsWorker(openLog: (config: Config, worker: number) => OpenLog): Promise<void> {
  const worker = new WorkerProcess();
  await worker.serve(openLog);
}

class WorkerProcess {
  readonly #channel: Channel;
  #config: Config | undefined;
  #reopenLog: () => void = () => undefined;
  #selling: Selling | undefined;
  #mapping: Mapping | undefined;
  readonly #inOrder = oneByOne();
  #pins: PinGuard | undefined;
  #learnt: LearntPatience | undefined;
  #hearKeyless: (news: KeylessNews) => void = () => undefined;
  #stop: (signal?: string) => void = () => undefined;

  constructor() {
    const handlers: MessageHandlers = {
      useMapping: (files: readonly MappingFileText[]) => this.#inOrder(() => this.#use(files, true)),
      metrics: () => this.#selling?.metrics.registry.getMetricsAsJSON(),
      sightings: () => this.#selling?.sightings(),
      traffic: () => this.#selling?.traffic?.read(),
      pinVerdict: (verdict: PinVerdict) => this.#pins?.applyVerdict(verdict),
      record: ({ caller, untilMs }: RecordAsked) => this.#selling?.noter.record(caller, untilMs),
      hungUp: ({ fingerprint, kind, ageMs }: Waited) => this.#learnt?.applyHangUp(fingerprint, kind, ageMs),
      answered: ({ fingerprint, kind, ageMs }: Waited) => this.#learnt?.answered(fingerprint, kind, ageMs),
      keyless: (news: KeylessNews) => this.#hearKeyless(news),
      recheck: ({ key, requestId, address }: Recheck) => this.#selling?.askV1(new Secret(key), requestId, address),
      reopenLog: () => this.#reopenLog(),
      stop: (signal: string | undefined) => this.#stop(signal),
    };
    this.#channel = openChannel(process, handlers);
  }

  async serve(openLog: Parameters<typeof serveAsWorker>[0]): Promise<void> {
    const asked = new Promise<string | undefined>((resolve) => {
      this.#stop = resolve;
      // Without the primary no process replaces or reports this one: it finishes the orders under way and stops.
      process.once('disconnect', () => resolve(undefined));
    });
    const briefing = (await this.#channel.ask('join')) as JoinReply;
    const config = (this.#config = settingsSent(briefing.settings));
    const { log, reopen } = openLog(config, briefing.worker);
    this.#reopenLog = reopen;
    // A newer set may have come by `useMapping` before this answer.
    await this.#inOrder(async () => this.#mapping ?? this.#use(briefing.files, false));
    try {
      this.#selling = await startWorker(config, log, this.#join(briefing));
    } catch (error) {
      await this.#channel.ask('failed', errorText(error)).catch(() => undefined);
      throw error;
    }
    this.#selling.metrics.mappingLoaded(this.#mapping!.hash);
    // Otherwise Node ends a worker at once when its primary is gone, and its orders with it. Not set before: a worker that does not serve yet should end.
    if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
    const recording = (await this.#channel.ask('recording').catch(() => [])) as readonly (readonly [string, number])[];
    for (const [caller, untilMs] of recording) this.#selling.noter.record(caller, untilMs);
    this.#channel.tell('ready', this.#selling.publicUrl);
    this.#tellWhetherWritable(this.#selling);
    this.#tellWallets(this.#selling);
    await this.#selling.stop(await asked);
    await log.flush();
    if (process.connected) process.disconnect();
  }

  /** Compiles and uses the set, which the primary has checked with this same program. Throws when it has problems here; the primary gets the error. */
  async #use(files: readonly MappingFileText[], isChange: boolean): Promise<string> {
    // Before the briefing no data folder is known, and the set beside the program is the one that its build has checked.
    const { mapping } = await inTurns(checkOnceInSteps(this.#config && keptValues(this.#config.dataDir), files));
    if (mapping === undefined) throw new Error('the mappings of the primary are not sound here');
    this.#mapping = mapping;
    if (isChange) this.#selling?.metrics.mappingLoaded(mapping.hash);
    return mapping.hash;
  }

  #join({ worker, workers, upstreamUrl }: JoinReply): Joined {
    return {
      ...{ worker, workers, upstreamUrl },
      mapping: () => this.#mapping!,
      sandboxUrl: async () => (await this.#channel.ask('sandboxUrl')) as string,
      openKeyGuard: (journal) => shareKeyGuard(this.#channel, journal),
      shared: {
        takePinTurns: (upstream, guard, clock) => {
          this.#pins = guard;
          return sharePinTurns({ channel: this.#channel, clock }, upstream, guard);
        },
        repeats: shareRepeats({ channel: this.#channel, clock: systemClock }),
        keyless: { tell: (news) => this.#channel.tell('keyless', news), onNews: (hear) => (this.#hearKeyless = hear) },
        processes: workers,
      },
      keepRecorded: (caller, recorded) => this.#channel.tell('recorded', { caller, recorded } satisfies RecordedInWorker),
      sharePatience: (learnt) => {
        this.#learnt = learnt;
        return sharePatience(this.#channel, learnt);
      },
    };
  }

  #tellWhetherWritable({ journal }: Selling): void {
    let told = true;
    setInterval(() => {
      const isWritable = journal.isWritable();
      if (isWritable !== told) this.#channel.tell('writable', isWritable);
      told = isWritable;
    }, LOOK_EVERY_MS).unref();
  }

  /** Sends news of wallets to the primary, which shows them. */
  #tellWallets({ wallets }: Selling): void {
    setInterval(() => {
      const news = wallets.takeNews();
      if (news.length > 0) this.#channel.tell('wallets', news);
    }, TELL_WALLETS_MS).unref();
  }
}
