/** One history: a gateway with its scripts, a time with faults, a time without faults, then the verdict. The seed decides everything. */
import { Disk } from './edge/disk';
import { FAULT_FAMILIES, FaultPlan, type FaultFamily } from './edge/fault-plan';
import { FIRST_MS, FIRST_NAIRA, sellFirst } from './edge/first-sale';
import { GatewayProcess, type HouseParts, type Mutation } from './edge/gateway-process';
import { config, house, ownerOf, START_MS, withFamily, withSet } from './edge/house-parts';
import { drawPriceChange } from './edge/price-changes';
import { MappingFiles, type MappingInUse } from './edge/mapping-files';
import { SimulatedPrimary } from './edge/simulated-primary';
import { SimulatedUpstreams } from './edge/simulated-upstream';
import { Dialect, SimulatedV1 } from './edge/simulated-v1';
import { createWall, note, type Stage } from './edge/stage';
import { Chance } from '../chance';
import { sealed } from './engine/sealed';
import { withSmallTables } from './engine/small-tables';
import { Timeline } from './engine/timeline';
import { gatherCrowd } from './script/crowd';
import { Script, type Surroundings } from './script/play-sale';
import { content, hasPlan } from './script/content';
import { drawTaker, FAMILY_THAT, planSale, SCRIPT_KEYS, withRivals, type Sale } from './script/sale';
import { CaseBook, type Case, type ScriptReply, type Violation } from './verdict/case-book';
import { Trace } from './verdict/trace';
import { Verdict } from './verdict/verdict';

export interface HistoryOptions {
  readonly seed: number;
  /** Which kinds of faults may strike; all of them when absent. */
  readonly families?: ReadonlySet<FaultFamily>;
  /** Plays only the sales with these numbers, to make a violation smaller. */
  readonly only?: ReadonlySet<number>;
  readonly keepTrace?: boolean;
  /** How many gateways share the journal; the seed decides when absent. */
  readonly processes?: 1 | 2;
  readonly mutate?: Mutation;
}

export interface History {
  readonly seed: number;
  readonly orders: number;
  readonly digest: string;
  readonly violations: readonly Violation[];
  readonly counts: ReadonlyMap<string, number>;
  /** Orders that rightly stay open because v1's history cannot tell them from others. */
  readonly alike: number;
  readonly events: number;
  readonly virtualMs: number;
  readonly trace: Trace;
}

/** Every call, pursuit and late copy has ended after this time. */
const SETTLING_MS = 300_000;
/** Longer than the quiet time of the mappings. */
const QUIET_MS = 360_000;
const FIRST_CONTENT = { service: 'airtime', network: 'MTN', value: FIRST_NAIRA } as const;
const RESTART_MS = 1_500;
/** The restart time of a slow machine, while the other machine goes on selling. */
const SLOW_RESTART_MS = 90_000;
/** The longest time from the reload of one machine to that of the next one. */
const BETWEEN_MACHINES_MS = 10 * 60_000;
/** The longest time in which a second process reads the files of a folder: one of its own, or a worker. */
const FOLDER_READ_MS = 3_000;
const WORKERS_READ_MS = 500;

/** How long scripts begin to sell in a history of lasting trouble. */
const LASTING_LENGTH_MS = 40 * 60_000;

const KEYS = Object.values(SCRIPT_KEYS).map(({ apiKey }) => apiKey);

/** How many sales the history of this seed has. */
export function countSales(seed: number): number {
  return new Chance(`history ${seed}`).fork('size').between(30, 90);
}

export async function playHistory(options: HistoryOptions): Promise<History> {
  const parts = { ...house, mutate: options.mutate };
  const chance = new Chance(`history ${options.seed}`);
  const isLasting = chance.fork('lasting').is(0.2);
  const lengthMs = isLasting ? LASTING_LENGTH_MS : chance.fork('length').pick([40_000, 240_000, 900_000]);
  const faults = new FaultPlan(chance.fork('faults'), options.families ?? new Set(FAULT_FAMILIES), lengthMs, isLasting);
  return sealed(chance.fork('bytes'), () =>
    withSmallTables(faults.bounds?.tableScale, () => playSealed(options, parts, chance, faults, lengthMs)),
  );
}

