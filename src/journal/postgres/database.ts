/**
 * Connections to PostgreSQL, or to what speaks its protocol, and whether it is there. After a failed write nothing is tried for each order:
 * one small write is, ever more rarely, until it gets through.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool, types, type PoolClient, type PoolConfig } from 'pg';
import { WriteFailure } from '../journal';

export interface DatabaseOptions {
  readonly url: string;
  /** A statement without an answer for so long has failed. */
  readonly statementMs?: number;
  /** Nothing that only reads; see `check`. */
  readonly isReadOnly?: boolean;
  /** Told when writing begins to fail, and when it works again. */
  readonly onChange?: (change: 'failed' | 'recovered', error?: unknown) => void;
}

export type Row = Readonly<Record<string, unknown>>;
export type Run = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

const STATEMENT_MS = 3_000;
const CONNECT_MS = 2_000;
/** Two batches of openings and two of answers at once, and what else is written now and then. */
const WRITERS_MAX = 5;
const READERS_MAX = 4;
/** Reads that wait for a connection. */
const READS_MAX = 2_000;
const LOOK_FIRST_MS = 100;
const LOOK_MOST_MS = 5_000;
/** What the server says that has no connection left for us. */
const NO_MORE_CONNECTIONS = '53300';
const ASK_AGAIN_MS = 100;
/** How long the connections that there are do for all, before another one is asked for. */
const DO_WITHOUT_MS = 10_000;
const TRIES_MAX = 8;
/** 40001 and 40P01: two transactions stood in each other's way. CockroachDB and stricter isolation ask for another try as a rule. */
const IN_EACH_OTHERS_WAY: ReadonlySet<string> = new Set(['40001', '40P01']);

const PROBE = 'UPDATE gateway_journal SET probes = probes + 1 WHERE id = 1 RETURNING id';
const NO_SUCH_KEY = '42P10';

export class Database {
  readonly #writers: Connections;
  readonly #readers: Connections;
  readonly #onChange: NonNullable<DatabaseOptions['onChange']>;
  readonly #isReadOnly: boolean;
  #isThere = true;
  #timesAway = 0;
  #isOpen = true;
  #waitMs = LOOK_FIRST_MS;
  #next: NodeJS.Timeout | undefined;
  #reads = 0;

  constructor({ url, statementMs = STATEMENT_MS, isReadOnly = false, onChange = () => undefined }: DatabaseOptions) {
    const config = poolConfig(url, statementMs);
    this.#writers = new Connections({ ...config, max: WRITERS_MAX });
    this.#readers = new Connections({ ...config, max: READERS_MAX });
    this.#isReadOnly = isReadOnly;
    this.#onChange = onChange;
  }

