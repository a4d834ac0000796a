/**
 * The durable note that an attempt is beginning. Another process may prove an order absent once the quiet time since this note is over,
 * so an attempt that starts later than half of it renews the note before a byte leaves.
 */
import { startAge, type Clock } from '../../domain/clock';
import type { Order } from '../../domain/order';
import { BEGINNING } from '../../domain/outcome';
import type { Journal } from '../../journal/journal';

export interface Lease {
  /** An attempt must begin within this time of the note, and its bytes must leave within this time again: together the quiet time. */
  readonly validMs: number;
  /** Whether an attempt may still begin under it. */
  isValid(): boolean;
  /** Writes the note again. Gives the order as the journal then has it, which another process may have settled; undefined when nothing can be written. */
  renew(order: Order): Promise<Order | undefined>;
}

export interface LeaseParts {
  readonly journal: Pick<Journal, 'settle'>;
  readonly clock: Clock;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Create it before the order is opened: opening writes the first note. */
export function createLease(quietMs: number, { journal, clock, onTrouble }: LeaseParts): Lease {
  const validMs = quietMs / 2;
  let age = startAge(clock);
  return {
    validMs,
    isValid: () => age() <= validMs,
    async renew(order) {
      // Measured from before the writing, which may take long.
      const renewed = startAge(clock);
      try {
        const marked = await journal.settle(order.owner, order.requestId, BEGINNING, clock.now());
        age = renewed;
        return marked;
      } catch (error) {
        onTrouble('settle', error);
        return undefined;
      }
    },
  };
}
