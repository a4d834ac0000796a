/**
 * Checks v1's history and receipts by what v1 is known to have sold, before they prove that v1 never had an order: they may be out of date,
 * or v1 may mean another thing by a field than the gateway reads in it.
 */
import type { JsonObject } from '../../domain/json';
import type { Order } from '../../domain/order';
import { referenceOf } from '../../domain/outcome';
import type { Journal } from '../../journal/journal';
import type { CallContext, Upstream } from '../../upstream/upstream';
import { askForReceipt } from './find-receipt';
import type { History } from './read-history';

interface CheckParts {
  readonly journal: Pick<Journal, 'listOfOwner'>;
  readonly upstream: Pick<Upstream, 'find'>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Among how many of the key's newest orders that sale is searched. A script in a loop is refused tens of times a minute. */
const SOLD_AMONG_MAX = 5_000;

export interface SoldSpan {
  readonly owner: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

interface Checked {
  readonly history: History;
  readonly sold: SoldSpan;
  readonly context: CallContext;
  readonly isOther: IsOther;
}

/** Whether the receipt is certainly not that of this sale. */
export type IsOther = (sale: Order, receipt: JsonObject) => boolean;

/** Whether the history and v1's receipts may prove an order absent. Each question is asked once in a look. */
export function createCheck({ history, sold, context, isOther }: Checked, parts: CheckParts): (order: Order) => Promise<boolean> {
  let isUpToDate: Promise<boolean> | undefined;
  const areReadRightly = new Map<string, Promise<boolean>>();

  /**
   * Whether the receipt of the last confirmed sale of the same operation is not taken for that of another sale. Otherwise v1 means something else
   * by a field (say, the phone of the account), and the row of the order would be taken for another sale as well. A history in which all rows
   * have their order needs no receipt.
   */
  const isReadRightly = async (operation: string): Promise<boolean> => {
    if (history.unclaimed.length === 0) return true;
    const { sale } = await lastSold(sold, parts, (order) => order.operation === operation);
    if (sale === undefined) return true;
    const finding = await askForReceipt(referenceOf(sale.outcome)!, context, parts.upstream);
    if (finding.kind !== 'found') return false;
    const isRight = !isOther(sale, finding.body);
    if (!isRight)
      parts.onTrouble('reconcile', new Error("v1's receipt of a sale does not show that sale; nothing can be proven absent."));
    return isRight;
  };

  return async ({ operation }) => {
    if (!(await (isUpToDate ??= showsWhatWasSold(history, sold, parts)))) return false;
    const reading = areReadRightly.get(operation) ?? isReadRightly(operation);
    areReadRightly.set(operation, reading);
    return reading;
  };
}

/**
 * False if the history lacks the key's last confirmed sale, or that sale is not among the newest orders. A history that lacks a sale comes
 * from a lagging replica, a cache, or a v1 that has lost its accounts for a moment. It may lack lost orders as well, so it proves no absence.
 */
async function showsWhatWasSold({ shown }: History, span: SoldSpan, parts: CheckParts): Promise<boolean> {
  const { sale, others } = await lastSold(span, parts);
  return sale === undefined ? others < SOLD_AMONG_MAX : shown.has(referenceOf(sale.outcome)!);
}

/** The key's last confirmed sale of the wanted ones, and how many other orders are newer. */
async function lastSold(
  { untilMs, ...range }: SoldSpan,
  { journal }: CheckParts,
  isWanted: (order: Order) => boolean = () => true,
): Promise<{ readonly sale?: Order; readonly others: number }> {
  const newest = journal.listOfOwner({ ...range, newestFirst: true, limit: SOLD_AMONG_MAX, onUnreadable: () => undefined });
  let others = 0;
  for await (const order of newest) {
    const { outcome, settledAtMs = 0 } = order;
    const isSold = outcome?.kind === 'succeeded' && outcome.reference !== undefined && settledAtMs <= untilMs;
    if (isSold && isWanted(order)) return { sale: order, others };
    others += 1;
  }
  return { others };
}
