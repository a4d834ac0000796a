/** Metrics of what is wrong around the gateway while it goes on selling. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { nairaNumber, type AmountMinor } from '../domain/amount';

export interface TroubleMetrics {
  /** Orders whose money may have moved, and how much that is, as of now. */
  setUnknownOrders(count: number, amount: AmountMinor): void;
}

export function createTroubleMetrics(registers: Registry[], logLinesLost: () => number): TroubleMetrics {
  const unknownOrders = new Gauge({ name: 'compat_unknown_orders', help: 'Orders whose money may have moved', registers });
  const unknownNaira = new Gauge({ name: 'compat_unknown_orders_naira', help: 'The money in them', registers });
  new Counter({
    name: 'compat_log_lines_lost_total',
    help: 'Lines of the log that found no room while it could not be written',
    registers,
    collect() {
      this.reset();
      this.inc(logLinesLost());
    },
  });
  return {
    setUnknownOrders(count, amount) {
      unknownOrders.set(count);
      unknownNaira.set(nairaNumber(amount));
    },
  };
}
