/** How the metrics of one page are made, and how their labels are kept few. */
import { Counter, Gauge, Histogram, type Aggregator, type Registry } from 'prom-client';

/** The label of all that has no label of its own. */
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
    /** Several processes see the same value: the value of one is shown. */
    sameForAll: <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
      new Gauge<Label>({ name, help, labelNames, aggregator: 'max', registers }),
    /** A gauge whose rows are read when the page is read. A row that is missing then is no longer shown. */
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
    /** A gauge whose value is read when the page is read. */
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

/** The label for a name: the name itself for the first `max` plausible names, `other` for the rest. */
export function boundedLabels(max: number, shape: RegExp): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.has(name)) return name;
    if (known.size >= max || !shape.test(name)) return OTHER;
    known.add(name);
    return name;
  };
}
