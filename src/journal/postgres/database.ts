/**
 * Connections to a database with the PostgreSQL protocol, and whether it can be reached. After a failed write, orders are no longer tried.
 * One small write is repeated instead, less and less often, until it succeeds.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool, types, type PoolClient, type PoolConfig } from 'pg';
import { JournalAway, WriteFailure } from '../journal';

interface DatabaseOptions {
  readonly url: string;
  /** A statement without an answer for so long has failed. */
  readonly statementMs?: number;
  /** For processes that only read: the look for the database writes nothing either. */
  readonly isReadOnly?: boolean;
  /** Called when writing begins to fail, and when it works again. */
  readonly onChange?: (change: 'failed' | 'recovered', error?: unknown) => void;
  /** What a look asks as well before the database counts as there again. */
  readonly onLook?: (run: Run) => Promise<void>;
}

export type Row = Readonly<Record<string, unknown>>;
export type Run = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

const STATEMENT_MS = 3_000;
const CONNECT_MS = 2_000;
/** Two batches of openings and two of answers at once, and one for all rarer writes. */
const WRITERS_MAX = 5;
const READERS_MAX = 4;
/** Most reads at a time, with those that wait for a connection. */
const READS_MAX = 2_000;
const LOOK_FIRST_MS = 100;
const LOOK_MOST_MS = 5_000;
/** PostgreSQL's code for: no connection is left. */
const NO_MORE_CONNECTIONS = '53300';
const ASK_AGAIN_MS = 100;
/** After a refused connection, no further one is requested for so long; the open ones are shared. */
const DO_WITHOUT_MS = 10_000;
const TRIES_MAX = 8;
/** Serialization failure and deadlock: two transactions conflicted. CockroachDB and stricter isolation expect clients to repeat. */
const CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01']);

const PROBE = 'UPDATE gateway_journal SET probes = probes + 1 WHERE id = 1 RETURNING id';
const NO_SUCH_KEY = '42P10';

export class Database {
  readonly #writers: Connections;
  readonly #readers: Connections;
  readonly #onChange: NonNullable<DatabaseOptions['onChange']>;
  readonly #onLook: NonNullable<DatabaseOptions['onLook']>;
  readonly #isReadOnly: boolean;
  #isThere = true;
  #timesAway = 0;
  #isOpen = true;
  #waitMs = LOOK_FIRST_MS;
  #next: NodeJS.Timeout | undefined;
  #reads = 0;

  constructor({
    url,
    statementMs = STATEMENT_MS,
    isReadOnly = false,
    onChange = () => undefined,
    onLook = async () => undefined,
  }: DatabaseOptions) {
    const config = poolConfig(url, statementMs);
    this.#writers = new Connections({ ...config, max: WRITERS_MAX });
    this.#readers = new Connections({ ...config, max: READERS_MAX });
    this.#isReadOnly = isReadOnly;
    this.#onChange = onChange;
    this.#onLook = onLook;
  }

