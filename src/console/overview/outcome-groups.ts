/** Counts the outcomes of requests in five groups for people, and gives them to the charts: one list per line, each as long as the list of times. */
import { quantile, type Sample } from '../../telemetry/samples';

export const GROUPS = ['sold', 'pending', 'failed', 'refused', 'other'] as const;
export type Group = (typeof GROUPS)[number];
export type Groups = Readonly<Record<Group, number>>;

const GROUP_OF: Readonly<Record<string, Group>> = {
  succeeded: 'sold',
  pending: 'pending',
  unknown: 'pending',
  declined: 'failed',
  rejected: 'failed',
  not_sent: 'failed',
  refused: 'refused',
};

/** The counts of several operations or callers together. */
export function groupsOf(...all: readonly Readonly<Record<string, number>>[]): Groups {
  const groups: Record<Group, number> = { sold: 0, pending: 0, failed: 0, refused: 0, other: 0 };
  for (const outcomes of all)
    for (const [outcome, count] of Object.entries(outcomes)) groups[GROUP_OF[outcome] ?? 'other'] += count;
  return groups;
}

/** One list per line of the charts, each as long as the list of times. */
export function seriesOf(samples: readonly Sample[]) {
  const points = samples.map(pointOf);
  return {
    t: points.map(({ t }) => t),
    traffic: GROUPS.map((_, line) => points.map(({ traffic }) => traffic[line]!)),
    times: [0, 1, 2, 3].map((line) => points.map(({ times }) => times[line] ?? null)),
  };
}

/** One sample as a point of the charts; the stream sends the newest one to open pages. */
export function pointOf(sample: Sample) {
  const groups = groupsOf(...Object.values(sample.byOperation));
  const perMinute = (count: number): number => (sample.spanMs > 0 ? Math.round((count / sample.spanMs) * 600_000) / 10 : 0);
  const { request, v1 } = sample;
  return {
    // Seconds since the epoch.
    t: Math.round(sample.atMs / 1_000),
    // Requests per minute, by group in the order of `GROUPS`.
    traffic: GROUPS.map((group) => perMinute(groups[group])),
    // In milliseconds: p50 and p99 of requests, then of calls to v1; null if there were none.
    times: [quantile(request, 0.5), quantile(request, 0.99), quantile(v1, 0.5), quantile(v1, 0.99)].map((seconds) =>
      seconds === undefined ? null : Math.round(seconds * 10_000) / 10,
    ),
  };
}
