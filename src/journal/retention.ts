/** Retention: settled orders beyond their age are deleted in the background, some at a time, oldest first. */
import type { JournalEvent } from './journal';

/** Where several processes share a journal, whoever takes the turn has it for as long. */
export const SWEEP_EVERY_MS = 600_000;
const PAUSE_MS = 50;

export interface RetentionOptions<Place> {
  /**
   * Deletes what is due among the next orders from this place on, at first from the oldest on. Gives where the ones after them begin;
   * undefined when nothing older is left.
   */
  readonly sweepSome: (start: Place | undefined) => Promise<{ readonly deleted: number; readonly next: Place | undefined }>;
  /** Whether this round is this process's, where several share it. */
  readonly takeTurn?: () => Promise<boolean>;
  readonly onEvent: (event: JournalEvent) => void;
}

export interface Retention {
  /** Resolves when nothing of it is under way any more. */
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
