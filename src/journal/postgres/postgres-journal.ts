/** The journal in a database with the PostgreSQL protocol, shared by gateways on many machines. (Decision 0051.) */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../domain/clock';
import type { Secret } from '../../domain/credentials';
import { GatewayError } from '../../domain/errors';
import { isEndUntold, isToldLater, type NewOrder, type Opened, type Order } from '../../domain/order';
import { isJudgedByTime } from '../../domain/outcome';
import {
  readOnlyJournal,
  WriteFailure,
  type Journal,
  type JournalEvent,
  type JournalReads,
  keyText,
  type OrderKey,
} from '../journal';
import { catchUp, createDoubts, type Doubts, type Ended } from '../doubts';
import { keepAnswers, writeKeptChange, type KeepingJournal, type KeptChange } from '../kept-answers';
import { checkIntent, settleAttempt, settleOrder, tellOrder, withoutGoods } from '../order-life';
import { createFieldSeal, type FieldSeal } from '../record';
import { STEADY_MS, type Retention } from '../retention';
import {
  createDatabaseClock,
  createKeyMark,
  createV1Mark,
  type DatabaseClock,
  type KeyMark,
  type MarkedV1,
  type V1Mark,
} from './admission';
import { createSpool, replaySpool } from './away';
import { Batches } from './batches';
import { Database, type Run } from './database';
import { createOpenings, type Opening } from './open-orders';
import { toldLine, wasTold } from '../told-sales';
import { createProcesses } from './processes';
import { createReads } from './read-orders';
import { HeldOrders, isThatAttempt, type VersionedOrder } from './rows';
import { prepareSchema } from './schema';
import { createWritings, putBack, startSweep, type WriteParts, type Writing } from './write-orders';

export interface PostgresJournalOptions {
  /** With user and password; never shown. */
  readonly url: string;
  /** The folder in which v1's answers are kept while the database is away. */
  readonly spoolDir: string;
  /** Settled orders older than this are deleted in the background; none with Infinity. */
  readonly retentionMs?: number;
  /** Nothing is deleted until the clock of the database has run evenly for so long. */
  readonly steadyMs?: number;
  /** Encrypts the fields of orders at rest. */
  readonly encryptionKey?: Secret;
  /** A check value of the secret from which owners are made: gateways with different secrets would not find each other's orders. */
  readonly secretCheck?: string;
  readonly v1?: MarkedV1;
  readonly onEvent?: (event: JournalEvent) => void;
  /** A statement without an answer for so long has failed. */
  readonly statementMs?: number;
  /** How long a start waits for a database that cannot be reached. */
  readonly startMs?: number;
  /** Most openings, and most answers, that may wait for a batch. */
  readonly waitingMax?: number;
  readonly machine?: Pick<Clock, 'now' | 'elapsed' | 'after'>;
}

const DAY_MS = 86_400_000;
const RETENTION_MS = 90 * DAY_MS;
const START_MS = 30_000;
const WAITING_MAX = 10_000;
/** A request that waits for the journal tries again every half second; beside a thousand others that may take longer. */
const TRIED_AGAIN_MS = 3_000;

/** Rejects with a plain Error when the database cannot be used; its message does not contain the address. */
export async function openPostgresJournal(options: PostgresJournalOptions): Promise<Journal> {
  const journal = new PostgresJournal(options);
  try {
    await journal.start();
  } catch (error) {
    await journal.close();
    throw error;
  }
  return journal.keeping;
}

class PostgresJournal {
  /** The journal with v1's answers that are kept while the database is away. */
  readonly keeping: KeepingJournal;
  readonly #options: PostgresJournalOptions;
  readonly #onEvent: (event: JournalEvent) => void;
  readonly #seal: FieldSeal;
  readonly #database: Database;
  readonly #reads: JournalReads;
  readonly #held = new HeldOrders();
  readonly #writeParts: WriteParts;
  readonly #keyMark: KeyMark;
  readonly #v1Mark: V1Mark;
  readonly #clock: DatabaseClock;
  readonly #doubts: Doubts<VersionedOrder>;
  readonly #processes: ReturnType<typeof createProcesses>;
  readonly #openings: Batches<Opening, Opened>;
  readonly #writings: Batches<Writing, Order | undefined>;
  #sweep: Retention | undefined;
  #isOpen = true;

