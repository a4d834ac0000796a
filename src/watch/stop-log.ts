/** The log lines of a stop: one when it begins, with what is still under way, and one when it has ended, with what became of that. */
import type { Server } from 'node:http';
import type { Clock } from '../domain/clock';
import type { Journal } from '../journal/journal';
import type { Log } from '../telemetry/log';

export type StopLog = ReturnType<typeof createStopLog>;

const ORDERS_MAX = 10_000;

export function createStopLog(parts: {
  readonly log: Log;
  readonly clock: Pick<Clock, 'now'>;
  readonly journal: Pick<Journal, 'listUnsettled'>;
  /** How many orders are under way. */
  readonly orders: () => number;
}) {
  const { log, clock, journal } = parts;
  let requests = 0;
  let begunAtMs = 0;
  let before: Promise<ReadonlySet<string> | undefined> | undefined;
  let found: { readonly finished: number; readonly open: number } | undefined;
  /** A journal that cannot be read must neither delay nor fail a stop: then the line says nothing of orders. */
  const openOrders = async (): Promise<ReadonlySet<string> | undefined> => {
    try {
      const orders = await journal.listUnsettled({ limit: ORDERS_MAX, onUnreadable: () => undefined });
      return new Set(orders.map(({ owner, requestId }) => `${owner} ${requestId}`));
    } catch {
      return undefined;
    }
  };
  return {
    /** Counts the requests of a server from now on. */
    watch(server: Server): void {
      server.on('request', (_request, response) => {
        requests += 1;
        response.once('close', () => (requests -= 1));
      });
    },
    /** `signal` is undefined when the stop was asked for by a call. */
    begin(signal: string | undefined): void {
      begunAtMs = clock.now();
      log.info('stop_begun', { signal, requests, held: parts.orders() });
      before = openOrders();
    },
    /** The drain is over: load balancers have had the time to notice the stop, and no more requests are taken. */
    drainEnded(): void {
      log.info('drain_ended', { requests, held: parts.orders(), durationMs: clock.now() - begunAtMs });
    },
    /** Nothing is under way any more, and the journal is still open. */
    async drained(): Promise<void> {
      const first = await before;
      const last = first === undefined ? undefined : await openOrders();
      if (first === undefined || last === undefined) return;
      found = { finished: [...first].filter((order) => !last.has(order)).length, open: last.size };
    },
    end(): void {
      log.info('stopped', { ...found, durationMs: clock.now() - begunAtMs });
    },
  };
}
