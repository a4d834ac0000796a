/**
 * Gateways on several machines prove by the times of others that an order never was (the quiet time of the mappings), so their clocks must
 * agree. Each is held to that of the database.
 */
import type { Run } from './database';

/** A fraction of any quiet time that is of use. */
const APART_MS_MAX = 5_000;
const EVERY_MS = 30_000;

const NOW = 'SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint AS now_ms';

export interface ClockCheck {
  /** Rejects with a sentence when the clocks are too far apart. */
  check(): Promise<void>;
  isRight(): boolean;
  stop(): void;
}

export interface ClockCheckOptions {
  readonly run: Run;
  readonly now: () => number;
  /** Told when it turns out wrong, and when it is right again. */
  readonly onChange: (complaint: Error | undefined) => void;
}

export function createClockCheck({ run, now, onChange }: ClockCheckOptions): ClockCheck {
  let complaint: Error | undefined;
  const check = async (): Promise<void> => {
    const before = now();
    const [row] = await run(NOW);
    const after = now();
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
  const timer = setInterval(() => void check().catch(() => undefined), EVERY_MS).unref();
  return { check, isRight: () => complaint === undefined, stop: () => clearInterval(timer) };
}
