/**
 * The word on disk that a try begins. The quiet time is counted from it, so a try that comes too long after it is marked
 * again before a byte leaves: whoever shares the journal may have proven meanwhile that the order never was at v1.
 */
import { startAge, type Clock } from '../../domain/clock';
import type { Order } from '../../domain/order';
import { BEGINNING } from '../../domain/outcome';
import type { Journal } from '../../journal/journal';

export interface TryMark {
  /** In this time after the mark a try must begin, and from there on in this time leave: together they are the quiet time. */
  readonly validMs: number;
  /** Whether a try may still begin on it. */
  isValid(): boolean;
  /** Marks again. The order as it then stands, which may have found its end elsewhere; undefined when it cannot be written. */
  renew(order: Order): Promise<Order | undefined>;
}

export interface TryMarkParts {
  readonly journal: Pick<Journal, 'settle'>;
  readonly clock: Clock;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** To be made before the time is taken that opens the order: that is the first mark. */
export function createTryMark(quietMs: number, { journal, clock, onTrouble }: TryMarkParts): TryMark {
  const validMs = quietMs / 2;
  let age = startAge(clock);
  return {
    validMs,
    isValid: () => age() <= validMs,
    async renew(order) {
      // From before it is written: its time on disk is from then.
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
