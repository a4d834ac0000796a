/**
 * The attempts that this process has opened and not yet settled, as they stand on disk: an answer about one of them needs
 * neither a lookup nor parsing. Only a short cut: whoever takes an order out of it compares it with its record, under the write lock.
 */
import type { Order } from '../../domain/order';

/** More than a gateway has under way. Beyond it the oldest are forgotten, and read from the disk like any other. */
const ATTEMPTS_MAX = 10_000;

export interface OpenAttempts {
  keep(order: Order): void;
  /** The order, which is then kept no longer: an answer changes it. */
  take(owner: string, requestId: string): Order | undefined;
}

export function createOpenAttempts(attemptsMax = ATTEMPTS_MAX): OpenAttempts {
  const attempts = new Map<string, Order>();
  return {
    keep(order) {
      const key = keyOf(order.owner, order.requestId);
      // Set anew, so that the oldest stands first.
      attempts.delete(key);
      attempts.set(key, order);
      if (attempts.size <= attemptsMax) return;
      for (const oldest of attempts.keys()) {
        attempts.delete(oldest);
        return;
      }
    },
    take(owner, requestId) {
      const key = keyOf(owner, requestId);
      const order = attempts.get(key);
      attempts.delete(key);
      return order;
    },
  };
}

/** The length keeps apart what only together reads the same. */
function keyOf(owner: string, requestId: string): string {
  return `${owner.length} ${owner}${requestId}`;
}
