/** Reports to the operator the orders without a final outcome: their number, the money in them, and which are overdue. */
import { nairaNumber } from '../domain/amount';
import type { Clock } from '../domain/clock';
import type { Order } from '../domain/order';
import { referenceOf } from '../domain/outcome';
import type { Sets } from '../gateway/read/earlier-set';
import type { Journal } from '../journal/journal';
import { OPEN_ORDERS_MAX, readOpenOrders, type OpenOrders } from '../orders/order-money';
import { errorFields, type Log } from '../telemetry/log';
import type { Metrics } from '../telemetry/metrics';
import type { OpenOrdersSeen } from './sightings';

const LOOK_EVERY_MS = 60_000;
/** How often the same overdue order is logged. */
const LOG_AGAIN_MS = 60 * 60_000;
/** The rest is logged at the next looks: thousands of lines at once would take the room that the log has for those of requests. */
const LOGGED_AT_ONCE = 500;

/** Looks at once and then every minute: a line for all of them at the start, gauges, and a line for each that is overdue. */
export function watchOpenOrders(parts: {
  journal: Journal;
  sets: () => Sets;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  /** How a request id may appear in the log. */
  showId?: (id: string) => string;
}) {
  const said = new Map<string, number>();
  let cancel: () => void = () => undefined;
  let isStopped = false;
  let isFirst = true;
  let seen: OpenOrdersSeen | undefined;
  const look = async (): Promise<void> => {
    try {
      const now = parts.clock.now();
      const found = await readOpenOrders(parts.journal, parts.sets(), now);
      const { orders, overdue, atRisk, withoutPrice, unreadable } = found;
      if (isFirst) logOpenOrders(found, now, parts.log);
      isFirst = false;
      seen = {
        count: orders.length,
        overdue: overdue.length,
        oldestMs: orders[0] === undefined ? 0 : now - orders[0].openedAtMs,
        atRiskNaira: nairaNumber(atRisk),
        withoutPrice,
      };
      parts.metrics.setUnknownOrders({
        agesMs: orders.map(({ openedAtMs }) => now - openedAtMs),
        overdue: overdue.length,
        atRisk,
      });
      if (unreadable[0] !== undefined)
        parts.log.error('open_orders', { ...errorFields(unreadable[0]), count: unreadable.length });
      const keyOf = ({ owner, requestId }: Order): string => `${owner} ${requestId}`;
      const unsaid = overdue.filter((order) => now - (said.get(keyOf(order)) ?? 0) >= LOG_AGAIN_MS);
      for (const order of unsaid.slice(0, LOGGED_AT_ONCE)) {
        said.set(keyOf(order), now);
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
      const stillOverdue = new Set(overdue.map(keyOf));
      for (const key of said.keys()) if (!stillOverdue.has(key)) said.delete(key);
    } catch (error) {
      parts.log.error('open_orders', errorFields(error));
    }
    if (!isStopped) cancel = parts.clock.after(LOOK_EVERY_MS, () => void look());
  };
  void look();
  return {
    /** As of the last look; undefined before the first. */
    seen: () => seen,
    stop(): void {
      isStopped = true;
      cancel();
    },
  };
}

/** Logs the open orders that earlier processes left. It is logged for none as well, as proof that the journal was searched. */
function logOpenOrders({ orders, atRisk, withoutPrice }: OpenOrders, nowMs: number, log: Log): void {
  const fields = {
    count: orders.length,
    atRiskNaira: nairaNumber(atRisk),
    withoutPrice,
    oldestMs: orders[0] === undefined ? undefined : nowMs - orders[0].openedAtMs,
    detail: orders.length < OPEN_ORDERS_MAX ? undefined : 'there are more: these are the oldest ones',
  };
  if (orders.length === 0) log.info('orders_found_open', fields);
  else log.warn('orders_found_open', fields);
}
