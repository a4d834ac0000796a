/**
 * Hears of each order that was settled, once its outcome is on disk: counts what each named caller has sold, and reports orders with a contrary
 * end. Of these the script took "pending" for a sale or for a failure, and the order ended the other way. The script has delivered or refunded by
 * then, and only a person can put it right.
 */
import { createLru } from '../domain/lru';
import { nairaNumber, type AmountMinor } from '../domain/amount';
import { TOLD_PENDING, type Order } from '../domain/order';
import { deliveryOf, referenceOf } from '../domain/outcome';
import type { Sets } from '../gateway/read/earlier-set';
import type { Journal } from '../journal/journal';
import { callerTitle } from '../mapping/caller-name';
import { contraryEndOf, CONTRARY_WORDS, isInSandbox, lossOf, type ContraryEnd } from '../orders/order-money';
import type { Log } from '../telemetry/log';
import type { Metrics } from '../telemetry/metrics';

/** Called with the time of the settling (ms since the epoch). */
export type SettledListener = (order: Order, atMs: number) => void;

/** How many orders a listener remembers: v1 may report the end of an order more than once. */
const KNOWN_MAX = 10_000;

/** Returns the journal with the listeners around it. An error of a listener goes to `onTrouble` and changes nothing: the order is on disk. */
export function listenToSettled(
  journal: Journal,
  listeners: readonly SettledListener[],
  onTrouble: (error: unknown) => void,
): Journal {
  // Not in `settle` itself: a loop there would make its state larger, which is kept while the journal writes.
  const report = (order: Order, atMs: number): void => {
    for (const listen of listeners)
      try {
        listen(order, atMs);
      } catch (error) {
        onTrouble(error);
      }
  };
  return {
    ...journal,
    async settle(...settling) {
      const order = await journal.settle(...settling);
      report(order, settling[3]);
      return order;
    },
  };
}

interface SalesParts {
  readonly sets: () => Sets;
  readonly metrics: Pick<Metrics, 'callerSold'>;
  /** How long a sale waits for its charge, which v1 shows only in the receipt of some; then it counts with its face value, if it has one. */
  readonly chargeMs?: number;
}

/** Counts each sale when its success is written: once, whichever process writes it. */
export function countSales({ sets, metrics, chargeMs = 60_000 }: SalesParts): SettledListener {
  // By the order's number: two owners hardly ever share one.
  const counted = createLru<number, string>(KNOWN_MAX);
  // What v1 charged is not known yet: its receipt may tell it later.
  const uncharged = createLru<number, string>(KNOWN_MAX);
  return (order, atMs) => {
    const { number, owner, outcome } = order;
    // An order that ended before this change was counted then, by this process or another one.
    if (outcome?.kind !== 'succeeded' || (order.settledAtMs !== atMs && uncharged.get(number) !== owner)) return;
    if (counted.get(number) === owner) return;
    const { mapping } = sets();
    const title = callerTitle(mapping, owner);
    // In the sandbox no money moves, so the order must not be counted under `other`.
    if (title === undefined && isInSandbox(order, mapping)) return;
    const count = (amount: AmountMinor): void => {
      uncharged.delete(number);
      counted.set(number, owner);
      metrics.callerSold(title, nairaNumber(amount));
    };
    const { charged } = deliveryOf(outcome);
    if (charged !== undefined) return count(charged);
    uncharged.set(number, owner);
    const faceValue = lossOf(order, sets());
    if (faceValue === undefined) return;
    setTimeout(() => uncharged.get(number) === owner && count(faceValue), chargeMs).unref();
  };
}

interface ContraryParts {
  readonly sets: () => Sets;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'contraryEnd'>;
  readonly showId: (id: string) => string;
}

/** Logs and counts each order with a contrary end. */
export function sayContraryEnds(parts: ContraryParts): SettledListener {
  const said = createLru<string, true>(KNOWN_MAX);
  return (order, atMs) => {
    // An order that ended before this change was logged then, by this process or another one.
    if (order.toldAtMs !== TOLD_PENDING || order.settledAtMs !== atMs || isInSandbox(order, parts.sets().mapping)) return;
    const end = contraryEndOf(order, parts.sets());
    const key = `${order.owner} ${order.requestId}`;
    if (end === undefined || said.has(key)) return;
    said.set(key, true);
    say(end, order, parts);
  };
}

function say(end: ContraryEnd, order: Order, { sets, log, metrics, showId }: ContraryParts): void {
  const loss = lossOf(order, sets());
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
