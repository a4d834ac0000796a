/** Samples of the metrics of the last hour and day, in memory, for charts: what happened in each span of time. */
import type { Clock } from '../domain/clock';

/** One metric as prom-client gives it for JSON. */
interface MetricOfJson {
  readonly name: string;
  readonly values: readonly MetricValue[];
}

export interface MetricValue {
  readonly value: number;
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
  /** `compat_request_seconds_bucket` and the like, in a histogram. */
  readonly metricName?: string;
}

export interface Sample {
  /** The end of the span. */
  readonly atMs: number;
  readonly spanMs: number;
  /** How many requests ended in the span, by operation and outcome. */
  readonly byOperation: Tally;
  /** The same, for callers that have a title. */
  readonly byCaller: Tally;
  readonly request: Times;
  readonly v1: Times;
  readonly isV1Up: boolean;
  readonly inFlight: number;
  readonly openOrders: number;
  readonly openNaira: number;
  readonly openOverdue: number;
}

/** By name and outcome; a count of 0 is absent. */
export type Tally = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** How many requests took at most so many seconds, by the bounds of the histogram; the last bound is Infinity. */
export interface Times {
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
}

export type Samples = ReturnType<typeof takeSamples>;

export const SAMPLE_MS = 5_000;
const MINUTE_MS = 60_000;
const HOUR_SAMPLES = 3_600_000 / SAMPLE_MS;
const DAY_SAMPLES = 24 * 60;

const NO_TIMES: Times = { bounds: [], counts: [] };

interface Totals {
  readonly elapsedMs: number;
  readonly operations: Tally;
  readonly callers: Tally;
  readonly request: Times;
  readonly v1: Times;
}

/** The fields of a metric that this file reads. */
const SAMPLED = [
  ...['compat_requests_total', 'compat_caller_requests_total', 'compat_request_seconds', 'compat_upstream_seconds'],
  ...['compat_v1_up', 'compat_requests_in_flight'],
  ...['compat_unknown_orders', 'compat_unknown_orders_naira', 'compat_unknown_orders_overdue'],
];

export interface SampledRegistry {
  readonly getMetricsAsJSON: () => Promise<unknown>;
  /** Absent in the sum of several processes. */
  readonly getSingleMetric?: (name: string) => { readonly get: () => Promise<unknown> } | undefined;
}

/** The only metrics that a sample reads: reading all metrics would count every open file and socket of the process. */
export async function readSampled(registry: SampledRegistry): Promise<readonly MetricOfJson[]> {
  const read = registry.getSingleMetric?.bind(registry);
  const metrics = read === undefined ? registry.getMetricsAsJSON() : Promise.all(SAMPLED.map((name) => read(name)!.get()));
  return (await metrics) as readonly MetricOfJson[];
}

/** Samples every five seconds from now on. What was counted before is subtracted. */
export function takeSamples(clock: Clock, read: () => Promise<readonly MetricOfJson[]>, onTrouble: (error: unknown) => void) {
  const hour: Sample[] = [];
  const day: Sample[] = [];
  const listeners = new Set<(sample: Sample) => void>();
  let before: Totals = { elapsedMs: clock.elapsed(), operations: {}, callers: {}, request: NO_TIMES, v1: NO_TIMES };
  let minute: Sample[] = [];
  let isStopped = false;
  let cancel: () => void = () => undefined;

  const look = async (): Promise<void> => {
    try {
      const metrics = await read();
      const totals = readTotals(metrics, clock);
      const sample = sampleOf(metrics, totals, before, clock.now());
      before = totals;
      keep(hour, sample, HOUR_SAMPLES);
      minute.push(sample);
      if (minute.length >= MINUTE_MS / SAMPLE_MS) {
        keep(day, together(minute), DAY_SAMPLES);
        minute = [];
      }
      for (const heard of listeners) heard(sample);
    } catch (error) {
      onTrouble(error);
    }
    if (!isStopped) cancel = clock.after(SAMPLE_MS, () => void look());
  };
  cancel = clock.after(SAMPLE_MS, () => void look());
  return {
    latest: (): Sample | undefined => hour.at(-1),
    /** Every five seconds. */
    hour: (): readonly Sample[] => hour,
    /** Every minute. */
    day: (): readonly Sample[] => day,
    /** Calls `heard` with each new sample. The returned function ends that. */
    listen(heard: (sample: Sample) => void) {
      listeners.add(heard);
      return () => void listeners.delete(heard);
    },
    stop() {
      isStopped = true;
      cancel();
    },
  };
}

function keep(samples: Sample[], sample: Sample, max: number): void {
  samples.push(sample);
  if (samples.length > max) samples.shift();
}

function readTotals(metrics: readonly MetricOfJson[], clock: Clock): Totals {
  return {
    elapsedMs: clock.elapsed(),
    operations: tallyOf(valuesOf(metrics, 'compat_requests_total'), 'operation'),
    callers: tallyOf(valuesOf(metrics, 'compat_caller_requests_total'), 'caller'),
    request: timesOf(valuesOf(metrics, 'compat_request_seconds')),
    v1: timesOf(valuesOf(metrics, 'compat_upstream_seconds')),
  };
}