async function playSealed(
  options: HistoryOptions,
  house: HouseParts,
  chance: Chance,
  faults: FaultPlan,
  lengthMs: number,
): Promise<History> {
  const stage: Stage = {
    timeline: new Timeline(FIRST_MS, chance.fork('ties')),
    startMs: START_MS,
    faults,
    book: new CaseBook(),
    trace: new Trace(options.keepTrace === true),
    wall: createWall(),
  };
  const disk = new Disk(stage);
  const dialect = new Dialect(chance.fork('dialect'));
  for (const habit of dialect.habits) faults.count(`v1: ${habit}`);
  const v1 = new SimulatedV1(stage, config, dialect);
  await sellFirstWithEach(stage, v1, disk);
  await stage.timeline.runUntil(START_MS);
  const sandbox = new SimulatedV1(stage, config, { answer: (request, ask) => ask(request) }, true, 'sandbox');
  const verdict = new Verdict(stage, v1, sandbox, disk, dialect);
  const count = options.processes ?? (chance.fork('processes').is(0.4) ? 2 : 1);
  if (faults.bounds !== undefined) faults.count(`tables hold one of ${faults.bounds.tableScale}`);
  const taker = drawTaker(chance.fork('taker'));
  if (taker !== 'unknown') faults.count(`demo scripts: ${taker} what is pending`);
  const { demo } = SCRIPT_KEYS;
  const mapping = taker === 'unknown' ? house.mapping : withFamily(house.mapping, demo.apiKey, FAMILY_THAT[taker]);
  const upstreams = new SimulatedUpstreams(stage, v1, sandbox, disk);
  const processes = new Processes(count, faults.skewMs, stage, disk, upstreams, { ...house, mapping }, chance);
  disk.onSold = (process, requestId) => {
    const afterMs = faults.deathAfterSale(requestId);
    if (afterMs !== undefined) stage.timeline.after(afterMs, () => processes.crash(process));
  };
  const taken = (sale: Sale): Sale =>
    taker === 'unknown' || sale.key !== demo
      ? sale
      : {
          ...sale,
          format: 'b',
          isPinned: false,
          keyStyle: 'token',
          isCallKept: sale.isCallKept || taker === 'sells',
          takesPending: taker,
        };
  // Other mappings may refuse the number of a plan, or the list lack a name. Then only the header shows whose repeat it is, where the id is left out (decision
  // 0024).
  const isHeadless = faults.reloads.some((reload) => reload.set === 'headless');
  const known = (sale: Sale): Sale => {
    const isHeaderLost = isHeadless || (sale.isNamedByProxy && sale.header?.name === 'x-request-id');
    return (hasPlan(sale.content) || sale.isDiscoNamed) && isHeaderLost ? { ...sale, firstId: undefined } : sale;
  };
  const around: Surroundings = {
    stage,
    verdict,
    reach: (choice) => processes.reach(choice),
    ownerOf,
    sellDirectly: ({ apiKey, text }, path, body) => {
      const pin = text.split(':')[1];
      const request = { method: 'POST', path, query: {}, authorization: `Bearer ${apiKey}`, address: '127.0.0.1' };
      return v1.answer({ ...request, body: pin === undefined ? body : { ...body, pin } });
    },
  };
  const indexes = Array.from({ length: countSales(options.seed) }, (_, index) => index);
  const planned = indexes.map((index) => known(taken(planSale(index, chance.fork(`sale ${index}`), lengthMs))));
  const sales = withRivals(planned, chance.fork('rivals')).filter((_, index) => options.only?.has(index) ?? true);
  faults.reloads.forEach(({ atMs, set }, index) => {
    stage.timeline.after(atMs, () => {
      faults.count(`mappings: ${set}`);
      processes.reload({ set, mapping: withSet(mapping, KEYS, set) }, chance.fork(`reload ${index}`));
    });
  });
  const scripts = sales.map((sale) => {
    return new Script(sale, around, chance.fork(`choices ${sale.name}`));
  });
  scripts.push(...gatherCrowd(around, chance.fork('crowd'), lengthMs));
  scheduleTrouble(stage, faults, v1, processes, chance.fork('trouble'), lengthMs);

  await stage.timeline.runToEnd(Promise.all(scripts.map((script) => script.play())));
  faults.heal();
  note(stage, '* house', 'trouble ends');
  await stage.timeline.runUntil(stage.timeline.now + SETTLING_MS + QUIET_MS);
  // To prove an absence a process needs the quiet time from its first request on, and again from the first request that notices
  // a set clock. So the quiet time passes once while the clock is wrong, and once when it is right.
  for (const isRight of faults.clockSettings.length > 0 ? [false, true] : [true]) {
    if (isRight) Object.assign(stage.wall, { databaseMs: 0, machinesMs: [0, 0] });
    await askAll(stage, scripts);
    await stage.timeline.runUntil(stage.timeline.now + QUIET_MS);
  }
  verdict.close(await askAll(stage, scripts));
  await verdict.checkIndexes(new Set(stage.book.cases.map(({ owner }) => owner)));
  return {
    seed: options.seed,
    orders: scripts.length,
    digest: stage.trace.digest,
    violations: stage.book.violations,
    counts: faults.counts,
    alike: verdict.alike,
    events: stage.timeline.events,
    virtualMs: stage.timeline.now - START_MS,
    trace: stage.trace,
  };
}

