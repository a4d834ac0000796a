/**
 * What is out of the ordinary in how an order's end is told, written down: a script that hung up, or was told pending, has
 * not heard it. An ordinary sale writes nothing, because it is told when it is settled. (Decision 0024.)
 */
import { within, type Clock } from '../../domain/clock';
import type { Line } from '../../domain/legacy';
import { isSafeToRefund } from '../../domain/outcome';
import { isEndUntold, NOT_TOLD, TOLD_PENDING, type Order } from '../../domain/order';
import type { Journal } from '../../journal/journal';
import type { ReplyOutcome } from '../../mapping/mapping';

export interface TellingParts {
  readonly journal: Pick<Journal, 'tell' | 'isWritable'>;
  readonly clock: Clock;
  readonly onTrouble: (what: string, error: unknown) => void;
  /** A sale was told, and the whole reply has left: nothing is written of it into the journal. */
  readonly onTold?: ((order: Order) => void) | undefined;
}

/** A reply is not held up for long by a journal that stalls. */
const WRITE_MS = 1_000;

/**
 * To be called as soon as it stands what will be told, before v1 is asked what the reply shows beside it: a script that hangs up meanwhile sends its
 * sale again at once, and the order's success would be taken for one that was heard.
 */
export function watchHangUp(order: Order, line: Line, { journal, onTrouble }: TellingParts): void {
  if (order.number === 0 || order.toldAtMs === NOT_TOLD || (order.outcome !== undefined && isSafeToRefund(order.outcome))) return;
  line.onEnd((isWhole) => {
    if (isWhole) return;
    journal.tell(order.owner, order.requestId, NOT_TOLD).catch((error: unknown) => onTrouble('tell', error));
  });
}

/** To be called with what is about to be told. What says pending is on disk before it is said; else there is nothing to wait for. */
export function noteTelling(order: Order, told: ReplyOutcome, line: Line, parts: TellingParts): Promise<unknown> | undefined {
  // An order that is not in the journal has no number.
  if (order.number === 0) return undefined;
  const write = (toldAtMs: number): Promise<void> =>
    parts.journal.tell(order.owner, order.requestId, toldAtMs).catch((error: unknown) => parts.onTrouble('tell', error));
  const watchEnd = (): void =>
    line.onEnd((isWhole) => {
      // While the journal is away a neighbour may mark what this process has under way: it cannot see that it lives, and tells.
      if (isWhole && told !== 'pending' && (isEndUntold(order) || !parts.journal.isWritable())) void write(parts.clock.now());
      else if (isWhole && told === 'success') parts.onTold?.(order);
      if (!isWhole && told !== 'failure' && order.toldAtMs !== NOT_TOLD) void write(NOT_TOLD);
    });
  const word = line.hasHungUp ? NOT_TOLD : TOLD_PENDING;
  if (told === 'pending' && (!isEndUntold(order) || word < order.toldAtMs!))
    return within(parts.clock, WRITE_MS, write(word)).then(watchEnd);
  watchEnd();
  return undefined;
}

/** The order of a status question: only its end can be told anew by that, and one that was told stays told. */
export async function noteAsked(order: Order, told: ReplyOutcome, line: Line, parts: TellingParts): Promise<void> {
  if (isEndUntold(order) && told !== 'pending') await noteTelling(order, told, line, parts);
}
