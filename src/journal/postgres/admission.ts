/**
 * What must hold for this process to take orders: the journal's orders have its key, and its clock agrees with those of the others.
 */
import { GatewayError } from '../../domain/errors';
import type { Run } from './database';

/** A fraction of any quiet time that is of use. */
const APART_MS_MAX = 5_000;
const EVERY_MS = 30_000;
/** Clocks that are disciplined drift by milliseconds between two looks; what is more was set by somebody. */
const JUMP_MS = 2_000;

const NOW = 'SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint AS now_ms';

/**
 * The key that the orders of a journal have: set together with the first order that is written with one, and looked at by the very
 * statement that writes an order.
 */
export interface KeyMark {
  /** Throws when the orders of the journal have a key that this process has not. */
  check(): Promise<void>;
  /** Before the first order is written. */
  prepare(): Promise<void>;
  /** False once the journal has a key that shuts this process out. */
  isOurs(): boolean;
}

export interface KeyMarkOptions {
  readonly run: Run;
  readonly keyCheck: string | undefined;
  /** Told once. */
  readonly onShutOut: (complaint: Error) => void;
}

/** The condition under which an order is written; `keyCheck` is its parameter, null where nothing is sealed. */
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
 * Gateways on several machines prove by the times of others that an order never was (the quiet time of the mappings), so their clocks must
 * agree. Each is held to that of the database.
 */
export interface ClockCheck {
  /** Rejects with a sentence when the clocks are too far apart. */
  check(): Promise<void>;
  /** False also from the moment in which somebody sets the clock until it was compared again. */
  isRight(): boolean;
  stop(): void;
}

export interface ClockCheckOptions {
  readonly run: Run;
  readonly now: () => number;
  /** Of the clock that nobody can set. */
  readonly elapsed?: () => number;
  /** Told when it turns out wrong, and when it is right again. */
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
    // Whatever the way there and back took is no difference.
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
  // A database that does not answer is found out by whoever writes.
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
