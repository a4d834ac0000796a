/** What an intent becomes when it meets what the journal already holds. Pure; every store decides by it inside its own transaction. */
import type { NewOrder, Opened, Order } from '../domain/order';
import { isOver, isSafeToRefund } from '../domain/outcome';
import { isSameIntent } from '../domain/same-intent';
import { buildOrder } from './build-order';

/**
 * A reopened order keeps its number and counts one attempt more; its time, echo and format become those of the new attempt, so
 * that "how long has this been open" is never answered with the age of an attempt that already ended.
 */
export function decideOpening(existing: Order | undefined, intent: NewOrder, takeNumber: () => number): Opened {
  if (existing === undefined) return { kind: 'opened', order: buildOrder(intent, { number: takeNumber(), tries: 1 }) };
  if (!isSameIntent(existing, intent)) return { kind: 'conflict', order: existing };
  const { outcome } = existing;
  if (outcome === undefined || isOver(outcome) || !isSafeToRefund(outcome)) return { kind: 'found', order: existing };
  return { kind: 'reopened', order: buildOrder(intent, { number: existing.number, tries: existing.tries + 1 }) };
}
