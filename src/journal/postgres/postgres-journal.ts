/** The journal in PostgreSQL, or in what speaks its protocol: shared by gateways on many machines. (Decision 0051.) */
import { randomUUID } from 'node:crypto';
import type { Secret } from '../../domain/credentials';
import { GatewayError } from '../../domain/errors';
import type { NewOrder, Opened, Order } from '../../domain/order';
import type { Outcome } from '../../domain/outcome';
import { checkIntent } from '../check-intent';
import type { Journal, Processes } from '../journal';
import type { JournalEvent } from '../journal-event';
import { keepAnswers, type KeepingJournal, type KeptWord } from '../kept-answers';
import { WriteFailure } from '../lmdb/group-commit';
import { createFieldSeal, type FieldSeal } from '../lmdb/sealed-fields';
import { settleAttempt, tellOrder, withoutGoods } from '../settle-order';
import { createBatches, type Batches } from './batches';
import { createClockCheck, type ClockCheck } from './clock-check';
import { createReads, type JournalReads } from './create-reads';
import { createDatabase, type Database } from './database';
import { createDoubts, type Doubts } from './doubts';
import { createHeldOrders } from './held-orders';
import { createKeyMark, type KeyMark } from './key-mark';
import { createOpenings, failOpening, runOpening, type OpenJob } from './open-orders';
import { createProcesses } from './processes';
import type { Key, Standing } from './rows';
import { prepareSchema } from './schema';
import { createSpool, replaySpool } from './spool';
import { startSweep } from './sweep';
import { createWritings, failWriting, runWriting, type WriteJob } from './write-orders';

export interface PostgresJournalOptions {
  /** With user and password; never shown. */
  readonly url: string;
  /** Where v1's words are kept while the database is away. */
  readonly spoolDir: string;
  /** Settled orders older than this are deleted in the background; none with Infinity. */
  readonly retentionMs?: number;
  /** Encrypts phone, meter and smartcard numbers at rest. */
  readonly encryptionKey?: Secret;
  /** Of the secret that makes the owners of orders: gateways with different ones would not meet in one order. */
  readonly secretCheck?: string;
  readonly onEvent?: (event: JournalEvent) => void;
  /** A statement without an answer for so long has failed. */
  readonly statementMs?: number;
  /** How long a start waits for a database that is not there. */
  readonly startMs?: number;
  /** Openings, and answers, that wait for a batch. */
  readonly waitingMax?: number;
  readonly now?: () => number;
}

const DAY_MS = 86_400_000;
const RETENTION_MS = 90 * DAY_MS;
const START_MS = 30_000;
const WAITING_MAX = 10_000;
const IN_FLIGHT_MAX = 2;
const JOBS_MAX = 256;

