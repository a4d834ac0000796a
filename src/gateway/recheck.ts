/** Asks v1 about one order now, for an operator who has entered its key. Buys nothing. */
import type { Credentials } from '../domain/credentials';
import type { Order } from '../domain/order';
import { referenceOf, type Outcome } from '../domain/outcome';
import { isUnsettled, withoutGoods } from '../journal/order-life';
import { outcomeOfReceipt } from '../upstream/answer-data';
import type { CallContext, Finding } from '../upstream/upstream';
import type { Refusal } from '../upstream/visitors';
import { askForReceipt } from './proof/find-receipt';
import type { WalkParts } from './walk-parts';

export interface Rechecked {
  readonly before: Order;
  readonly after: Order;
  /** The outcome that v1's receipt shows. */
  readonly receipt?: Outcome;
  /** Why there is no receipt: v1 has no such reference, or the order has none; an open order without one was looked for in v1's history. */
  readonly missing?: 'not_at_v1' | 'no_reference' | 'not_in_history';
  /** Why v1's answer was not usable, in words. It proves nothing about the order. */
  readonly unanswered?: string;
  /** v1 refused the key at this address. */
  readonly refusal?: Refusal;
}

/** Undefined when this key has no such order. An open order is reconciled first, and may be settled by it. */
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
  const isOpen = isUnsettled(before);
  const look = isOpen ? await reconciler.reconcile(credentials, clientAddress, requestId) : undefined;
  const after = (await journal.find(owner, requestId)) ?? before;
  const reference = referenceOf(after.outcome);
  const context: CallContext = { credentials, clientAddress, timeoutMs: parts.mapping().timing.read };
  const finding = reference === undefined ? undefined : await askForReceipt(reference, context, upstream);
  const receipt = finding?.kind === 'found' ? outcomeOfReceipt(finding.body, reference!) : undefined;
  if (receipt !== undefined) return { before, after, receipt: withoutGoods(receipt) };
  const refusal = isOpen || reference !== undefined ? visitors.refusalOf(context) : undefined;
  if (refusal !== undefined) return { before, after, refusal };
  if (finding === undefined && look?.unread !== undefined && isUnsettled(after))
    return { before, after, unanswered: look.unread };
  if (finding === undefined) return { before, after, missing: isOpen ? 'not_in_history' : 'no_reference' };
  return isNotThere(finding) ? { before, after, missing: 'not_at_v1' } : { before, after, unanswered: troubleOf(finding) };
}

function isNotThere(finding: Finding): boolean {
  return finding.kind === 'refused' && finding.httpStatus === 404;
}

function troubleOf(finding: Finding): string {
  if (finding.kind === 'unavailable') return finding.reason;
  return finding.kind === 'refused' ? `HTTP ${finding.httpStatus}` : 'it is about another order, or has no status that is known';
}
