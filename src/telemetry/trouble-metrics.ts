/** Metrics of what goes wrong around the gateway while it goes on selling: its log. */
import { Counter, type Registry } from 'prom-client';

export function createTroubleMetrics(registers: Registry[], logLinesLost: () => number): void {
  new Counter({
    name: 'compat_log_lines_lost_total',
    help: 'Lines of the log that found no room while it could not be written',
    registers,
    collect() {
      this.reset();
      this.inc(logLinesLost());
    },
  });
}
