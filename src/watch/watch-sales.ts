/** Counts what each named caller has sold, when an order's success is written: once, whichever process writes it. */
import { createLru } from '../domain/lru';
import { nairaNumber } from '../domain/amount';
import { callerTitle } from '../mapping/caller-name';
import type { Mapping } from '../mapping/mapping';
import { isInSandbox, lossOf } from '../orders/order-money';
import type { Metrics } from '../telemetry/metrics';
import type { SettledListener } from './listen-to-settled';

const COUNTED_MAX = 10_000;

export function countSales({
  mapping,
  metrics,
}: {
  readonly mapping: () => Mapping;
  readonly metrics: Pick<Metrics, 'callerSold'>;
}): SettledListener {
  // v1 may report a success more than once, each time with more fields. The key is the order's number: two owners hardly ever share one.
  const counted = createLru<number, string>(COUNTED_MAX);
  // Sold at a price that is not known yet: v1's receipt tells it later.
  const unpriced = createLru<number, string>(COUNTED_MAX);
  return (order, atMs) => {
    // An order that ended before this change was counted then, by this process or another one.
    if (order.outcome?.kind !== 'succeeded' || (order.settledAtMs !== atMs && unpriced.get(order.number) !== order.owner)) return;
    if (counted.get(order.number) === order.owner) return;
    const amount = lossOf(order, mapping());
    (amount === undefined ? unpriced : counted).set(order.number, order.owner);
    const title = callerTitle(mapping(), order.owner);
    // In the sandbox no money moves, so the order must not be counted under `other`.
    if (title === undefined && isInSandbox(order, mapping())) return;
    if (amount !== undefined) metrics.callerSold(title, nairaNumber(amount));
  };
}
