/** How the metrics of one page are made, and how their labels are kept few. */
import { Counter, Gauge, Histogram, type Aggregator, type Registry } from 'prom-client';

/** The label of whatever has none of its own. */
export const OTHER = 'other';

/** Metrics of one page. */
export function makerFor(registry: Registry) {
  const registers = [registry];
  return {
    counter: <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
      new Counter<Label>({ name, help, labelNames, registers }),
    times: <Label extends string>(name: string, help: string, buckets: number[], labelNames: Label[]) =>
      new Histogram<Label>({ name, help, labelNames, buckets, registers }),
    countedElsewhere: (name: string, help: string, read: () => number) =>
      new Counter({
        ...{ name, help, registers },
        collect() {
          this.reset();
          this.inc(read());
        },
      }),
    /** Several processes see the same: one of them is shown. */
    sameForAll: <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
      new Gauge<Label>({ name, help, labelNames, aggregator: 'max', registers }),
    /** Rows that are read when the page is; what is not read any more is not shown any more. */
    rows: <Label extends string>(
      name: string,
      help: string,
      labelNames: Label[],
      read: () => readonly (readonly [Record<Label, string>, number])[],
    ) =>
      new Gauge<Label>({
        ...{ name, help, labelNames, registers },
        collect() {
          this.reset();
          for (const [labels, value] of read()) this.set(labels, value);
        },
      }),
    /** Read when the page is. */
    shown: (name: string, help: string, read: () => number, aggregator: Aggregator = 'sum') =>
      new Gauge({
        ...{ name, help, aggregator, registers },
        collect() {
          this.set(read());
        },
      }),
  };
}

export type Make = ReturnType<typeof makerFor>;

/** A label for a name: itself for the first `max` names that look like one, `other` for the rest. */
export function boundedLabels(max: number, shape: RegExp): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.has(name)) return name;
    if (known.size >= max || !shape.test(name)) return OTHER;
    known.add(name);
    return name;
  };
}
