/** Metrics of the calls to v1: how many there are, how many may be, and how long others wait for their turn. */
import { Gauge, Histogram, type Registry } from 'prom-client';
import type { CallTurnsState } from '../upstream/turns/call-turns';

export interface TurnMetrics {
  /** Shows from now on what this reads. */
  watchTurns(read: () => CallTurnsState): void;
  /** A call that could not go at once. */
  readonly callWaited: (fate: 'taken' | 'late' | 'full', waitedMs: number) => void;
}

const SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40];

export function createTurnMetrics(registers: Registry[]): TurnMetrics {
  let read = (): CallTurnsState => ({ inFlight: 0, waiting: 0, bound: 0 });
  const gauge = (name: string, help: string, of: keyof CallTurnsState): void => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read()[of]);
      },
    });
  };
  gauge('compat_upstream_calls_in_flight', 'Calls to v1 without an answer yet', 'inFlight');
  gauge('compat_upstream_calls_waiting', 'Calls to v1 that wait for their turn', 'waiting');
  gauge('compat_upstream_calls_bound', 'How many calls to v1 there may be at this moment', 'bound');
  const waits = new Histogram({
    name: 'compat_upstream_wait_seconds',
    help: 'How long calls waited for their turn, of those that had to, by whether it came',
    labelNames: ['fate'],
    buckets: SECONDS,
    registers,
  });
  return {
    watchTurns(next) {
      read = next;
    },
    callWaited: (fate, waitedMs) => waits.observe({ fate }, waitedMs / 1000),
  };
}
