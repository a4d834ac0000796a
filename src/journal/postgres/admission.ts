/**
 * The conditions under which this process may take orders: the journal's orders have its encryption key and were sold through its v1, and it knows the
 * database's time.
 */
import { type Clock, systemClock } from '../../domain/clock';
import { GatewayError } from '../../domain/errors';
import type { Run } from './database';

const EVERY_MS = 5_000;
/** A clock kept by NTP drifts by milliseconds between two comparisons. */
const JUMP_MS = 2_000;

const NOW = 'SELECT EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS now_ms';

/**
 * The mark of the encryption key that the orders of a journal have. It is set before the first order that is written with a key. Each
 * statement that writes an order checks it as well (`keyCondition`).
 */
export interface KeyMark {
  /** Throws when the orders of the journal have another key than this process. */
  check(): Promise<void>;
  /** To be called before orders are written: sets the mark if this process has a key and there is no mark yet. */
  prepare(): Promise<void>;
  /** False when the orders of the journal have another key than this process. */
  isOurs(): boolean;
}

export interface KeyMarkOptions {
  readonly run: Run;
  readonly keyCheck: string | undefined;
  /** Called once. */
  readonly onShutOut: (complaint: Error) => void;
}

/** The condition in SQL under which an order is written; its parameter is `keyCheck`, null when nothing is sealed. */
export const keyCondition = (parameter: string): string =>
  `EXISTS (SELECT 1 FROM gateway_journal AS j WHERE j.id = 1 AND (j.key_check IS NULL OR j.key_check = ${parameter}::text))`;

export function createKeyMark({ run, keyCheck, onShutOut }: KeyMarkOptions): KeyMark {
  let isSet = keyCheck === undefined;
  let complaint: Error | undefined;
  const check = async (): Promise<void> => {
    const [row] = await run('SELECT key_check FROM gateway_journal WHERE id = 1');
    const mark = (row?.['key_check'] ?? undefined) as string | undefined;
    if (mark === undefined || mark === keyCheck) return;
    const isFirst = complaint === undefined;
    const state = keyCheck === undefined ? 'absent' : 'another one';
    complaint ??= new Error(
      `The journal in PostgreSQL is encrypted, and the encryption key is ${state}: JOURNAL_KEY must be the one that its orders have.`,
    );
    if (isFirst) onShutOut(complaint);
    throw complaint;
  };
  return {
    check,
    async prepare() {
      if (complaint !== undefined) throw new GatewayError('journal_unavailable', undefined, { cause: complaint });
      if (isSet) return;
      await run('UPDATE gateway_journal SET key_check = $1 WHERE id = 1 AND key_check IS NULL', [keyCheck]);
      await check();
      isSet = true;
    },
    isOurs: () => complaint === undefined,
  };
}

/**
 * The mark of the v1 through which the orders of a journal are sold. A gateway with another v1 would not find there what this one has charged: it would
 * tell an open order as failed, and sell its repeat.
 */
export interface V1Mark {
  /** For the start. Rejects where the mark is of another v1 that some order or some gateway still needs. */
  take(): Promise<void>;
  /** Looks whether another gateway has replaced the mark, as it may once this one was silent. */
  check(run: Run): Promise<void>;
  /** False when the mark was replaced: then nothing may be sold, and v1 proves nothing. */
  isOurs(): boolean;
}

/** An address of v1; empty for the embedded sandbox. `last`: the one that sold last from here, for journals that have no mark yet. */
export interface MarkedV1 {
  readonly url: string;
  readonly last: string | undefined;
}

interface V1MarkOptions extends Pick<KeyMarkOptions, 'run' | 'onShutOut'> {
  /** Without it nothing is marked or compared. */
  readonly v1: MarkedV1 | undefined;
}

/** Longer than a living gateway is without a sign. */
const SILENT_MS = 20_000;
const FIRST_V1 = 'UPDATE gateway_journal SET upstream_check = $1 WHERE id = 1 AND upstream_check IS NULL';
const NEXT_V1 = `UPDATE gateway_journal SET upstream_check = $1 WHERE id = 1 AND upstream_check <> $1
  AND NOT EXISTS (SELECT 1 FROM gateway_orders WHERE is_unsettled)
  AND NOT EXISTS (SELECT 1 FROM gateway_processes WHERE signed_at_ms > (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint - ${SILENT_MS})`;

