/**
 * The tables, made and brought up to date by the gateway that starts first, with statements that CockroachDB accepts as well. Keys are bytes,
 * because the sort order of texts depends on the operating system of the database: an index sorted on another one may accept an id twice.
 */
import { assertDurable, type Database, JournalRefusal, type Run, tryKeys } from './database';

interface Migration {
  readonly statements: readonly string[];
  /** The oldest layout whose builds may still write after this migration. */
  readonly usableFrom: number;
}

const MARK_TABLE = `CREATE TABLE IF NOT EXISTS gateway_journal (
  id int PRIMARY KEY,
  layout int NOT NULL,
  usable_from int NOT NULL,
  key_check text,
  secret_check text,
  swept_until_ms bigint NOT NULL DEFAULT 0,
  probes bigint NOT NULL DEFAULT 0
)`;
const FIRST_MARK = 'INSERT INTO gateway_journal (id, layout, usable_from) VALUES (1, 0, 0) ON CONFLICT (id) DO NOTHING';

// Each statement can be repeated, because CockroachDB commits before each of them, even inside a transaction.
const MIGRATIONS: readonly Migration[] = [
  {
    usableFrom: 1,
    statements: [
      `CREATE TABLE IF NOT EXISTS gateway_orders (
        owner bytea NOT NULL,
        request_id bytea NOT NULL,
        number bigint NOT NULL,
        opened_at_ms bigint NOT NULL,
        version int NOT NULL,
        holder text NOT NULL,
        is_unsettled boolean NOT NULL,
        reference bytea,
        referenced_at_ms bigint,
        record bytea NOT NULL,
        PRIMARY KEY (owner, request_id)
      )`,
      'CREATE UNIQUE INDEX IF NOT EXISTS gateway_orders_number ON gateway_orders (owner, number)',
      'CREATE INDEX IF NOT EXISTS gateway_orders_time ON gateway_orders (opened_at_ms, number, owner)',
      'CREATE INDEX IF NOT EXISTS gateway_orders_unsettled ON gateway_orders (owner, opened_at_ms, number) WHERE is_unsettled',
      'CREATE INDEX IF NOT EXISTS gateway_orders_reference ON gateway_orders (owner, reference) WHERE reference IS NOT NULL',
      'CREATE TABLE IF NOT EXISTS gateway_processes (id text PRIMARY KEY, signed_at_ms bigint NOT NULL)',
    ],
  },
  {
    usableFrom: 1,
    // A table, not a column with an index: making that index on millions of orders would block the sales of all gateways.
    statements: [
      `CREATE TABLE IF NOT EXISTS gateway_untold (
        owner bytea NOT NULL,
        opened_at_ms bigint NOT NULL,
        request_id bytea NOT NULL,
        PRIMARY KEY (owner, opened_at_ms, request_id)
      )`,
    ],
  },
  {
    usableFrom: 1,
    statements: [
      `CREATE TABLE IF NOT EXISTS gateway_told (
        holder text NOT NULL,
        at_ms bigint NOT NULL,
        lines text NOT NULL,
        PRIMARY KEY (holder, at_ms)
      )`,
    ],
  },
  {
    usableFrom: 1,
    statements: [
      'ALTER TABLE gateway_journal ADD COLUMN IF NOT EXISTS upstream_check text',
      'ALTER TABLE gateway_journal ADD COLUMN IF NOT EXISTS steady_since_ms bigint NOT NULL DEFAULT 0',
    ],
  },
];
const LAYOUT = MIGRATIONS.length;

// They change nothing, but fail without the right to a table that another user has made. Without them, a script that hangs up would be the first to show it.
const TRIALS = [
  'UPDATE gateway_orders SET version = version WHERE false',
  'DELETE FROM gateway_orders WHERE false',
  'INSERT INTO gateway_untold SELECT * FROM gateway_untold WHERE false',
  'DELETE FROM gateway_untold WHERE false',
  'INSERT INTO gateway_processes SELECT * FROM gateway_processes WHERE false',
  'UPDATE gateway_processes SET signed_at_ms = signed_at_ms WHERE false',
  'DELETE FROM gateway_processes WHERE false',
  'INSERT INTO gateway_told SELECT * FROM gateway_told WHERE false',
  'UPDATE gateway_told SET lines = lines WHERE false',
  'DELETE FROM gateway_told WHERE false',
];

