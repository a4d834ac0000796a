/**
 * While the journal can be neither written nor read, it cannot be told whether a purchase repeats another one. A database is mostly back within seconds, so
 * the purchase is tried again as long as its script waits: "pending" and a refusal make some scripts refund what v1 has charged (decision 0012).
 */
import { type Clock, pause } from '../../domain/clock';
import { unreadRefusal } from '../../domain/errors';
import type { Line } from '../../domain/legacy';
import type { NewOrder } from '../../domain/order';

const AGAIN_MS = 500;
/** What a sale takes at v1, and the reply: with less time left there is nothing to wait for. */
const SALE_MS = 3_000;
/** A waiting request takes memory. With so many of them the next is told at once. */
const WAITING_MAX = 1_000;

export interface Waiting {
  /** How long the script still waits. */
  readonly leftMs: () => number;
  /** Undefined where other requests may wait for the same: the work is done again also when the script has hung up. */
  readonly line?: Pick<Line, 'hasHungUp'>;
}

/** It cannot be read now what the script is to be told, and the work is done again. */
export class UnreadYet extends Error {
  constructor(cause: unknown) {
    super('the journal cannot be read yet', { cause });
  }
}

/**
 * Does the work again as long as it rejects with `UnreadYet`. `isLast`: it will not be done again, so the script must be told something now; the request is
 * refused as unread where it rejects so once more. The order is that of the request, opened now: others look for orders that were opened lately, and count on
 * it that an order is written as soon as it is opened.
 */
export type WaitForJournal = <T>(
  order: NewOrder,
  work: (order: NewOrder, isLast: boolean) => Promise<T>,
  waiting: Waiting,
) => Promise<T>;

export function createWaitForJournal(clock: Clock, isStopping: () => boolean, waitingMax: number = WAITING_MAX): WaitForJournal {
  let count = 0;
  return async (first, work, { leftMs, line }) => {
    let order = first;
    const isLast = (): boolean => count >= waitingMax || leftMs() < SALE_MS || isStopping();
    for (let isNow = isLast(); ; isNow = isLast()) {
      try {
        return await work(order, isNow);
      } catch (error) {
        if (!(error instanceof UnreadYet)) throw error;
        if (isNow) throw unreadRefusal(error.cause);
      }
      if (isLast()) continue;
      count += 1;
      await pause(clock, AGAIN_MS);
      count -= 1;
      if (line?.hasHungUp === true) throw unreadRefusal('its script has hung up');
      order = { ...first, openedAtMs: clock.now() };
    }
  };
}
