/** One gateway process: the real gateway, which can die at any instant and then loses its memory. */
import { openLine } from '../../gateway/open-line';
import { createPriceLists } from '../../../src/price-lists/price-lists';
import { pause, within, type Clock } from '../../../src/domain/clock';
import type { LegacyRequest } from '../../../src/domain/legacy';
import { createGateway, type Gateway, type Served } from '../../../src/gateway/gateway';
import type { GatewayParts } from '../../../src/gateway/walk-parts';
import type { Keyring } from '../../../src/gateway/read/keyring';
import { takeBackMark } from '../../../src/gateway/tell/mark-told';
import type { Mapping } from '../../../src/mapping/mapping';
import type { Processes } from '../../../src/journal/journal';
import type { ToldStore } from '../../../src/journal/told-sales';
import { keepAnswers, type KeepingJournal } from '../../../src/journal/kept-answers';
import { createDatabaseClock } from '../../../src/journal/postgres/admission';
import { DEMO_KEY } from '../../../src/start/sandboxed-keys';
import { findEnd, markUntold, sinceAllMarked } from '../../../src/watch/mark-untold';
import { startSharedSigns, SIGN_EVERY_MS } from '../../../src/watch/signs-of-life';
import { openToldLog, type ToldLog } from '../../../src/watch/told-log';
import { createVisitors } from '../../../src/upstream/visitors';
import type { Chance } from '../../chance';
import { clockOf, deliver, standStill, type Life } from '../engine/timeline';
import { crossedMeaning, type Content } from '../script/content';
import type { Disk } from './disk';
import type { MappingFiles, MappingInUse } from './mapping-files';
import type { SimulatedPrimary } from './simulated-primary';
import type { SimulatedUpstreams } from './simulated-upstream';
import { note, type Stage } from './stage';

/** The parts that all histories share. */
export interface HouseParts {
  readonly mapping: Mapping;
  readonly keyring: Keyring;
  /** Breaks the gateway or its parts, to show that the simulation notices. */
  readonly mutate?: Mutation | undefined;
}

export interface Mutation {
  readonly parts?: (parts: GatewayParts) => GatewayParts;
  readonly gateway?: (gateway: Gateway, parts: GatewayParts) => Gateway;
}

export type Heard =
  | { readonly kind: 'reply'; readonly served: Served }
  /** The gateway threw an error, which is a bug. */
  | { readonly kind: 'thrown'; readonly error: unknown }
  /** The connection broke without an answer. */
  | { readonly kind: 'cut' };

const DRAIN_MS = 25_000;
const RETRY_START_MS = 1_000;

export interface ProcessPlace {
  readonly files: MappingFiles;
  /** The number of this machine, where machines share the journal. */
  readonly machine?: 0 | 1 | undefined;
  /** Set for a worker. */
  readonly worker?: { readonly primary: SimulatedPrimary; readonly number: number } | undefined;
}

export class GatewayProcess {
  readonly name: string;
  /** Whether new connections reach this process. */
  isListening: boolean;
  readonly #stage: Stage;
  readonly #disk: Disk;
  readonly #life: Life = { isAlive: true };
  readonly #gateway: Gateway;
  /** Resolves when the start has looked for orders whose outcome may not have been told. */
  readonly #isReady: Promise<unknown>;
  readonly #journal: KeepingJournal;
  /** The last sign of life by the process's own clock, in ms since the epoch. */
  #signMs = 0;
  /** When it last kept what the disk did not accept. */
  #gapEndMs = 0;
  readonly #clock: Clock;
  readonly #log: ToldLog;
  readonly #answering = new Set<Promise<Heard>>();
  readonly #connections = new Set<(heard: Heard) => void>();

