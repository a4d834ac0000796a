/** Retention: settled orders beyond their age are deleted in the background, a few at a time, oldest first. */
import type { JournalEvent } from '../journal-event';
import { isUnsettled } from '../settle-order';
import type { Environment } from './environment';
import type { GroupCommit, Plan, Write } from './group-commit';
import { numberKey, parseOrderKey, textKey, timeKey } from './keys';
import { decodeOrder } from './record';
import type { FieldSeal } from './sealed-fields';

const EVERY_MS = 600_000;
const ORDERS_PER_BATCH = 64;
const PAUSE_MS = 50;
const NEARLY_FULL = 0.8;

export interface SweepOptions {
  readonly environment: Environment;
  readonly group: GroupCommit;
  readonly seal: FieldSeal;
  readonly now: () => number;
  readonly retentionMs: number;
  readonly sizeBytesMax: number;
  readonly onEvent: (event: JournalEvent) => void;
}

interface Batch {
  readonly deleted: number;
  /** Where the next batch begins; undefined when nothing older is left. */
  readonly next: Buffer | undefined;
}

/** The first round begins at once. Timers never keep the process alive. */
export function startSweep(options: SweepOptions): { readonly stop: () => void } {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const later = (work: () => Promise<void>, ms: number): void => {
    if (!isStopped) timer = setTimeout(() => void work(), ms).unref();
  };

  let start = timeKey(0);
  let total = 0;
  const round = async (): Promise<void> => {
    try {
      const batch = await options.group.run(() => planBatch(options, start));
      total += batch.deleted;
      if (batch.next !== undefined) {
        start = batch.next;
        return later(round, PAUSE_MS);
      }
      if (total > 0) options.onEvent({ kind: 'swept', orders: total });
      tellWhenNearlyFull(options);
    } catch (error) {
      if (!isStopped) options.onEvent({ kind: 'sweep_failed', error });
    }
    start = timeKey(0);
    total = 0;
    later(round, EVERY_MS);
  };
  later(round, PAUSE_MS);

  return {
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

function planBatch({ environment, seal, now, retentionMs }: SweepOptions, start: Buffer): Plan<Batch> {
  const end = timeKey(now() - retentionMs);
  const old = [...environment.orders.getRange({ start, end, limit: ORDERS_PER_BATCH })];
  const writes: Write[] = [];
  let deleted = 0;
  for (const { key, value } of old) {
    const place = parseOrderKey(key);
    const order = decodeOrder(value, place.owner, place, seal);
    // Money that may have moved is never forgotten, however old.
    if (isUnsettled(order)) continue;
    deleted += 1;
    writes.push({ tree: environment.orders, key, value: undefined });
    writes.push({ tree: environment.ids, key: textKey(order.owner, order.requestId), value: undefined });
    writes.push({ tree: environment.numbers, key: numberKey(order.owner, order.number), value: undefined });
    const reference = order.outcome !== undefined && 'reference' in order.outcome ? order.outcome.reference : undefined;
    if (reference !== undefined)
      writes.push({ tree: environment.references, key: textKey(order.owner, reference), value: undefined });
  }
  const last = old.at(-1);
  return {
    result: {
      deleted,
      next: last === undefined || old.length < ORDERS_PER_BATCH ? undefined : Buffer.concat([last.key, Buffer.alloc(1)]),
    },
    writes,
  };
}

function tellWhenNearlyFull({ environment, sizeBytesMax, onEvent }: SweepOptions): void {
  const { lastPageNumber, pageSize } = environment.root.getStats() as {
    readonly lastPageNumber: number;
    readonly pageSize: number;
  };
  const usedBytes = (lastPageNumber + 1) * pageSize;
  if (usedBytes > sizeBytesMax * NEARLY_FULL) onEvent({ kind: 'nearly_full', usedBytes, sizeBytesMax });
}
