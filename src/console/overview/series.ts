/** Samples as the charts take them: one list for each line, all as long as the times. */
import { quantile, type Sample } from '../../telemetry/samples';
import { GROUPS, groupsOfTally, type IsPurchase } from './outcome-groups';

export interface Series {
  /** Seconds since the epoch. */
  readonly t: readonly number[];
  /** Requests in a minute, by group in the order of `GROUPS`. */
  readonly traffic: readonly (readonly number[])[];
  /** Milliseconds: p50 and p99 of requests, then of calls to v1; null where there were none. */
  readonly times: readonly (readonly (number | null)[])[];
}

export function seriesOf(samples: readonly Sample[], isPurchase: IsPurchase): Series {
  const points = samples.map((sample) => pointOf(sample, isPurchase));
  return {
    t: points.map(({ t }) => t),
    traffic: GROUPS.map((_, line) => points.map(({ traffic }) => traffic[line]!)),
    times: [0, 1, 2, 3].map((line) => points.map(({ times }) => times[line] ?? null)),
  };
}

export interface Point {
  readonly t: number;
  readonly traffic: readonly number[];
  readonly times: readonly (number | null)[];
}

/** The newest sample, for a chart that is open. */
export function pointOf(sample: Sample, isPurchase: IsPurchase): Point {
  const groups = groupsOfTally(sample.byOperation, isPurchase);
  const perMinute = (count: number): number => (sample.spanMs > 0 ? Math.round((count / sample.spanMs) * 600_000) / 10 : 0);
  const { request, v1 } = sample;
  return {
    t: Math.round(sample.atMs / 1_000),
    traffic: GROUPS.map((group) => perMinute(groups[group])),
    times: [quantile(request, 0.5), quantile(request, 0.99), quantile(v1, 0.5), quantile(v1, 0.99)].map((seconds) =>
      seconds === undefined ? null : Math.round(seconds * 10_000) / 10,
    ),
  };
}