function sampleOf(metrics: readonly MetricOfJson[], now: Totals, before: Totals, atMs: number): Sample {
  return {
    atMs,
    spanMs: now.elapsedMs - before.elapsedMs,
    byOperation: tallySince(now.operations, before.operations),
    byCaller: tallySince(now.callers, before.callers),
    request: since(now.request, before.request),
    v1: since(now.v1, before.v1),
    isV1Up: gauge(metrics, 'compat_v1_up', 1) === 1,
    inFlight: gauge(metrics, 'compat_requests_in_flight', 0),
    openOrders: gauge(metrics, 'compat_unknown_orders', 0),
    openNaira: gauge(metrics, 'compat_unknown_orders_naira', 0),
    openOverdue: gauge(metrics, 'compat_unknown_orders_overdue', 0),
  };
}

type Tallying = Record<string, Record<string, number>>;

/** Without the names of built-in objects: a caller's title may be one. */
const emptyTally = <Value>(): Record<string, Value> => Object.create(null) as Record<string, Value>;

function tallyOf(values: readonly MetricValue[], label: string): Tally {
  const tally: Tallying = emptyTally();
  for (const { labels, value } of values) count(tally, String(labels[label]), String(labels['outcome']), value);
  return tally;
}

function count(tally: Tallying, name: string, outcome: string, more: number): void {
  const of = (tally[name] ??= emptyTally());
  of[outcome] = (of[outcome] ?? 0) + more;
}

function tallySince(now: Tally, before: Tally): Tally {
  const tally: Tallying = emptyTally();
  for (const [name, outcomes] of Object.entries(now)) {
    for (const [outcome, total] of Object.entries(outcomes)) {
      const more = total - (before[name]?.[outcome] ?? 0);
      if (more > 0) count(tally, name, outcome, more);
    }
  }
  return tally;
}

export function addTallies(tallies: readonly Tally[]): Tally {
  const sum: Tallying = emptyTally();
  for (const tally of tallies)
    for (const [name, outcomes] of Object.entries(tally))
      for (const [outcome, more] of Object.entries(outcomes)) count(sum, name, outcome, more);
  return sum;
}

/** The values of one metric. */
export function valuesOf(metrics: readonly MetricOfJson[], name: string): readonly MetricValue[] {
  return metrics.find((metric) => metric.name === name)?.values ?? [];
}

function gauge(metrics: readonly MetricOfJson[], name: string, fallback: number): number {
  return valuesOf(metrics, name)[0]?.value ?? fallback;
}

/** The buckets of a histogram over all its labels. prom-client's are cumulative; these are not. */
function timesOf(values: readonly MetricValue[]): Times {
  const upTo = new Map<number, number>();
  for (const { labels, value, metricName } of values) {
    if (metricName?.endsWith('_bucket') !== true) continue;
    const bound = labels['le'] === '+Inf' ? Infinity : Number(labels['le']);
    upTo.set(bound, (upTo.get(bound) ?? 0) + value);
  }
  const bounds = [...upTo.keys()].sort((a, b) => a - b);
  return { bounds, counts: bounds.map((bound, index) => upTo.get(bound)! - (index === 0 ? 0 : upTo.get(bounds[index - 1]!)!)) };
}

function since(now: Times, before: Times): Times {
  return { bounds: now.bounds, counts: now.counts.map((total, index) => Math.max(0, total - (before.counts[index] ?? 0))) };
}

/** Merges successive samples into one. Gauges have their last value; v1 counts as down if it was down in any of them. */
function together(samples: readonly Sample[]): Sample {
  return {
    ...samples.at(-1)!,
    spanMs: samples.reduce((sum, { spanMs }) => sum + spanMs, 0),
    byOperation: addTallies(samples.map(({ byOperation }) => byOperation)),
    byCaller: addTallies(samples.map(({ byCaller }) => byCaller)),
    request: addTimes(samples.map(({ request }) => request)),
    v1: addTimes(samples.map(({ v1 }) => v1)),
    isV1Up: samples.every(({ isV1Up }) => isV1Up),
  };
}

/** Merges the durations of several spans. */
export function addTimes(times: readonly Times[]): Times {
  const { bounds } = times.at(-1) ?? { bounds: [] };
  return { bounds, counts: bounds.map((_, index) => times.reduce((sum, { counts }) => sum + (counts[index] ?? 0), 0)) };
}

/** The seconds within which this share of all requests ended, interpolated in its bucket; undefined without requests. */
export function quantile({ bounds, counts }: Times, share: number): number | undefined {
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (all === 0) return undefined;
  let left = share * all;
  for (const [index, count] of counts.entries()) {
    if (count > 0 && left <= count) {
      const from = index === 0 ? 0 : bounds[index - 1]!;
      const to = bounds[index]!;
      return to === Infinity ? from : from + (to - from) * (left / count);
    }
    left -= count;
  }
  return bounds.filter((bound) => bound !== Infinity).at(-1);
}
