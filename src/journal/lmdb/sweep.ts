/** Retention: settled orders beyond their age are deleted in the background, a few at a time, oldest first. */
import type { Order } from '../../domain/order';
import { referenceOf } from '../../domain/outcome';
import type { JournalEvent } from '../journal-event';
import { isUnsettled } from '../settle-order';
import type { GroupCommit, Plan, Write } from './group-commit';
import { numberKey, parseOrderKey, placeBytes, textKey, timeKey } from './keys';
import type { Store } from './read-order';
import { decodeOrder } from './record';

const EVERY_MS = 600_000;
const ORDERS_PER_BATCH = 64;
const PAUSE_MS = 50;

export interface SweepOptions {
  readonly store: Store;
  readonly group: GroupCommit;
  readonly now: () => number;
  readonly retentionMs: number;
  readonly onEvent: (event: JournalEvent) => void;
}

interface Batch {
  readonly deleted: number;
  /** Why records of this batch were left alone that could not be read. */
  readonly unreadable: readonly unknown[];
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
      for (const error of batch.unreadable) options.onEvent({ kind: 'record_unreadable', error });
      if (batch.next !== undefined) {
        start = batch.next;
        return later(round, PAUSE_MS);
      }
      if (total > 0) options.onEvent({ kind: 'swept', orders: total });
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

function planBatch({ store, now, retentionMs }: SweepOptions, start: Buffer): Plan<Batch> {
  const end = timeKey(now() - retentionMs);
  const old = [...store.orders.getRange({ start, end, limit: ORDERS_PER_BATCH })];
  const writes: Write[] = [];
  const unreadable: unknown[] = [];
  let deleted = 0;
  for (const { key, value } of old) {
    const place = parseOrderKey(key);
    const order = readOrKeep(() => decodeOrder(value, place.owner, place, store.seal), unreadable);
    if (order === undefined) continue;
    // Money that may have moved is never forgotten, however old.
    if (isUnsettled(order)) continue;
    deleted += 1;
    writes.push({ tree: store.orders, key, value: undefined });
    writes.push({ tree: store.ids, key: textKey(order.owner, order.requestId), value: undefined });
    writes.push({ tree: store.numbers, key: numberKey(order.owner, order.number), value: undefined });
    const reference = referenceOf(order.outcome);
    if (reference === undefined) continue;
    const referenceKey = textKey(order.owner, reference);
    // The reference may stand for another order that v1 gave it to first.
    if (store.references.get(referenceKey)?.equals(placeBytes(order)) === true) {
      writes.push({ tree: store.references, key: referenceKey, value: undefined });
    }
  }
  const last = old.at(-1);
  return {
    result: {
      deleted,
      unreadable,
      next: last === undefined || old.length < ORDERS_PER_BATCH ? undefined : Buffer.concat([last.key, Buffer.alloc(1)]),
    },
    writes,
  };
}

/** What a newer build wrote is not this one's to delete, and keeps no other order from being swept. */
function readOrKeep(read: () => Order, unreadable: unknown[]): Order | undefined {
  try {
    return read();
  } catch (error) {
    unreadable.push(error);
    return undefined;
  }
}
