/** The simulation of `test/simulation` for tests that choose their own callers and faults: one gateway, one disk, and one v1 without limits. */
import type { JsonObject } from '../../src/domain/json';
import type { LegacyRequest } from '../../src/domain/legacy';
import type { Order } from '../../src/domain/order';
import { accountSchema } from '../../src/sandbox/account';
import type { Order as V1Order } from '../../src/sandbox/order/order';
import { Disk } from '../simulation/edge/disk';
import type { DrawnFault, SendFault, Weather } from '../simulation/edge/fault-plan';
import { FIRST_MS, sellFirst } from '../simulation/edge/first-sale';
import { GatewayProcess } from '../simulation/edge/gateway-process';
import type { Content } from '../simulation/script/content';
import { MappingFiles } from '../simulation/edge/mapping-files';
import { config, house as shipped, ownerOf, START_MS, withBuyAfterPending } from '../simulation/edge/house-parts';
import { SimulatedUpstreams } from '../simulation/edge/simulated-upstream';
import { SimulatedV1 } from '../simulation/edge/simulated-v1';
import { createWall, type Stage } from '../simulation/edge/stage';
import { Chance } from '../chance';
import { sealed } from '../simulation/engine/sealed';
import { Timeline } from '../simulation/engine/timeline';
import {
  CaseBook,
  wordOf,
  type Case,
  type Purchase,
  type ReceiptAsked,
  type Violation,
  type Word,
} from '../simulation/verdict/case-book';
import { Trace } from '../simulation/verdict/trace';

export interface Caller {
  /** Small letters and digits. */
  readonly name: string;
  readonly userAgent?: string;
  /** The script keeps or sells pending orders: callers.yaml has `after_pending: buy` for its key. */
  readonly buysAfterPending?: boolean;
  /** In naira. */
  readonly wallet?: number;
}

/** As a script sends it; the request id is among the fields. */
export interface Sale {
  readonly requestId: string;
  readonly path: string;
  readonly fields: Readonly<Record<string, string | number | boolean>>;
}

export interface Told {
  readonly afterMs: number;
  readonly at: number;
  readonly http: number;
  readonly body: JsonObject;
  /** Undefined when the status words of the reply contradict each other. */
  readonly word: Word | undefined;
}

export interface Call {
  readonly kind: 'purchase' | 'read';
  /** The request id or the address, with the count of calls of this name: `r7 2`. */
  readonly label: string;
  /** Fingerprint of the key. */
  readonly owner: string;
}

/** The fault of a call, if any; `chance` belongs to this call alone. */
export type Trouble = (call: Call, chance: Chance) => SendFault | undefined;

const PIN = '1234';
const NO_HABITS: ConstructorParameters<typeof SimulatedV1>[2] = { answer: (request, ask) => ask(request) };

const apiKeyOf = ({ name }: Caller): string => `weather_live_${name}`;
const accountOf = ({ name }: Caller): string => `weather-${name}`;

export class Simulation {
  readonly timeline: Timeline;
  readonly #stage: Stage;
  readonly #v1: SimulatedV1;
  readonly #disk: Disk;
  readonly #process: GatewayProcess;

  constructor(stage: Stage, v1: SimulatedV1, disk: Disk, process: GatewayProcess) {
    this.timeline = stage.timeline;
    this.#stage = stage;
    this.#v1 = v1;
    this.#disk = disk;
    this.#process = process;
  }

