/** Metrics of what is wrong around the gateway while it goes on selling. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { nairaNumber, type AmountMinor } from '../domain/amount';
import type { TroubleKind } from '../upstream/v1-sign';

export interface TroubleMetrics {
  /** Orders whose money may have moved, and how much that is, as of now. */
  setUnknownOrders(count: number, amount: AmountMinor): void;
  /** An order ended otherwise than its script took "pending" for. `loss` is absent where only v1's catalog has the price. */
  contraryEnd(end: string, loss: AmountMinor | undefined): void;
  setV1Up(isUp: boolean): void;
  /** A call or a probe met trouble of v1, whether or not that makes an outage. */
  v1Trouble(kind: TroubleKind): void;
}

export interface TroubleSources {
  /** Lines of the log that found no room so far. */
  readonly logLinesLost?: () => number;
  readonly isJournalWritable?: () => boolean;
}

export function createTroubleMetrics(registers: Registry[], sources: TroubleSources): TroubleMetrics {
  const { logLinesLost = () => 0, isJournalWritable = () => true } = sources;
  // Workers look at one journal: each sees all orders.
  const aggregator = 'max';
  const unknownOrders = new Gauge({
    name: 'compat_unknown_orders',
    help: 'Orders whose money may have moved',
    aggregator,
    registers,
  });
  const unknownNaira = new Gauge({ name: 'compat_unknown_orders_naira', help: 'The money in them', aggregator, registers });
  const contraryEnds = new Counter({
    name: 'compat_contrary_ends_total',
    help: 'Orders that ended otherwise than their scripts took "pending" for',
    labelNames: ['end'],
    registers,
  });
  const contraryNaira = new Counter({
    name: 'compat_contrary_ends_naira_total',
    help: 'The money in them',
    labelNames: ['end'],
    registers,
  });
  const v1Up = new Gauge({
    name: 'compat_v1_up',
    help: '0 from upstream_trouble until upstream_well, else 1',
    aggregator: 'min',
    registers,
  });
  v1Up.set(1);
  const v1Troubles = new Counter({
    name: 'compat_v1_troubles_total',
    help: 'Calls and probes that met trouble of v1, by kind',
    labelNames: ['kind'],
    registers,
  });
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
    aggregator: 'min',
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
    contraryEnd(end, loss) {
      contraryEnds.inc({ end });
      contraryNaira.inc({ end }, loss === undefined ? 0 : nairaNumber(loss));
    },
    setV1Up: (isUp) => v1Up.set(isUp ? 1 : 0),
    v1Trouble: (kind) => v1Troubles.inc({ kind }),
  };
}
