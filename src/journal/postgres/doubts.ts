/**
 * Openings that failed in a way that leaves open whether they were written. Whoever asked was refused and sent nothing, so an order that is
 * found of them later is ended as not sent, instead of standing there as an attempt of which nobody knows.
 */
import type { Order } from '../../domain/order';
import type { NotSent } from '../../domain/outcome';
import { settleOrder } from '../settle-order';
import { keyText, type Key, type Standing } from './rows';

const NOT_SENT: NotSent = { kind: 'not_sent', reason: 'the journal gave no answer when the order was opened' };
const DOUBTS_MAX = 20_000;

export interface Doubts {
  note(standing: Standing): void;
  /**
   * Settles those that were written. What is not there may still be on its way, and is looked for again unless this is the last look.
   * Rejects as `write` does.
   */
  resolve(isLast: boolean): Promise<void>;
}

export type WriteChange = (key: Key, change: (order: Order, standing: Standing) => Order) => Promise<unknown>;

export function createDoubts(write: WriteChange, now: () => number): Doubts {
  const doubts = new Map<string, Standing>();
  return {
    note(standing) {
      // Beyond the bound an order stays as after a crash: v1 is asked about it.
      if (doubts.size < DOUBTS_MAX) doubts.set(keyText(standing.order), standing);
    },
    async resolve(isLast) {
      await Promise.all(
        [...doubts].map(async ([key, doubt]) => {
          const found = await write(doubt.order, (order, standing) =>
            isThatAttempt(standing, doubt) ? settleOrder(order, NOT_SENT, now()) : order,
          );
          if ((found !== undefined || isLast) && doubts.get(key) === doubt) doubts.delete(key);
        }),
      );
    },
  };
}

/** Whether the order stands as that opening wrote it: who has found it since, and may send it, has written its lease, and told it pending. */
function isThatAttempt({ order, version, holder }: Standing, doubt: Standing): boolean {
  return (
    version === doubt.version && holder === doubt.holder && order.number === doubt.order.number && order.outcome === undefined
  );
}
