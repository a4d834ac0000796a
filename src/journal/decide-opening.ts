/** What an intent becomes when it meets what the journal already holds. Pure; every store decides by it inside its own transaction. */
import type { NewOrder, Opened, Order } from '../domain/order';
import { isSameIntent } from '../domain/same-intent';

/**
 * A reopened order keeps its number and counts one try more; its time, echo and format become those of the new try, so
 * that "how long has this been open" is never answered with the age of a try that already ended.
 */
export function decideOpening(existing: Order | undefined, intent: NewOrder, takeNumber: () => number): Opened {
  if (existing === undefined) return { kind: 'opened', order: openOrder(intent, takeNumber(), 1) };
  if (!isSameIntent(existing, intent)) return { kind: 'conflict', order: existing };
  const kind = existing.outcome?.kind;
  if (kind !== 'rejected' && kind !== 'not_sent') return { kind: 'found', order: existing };
  return { kind: 'reopened', order: openOrder(intent, existing.number, existing.tries + 1) };
}

/** Field by field, so that nothing else a caller's object carries ever reaches a disk. */
function openOrder(intent: NewOrder, number: number, tries: number): Order {
  const { owner, requestId, operation, format, fields, echo, contentHash, askedHash, openedAtMs, trail } = intent;
  const order: Order = { owner, requestId, operation, format, fields, echo, contentHash, openedAtMs, number, tries };
  return {
    ...order,
    ...(askedHash === undefined ? {} : { askedHash }),
    ...(trail === undefined ? {} : { trail }),
  };
}
