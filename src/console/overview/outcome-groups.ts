/** The outcomes of requests in the five groups that people look at. */
import type { Tally } from '../../telemetry/samples';
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