/** Columns of the one row of `gateway_journal`. */
interface Mark {
  readonly layout: number;
  readonly usableFrom: number;
}

// When two gateways make the same table at once, the later one gets one of these errors.
const MADE_AT_ONCE: ReadonlySet<string> = new Set(['23505', '42P07', '42710', '40001', '40P01', 'XX000']);
const UNDEFINED_TABLE = '42P01';
const RETRY_MS = 200;

interface SchemaOptions {
  /** How long to wait for a database that cannot be reached. */
  readonly startMs: number;
  /** When true, nothing is made or changed. */
  readonly isReadOnly: boolean;
  /** The first gateway writes it into the journal; all others must have the same. */
  readonly secretCheck?: string;
}

/** Rejects with a plain Error when the database cannot be used; its message does not contain the address, which may have a password. */
export async function prepareSchema(database: Database, { startMs, isReadOnly, secretCheck }: SchemaOptions): Promise<void> {
  const untilMs = performance.now() + startMs;
  const prepare = async (run: Run): Promise<void> => {
    if (isReadOnly) return expectTables(run);
    await assertDurable(run);
    await bringUpToDate(run);
    await tryKeys(run);
    for (const trial of TRIALS) await run(trial);
    if (secretCheck !== undefined) await compareSecret(run, secretCheck);
  };
  for (;;) {
    try {
      return await database.onOneConnection(prepare);
    } catch (error) {
      const { message } = error as Error;
      if (isLasting(error as Error) || performance.now() > untilMs)
        throw new Error(`JOURNAL_URL names a database that cannot be used: ${message.replace(/\.$/, '')}.`, { cause: error });
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function expectTables(run: Run): Promise<void> {
  const mark = await readMark(run);
  if (mark === undefined || mark.layout === 0)
    throw new JournalRefusal('it holds no journal yet; a gateway that starts on it makes one');
  checkLayout(mark);
}

async function bringUpToDate(run: Run): Promise<void> {
  if ((await readMark(run)) === undefined) {
    await run(MARK_TABLE);
    await run(FIRST_MARK);
  }
  checkLayout(await readMark(run));
  if ((await readMark(run))!.layout >= LAYOUT) return;
  await run('BEGIN');
  // The row stays locked until COMMIT: a gateway that starts at the same moment waits here and then finds all migrations done.
  const { layout } = (await readMark(run, ' FOR UPDATE'))!;
  for (const { statements, usableFrom } of MIGRATIONS.slice(layout)) {
    for (const statement of statements) await run(statement);
    await run('UPDATE gateway_journal SET layout = layout + 1, usable_from = $1 WHERE id = 1', [usableFrom]);
  }
  await run('COMMIT');
}

async function compareSecret(run: Run, secretCheck: string): Promise<void> {
  await run('UPDATE gateway_journal SET secret_check = $1 WHERE id = 1 AND secret_check IS NULL', [secretCheck]);
  const [row] = await run('SELECT secret_check FROM gateway_journal WHERE id = 1');
  if (row?.['secret_check'] !== secretCheck)
    throw new JournalRefusal('its gateways have another GATEWAY_SECRET, without which this one would not know their orders');
}

/** Undefined when our table is missing or has no row yet. */
async function readMark(run: Run, lock = ''): Promise<Mark | undefined> {
  try {
    const [row] = await run(`SELECT layout, usable_from FROM gateway_journal WHERE id = 1${lock}`);
    return row && { layout: Number(row['layout']), usableFrom: Number(row['usable_from']) };
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return undefined;
    throw error;
  }
}

function checkLayout(mark: Mark | undefined): void {
  if (mark === undefined || mark.usableFrom <= LAYOUT) return;
  throw new JournalRefusal(
    `its journal was changed by a newer build (layout ${mark.layout}, this build knows ${LAYOUT}); nothing in it was changed`,
  );
}

/** Whether waiting is useless: a wrong password, no such database, no right to make tables, a certificate that is missing or does not fit. */
function isLasting(error: Error): boolean {
  if (error instanceof JournalRefusal) return true;
  const { code = '' } = error as { code?: string };
  if (MADE_AT_ONCE.has(code)) return false;
  return /^(?:28|3D|42|0A)/.test(code) || /CERT|TLS|SIGNATURE/.test(code) || /\bSSL\b|, open '/.test(error.message);
}
