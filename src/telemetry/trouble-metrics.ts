/** Metrics of what is wrong around the gateway while it goes on selling. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { nairaNumber, type AmountMinor } from '../domain/amount';

export interface TroubleMetrics {
  /** Orders whose money may have moved, and how much that is, as of now. */
  setUnknownOrders(count: number, amount: AmountMinor): void;
}

export interface TroubleSources {
  /** Lines of the log that found no room so far. */
  readonly logLinesLost?: () => number;
  readonly isJournalWritable?: () => boolean;
}

export function createTroubleMetrics(registers: Registry[], sources: TroubleSources): TroubleMetrics {
  const { logLinesLost = () => 0, isJournalWritable = () => true } = sources;
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
  new Gauge({
    name: 'compat_journal_writable',
    help: '1 while orders can be written; 0 from a failed write until one gets through, and no order is taken then',
    registers,
    collect() {
      this.set(isJournalWritable() ? 1 : 0);
    },
  });
  return {
    setUnknownOrders(count, amount) {
      unknownOrders.set(count);
      unknownNaira.set(nairaNumber(amount));
    },
  };
}