export function createV1Mark({ run, v1, onShutOut }: V1MarkOptions): V1Mark {
  let isOurs = true;
  const shown = (url: unknown): string => (url === '' ? 'the embedded sandbox' : String(url));
  const complaintOf = async (on: Run): Promise<Error | undefined> => {
    const [row] = await on('SELECT upstream_check FROM gateway_journal WHERE id = 1');
    const mark = row?.['upstream_check'] ?? v1?.url;
    if (v1 === undefined || mark === v1.url) return undefined;
    return new Error(
      `The orders in PostgreSQL are sold through ${shown(mark)}, and UPSTREAM_URL is ${shown(v1.url)} now. Another v1 does not know them: open ones would be told as failed. Set UPSTREAM_URL back until \`compat-gateway orders report\` says \`0 orders without a final outcome\`, then stop all gateways before the first starts with another one (after a kill wait ${SILENT_MS / 1_000} seconds); or, if it is only another address of the same v1, stop all gateways and \`UPDATE gateway_journal SET upstream_check = '${v1.url}'\`.`,
    );
  };
  return {
    async take() {
      if (v1 === undefined) return;
      await run(FIRST_V1, [v1.last ?? v1.url]);
      await run(NEXT_V1, [v1.url]);
      const complaint = await complaintOf(run);
      if (complaint !== undefined) throw complaint;
    },
    async check(on) {
      const complaint = isOurs ? await complaintOf(on) : undefined;
      if (complaint === undefined) return;
      isOurs = false;
      onShutOut(complaint);
    },
    isOurs: () => isOurs,
  };
}

/**
 * The time of the database. Gateways on several machines judge by times that the others have written whether a sale is a repeat, and that v1 never
 * had an order (the quiet time of the mappings). So all go by this one clock, whatever the clocks of their machines show.
 */
export interface DatabaseClock {
  /** Milliseconds since the epoch; those of this machine until the first comparison. */
  now(): number;
  /** When the last comparison began, by the `elapsed` of this machine. */
  readAtMs(): number;
  /** Compares now, on this connection. Rejects where the database does not answer. */
  compare(run: Run): Promise<void>;
  /** False when the time is not known: from a setting or a sleep of this machine until the next comparison. */
  isRight(): boolean;
  stop(): void;
}

interface DatabaseClockOptions {
  readonly run: Run;
  readonly machine?: Pick<Clock, 'now' | 'elapsed' | 'after'>;
}

export function createDatabaseClock({ run, machine = systemClock }: DatabaseClockOptions): DatabaseClock {
  /** A change shows that this machine's clock was set, or that the machine slept, in which `elapsed` may stand still. */
  const setting = (): number => machine.now() - machine.elapsed();
  let comparedAt = setting();
  let readAtMs = machine.elapsed();
  /** By how much the database's time is ahead of `elapsed`. */
  let aheadMs: number | undefined;
  let isComparing = false;
  let cancel: () => void = () => undefined;
  const compare: DatabaseClock['compare'] = async (on) => {
    const settingBefore = setting();
    const askedAt = machine.elapsed();
    const [row] = await on(NOW);
    const theirMs = Number(row?.['now_ms'] ?? NaN);
    if (!Number.isFinite(theirMs)) throw new Error('The database did not tell its time.');
    const [mostMs, leastMs] = [theirMs - askedAt, theirMs - machine.elapsed()];
    // The database read its clock between question and answer. A time that may be right stays: otherwise it would go to and fro.
    aheadMs = aheadMs === undefined ? (leastMs + mostMs) / 2 : Math.min(mostMs, Math.max(leastMs, aheadMs));
    comparedAt = settingBefore;
    readAtMs = askedAt;
  };
  // Errors are ignored: a database that does not answer is noticed by the next write.
  const compareSoon = (): void => {
    if (isComparing) return;
    isComparing = true;
    void compare(run)
      .catch(() => undefined)
      .finally(() => (isComparing = false));
  };
  const plan = (): void => {
    cancel = machine.after(EVERY_MS, () => {
      compareSoon();
      plan();
    });
  };
  plan();
  return {
    now: () => (aheadMs === undefined ? machine.now() : Math.floor(machine.elapsed() + aheadMs)),
    readAtMs: () => readAtMs,
    compare,
    isRight() {
      const isKnown = Math.abs(setting() - comparedAt) <= JUMP_MS;
      if (!isKnown) compareSoon();
      return isKnown;
    },
    stop: () => cancel(),
  };
}