async function sellFirstWithEach(stage: Stage, v1: SimulatedV1, disk: Disk): Promise<void> {
  const { live, second, demo, locked, poor } = SCRIPT_KEYS;
  for (const [index, { apiKey, text, walletId }] of [live, second, demo, locked, poor].entries()) {
    const first = content({ ...FIRST_CONTENT, number: `0803900${1_000 + index}` });
    const requestId = await sellFirst({ apiKey, pin: text.split(':')[1], number: first.number }, v1, disk);
    first.meanings.add(first.value);
    stage.book.withId(ownerOf(apiKey), walletId, requestId, requestId).contents.set(first.key, first);
  }
}

/** The processes of the house: one or two on one journal. A process that ends is replaced. */
class Processes {
  readonly #make: (slot: number) => GatewayProcess;
  readonly #slots: (GatewayProcess | undefined)[];
  readonly #stage: Stage;
  readonly #restarts: Chance;
  /** By machine. */
  readonly #files: readonly MappingFiles[];
  readonly #isOfWorkers: boolean;
  readonly isOfFleet: boolean;
  #reloads = 0;
  #count = 0;

  constructor(
    count: number,
    skewMs: number,
    stage: Stage,
    disk: Disk,
    upstreams: SimulatedUpstreams,
    house: HouseParts,
    chance: Chance,
  ) {
    this.#stage = stage;
    this.#restarts = chance.fork('restarts');
    const isOfFleet = count > 1 && chance.fork('fleet').is(0.5);
    this.isOfFleet = isOfFleet;
    if (isOfFleet) {
      stage.faults.count('a fleet of machines');
      stage.wall.machinesMs[1] = skewMs;
    }
    const isOfWorkers = count > 1 && !isOfFleet && chance.fork('workers').is(0.6);
    this.#isOfWorkers = isOfWorkers;
    this.#files = Array.from({ length: isOfFleet ? count : 1 }, () => new MappingFiles(house.mapping));
    if (isOfWorkers) stage.faults.count('workers of one gateway');
    const primary = isOfWorkers ? new SimulatedPrimary(stage, count) : undefined;
    this.#make = (slot) => {
      this.#count += 1;
      const name = `${slot === 0 ? 'A' : 'B'}${this.#count}`;
      const worker = primary && { primary, number: this.#count };
      const files = this.#files[slot] ?? this.#files[0]!;
      const own = { files, machine: isOfFleet ? (slot as 0 | 1) : undefined, worker };
      return new GatewayProcess(name, stage, disk, upstreams, house, chance.fork(`process ${this.#count}`), own);
    };
    this.#slots = Array.from({ length: count }, (_, slot) => this.#make(slot));
  }

  reach(choice: number): GatewayProcess | undefined {
    const listening = this.#slots.filter((process) => process?.isListening === true);
    return listening[Math.floor(choice * listening.length)];
  }

