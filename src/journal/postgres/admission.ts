/** The conditions under which this process may take orders: the journal's orders have its encryption key, and it knows the database's time. */
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
