/** The outcomes of requests in the five groups that people look at, also as the charts take them: one list for each line, all as long as the times. */
import { type Tally, quantile, type Sample } from '../../telemetry/samples';
import type { ConsoleParts } from '../console-parts';

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

/** Of an operation that buys nothing, what was answered is `other`: a question about a sold order sells nothing. */
export function groupOf(outcomes: Readonly<Record<string, number>>, isPurchase: boolean): Groups {
  const groups: Record<Group, number> = { sold: 0, pending: 0, failed: 0, refused: 0, other: 0 };
  for (const [outcome, count] of Object.entries(outcomes)) {
    const group = GROUP_OF[outcome] ?? 'other';
    groups[isPurchase || group === 'refused' ? group : 'other'] += count;
  }
  return groups;
}

/** Whether an operation buys, by its name. */
export type IsPurchase = (operation: string) => boolean;

export function groupsOfTally(byOperation: Tally, isPurchase: IsPurchase): Groups {
  const sum: Record<Group, number> = { sold: 0, pending: 0, failed: 0, refused: 0, other: 0 };
  for (const [operation, outcomes] of Object.entries(byOperation)) {
    const groups = groupOf(outcomes, isPurchase(operation));
    for (const group of GROUPS) sum[group] += groups[group];
  }
  return sum;
}

export function purchasesOf({ live }: ConsoleParts): IsPurchase {
  const { operations } = live.current();
  return (operation) => operations.get(operation)?.kind === 'purchase';
}

interface Series {
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

interface Point {
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