  /** The operator puts these files on one machine after the other. Of two processes of a machine the second one reads them a moment later. */
  reload(files: MappingInUse, chance: Chance): void {
    const turn = (this.#reloads += 1);
    const isOneMachine = this.#files.length === 1;
    const laterMs = isOneMachine
      ? chance.skewed(0, this.#isOfWorkers ? WORKERS_READ_MS : FOLDER_READ_MS)
      : chance.skewed(1_000, BETWEEN_MACHINES_MS);
    const read = (slot: number): void => {
      if (slot === 0 || !isOneMachine) this.#files[slot]!.put(files, turn);
      this.#slots[slot]!.reload(() => this.#noteTries());
    };
    note(this.#stage, '* operator', `puts other mappings into use: ${files.set}`);
    read(0);
    if (this.#slots.length > 1) this.#stage.timeline.after(laterMs, () => read(1));
  }

  /** Notes from when until when some process sells in the sandbox. */
  #noteTries(): void {
    const { book, timeline } = this.#stage;
    const isTried = this.#slots.some((process) => process?.isSandboxed === true);
    const last = book.tries.at(-1);
    const isNoted = last?.untilMs === Infinity;
    if (isTried && !isNoted) book.tries.push({ fromMs: timeline.now, untilMs: Infinity });
    if (!isTried && isNoted) last.untilMs = timeline.now;
  }

  standStill(slot: number, forMs: number): void {
    this.#slots[slot % this.#slots.length]?.standStill(forMs);
  }

  end(slot: number, kind: 'crash' | 'stop'): void {
    const process = this.#slots[slot % this.#slots.length];
    if (process?.isListening !== true) return;
    if (kind === 'stop') {
      // A rolling restart: the new process starts before the old one stops.
      this.#slots[slot % this.#slots.length] = this.#make(slot);
      this.#noteTries();
      return process.stop();
    }
    this.crash(process.name);
  }

  /** Ends the process abruptly, unless it has ended or is stopping. */
  crash(name: string): void {
    const slot = this.#slots.findIndex((process) => process?.name === name && process.isListening);
    if (slot < 0) return;
    this.#slots[slot]!.crash();
    this.#stage.timeline.after(this.#restarts.is(0.2) ? SLOW_RESTART_MS : RESTART_MS, () => {
      this.#slots[slot] = this.#make(slot);
      this.#noteTries();
    });
  }
}

function scheduleTrouble(
  stage: Stage,
  faults: FaultPlan,
  v1: SimulatedV1,
  processes: Processes,
  chance: Chance,
  lengthMs: number,
): void {
  const { timeline } = stage;
  for (const { atMs, kind } of faults.ends) {
    const slot = chance.below(2);
    timeline.after(atMs, () => processes.end(slot, kind));
  }
  for (const { atMs, forMs } of faults.stills) {
    const slot = chance.fork(`still ${atMs}`).below(2);
    timeline.after(atMs, () => processes.standStill(slot, forMs));
  }
  for (const { atMs, offsetMs, ofFleet } of faults.clockSettings) {
    timeline.after(atMs, () => {
      const { wall } = stage;
      const isOfMachine = !processes.isOfFleet || ofFleet !== 'database';
      if (isOfMachine) wall.machinesMs[processes.isOfFleet && ofFleet === 'second' ? 1 : 0] = offsetMs;
      else wall.databaseMs = offsetMs;
      if (!processes.isOfFleet || !isOfMachine) wall.settings.push({ atMs, offsetMs });
      faults.count('clock_set');
      const whose = processes.isOfFleet ? ` (${ofFleet} of the fleet)` : '';
      note(stage, '* clock', `is set: ${offsetMs / 1000} s from the right time${whose}`);
    });
  }
  for (const atMs of faults.v1Restarts) timeline.after(atMs, () => v1.restart());
  for (const atMs of faults.priceChanges)
    timeline.after(atMs, () => v1.changePrices(drawPriceChange(config.catalog, chance.fork(`prices ${atMs}`))));
  for (let word = chance.below(8); word > 0; word -= 1) {
    const result = chance.is(0.5) ? 'success' : 'failed';
    const choices = chance.fork(`provider ${word}`);
    timeline.after(chance.below(lengthMs * 2), () => v1.settleSome((count) => choices.below(count), result));
  }
}

/** Every script asks for the status of its order. A script that is told pending asks again after all others. */
async function askAll(stage: Stage, played: readonly Script[]): Promise<Map<Case, ScriptReply | undefined>> {
  const last = new Map<Case, ScriptReply | undefined>();
  const ask = async (script: Script, index: number): Promise<void> => {
    await stage.timeline.pause(index * 200);
    const count = script.subject.replies.length;
    await script.ask();
    last.set(script.subject, script.subject.replies[count]);
  };
  const scripts = played.flatMap((script) => (script.next === undefined ? [script] : [script, script.next]));
  const able = scripts.filter(({ sale, subject }) => sale.key.isAllowed && subject.requestId && subject.customers === 1);
  await stage.timeline.runToEnd(Promise.all(able.map(ask)));
  const unsure = able.filter(({ subject }) => last.get(subject)?.word === 'pending');
  await stage.timeline.runToEnd(Promise.all(unsure.map(ask)));
  return last;
}
