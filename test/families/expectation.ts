/** What a family should conclude from each outcome. */
import { operationOf, purchases } from '../gateway/reply-table/samples';
import { outcomesOf } from '../gateway/reply-table/outcomes';
import type { Conclusion, Family } from './family';
import { otherScripts } from './other-scripts';
import { topupmateScripts } from './topupmate-scripts';

export const families: readonly Family[] = [...topupmateScripts, ...otherScripts];

const PENDING: readonly string[] = ['pending', 'unknown', 'known_to_v1_pending', 'unavailable'];
const SUCCESS: readonly string[] = ['success', 'known_to_v1_success'];

export type Meaning = 'success' | 'pending' | 'failure';

/** The meaning of our reply to this outcome. */
export function meaningOf(outcome: string): Meaning {
  if (SUCCESS.includes(outcome)) return 'success';
  return PENDING.includes(outcome) ? 'pending' : 'failure';
}

const RIGHT: Readonly<Record<Meaning, Conclusion>> = { success: 'sale', pending: 'pending', failure: 'failure' };

/** The right conclusion, or the wrong one that the family is known to draw. */
export function expected({ instead }: Family, outcome: string): Conclusion {
  const meaning = meaningOf(outcome);
  return instead?.[outcome] ?? instead?.[meaning] ?? RIGHT[meaning];
}

export function hasWordForPending(family: Family): boolean {
  return expected(family, 'pending') === 'pending';
}

export interface Case {
  readonly operation: string;
  readonly format: string;
  readonly outcome: string;
}

/** Every reply that scripts of a family can get. */
export function casesOf({ formats, operations }: Family): readonly Case[] {
  const all = operations ?? [...new Set(purchases.map(([operation]) => operation))];
  return all.flatMap((operation) =>
    formats.flatMap((format) => outcomesOf(operationOf(operation).name).map((outcome) => ({ operation, format, outcome }))),
  );
}