  constructor(options: PostgresJournalOptions) {
    this.#options = options;
    const { url, spoolDir, encryptionKey, statementMs, machine, onEvent = () => {} } = options;
    this.#onEvent = onEvent;
    const seal = createFieldSeal(encryptionKey);
    this.#seal = seal;
    const onChange = (change: 'failed' | 'recovered', error?: unknown): void => this.#onChange(change, error);
    // Another server, with another clock, may answer for a database that was away.
    const onLook = (run: Run): Promise<void> => this.#clock.compare(run).then(() => this.#processes.onLook(run));
    this.#database = new Database({ url, onChange, onLook, ...(statementMs === undefined ? {} : { statementMs }) });
    const { read, write } = this.#database;
    const holder = randomUUID();
    const onShutOut = (error: Error): void => onEvent({ kind: 'write_failed', error });
    this.#reads = createReads(read, seal);
    this.#keyMark = createKeyMark({ run: write, keyCheck: seal.keyCheck, onShutOut });
    this.#v1Mark = createV1Mark({ run: write, v1: options.v1, onShutOut });
    this.#clock = createDatabaseClock({ run: read, ...(machine && { machine }) });
    this.#doubts = createDoubts(
      () => this.#clock.now(),
      (...doubt) => this.#endDoubt(...doubt),
    );
    this.#processes = createProcesses(holder, this.#clock, read, write, this.#v1Mark);
    const parts = (this.#writeParts = { run: write, seal, held: this.#held, holder });
    const onDoubt = (standing: VersionedOrder): void => this.#doubts.note(standing.order, standing);
    const waitingMax = options.waitingMax ?? WAITING_MAX;
    this.#openings = new Batches(createOpenings({ ...parts, keyMark: this.#keyMark, onDoubt }), waitingMax);
    this.#writings = new Batches(createWritings(parts), waitingMax);
    const onTrouble = (error: unknown): void => onEvent({ kind: 'write_failed', error });
    this.keeping = keepAnswers(this.#inner(), undefined, createSpool({ dir: spoolDir, seal, onTrouble }));
  }

  async start(): Promise<void> {
    const { startMs = START_MS, retentionMs = RETENTION_MS, steadyMs = STEADY_MS, spoolDir, secretCheck } = this.#options;
    await prepareSchema(this.#database, { startMs, isReadOnly: false, ...(secretCheck === undefined ? {} : { secretCheck }) });
    await this.#keyMark.check();
    await this.#v1Mark.take();
    await this.#clock.compare(this.#database.read);
    const told = new Map<string, KeptChange>();
    const { changes, unreadable } = await replaySpool(spoolDir, this.#seal, (change) => {
      if ('toldAtMs' in change.said) told.set(keyText(change), change);
      return this.#replay(change);
    });
    for (const change of told.values()) await this.#listTold(change);
    if (changes > 0) this.#onEvent({ kind: 'answers_written', orders: changes });
    const error = new Error(`${unreadable} lines of what v1 said cannot be read; they are left in ${spoolDir}.`);
    if (unreadable > 0) this.#onEvent({ kind: 'record_unreadable', error });
    const { read, write } = this.#database;
    const parts = { read, write, seal: this.#seal, clock: this.#clock, onEvent: this.#onEvent };
    if (retentionMs !== Infinity) this.#sweep = startSweep({ ...parts, retentionMs, steadyMs });
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#clock.stop();
    await this.#sweep?.stop();
    if (this.keeping.keptCount() > 0 || this.#doubts.count > 0) {
      await this.#database.look();
      await catchUp(this.keeping, this.#doubts, this.#onEvent);
    }
    await Promise.all([this.#openings.idle(), this.#writings.idle()]);
    this.#isOpen = false;
    if (this.keeping.keptCount() > 0) this.#onEvent({ kind: 'answers_unwritten', orders: this.keeping.keptCount() });
    await this.#database.close();
  }

  /** `isOfOther`: as in `Writing`, for all that is written. */
  #inner(isOfOther = false): Journal {
    return {
      ...this.#reads,
      find: (owner, requestId) => this.#find(owner, requestId),
      open: (intent) => this.#open(intent),
      settle: (...settling) => this.#settle(isOfOther, ...settling),
      tell: async (owner, requestId, toldAtMs, isDue, keptAttempt) => {
        const attempt = keptAttempt ?? this.#attemptOf(owner, requestId);
        // A kept change is written late: a script that hung up here, or heard "pending", may have heard the end from another gateway since.
        const mayBeHeard = keptAttempt !== undefined && isEndUntold({ toldAtMs });
        const isHeard = mayBeHeard && (await this.#wasTold(owner, requestId, isDue !== undefined));
        const change = (order: Order, standing: VersionedOrder): Order => {
          if (isHeard || isDue?.(order, standing.holder) === false) return order;
          return attempt === undefined || attempt === order.attempts ? tellOrder(order, toldAtMs) : order;
        };
        await this.#write({ owner, requestId }, toldAtMs, change, isOfOther);
      },
      doubt: (intent) => this.#doubt(intent),
      isWritable: () => this.#isWritable(),
      close: () => this.close(),
      processes: this.#processes,
    };
  }

  async #open(intent: NewOrder): Promise<Opened> {
    if (this.#isOpen) checkIntent(intent);
    try {
      if (!this.#isWritable()) throw new GatewayError('journal_unavailable');
      return await this.#openings.ask({ intent });
    } catch (error) {
      // A record beyond its bounds is a bug, not a failure of the database.
      if (error instanceof RangeError) throw error;
      throw error instanceof GatewayError ? error : new GatewayError('journal_unavailable', undefined, { cause: error });
    }
  }

  async #settle(isOfOther: boolean, ...settling: Parameters<Journal['settle']>): Promise<Order> {
    const [owner, requestId, latest, atMs, ofAttempt] = settling;
    const storable = withoutGoods(latest);
    const attempt = ofAttempt ?? this.#attemptOf(owner, requestId);
    // A receipt or v1's history gave this answer: the order may belong to another process, whose script waits for it.
    const isFound = ofAttempt === undefined && storable.kind !== 'unknown';
    if (isJudgedByTime(storable) && !(this.#clock.isRight() && this.#v1Mark.isOurs()))
      throw new WriteFailure(new Error('the time of the database is not known, or the orders are of another v1'));
    const change = (before: Order): Order => settleAttempt(before, storable, atMs, attempt);
    const order = await this.#write({ owner, requestId }, atMs, change, isOfOther || isFound);
    if (order === undefined) throw new Error('The journal has no order with this request id to settle.');
    return order;
  }

  #write(key: OrderKey, atMs: number, change: Writing['change'], isOfOther = false): Promise<Order | undefined> {
    return this.#writings.ask({ key, atMs, change, isOfOther });
  }

  #doubt(intent: NewOrder): void {
    this.#doubts.note(intent);
    if (this.#isWritable()) void this.#afterRecovery();
  }

  async #endDoubt(intent: NewOrder, ended: Ended, standing: VersionedOrder | undefined): Promise<void> {
    // Opened as ended first: an opening that is still on its way to the database then finds its id taken.
    const { kind } = await this.#openings.ask({ intent, ended });
    if (kind === 'opened' || standing === undefined) return;
    const { outcome, atMs } = ended;
    await this.#write(intent, atMs, (order, found) =>
      isThatAttempt(found, standing) ? settleOrder(order, outcome, atMs) : order,
    );
  }

  /** `isJudged`: what is marked in the order is judged already, and only the list of told sales is asked. */
  #wasTold(owner: string, requestId: string, isJudged: boolean): Promise<boolean> {
    const asked = this.#reads
      .find(owner, requestId)
      .then((order) => !(isJudged && order?.toldAtMs !== undefined) && wasTold(order, this.#processes.toldSales));
    return asked.catch(() => false);
  }

  /** The number of the last attempt that this process knows of. */
  #attemptOf(owner: string, requestId: string): number | undefined {
    return this.#held.findUnsettled({ owner, requestId })?.order.attempts;
  }

  /** While the database is away, an order under way in this process is returned as it was last written. */
  async #find(owner: string, requestId: string): Promise<Order | undefined> {
    try {
      const found = await this.#reads.find(owner, requestId);
      // A standby that took over without the order: only this process knows it, and v1 may have charged it.
      return found ?? this.#held.find({ owner, requestId })?.order ?? this.#doubts.find({ owner, requestId });
    } catch (error) {
      const held = this.#held.findUnsettled({ owner, requestId });
      if (held === undefined || !this.#isOpen) throw error;
      return held.order;
    }
  }

  #isWritable(): boolean {
    return this.#isOpen && this.#database.isThere() && this.#keyMark.isOurs() && this.#v1Mark.isOurs() && this.#clock.isRight();
  }

  #onChange(change: 'failed' | 'recovered', error: unknown): void {
    if (change === 'failed') {
      this.#openings.failWaiting(error);
      this.#writings.failWaiting(error);
      return this.#onEvent({ kind: 'write_failed', error });
    }
    this.#onEvent({ kind: 'write_recovered' });
    // The database may be a standby that was behind. An order that is not written here is written at its next change or repeat.
    const puttingBack = this.#database.onOneConnection((run) => putBack({ ...this.#writeParts, run }));
    void puttingBack.catch(() => undefined).then(() => this.#afterRecovery());
  }

  /** A request whose opening was in doubt may still wait, and opens its order as soon as the database is back: only then are the doubts ended. */
  #afterRecovery(): Promise<void> {
    const resolve = (): Promise<void> => sleep(TRIED_AGAIN_MS, undefined, { ref: false }).then(() => this.#doubts.resolve());
    return catchUp(this.keeping, { resolve }, this.#onEvent);
  }

  /** What a dead process told while the database was away is in no list of told sales, so it would be marked as untold. */
  async #listTold({ owner, requestId, said }: KeptChange): Promise<void> {
    const order = await this.#reads.find(owner, requestId);
    if (order?.outcome?.kind !== 'succeeded' || !isToldLater(order) || !('toldAtMs' in said && said.toldAtMs === order.toldAtMs))
      return;
    await this.#processes.toldSales.append(toldLine(order), this.#clock.now());
  }

  async #replay(change: KeptChange): Promise<void> {
    try {
      // The order stays its dead process's, whose script may not have heard of it.
      await writeKeptChange(this.#inner(true), change);
    } catch (error) {
      // Retention may have deleted the order meanwhile: then there is nothing to change.
      if (error instanceof WriteFailure) throw error;
    }
  }
}

/**
 * Opens the journal for reading only: nothing is made, written or deleted. Rejects with a plain Error when there is no journal, or one that
 * this key does not open.
 */
export async function openPostgresReader(options: Pick<PostgresJournalOptions, 'url' | 'encryptionKey'>): Promise<Journal> {
  const seal = createFieldSeal(options.encryptionKey);
  const database = new Database({ url: options.url, isReadOnly: true });
  try {
    await prepareSchema(database, { startMs: 0, isReadOnly: true });
    await createKeyMark({ run: database.read, keyCheck: seal.keyCheck, onShutOut: () => undefined }).check();
  } catch (error) {
    await database.close();
    throw error;
  }
  return readOnlyJournal(createReads(database.read, seal), () => database.close());
}
