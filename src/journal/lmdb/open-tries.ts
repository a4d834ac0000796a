/**
 * The tries that this process has opened and not yet settled, as they stand on disk: an answer about one of them needs
 * neither a lookup nor parsing. Only a short cut: whoever takes an order out of it compares it with its record, under the write lock.
 */
import type { Order } from '../../domain/order';

/** More than a gateway has under way. Beyond it the oldest are forgotten, and read from the disk like any other. */
const TRIES_MAX = 10_000;

export interface OpenTries {
  keep(order: Order): void;
  /** The order, which is then kept no longer: an answer changes it. */
  take(owner: string, requestId: string): Order | undefined;
}

export function createOpenTries(triesMax = TRIES_MAX): OpenTries {
  const tries = new Map<string, Order>();
  return {
    keep(order) {
      const key = keyOf(order.owner, order.requestId);
      // Set anew, so that the oldest stands first.
      tries.delete(key);
      tries.set(key, order);
      if (tries.size <= triesMax) return;
      for (const oldest of tries.keys()) {
        tries.delete(oldest);
        return;
      }
    },
    take(owner, requestId) {
      const key = keyOf(owner, requestId);
      const order = tries.get(key);
      tries.delete(key);
      return order;
    },
  };
}

/** The length keeps apart what only together reads the same. */
function keyOf(owner: string, requestId: string): string {
  return `${owner.length} ${owner}${requestId}`;
}
