/**
 * The one place that decides whether two requests under one request id mean the same order. Three things may prove it, for
 * between two tries the operator may have changed what the script's words mean:
 *
 *   content   v1 would be asked the same
 *   words     the script said the very same, whatever the mapping makes of it (decision 0011)
 *   numbers   read field by field the script sent the same, and only callers.yaml has changed what its numbers mean
 *             (decision 0016): this holds where the words differ, in another spelling or format or a field of no meaning,
 *             and for orders that were taken before words were kept
 *
 * Such a repeat is answered as the order was made: to call it another order would be a refusal, which the script takes for
 * a refund, and to sell it again would be a second charge.
 */
import type { NewOrder } from './order';

type Comparable = Pick<NewOrder, 'contentHash' | 'askedHash' | 'operation' | 'fields' | 'trail'>;

export function isSameIntent(earlier: Comparable, now: Comparable): boolean {
  if (earlier.contentHash === now.contentHash) return true;
  const isWordForWord = earlier.askedHash !== undefined && earlier.askedHash === now.askedHash;
  return isWordForWord || isRenumbered(earlier, now);
}

function isRenumbered(earlier: Comparable, now: Comparable): boolean {
  const hasOwnNumbers = earlier.trail?.ownNumbers !== undefined || now.trail?.ownNumbers !== undefined;
  return hasOwnNumbers && earlier.operation === now.operation && asSent(earlier) === asSent(now);
}

/** The fields with numbers as the script sent them. A number without a meaning of its own stands for itself. */
function asSent({ fields, trail }: Comparable): string {
  const sent = Object.entries({ ...fields, ...trail?.ownNumbers });
  return JSON.stringify(sent.sort(([a], [b]) => (a < b ? -1 : 1)));
}