  /** Rejects with a WriteFailure, at once while the database is away. */
  readonly write: Run = async (text, values) => {
    this.#assertOpen();
    if (!this.#isThere) throw new WriteFailure(new Error('PostgreSQL cannot be reached'));
    const asked = this.#timesAway;
    try {
      const rows = await runOn(this.#writers, text, values);
      // What only looks well would else be looked for ten times a second: a full disk takes the small write of a look.
      this.#waitMs = LOOK_FIRST_MS;
      return rows;
    } catch (error) {
      const failure = new WriteFailure(error);
      // What was asked before it went away says nothing of it since.
      if (asked === this.#timesAway) this.#fail(failure);
      throw failure;
    }
  };

  /** For the start and the end: tried whatever is known of the database, and nothing is concluded from a failure. */
  onOneConnection<T>(work: (run: Run) => Promise<T>): Promise<T> {
    return (this.#isReadOnly ? this.#readers : this.#writers).use(work);
  }

  readonly read: Run = async (text, values) => {
    this.#assertOpen();
    if (!this.#isThere) throw new Error('PostgreSQL cannot be reached.');
    if (this.#reads >= READS_MAX) throw new Error('Too many reads wait for PostgreSQL.');
    this.#reads += 1;
    try {
      return await runOn(this.#readers, text, values);
    } finally {
      this.#reads -= 1;
    }
  };

  isThere(): boolean {
    return this.#isOpen && this.#isThere;
  }

  /** Looks for the database now; resolves when that is known. */
  async look(): Promise<void> {
    clearTimeout(this.#next);
    try {
      if (this.#isReadOnly) await this.#readers.use((run) => run('SELECT 1'));
      else await this.#writers.use(probe);
    } catch (error) {
      return this.#fail(new WriteFailure(error));
    }
    if (this.#isThere || !this.#isOpen) return;
    this.#isThere = true;
    this.#onChange('recovered');
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearTimeout(this.#next);
    await Promise.all([this.#writers.end(), this.#readers.end()]);
  }

  #fail(failure: WriteFailure): void {
    if (!this.#isOpen) return;
    clearTimeout(this.#next);
    // Spread, so that many gateways do not all come back in one moment.
    this.#next = setTimeout(() => void this.look(), this.#waitMs * (0.5 + Math.random() / 2)).unref();
    this.#waitMs = Math.min(2 * this.#waitMs, LOOK_MOST_MS);
    if (!this.#isThere) return;
    this.#isThere = false;
    this.#timesAway += 1;
    this.#writers.renew();
    this.#readers.renew();
    this.#onChange('failed', failure);
  }

  #assertOpen(): void {
    if (!this.#isOpen) throw new Error('The journal is closed.');
  }
}

async function runOn(connections: Connections, ...[text, values]: Parameters<Run>): Promise<readonly Row[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await connections.use((run) => run(text, values));
    } catch (error) {
      if (tries === TRIES_MAX || !IN_EACH_OTHERS_WAY.has((error as { code?: string }).code ?? '')) throw error;
    }
  }
}

async function probe(run: Run): Promise<void> {
  await tryKeys(run);
  if ((await run(PROBE)).length === 0) throw new Error('its tables are gone');
}

/** Writes nothing. Rejects where the orders lack a unique key, as while a dump is read in: without it each gateway would sell an id that comes to it. */
export async function tryKeys(run: Run): Promise<void> {
  for (const key of ['owner, request_id', 'owner, number'])
    await run(`INSERT INTO gateway_orders SELECT * FROM gateway_orders WHERE false ON CONFLICT (${key}) DO NOTHING`).catch(
      (error: Error & { code?: string }) => {
        if (error.code === NO_SUCH_KEY)
          error.message = `gateway_orders has no unique key (${key}): was its dump read in to the end?`;
        throw error;
      },
    );
}

function poolConfig(url: string, statementMs: number): PoolConfig {
  return {
    connectionString: url,
    application_name: 'compat-gateway',
    connectionTimeoutMillis: Math.min(CONNECT_MS, statementMs),
    // The server gives up first: what was given up here alone might still be written later.
    statement_timeout: statementMs,
    query_timeout: statementMs + Math.min(500, statementMs),
    keepAlive: true,
    types: { getTypeParser: types.getTypeParser },
  };
}

function createPool(config: PoolConfig): Pool {
  const pool = new Pool(config);
  // A connection that ends while nobody uses it: the next statement makes another.
  pool.on('error', () => undefined);
  // One that ends on its way to whoever asked for it, or between two statements, where nobody else would hear of it: the process would end.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Connections for one use. Where the server gives no more, those that it has given are shared. */
class Connections {
  readonly #pool: Pool;
  readonly #max: number;
  #usable = new WeakSet<PoolClient>();

  constructor(config: PoolConfig & { readonly max: number }) {
    this.#pool = createPool(config);
    this.#pool.on('connect', (client) => this.#usable.add(client));
    this.#max = config.max;
  }

  /** None that there is is used again: its server may be lost without a word, or have left its place to another. */
  renew(): void {
    this.#usable = new WeakSet();
  }

  /** A connection on which anything has failed is not used again: a late answer on it would be taken for that of another statement. */
  async use<T>(work: (run: Run) => Promise<T>): Promise<T> {
    const client = await this.#take().catch(rejectPlainly);
    try {
      const result = await work(
        async (text, values = []) => (await client.query<Row>(text, [...values]).catch(rejectPlainly)).rows,
      );
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  async #take(): Promise<PoolClient> {
    const untilMs = performance.now() + CONNECT_MS;
    for (;;) {
      try {
        const client = await this.#pool.connect();
        if (this.#usable.has(client)) return client;
        client.release(true);
      } catch (error) {
        if ((error as { code?: string }).code !== NO_MORE_CONNECTIONS || performance.now() > untilMs) throw error;
        if (this.#pool.totalCount > 0) this.#doWithout();
        else await sleep(ASK_AGAIN_MS);
      }
    }
  }

  /** What is not given now is waited for as in a pool that is full. */
  #doWithout(): void {
    this.#pool.options.max = this.#pool.totalCount;
    setTimeout(() => (this.#pool.options.max = this.#max), DO_WITHOUT_MS).unref();
  }
}

/** With what the error says, without what it carries: errors of a client may hold the address, and with it the password. */
function rejectPlainly(error: unknown): never {
  const { message = String(error), code, errors } = error as Partial<AggregateError & { code: string }>;
  const first = (errors?.[0] as Error | undefined)?.message;
  throw Object.assign(new Error(`PostgreSQL: ${message || (first ?? 'no connection')}`), code === undefined ? {} : { code });
}
