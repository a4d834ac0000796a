/** How much each named caller has sold, counted where an order's success is written: once, whoever finds it out. */
import { createLru } from '../domain/lru';
import { nairaNumber } from '../domain/amount';
import { callerTitle } from '../mapping/caller-name';
import type { Mapping } from '../mapping/mapping';
import { isInSandbox, lossOf } from '../orders/order-money';
import type { Metrics } from '../telemetry/metrics';
import type { SettledHearer } from './hear-settled';

const COUNTED_MAX = 10_000;

export function countSales({
  mapping,
  metrics,
}: {
  readonly mapping: () => Mapping;
  readonly metrics: Pick<Metrics, 'callerSold'>;
}): SettledHearer {
  // v1 may say a success more than once, with more of it each time. By number, whose order it was: hardly ever do two owners share one.
  const counted = createLru<number, string>(COUNTED_MAX);
  return (order, atMs) => {
    // What had its end before, by whichever process, is counted.
    if (order.outcome?.kind !== 'succeeded' || order.settledAtMs !== atMs) return;
    if (counted.get(order.number) === order.owner) return;
    counted.set(order.number, order.owner);
    const amount = lossOf(order, mapping());
    const title = callerTitle(mapping(), order.owner);
    // Among all the others it would be taken for money.
    if (title === undefined && isInSandbox(order, mapping())) return;
    if (amount !== undefined) metrics.callerSold(title, nairaNumber(amount));
  };
}
