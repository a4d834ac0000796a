/** Retention: deletes settled orders beyond their age in the background, a few at a time, oldest first. */
import type { JournalEvent } from './journal';

/** The time between two rounds. Where several processes share a journal, a process that takes the turn has it for this time. */
export const SWEEP_EVERY_MS = 600_000;
/**
 * Nothing is deleted until the clock has run evenly for so long: by a clock set forward, all orders that have ended would be old enough. A wrong clock is
 * corrected within this time: by NTP after a start, or by whoever has set it.
 */
export const STEADY_MS = 3_600_000;
const PAUSE_MS = 50;

interface RetentionOptions<Place> {
  /**
   * Deletes the due ones among the next orders from `start` on; undefined means the oldest order. `next` is the start of the following
   * call, undefined when no old order is left.
   */
  readonly sweepSome: (start: Place | undefined) => Promise<{ readonly deleted: number; readonly next: Place | undefined }>;
  /** Whether this process may delete now: its clock is right, and it has the turn where several take turns. */
  readonly takeTurn?: () => Promise<boolean>;
  readonly onEvent: (event: JournalEvent) => void;
}

export interface Retention {
  /** Resolves when no round is under way any more. */
  stop(): Promise<void>;
}

/** The first round begins at once. Timers never keep the process alive. */
export function startRetention<Place>({ sweepSome, takeTurn, onEvent }: RetentionOptions<Place>): Retention {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();

  const sweepAll = async (): Promise<number> => {
    let deleted = 0;
    let start: Place | undefined;
    do {
      const batch = await sweepSome(start);
      deleted += batch.deleted;
      start = batch.next;
      if (start !== undefined) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
    } while (start !== undefined && !isStopped);
    return deleted;
  };
  const round = async (): Promise<void> => {
    try {
      const isOurs = takeTurn === undefined || (await takeTurn());
      const orders = isOurs ? await sweepAll() : 0;
      if (orders > 0) onEvent({ kind: 'swept', orders });
    } catch (error) {
      if (!isStopped) onEvent({ kind: 'sweep_failed', error });
    }
    later(SWEEP_EVERY_MS);
  };
  const later = (ms: number): void => {
    if (!isStopped) timer = setTimeout(() => void (running = round()), ms).unref();
  };
  later(PAUSE_MS);

  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
