/** Orders without a final outcome, watched from outside: how many, how much money is in them, and which are overdue. */
import { kobo, nairaNumber, type AmountMinor } from '../domain/amount';
import type { Clock } from '../domain/clock';
import type { Order } from '../domain/order';
import { referenceOf } from '../domain/outcome';
import { traitsOf } from '../gateway/proof/compare-receipt';
import type { Journal } from '../journal/journal';
import type { Mapping } from '../mapping/mapping';
import { errorFields, type Log } from '../telemetry/log';
import type { Metrics } from '../telemetry/metrics';

export interface OpenOrders {
  readonly orders: readonly Order[];
  readonly overdue: readonly Order[];
  /** Sum of what is known of their prices. */
  readonly atRisk: AmountMinor;
  /** Orders whose price is not known, because only v1's catalog has it. */
  readonly withoutPrice: number;
  /** What was said of each order that this build cannot read: it may be open as well. */
  readonly unreadable: readonly Error[];
}

const ORDERS_MAX = 10_000;

export async function readOpenOrders(journal: Journal, mapping: Mapping, nowMs: number): Promise<OpenOrders> {
  const unreadable: Error[] = [];
  const orders = await journal.listUnsettled({ limit: ORDERS_MAX, onUnreadable: (error) => unreadable.push(error) });
  const prices = orders.map((order) => moneyOf(order, mapping).atRisk);
  return {
    orders,
    unreadable,
    overdue: orders.filter((order) => nowMs - order.openedAtMs >= mapping.timing.overdue),
    atRisk: kobo(prices.reduce<number>((sum, price) => sum + (price ?? 0), 0)),
    withoutPrice: prices.filter((price) => price === undefined).length,
  };
}

/** The three meanings of an order's money. Absent means nothing, or not known. */
export interface OrderMoney {
  /** The face value that the script ordered; absent where only v1's catalog has the price. */
  readonly askedFor?: AmountMinor;
  /** What v1 took for a success and kept. */
  readonly charged?: AmountMinor;
  /** What may have been taken by an order without a final outcome: v1's own word, else the face value. */
  readonly atRisk?: AmountMinor;
}

export function moneyOf(order: Order, mapping: Mapping): OrderMoney {
  const { outcome } = order;
  const operation = mapping.operations.get(order.operation);
  const askedFor = operation === undefined ? undefined : traitsOf(operation, order.fields).faceValue;
  const charged = outcome !== undefined && 'delivery' in outcome ? outcome.delivery?.charged : undefined;
  const isOpen = outcome === undefined || outcome.kind === 'pending' || outcome.kind === 'unknown';
  const atRisk = isOpen ? (charged ?? askedFor) : undefined;
  return {
    ...(askedFor === undefined ? {} : { askedFor }),
    ...(charged === undefined || outcome?.kind !== 'succeeded' ? {} : { charged }),
    ...(atRisk === undefined ? {} : { atRisk }),
  };
}

const LOOK_EVERY_MS = 60_000;
/** An overdue order is said again this often, until somebody looks. */
const SAY_AGAIN_MS = 60 * 60_000;

export interface OpenOrdersWatch {
  stop(): void;
}

/** Looks at once and then every minute: a line for all of them at the start, gauges, and a line for each that is overdue. */
export function watchOpenOrders(parts: {
  journal: Journal;
  mapping: () => Mapping;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  /** A request id as the log may have it. */
  showId?: (id: string) => string;
}): OpenOrdersWatch {
  const said = new Map<string, number>();
  let cancel: () => void = () => undefined;
  let isStopped = false;
  let isFirst = true;
  const look = async (): Promise<void> => {
    try {
      const now = parts.clock.now();
      const found = await readOpenOrders(parts.journal, parts.mapping(), now);
      const { orders, overdue, atRisk, unreadable } = found;
      if (isFirst) sayFound(found, now, parts.log);
      isFirst = false;
      parts.metrics.setUnknownOrders(orders.length, atRisk);
      if (unreadable[0] !== undefined)
        parts.log.error('open_orders', { ...errorFields(unreadable[0]), count: unreadable.length });
      for (const order of overdue) {
        const key = `${order.owner} ${order.requestId}`;
        if (now - (said.get(key) ?? 0) < SAY_AGAIN_MS) continue;
        said.set(key, now);
        parts.log.error('order_overdue', {
          operation: order.operation,
          outcome: order.outcome?.kind ?? 'open',
          requestId: parts.showId?.(order.requestId) ?? order.requestId,
          order: order.number,
          reference: referenceOf(order.outcome),
          fingerprint: order.owner,
          detail: `open for ${Math.round((now - order.openedAtMs) / 60_000)} minutes`,
        });
      }
      if (overdue.length === 0) said.clear();
    } catch (error) {
      parts.log.error('open_orders', errorFields(error));
    }
    if (!isStopped) cancel = parts.clock.after(LOOK_EVERY_MS, () => void look());
  };
  void look();
  return {
    stop() {
      isStopped = true;
      cancel();
    },
  };
}

/** What the process before this one left. Said of none as well: then it is known that somebody looked. */
function sayFound({ orders, atRisk, withoutPrice }: OpenOrders, nowMs: number, log: Log): void {
  const fields = {
    count: orders.length,
    atRiskNaira: nairaNumber(atRisk),
    withoutPrice,
    oldestMs: orders[0] === undefined ? undefined : nowMs - orders[0].openedAtMs,
    detail: orders.length < ORDERS_MAX ? undefined : 'there are more: these are the oldest ones',
  };
  if (orders.length === 0) log.info('orders_found_open', fields);
  else log.warn('orders_found_open', fields);
}