  /** Rejects with a WriteFailure, at once while the database is away and after `close`. */
  readonly write: Run = async (text, values) => {
    if (!this.isThere()) throw new WriteFailure(new JournalAway());
    const asked = this.#timesAway;
    try {
      const rows = await runOn(this.#writers, text, values);
      // Only a real write resets the pause. A full disk accepts the small write of a look, so otherwise looks would repeat ten times a second.
      this.#waitMs = LOOK_FIRST_MS;
      return rows;
    } catch (error) {
      const failure = new WriteFailure(error);
      // A write that began before the last failure is no evidence about the database since then.
      if (asked === this.#timesAway) this.#fail(failure);
      throw failure;
    }
  };

  /** For the start: runs even while the database counts as away, and a failure does not make it count as away. */
  onOneConnection<T>(work: (run: Run) => Promise<T>): Promise<T> {
    return (this.#isReadOnly ? this.#readers : this.#writers).use(work);
  }

  readonly read: Run = async (text, values) => {
    if (!this.#isOpen) throw new Error('The journal is closed.');
    if (!this.#isThere) throw new JournalAway();
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

  /** Checks now whether the database can be reached; resolves when that is known. */
  async look(): Promise<void> {
    clearTimeout(this.#next);
    try {
      if (this.#isReadOnly) await this.#readers.use((run) => run('SELECT 1'));
      else
        await this.#writers.use(async (run) => {
          await probe(run);
          await this.#onLook(run);
        });
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
    // Random, so that many gateways do not all return at the same moment.
    this.#next = setTimeout(() => void this.look(), this.#waitMs * (0.5 + Math.random() / 2)).unref();
    this.#waitMs = Math.min(2 * this.#waitMs, LOOK_MOST_MS);
    if (!this.#isThere) return;
    this.#isThere = false;
    this.#timesAway += 1;
    this.#writers.renew();
    this.#readers.renew();
    this.#onChange('failed', failure);
  }
}

async function runOn(connections: Connections, ...[text, values]: Parameters<Run>): Promise<readonly Row[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await connections.use((run) => run(text, values));
    } catch (error) {
      if (tries === TRIES_MAX || !CONFLICTS.has((error as { code?: string }).code ?? '')) throw error;
    }
  }
}

/** A reason that a further try cannot change. */
export class JournalRefusal extends Error {}

/** A product with this protocol that does not have the setting gives null. */
const READ_COMMIT = `SELECT current_setting('synchronous_commit', true) AS commit`;

/**
 * Rejects for a database that confirms an order before it is on its disk: after a crash it has forgotten the order, which is then sold again. `fsync` is
 * not judged: services that store elsewhere than on the database's own disk have it off.
 */
export async function assertDurable(run: Run): Promise<void> {
  const [row] = await run(READ_COMMIT);
  if (row?.['commit'] === 'off')
    throw new JournalRefusal('its synchronous_commit is off, so a crash of it can lose orders that were sent to v1');
}

async function probe(run: Run): Promise<void> {
  await assertDurable(run);
  await tryKeys(run);
  if ((await run(PROBE)).length === 0) throw new Error('its tables are gone');
}

/**
 * Writes nothing. Rejects when the table of orders lacks a unique key, as while a dump is being restored: without the key, each gateway would
 * sell the same id.
 */
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
    // The server's limit is shorter: a statement that only this side gave up could still be written later.
    statement_timeout: statementMs,
    query_timeout: statementMs + Math.min(500, statementMs),
    keepAlive: true,
    types: { getTypeParser: types.getTypeParser },
  };
}

function createPool(config: PoolConfig): Pool {
  const pool = new Pool(config);
  // For an idle connection that ends: the next statement opens another.
  pool.on('error', () => undefined);
  // For a connection that ends between two statements or before its first one: without a handler the `error` event would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** A pool of connections, each for one use at a time. When the server gives no more, the open ones are shared. */
class Connections {
  readonly #pool: Pool;
  readonly #max: number;
  #usable = new WeakSet<PoolClient>();

  constructor(config: PoolConfig & { readonly max: number }) {
    this.#pool = createPool(config);
    this.#pool.on('connect', (client) => this.#usable.add(client));
    this.#max = config.max;
  }

  /** No present connection is used again: its server may be lost without a sign, or another server may have taken over. */
  renew(): void {
    this.#usable = new WeakSet();
  }

  /** A connection on which a statement failed is not used again: a late answer on it would be taken for that of another statement. */
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

  /** Limits the pool for a while to its open connections, so that further uses wait as in a full pool. */
  #doWithout(): void {
    this.#pool.options.max = this.#pool.totalCount;
    setTimeout(() => (this.#pool.options.max = this.#max), DO_WITHOUT_MS).unref();
  }
}

/** Throws an error with the same message and code only: further properties of a client's error may contain the address and its password. */
function rejectPlainly(error: unknown): never {
  const { message = String(error), code, errors } = error as Partial<AggregateError & { code: string }>;
  const first = (errors?.[0] as Error | undefined)?.message;
  throw Object.assign(new Error(`PostgreSQL: ${message || (first ?? 'no connection')}`), code === undefined ? {} : { code });
}