/** Rejects with a plain Error, a sentence without the address, when the database cannot be used. */
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
  /** With what v1 said while the database was away. */
  readonly keeping: KeepingJournal;
  readonly #options: PostgresJournalOptions;
  readonly #onEvent: (event: JournalEvent) => void;
  readonly #now: () => number;
  readonly #seal: FieldSeal;
  readonly #database: Database;
  readonly #reads: JournalReads;
  readonly #held = createHeldOrders();
  readonly #keyMark: KeyMark;
  readonly #clock: ClockCheck;
  readonly #doubts: Doubts;
  readonly #processes: Processes;
  readonly #openings: Batches<OpenJob>;
  readonly #writings: Batches<WriteJob>;
  #sweep: { stop(): Promise<void> } | undefined;
  #isOpen = true;

  constructor(options: PostgresJournalOptions) {
    this.#options = options;
    const { url, spoolDir, encryptionKey, statementMs, onEvent = () => {}, now = Date.now } = options;
    this.#onEvent = onEvent;
    this.#now = now;
    const seal = createFieldSeal(encryptionKey);
    this.#seal = seal;
    const onChange = (change: 'failed' | 'recovered', error?: unknown): void => this.#onChange(change, error);
    this.#database = createDatabase({ url, onChange, ...(statementMs === undefined ? {} : { statementMs }) });
    const { read, write } = this.#database;
    const holder = randomUUID();
    const onShutOut = (error: Error): void => onEvent({ kind: 'write_failed', error });
    this.#reads = createReads(read, seal);
    this.#keyMark = createKeyMark({ run: write, keyCheck: seal.keyCheck, onShutOut });
    this.#clock = createClockCheck({
      run: read,
      now,
      onChange: (error) => onEvent(error === undefined ? { kind: 'write_recovered' } : { kind: 'write_failed', error }),
    });
    this.#doubts = createDoubts({
      open: (intent, outcome) => runOpening(intent, seal, (job) => this.#openings.add(job), outcome),
      write: (key, change) => this.#write(key, now(), change),
      now,
    });
    this.#processes = createProcesses(holder, read, write);
    const bounds = { inFlightMax: IN_FLIGHT_MAX, jobsMax: JOBS_MAX, waitingMax: options.waitingMax ?? WAITING_MAX };
    const parts = { run: write, seal, held: this.#held, holder };
    const onDoubt = (standing: Standing): void => this.#doubts.noteWriting(standing);
    const open = createOpenings({ ...parts, keyMark: this.#keyMark, onDoubt });
    this.#openings = createBatches({ ...bounds, run: open, fail: failOpening });
    this.#writings = createBatches({ ...bounds, run: createWritings(parts), fail: failWriting });
    const onTrouble = (error: unknown): void => onEvent({ kind: 'write_failed', error });
    this.keeping = keepAnswers(this.#inner(), undefined, createSpool({ dir: spoolDir, seal, onTrouble }));
  }

  async start(): Promise<void> {
    const { startMs = START_MS, retentionMs = RETENTION_MS, spoolDir, secretCheck } = this.#options;
    await prepareSchema(this.#database, { startMs, isReadOnly: false, ...(secretCheck === undefined ? {} : { secretCheck }) });
    await this.#keyMark.check();
    await this.#clock.check();
    const { words, unreadable } = await replaySpool(spoolDir, this.#seal, (word) => this.#replay(word));
    if (words > 0) this.#onEvent({ kind: 'answers_written', orders: words });
    const error = new Error(`${unreadable} lines of what v1 said cannot be read; their file in ${spoolDir} was left alone.`);
    if (unreadable > 0) this.#onEvent({ kind: 'record_unreadable', error });
    const { read, write } = this.#database;
    const parts = { read, write, seal: this.#seal, now: this.#now, onEvent: this.#onEvent };
    if (retentionMs !== Infinity) this.#sweep = startSweep({ ...parts, retentionMs });
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#clock.stop();
    await this.#sweep?.stop();
    if (this.keeping.keptCount() > 0) {
      await this.#database.look();
      await this.#afterRecovery();
    }
    await Promise.all([this.#openings.idle(), this.#writings.idle()]);
    this.#isOpen = false;
    if (this.keeping.keptCount() > 0) this.#onEvent({ kind: 'answers_unwritten', orders: this.keeping.keptCount() });
    await this.#database.close();
  }

  #inner(): Journal {
    return {
      ...this.#reads,
      find: (owner, requestId) => this.#find(owner, requestId),
      open: (intent) => this.#open(intent),
      settle: (owner, requestId, latest, atMs, tries) => this.#settle(owner, requestId, latest, atMs, tries),
      tell: async (owner, requestId, toldAtMs, tries = this.#triesOf(owner, requestId)) => {
        const change = (order: Order): Order =>
          tries === undefined || tries === order.tries ? tellOrder(order, toldAtMs) : order;
        await this.#write({ owner, requestId }, toldAtMs, change);
      },
      isWritable: () => this.#isWritable(),
      close: () => this.close(),
      processes: this.#processes,
    };
  }

  async #open(intent: NewOrder): Promise<Opened> {
    if (this.#isOpen) checkIntent(intent);
    try {
      if (!this.#isWritable()) throw new GatewayError('journal_unavailable');
      return await runOpening(intent, this.#seal, (job) => this.#openings.add(job));
    } catch (error) {
      if (this.#isOpen && !this.#database.isThere() && !(error instanceof RangeError)) this.#doubts.note(intent);
      throw error;
    }
  }

  async #settle(
    owner: string,
    requestId: string,
    latest: Outcome,
    atMs: number,
    tries = this.#triesOf(owner, requestId),
  ): Promise<Order> {
    const storable = withoutGoods(latest);
    const order = await this.#write({ owner, requestId }, atMs, (before) => settleAttempt(before, storable, atMs, tries));
    if (order === undefined) throw new Error('The journal has no order with this request id to settle.');
    return order;
  }

  async #write(key: Key, atMs: number, change: WriteJob['change']): Promise<Order | undefined> {
    if (!this.#isOpen) throw new Error('The journal is closed.');
    return runWriting(key, atMs, change, (job) => this.#writings.add(job));
  }

  /** Of the attempt that this process knows of. */
  #triesOf(owner: string, requestId: string): number | undefined {
    return this.#held.find({ owner, requestId })?.order.tries;
  }

  /** While the database is away, an order that is under way here is given as it was last written. */
  async #find(owner: string, requestId: string): Promise<Order | undefined> {
    try {
      return await this.#reads.find(owner, requestId);
    } catch (error) {
      const held = this.#held.find({ owner, requestId });
      if (held === undefined || !this.#isOpen) throw error;
      return held.order;
    }
  }

  #isWritable(): boolean {
    return this.#isOpen && this.#database.isThere() && this.#keyMark.isOurs() && this.#clock.isRight();
  }

  #onChange(change: 'failed' | 'recovered', error: unknown): void {
    if (change === 'failed') {
      this.#openings.failWaiting(error);
      this.#writings.failWaiting(error);
      return this.#onEvent({ kind: 'write_failed', error });
    }
    this.#onEvent({ kind: 'write_recovered' });
    void this.#afterRecovery();
  }

  async #afterRecovery(): Promise<void> {
    const orders = await this.keeping.writeKept();
    if (orders > 0) this.#onEvent({ kind: 'answers_written', orders });
    // What fails now stays for the next time.
    await this.#doubts.resolve().catch(() => undefined);
  }

  async #replay({ owner, requestId, said, tries }: KeptWord): Promise<void> {
    try {
      if ('latest' in said) await this.#settle(owner, requestId, said.latest, said.atMs, tries);
      else await this.#inner().tell(owner, requestId, said.toldAtMs, tries);
    } catch (error) {
      // An order that retention has swept has nothing left to be told of.
      if (error instanceof WriteFailure) throw error;
    }
  }
}
