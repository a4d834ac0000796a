/** What is done with an order whose fate is open once its script has heard "pending". */
import type { CallerKey, CallerKind, Operation } from './mapping';

/** `look`: v1's receipts and history alone. `buy`: it is also sent again, for scripts that keep or sell what is pending. */
export const AFTER_PENDING = ['look', 'buy'] as const;
export type AfterPending = (typeof AFTER_PENDING)[number];

/** The key decides when it says something. Else `buy` needs somebody who says so and nobody who says `look`. */
export function afterPendingOf(operation: Operation, format: string, kind: CallerKind, key: CallerKey | undefined): AfterPending {
  const own = key?.afterPendingOf(operation.name);
  if (own !== undefined) return own;
  const said = [operation.afterPending, operation.afterPendingByFormat.get(format), kind.afterPending];
  return said.includes('buy') && !said.includes('look') ? 'buy' : 'look';
}
