/** The orders under way in this process: a repeat joins the one that runs instead of starting another. */
import { GatewayError } from '../../domain/errors';
import type { NewOrder } from '../../domain/order';
import { isSameIntent } from '../../domain/same-intent';
import type { Pursuit } from './pursuit';

export interface Pursuits {
  /** The running pursuit of this order, or a new one. Refuses when the id is under way with other content. */
  join(order: NewOrder, start: () => Promise<Pursuit>): Promise<Pursuit>;
  /** The running pursuit of an order, if there is one. */
  find(owner: string, requestId: string): Promise<Pursuit | undefined>;
  /** Whether anything of this order may be on its way to v1. */
  isSending(owner: string, requestId: string): Promise<boolean>;
  readonly size: number;
  /** How many of them are of this owner, and of how many owners they are. */
  crowd(owner: string): { readonly own: number; readonly owners: number };
  /** Lets every script that waits have its order as it stands. */
  hurry(): void;
  /** Resolves when all that run now have ended. */
  drain(): Promise<void>;
}

interface Running {
  readonly order: NewOrder;
  readonly pursuit: Promise<Pursuit>;
}

export function createPursuits(): Pursuits {
  const running = new Map<string, Running>();
  const countOf = new Map<string, number>();
  const count = (owner: string, by: number): void => {
    const now = (countOf.get(owner) ?? 0) + by;
    if (now === 0) countOf.delete(owner);
    else countOf.set(owner, now);
  };
  const keyOf = (owner: string, requestId: string): string => `${owner}\0${requestId}`;
  const find: Pursuits['find'] = async (owner, requestId) => running.get(keyOf(owner, requestId))?.pursuit.catch(() => undefined);
  return {
    async join(order, start) {
      const key = keyOf(order.owner, order.requestId);
      const found = running.get(key);
      if (found !== undefined) {
        if (!isSameIntent(found.order, order)) throw requestIdReused();
        return found.pursuit;
      }
      // In the map before the journal has answered: two at once must meet here.
      const pursuit = start();
      const entry = { order, pursuit };
      running.set(key, entry);
      count(order.owner, 1);
      const forget = (): void => {
        running.delete(key);
        count(order.owner, -1);
      };
      void pursuit.then((started) => started.ended.then(forget), forget);
      return pursuit;
    },
    find,
    isSending: async (owner, requestId) => (await find(owner, requestId))?.isLooking === false,
    get size() {
      return running.size;
    },
    crowd: (owner) => ({ own: countOf.get(owner) ?? 0, owners: countOf.size }),
    hurry() {
      for (const { pursuit } of running.values())
        void pursuit.then(
          (started) => started.hurry(),
          () => undefined,
        );
    },
    async drain() {
      await Promise.all(
        [...running.values()].map(({ pursuit }) => pursuit.then((started) => started.ended).catch(() => undefined)),
      );
    },
  };
}

/** The refusal of an id that belongs to another order: one old server family fills missing ids with the current second. */
export function requestIdReused(): GatewayError {
  return new GatewayError(
    'request_id_reused',
    'This request-id was already used for another order. Nothing was charged for this one: send it again with an id of its own.',
  );
}
