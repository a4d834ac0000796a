/** Asks v1 about one order now, for an operator who has typed its key. Buys nothing. */
import type { Credentials } from '../domain/credentials';
import type { Order } from '../domain/order';
import { isSafeToRefund, isFinal, referenceOf, type Outcome } from '../domain/outcome';
import { withoutGoods } from '../journal/order-life';
import type { CallContext } from '../upstream/upstream';
import type { Refusal } from '../upstream/visitors';
import { findReceipt } from './proof/find-receipt';
import type { WalkParts } from './walk-parts';

export interface Rechecked {
  readonly before: Order;
  readonly after: Order;
  /** What v1's receipt says; absent where v1 gave none, or the order has no reference to ask by. */
  readonly receipt?: Outcome;
  /** v1 took the question from nobody at this address: what it knows is not told. */
  readonly refusal?: Refusal;
}

/** Undefined when this key has no such order. An order whose fate is open is settled by what v1 knows, as with any look of ours. */
export async function recheckOrder(
  credentials: Credentials,
  clientAddress: string,
  requestId: string,
  parts: Pick<WalkParts, 'journal' | 'reconciler' | 'upstream' | 'visitors' | 'mapping'>,
): Promise<Rechecked | undefined> {
  const { journal, reconciler, upstream, visitors } = parts;
  const owner = credentials.fingerprint;
  const before = await journal.find(owner, requestId);
  if (before === undefined) return undefined;
  const isOpen = before.outcome === undefined || !(isFinal(before.outcome) || isSafeToRefund(before.outcome));
  if (isOpen) await reconciler.reconcile(credentials, clientAddress, requestId);
  const after = (await journal.find(owner, requestId)) ?? before;
  const reference = referenceOf(after.outcome);
  const context: CallContext = { credentials, clientAddress, timeoutMs: parts.mapping().timing.read };
  const receipt = reference === undefined ? undefined : await findReceipt(reference, context, upstream);
  if (receipt !== undefined) return { before, after, receipt: withoutGoods(receipt) };
  const refusal = isOpen || reference !== undefined ? visitors.refusalOf(context) : undefined;
  return refusal === undefined ? { before, after } : { before, after, refusal };
}
