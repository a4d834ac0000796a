/**
 * Orders that ended otherwise than their scripts took "pending" for: a sale to one family, a failure to another. The script has
 * delivered or refunded by then, and only a person can put it right; so its operator is told, with the money in it.
 */
import { LRUCache } from 'lru-cache';
import { nairaNumber, type AmountMinor } from '../domain/amount';
import { TOLD_PENDING, type Order } from '../domain/order';
import { isSafeToRefund, referenceOf } from '../domain/outcome';
import type { Journal } from '../journal/journal';
import type { Mapping } from '../mapping/mapping';
import type { Log } from '../telemetry/log';
import type { Metrics } from '../telemetry/metrics';
import { moneyOf } from './open-orders';

/** The customer has goods that v1 did not sell, or has the goods and the money back. */
export type ContraryEnd = 'delivered_not_sold' | 'sold_and_refunded';

/** Undefined while the order is open, when its script has heard the end, or when nobody knows what it makes of "pending". */
export function contraryEndOf({ outcome, operation, toldAtMs, trail }: Order, mapping: Mapping): ContraryEnd | undefined {
  if (toldAtMs !== TOLD_PENDING || outcome === undefined) return undefined;
  const takesPending = mapping.families
    .get(trail?.family?.id ?? '')
    ?.mapping()
    .operations.get(operation)?.takesPending;
  if (takesPending === 'sells' && isSafeToRefund(outcome)) return 'delivered_not_sold';
  if (takesPending === 'refunds' && outcome.kind === 'succeeded') return 'sold_and_refunded';
  return undefined;
}

/** What is lost by it: what v1 charged, else the face value. Absent where only v1's catalog has the price. */
export function lossOf(order: Order, mapping: Mapping): AmountMinor | undefined {
  const { charged, askedFor } = moneyOf(order, mapping);
  return charged ?? askedFor;
}

export const CONTRARY_WORDS: Readonly<Record<ContraryEnd, string>> = {
  delivered_not_sold: 'delivered by the script, not sold by v1',
  sold_and_refunded: 'sold by v1, refunded by the script',
};

const SAID_MAX = 10_000;

/** The same journal, with a line and a count for each order that ends so. */
export function watchContraryEnds(
  journal: Journal,
  parts: { mapping: () => Mapping; log: Log; metrics: Pick<Metrics, 'contraryEnd'>; showId: (id: string) => string },
): Journal {
  // v1 may say the end of an order more than once.
  const said = new LRUCache<string, true>({ max: SAID_MAX });
  return {
    ...journal,
    async settle(owner, requestId, latest, atMs) {
      const order = await journal.settle(owner, requestId, latest, atMs);
      const end = contraryEndOf(order, parts.mapping());
      const key = `${owner} ${requestId}`;
      if (end !== undefined && !said.has(key)) {
        said.set(key, true);
        say(end, order, parts);
      }
      return order;
    },
  };
}

function say(end: ContraryEnd, order: Order, { mapping, log, metrics, showId }: Parameters<typeof watchContraryEnds>[1]): void {
  const loss = lossOf(order, mapping());
  metrics.contraryEnd(end, loss);
  log.error('contrary_end', {
    detail: CONTRARY_WORDS[end],
    ...(loss === undefined ? {} : { atRiskNaira: nairaNumber(loss) }),
    operation: order.operation,
    outcome: order.outcome?.kind,
    family: order.trail?.family?.id,
    requestId: showId(order.requestId),
    order: order.number,
    reference: referenceOf(order.outcome),
    fingerprint: order.owner,
  });
}
