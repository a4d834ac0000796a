/** What is done with an order whose fate is open once its script has heard "pending". */
import type { CallerKey, CallerKind, Operation } from './mapping';
import type { AfterPending } from './language/schema';

/** The entry of the key decides if it has `after_pending`. Otherwise `buy` needs one source that says `buy` and none that says `look`. */
export function afterPendingOf(operation: Operation, format: string, kind: CallerKind, key: CallerKey | undefined): AfterPending {
  const own = key?.afterPendingOf(operation.name);
  if (own !== undefined) return own;
  const said = [operation.afterPending, operation.afterPendingByFormat.get(format), kind.afterPending];
  return said.includes('buy') && !said.includes('look') ? 'buy' : 'look';
}
