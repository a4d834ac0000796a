/** One page of metrics over the primary and all workers. What a worker that died had counted stays counted, as of the last look. */
import { AggregatorRegistry, Counter, Gauge, type Registry } from 'prom-client';
import type { MetricsOfProcess } from './what-is-said';

export interface MetricsOfAll {
  readonly contentType: Registry['contentType'];
  metrics(): Promise<string>;
  /** A worker is gone. */
  gone(worker: number): void;
}

export interface MetricsSources {
  readonly own: Registry;
  readonly askWorkers: () => Promise<readonly (readonly [worker: number, answer: unknown])[]>;
  readonly serving: () => number;
}

export function createMetricsOfAll({ own, askWorkers, serving }: MetricsSources): MetricsOfAll {
  const registers = [own];
  const deaths = new Counter({ name: 'compat_worker_deaths_total', help: 'Workers that died and were replaced', registers });
  new Gauge({
    name: 'compat_workers',
    help: 'Workers that serve',
    registers,
    collect() {
      this.set(serving());
    },
  });
  const last = new Map<number, MetricsOfProcess>();
  let left: MetricsOfProcess = [];
  return {
    contentType: own.contentType,
    async metrics() {
      for (const [worker, answer] of await askWorkers()) if (answer !== undefined) last.set(worker, answer as MetricsOfProcess);
      const all = [(await own.getMetricsAsJSON()) as MetricsOfProcess, ...last.values(), left];
      return AggregatorRegistry.aggregate(all).metrics();
    },
    gone(worker) {
      deaths.inc();
      const counted = (last.get(worker) ?? []).filter(({ type }) => String(type) === 'counter' || String(type) === 'histogram');
      last.delete(worker);
      void AggregatorRegistry.aggregate([left, counted] as never)
        .getMetricsAsJSON()
        .then((sum) => (left = sum as MetricsOfProcess));
    },
  };
}
