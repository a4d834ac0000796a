/**
 * The one place that decides whether two requests under one request id mean the same order. Three things may prove it, for
 * between two tries the operator may have changed what the script's words mean:
 *
 *   content   v1 would be asked the same
 *   words     the script said the very same, whatever the mapping makes of it (decision 0011)
 *   numbers   read field by field the script sent the same, and only callers.yaml has changed what its numbers mean
 *             (decision 0016), or a meter or smartcard number is spelt in another way (decision 0044): this holds where the
 *             words differ, in another spelling or format or a field of no meaning, and for orders that were taken before
 *             words were kept
 *
 * Such a repeat is answered as the order was made: to call it another order would be a refusal, which the script takes for
 * a refund, and to sell it again would be a second charge.
 */
import { textOf } from './json';
import { identityOf } from './number-identity';
import type { NewOrder } from './order';

type Comparable = Pick<NewOrder, 'contentHash' | 'askedHash' | 'operation' | 'fields' | 'trail'>;
type Asked = Comparable & Pick<NewOrder, 'identifiers'>;

export function isSameIntent(earlier: Comparable, now: Asked): boolean {
  if (earlier.contentHash === now.contentHash) return true;
  const isWordForWord = earlier.askedHash !== undefined && earlier.askedHash === now.askedHash;
  return isWordForWord || isSameAsSent(earlier, now);
}

function isSameAsSent(earlier: Comparable, now: Asked): boolean {
  const { identifiers = [] } = now;
  const hasOwnNumbers = earlier.trail?.ownNumbers !== undefined || now.trail?.ownNumbers !== undefined;
  const isRespelt = identifiers.some((name) => earlier.fields[name] !== now.fields[name]);
  const isComparable = (hasOwnNumbers || isRespelt) && earlier.operation === now.operation;
  return isComparable && asSent(earlier, identifiers) === asSent(now, identifiers);
}

/** The fields with numbers as the script sent them. A number without a meaning of its own stands for itself. */
function asSent({ fields, trail }: Comparable, identifiers: readonly string[]): string {
  const sent = Object.entries({ ...fields, ...trail?.ownNumbers }).map(([name, value]) => [
    name,
    identifiers.includes(name) ? identityOf('identifier', textOf(value)) : value,
  ]);
  return JSON.stringify(sent.sort(([a], [b]) => (a! < b! ? -1 : 1)));
}
