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
      const forget = (): void => {
        if (running.get(key) === entry) running.delete(key);
      };
      void pursuit.then((started) => started.ended.then(forget), forget);
      return pursuit;
    },
    find,
    isSending: async (owner, requestId) => (await find(owner, requestId))?.isLooking === false,
    get size() {
      return running.size;
    },
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