  /** Set for a journal that machines share; undefined for one data folder. */
  readonly #processes: Processes | undefined;
  readonly #told: ToldStore;
  readonly #allMarked: ReturnType<typeof sinceAllMarked>;
  readonly #endWorker: () => void;
  #requests = 0;
  /** When its last standstill began, by its clock. */
  #stoodFromMs = 0;
  readonly #files: MappingFiles;
  #inUse: MappingInUse;
  #endSigns: ((isClean: boolean) => Promise<void>) | undefined;
  readonly #learnTime: () => Promise<void>;
  readonly #replaySpool: () => Promise<void>;

  constructor(
    name: string,
    stage: Stage,
    disk: Disk,
    upstreams: SimulatedUpstreams,
    house: HouseParts,
    chance: Chance,
    { files, machine, worker }: ProcessPlace,
  ) {
    this.name = name;
    this.#stage = stage;
    this.#disk = disk;
    this.#files = files;
    this.#inUse = files.newest;
    const { mutate } = house;
    this.#endWorker = () => worker?.primary.end(worker.number);
    const upstream = upstreams.upstreamFor(this.#life, name);
    const ofMachine = clockOf(stage.timeline, this.#life, () => stage.wall.machinesMs[machine ?? 0]);
    const askTime = disk.timeFor(this.#life);
    const time = machine === undefined ? undefined : createDatabaseClock({ run: askTime, machine: ofMachine });
    // A real process is built once it knows the database's time.
    let isTimeKnown = false;
    const clock =
      time === undefined
        ? ofMachine
        : {
            ...ofMachine,
            now: () => (isTimeKnown ? time.now() : disk.databaseMs()),
            readAtMs: () => (isTimeKnown ? time.readAtMs() : ofMachine.elapsed()),
          };
    this.#learnTime = async () => {
      await time?.compare(askTime);
      isTimeKnown = true;
    };
    const { bounds } = stage.faults;
    const place = { machine, isTimeKnown: time && (() => time.isRight()), now: () => clock.now() };
    const journal = disk.openFor(this.#life, name, place);
    const kept = keepAnswers(journal, bounds?.ordersMax, machine === undefined ? undefined : disk.spoolFor(this.#life, machine));
    const replaying = disk.openFor(this.#life, name, { ...place, isReplay: true });
    this.#replaySpool = async () => (machine === undefined ? undefined : disk.replaySpool(machine, replaying));
    // As a real journal: after a failed write it takes no orders' ends until one has been written.
    this.#journal = { ...kept, isWritable: () => kept.keptCount() === 0 && kept.isWritable() };
    this.#clock = clock;
    this.#processes = machine !== undefined ? disk.processesFor(this.#life, name) : undefined;
    this.#allMarked = sinceAllMarked(clock);
    this.#told = this.#processes?.toldSales ?? disk.told;
    const onTrouble: GatewayParts['onTrouble'] = (what, error) =>
      note(stage, `* ${name}`, `trouble with ${what}: ${String(error)}`);
    this.#log = openToldLog(this.#told, clock, {
      ...(bounds && { waitingMax: bounds.ordersMax }),
      onLate: (sale) => void takeBackMark(sale, { journal: this.#journal, clock, onTrouble }),
    });
    this.#live();
    const visitors = createVisitors({ upstream, clock: () => clock.elapsed() });
    const plain: GatewayParts = {
      mapping: () => this.#inUse.mapping,
      setOf: (hash) => {
        const set = files.setOf(hash);
        // Whether a sale repeats an order of a set that only the other machine has had cannot be told: it is told as pending (decision 0024).
        if (set === undefined) stage.book.doubtUnderWayAt(name);
        return set;
      },
      journal: this.#journal,
      upstream,
      visitors,
      priceLists: createPriceLists({ upstream, visitors, clock }),
      keyring: house.keyring,
      lookupKey: undefined,
      sandboxKey: DEMO_KEY,
      clock,
      toldSales: () => this.#told,
      ...(machine !== undefined && { unmarkedMs: this.#allMarked.unmarkedMs }),
      onTold: (order, told) => this.#log.note(order, told),
      random: () => chance.next(),
      ...(bounds && { ordersMax: bounds.ordersMax }),
      crowdedSeconds: () => (stage.faults.isCrowded(stage.timeline.now - stage.startMs) ? 5 : undefined),
      shared: worker?.primary.partsFor(worker.number, name, this.#life, clock),
      onTrouble,
    };
    this.#isReady = this.#processes === undefined ? this.#markUntold(true) : this.#signTo(this.#processes);
    // A start that waits for the journal accepts no connections yet.
    this.isListening = this.#processes === undefined;
    void this.#isReady.then(() => (this.isListening = this.#life.isAlive));
    const parts = mutate?.parts?.(plain) ?? plain;
    const gateway = createGateway(parts);
    this.#gateway = mutate?.gateway?.(gateway, parts) ?? gateway;
  }

  /** `hungUp` is aborted when the script goes away; `onBegin` is called when the gateway reads the request. */
  handle(request: LegacyRequest, hungUp = new AbortController().signal, onBegin = (): void => undefined): Promise<Heard> {
    const answer = new Promise<Heard>((resolve) => {
      const hear = (heard: Heard): void => {
        if (this.#connections.delete(hear)) resolve(heard);
      };
      this.#connections.add(hear);
      let readAtMs = this.#clock.elapsed();
      let heldUpMs = 0;
      const { line, end } = openLine(
        () => this.#clock.elapsed() - readAtMs,
        () => heldUpMs,
      );
      // As `until-read.ts` does it: after a standstill hang-ups are read first, and a request whose script has left does not begin.
      hungUp.addEventListener('abort', () => deliver(this.#life, () => end(false), true));
      const isLate = this.#life.waiting !== undefined;
      const begun = new Promise<void>((begin) =>
        deliver(this.#life, () => {
          if (isLate && hungUp.aborted) return hear({ kind: 'cut' });
          readAtMs = this.#clock.elapsed();
          // When it came within the standstill is not known.
          if (isLate) heldUpMs = readAtMs - this.#stoodFromMs;
          begin();
        }),
      );
      const handled = begun
        .then(() => this.#isReady)
        .then(() => this.#waitAtDoor())
        .then(() => {
          // At the door a request whose script has left does not begin.
          if (hungUp.aborted) return new Promise<never>(() => hear({ kind: 'cut' }));
          onBegin();
          return this.#gateway.handle(request, line);
        })
        .finally(() => end(true));
      handled.then(
        (served) => hear({ kind: 'reply', served }),
        (error: unknown) => hear({ kind: 'thrown', error }),
      );
    });
    this.#answering.add(answer);
    return answer.finally(() => this.#answering.delete(answer));
  }

  get isSandboxed(): boolean {
    return this.#inUse.set === 'sandboxed';
  }

  /** The plan that the content's number means to a request that this process reads now. */
  meaningOf(content: Content): number {
    return this.#inUse.set === 'crossed' ? crossedMeaning(content) : content.value;
  }

  /** Reads the mapping files of its machine anew; `onRead` is called when it has: not before it goes on. */
  reload(onRead: () => void): void {
    deliver(this.#life, () => {
      this.#inUse = this.#files.newest;
      note(this.#stage, `* ${this.name}`, `uses other mappings: ${this.#inUse.set}`);
      onRead();
    });
  }

  #waitAtDoor(): Promise<void> | undefined {
    const { faults, timeline, startMs } = this.#stage;
    const waitMs = faults.waitAtDoor(`${this.name} ${(this.#requests += 1)}`, timeline.now - startMs);
    return waitMs === 0 ? undefined : pause(this.#clock, waitMs);
  }

  crash(): void {
    note(this.#stage, `* ${this.name}`, 'dies');
    this.#stage.faults.count('crash');
    this.#end({ isClean: false });
  }

  /** As on SIGSTOP and SIGCONT, or while its machine is moved: it does nothing, and its connections stay open. */
  standStill(forMs: number): void {
    if (!this.#life.isAlive || this.#life.waiting !== undefined) return;
    note(this.#stage, `* ${this.name}`, `stands still for ${forMs} ms`);
    this.#stage.faults.count('stands still');
    this.#stoodFromMs = this.#clock.elapsed();
    standStill(this.#stage.timeline, this.#life, forMs);
  }

  /** As on SIGTERM: accepts nothing new, replies to waiting scripts, writes what it can, and exits. */
  stop(): void {
    note(this.#stage, `* ${this.name}`, 'stops');
    this.#stage.faults.count('graceful_stop');
    this.isListening = false;
    deliver(this.#life, () => {
      this.#gateway.beginStop();
      void this.#drain().then(async (isClean) => {
        await this.#endSigns?.(isClean);
        this.#end({ isClean });
      });
    });
  }

  /** Writes signs of life and the answers that the disk did not accept, as long as the process lives. */
  #live(): void {
    const now = this.#clock.now();
    if (this.#journal.keptCount() === 0) this.#signMs = now;
    else {
      this.#gapEndMs = now;
      void this.#journal.writeKept();
    }
    if (this.#processes === undefined) void this.#markUntold(false);
    this.#clock.after(SIGN_EVERY_MS, () => this.#live());
  }

  async #markUntold(isStart: boolean): Promise<unknown> {
    const signsMs = this.#disk.takeSigns();
    if (signsMs.length === 0) return undefined;
    const journal = this.#disk.markingJournal(this.name);
    const laterMs = isStart ? await findEnd(journal, this.#clock.now()) : this.#gapEndMs;
    const marking = { toldSales: this.#disk.told, clock: this.#clock };
    return markUntold(journal, [...signsMs, Math.max(laterMs, ...signsMs)], marking);
  }

  /** The process does not start while the database is away. */
  async #signTo(processes: Processes): Promise<void> {
    const onDead = async (holder: string, signMs: number): Promise<void> => {
      await markUntold(this.#journal, [signMs], { holder, toldSales: processes.toldSales, clock: this.#clock });
    };
    const onTrouble = (what: string, error: unknown): void =>
      note(this.#stage, `* ${this.name}`, `trouble with ${what}: ${String(error)}`);
    const { onAllMarked } = this.#allMarked;
    while (this.#endSigns === undefined)
      this.#endSigns = await this.#learnTime()
        .then(() => this.#replaySpool())
        .then(() => startSharedSigns({ processes, clock: this.#clock, journal: this.#journal, onDead, onAllMarked, onTrouble }))
        .catch(() => pause(this.#clock, RETRY_START_MS).then(() => undefined));
  }

  /** Returns whether every reply, order and kept answer was finished. */
  async #drain(): Promise<boolean> {
    const answered = within(this.#clock, DRAIN_MS, Promise.all(this.#answering));
    const [isDrained, replies] = await Promise.all([this.#gateway.drain(DRAIN_MS), answered]);
    await this.#journal.writeKept();
    await this.#log.close();
    return isDrained && replies !== undefined && this.#journal.keptCount() === 0;
  }

  #end({ isClean }: { readonly isClean: boolean }): void {
    if (!this.#life.isAlive) return;
    if (!isClean && this.#processes === undefined) this.#disk.leaveSign(this.#signMs);
    this.isListening = false;
    this.#life.isAlive = false;
    this.#disk.crash(this.#life, this.name);
    this.#endWorker();
    for (const subject of this.#stage.book.cases)
      if (subject.requestId !== undefined) this.#doubt(subject.owner, subject.requestId);
    for (const hear of this.#connections) hear({ kind: 'cut' });
  }

  /** Marks an order that was under way as uncertain. */
  #doubt(owner: string, requestId: string): void {
    const order = this.#disk.orderOf(owner, requestId);
    const subject = this.#stage.book.find(owner, requestId);
    if (subject !== undefined && order !== undefined && (order.outcome === undefined || order.outcome.kind === 'unknown'))
      subject.isDoubtful = true;
  }
}
