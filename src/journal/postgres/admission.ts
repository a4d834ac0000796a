/**
 * The conditions under which this process may take orders: the journal's orders have its encryption key, and its clock agrees with the
 * database's.
 */
import { GatewayError } from '../../domain/errors';
import type { Run } from './database';

/** How far clocks may be apart: a fraction of any useful quiet time. */
const APART_MS_MAX = 5_000;
const EVERY_MS = 30_000;
/** A clock kept by NTP drifts by milliseconds between two comparisons. A larger change means that the clock was set. */
const JUMP_MS = 2_000;

const NOW = 'SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint AS now_ms';

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
 * A gateway proves by times that other gateways have written that v1 never had an order (the quiet time of the mappings). So the clocks of
 * their machines must agree: each is compared with the database's.
 */
export interface ClockCheck {
  /** Compares now. Rejects with a plain Error when the clocks are too far apart. */
  check(): Promise<void>;
  /** False when the clocks are too far apart, and from a setting of this machine's clock until the next comparison. */
  isRight(): boolean;
  stop(): void;
}

export interface ClockCheckOptions {
  readonly run: Run;
  readonly now: () => number;
  /** Milliseconds of a clock that cannot be set. */
  readonly elapsed?: () => number;
  /** Called with a complaint when the clock is found wrong, and with undefined when it is right again. */
  readonly onChange: (complaint: Error | undefined) => void;
}

export function createClockCheck({ run, now, elapsed = () => performance.now(), onChange }: ClockCheckOptions): ClockCheck {
  let complaint: Error | undefined;
  const offset = (): number => now() - elapsed();
  let comparedAt = offset();
  let isComparing = false;
  const check = async (): Promise<void> => {
    const before = now();
    const offsetBefore = offset();
    const [row] = await run(NOW);
    const after = now();
    comparedAt = offsetBefore;
    const theirs = Number(row?.['now_ms']);
    // The time of the round trip does not count as a difference.
    const apartMs = theirs < before ? before - theirs : Math.max(0, theirs - after);
    const wasRight = complaint === undefined;
    const seconds = Math.round(apartMs / 1_000);
    complaint =
      apartMs <= APART_MS_MAX
        ? undefined
        : new Error(
            `The clock of this machine and that of PostgreSQL are ${seconds} s apart, more than ${APART_MS_MAX / 1_000}: both must be kept by NTP.`,
          );
    if (wasRight !== (complaint === undefined)) onChange(complaint);
    if (complaint !== undefined) throw complaint;
  };
  // Errors are ignored: a database that does not answer is noticed by the next write.
  const compare = (): void => {
    if (isComparing) return;
    isComparing = true;
    void check()
      .catch(() => undefined)
      .finally(() => (isComparing = false));
  };
  const timer = setInterval(compare, EVERY_MS).unref();
  const isRight = (): boolean => {
    const isSet = Math.abs(offset() - comparedAt) > JUMP_MS;
    if (isSet) compare();
    return complaint === undefined && !isSet;
  };
  return { check, isRight, stop: () => clearInterval(timer) };
}