  async buy(caller: Caller, { requestId, path, fields }: Sale): Promise<Told> {
    const subject = this.caseOf(caller, requestId);
    const meanings = new Set<number>();
    const content: Content = {
      key: requestId,
      service: 'airtime',
      number: '',
      recipients: [],
      network: '',
      value: 0,
      quantity: 1,
      word: '',
      meanings,
    };
    const purchase: Purchase = { script: requestId, content, process: this.#process.name, startedAt: this.timeline.now };
    subject.purchases.push(purchase);
    const told = await this.#request(caller, 'POST', path, fields);
    purchase.endedAt = this.timeline.now;
    return told;
  }

  ask(caller: Caller, requestId: string): Promise<Told> {
    return this.#request(caller, 'GET', `/api/transaction/${requestId}`, {});
  }

  caseOf(caller: Caller, requestId: string): Case {
    const subject = this.#stage.book.withId(ownerOf(apiKeyOf(caller)), walletOf(caller), requestId, requestId);
    subject.mayBeBoughtLater = caller.buysAfterPending === true;
    return subject;
  }

  journalOf(caller: Caller, requestId: string): Order | undefined {
    return this.#disk.orderOf(ownerOf(apiKeyOf(caller)), requestId);
  }

  /** The charges of v1 for this caller and number. */
  chargesOf(caller: Caller, number: string): readonly V1Order[] {
    return [...this.#v1.orders()].filter((order) => order.walletId === walletOf(caller) && order.number === number);
  }

  orderOf(caller: Caller, requestId: string): V1Order | undefined {
    return this.#v1.orderOf(walletOf(caller), requestId);
  }

  /** The gateway's questions for this receipt. */
  receiptsOf(reference: string): readonly ReceiptAsked[] {
    return this.#stage.book.receipts.get(reference) ?? [];
  }

  /** The times of this caller's questions to v1 that got no usable answer. */
  unansweredOf(caller: Caller): readonly number[] {
    return this.#stage.book.unanswered.get(ownerOf(apiKeyOf(caller))) ?? [];
  }

  get violations(): readonly Violation[] {
    return this.#stage.book.violations;
  }

  async #request(caller: Caller, method: string, path: string, fields: Sale['fields']): Promise<Told> {
    const { now: startedAt } = this.timeline;
    const request: LegacyRequest = {
      method,
      path,
      query: new Map(),
      body: new Map(Object.entries(fields)),
      headers: { authorization: `Token ${apiKeyOf(caller)}:${PIN}`, userAgent: caller.userAgent },
      clientAddress: '127.0.0.1',
    };
    const heard = await this.#process.handle(request);
    if (heard.kind !== 'reply')
      throw new Error(`${method} ${path}: ${heard.kind === 'thrown' ? String(heard.error) : heard.kind}`);
    const body = heard.served.reply.body as JsonObject;
    const { now } = this.timeline;
    return {
      afterMs: now - startedAt,
      at: now,
      http: heard.served.reply.status,
      body,
      word: wordOf(heard.served.reply.status, body),
    };
  }
}

function walletOf(caller: Caller): string {
  return `${accountOf(caller)}:live`;
}

export interface SimulationOptions {
  readonly seed: string;
  readonly callers: readonly Caller[];
  /** Called with the time since the simulation began, in ms. */
  readonly trouble: (now: () => number) => Trouble;
}

/** Opens a simulation and runs it until `play` has ended. */
export async function runSimulation<T>(
  { seed, callers, trouble }: SimulationOptions,
  play: (simulation: Simulation) => Promise<T>,
): Promise<T> {
  const chance = new Chance(seed);

  const buyers = callers.filter(({ buysAfterPending }) => buysAfterPending === true).map(apiKeyOf);
  const accounts = callers.map((caller) =>
    accountSchema.parse({
      id: accountOf(caller),
      name: caller.name,
      keys: { live: apiKeyOf(caller) },
      pin: PIN,
      wallet: { live: caller.wallet ?? 100_000_000 },
    }),
  );
  return sealed(chance.fork('bytes'), async () => {
    const timeline = new Timeline(FIRST_MS, chance.fork('ties'));
    const stage: Stage = {
      timeline,
      startMs: START_MS,
      faults: faultsAtV1(
        chance.fork('weather'),
        trouble(() => timeline.now - START_MS),
      ),
      book: new CaseBook(),
      trace: new Trace(false),
      wall: createWall(),
    };
    const disk = new Disk(stage);
    const v1 = new SimulatedV1(stage, { ...config, accounts }, NO_HABITS, true);
    for (const [index, caller] of callers.filter(({ wallet }) => wallet !== 0).entries())
      await sellFirst({ apiKey: apiKeyOf(caller), pin: PIN, number: `0803900${1_001 + index}` }, v1, disk);
    await timeline.runUntil(START_MS);
    const house = { ...shipped, mapping: withBuyAfterPending(shipped.mapping, buyers) };
    const upstreams = new SimulatedUpstreams(stage, v1, v1, disk);
    const process = new GatewayProcess('A', stage, disk, upstreams, house, chance.fork('process'), {
      files: new MappingFiles(house.mapping),
    });
    const playing = play(new Simulation(stage, v1, disk, process));
    await timeline.runToEnd(playing);
    return playing;
  });
}

/** Faults only for calls to v1: the disk, the clock and the process work. */
function faultsAtV1(chance: Chance, trouble: Trouble): Weather {
  const faultOf = (kind: Call['kind'], label: string, owner: string): DrawnFault<SendFault> => {
    const own = chance.fork(`${kind} ${label}`);
    return { fault: trouble({ kind, label, owner }, own), chance: own };
  };
  return {
    forSend: (label, owner) => faultOf('purchase', label, owner),
    forFind: (label, owner) => faultOf('read', label, owner),
    forWrite: (label) => ({ fault: undefined, chance: chance.fork(`write ${label}`) }),
    failsRead: () => false,
    reloads: [],
    isJournalGone: () => false,
    isV1Down: () => false,
    isDiskFull: () => false,
    deathAfterSale: () => undefined,
    bounds: undefined,
    waitAtDoor: () => 0,
    waitForTurn: () => 0,
    isCrowded: () => false,
    count: () => undefined,
  };
}
