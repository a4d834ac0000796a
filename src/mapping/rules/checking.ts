/** What a check gets: the files as written and merged, and what was made of them. Checks report; they never throw. */
import type { Mapping } from '../mapping';
import { nearestName } from '../nearest-name';
import type { MappingSource, Report } from '../source';

export interface Checking {
  readonly source: MappingSource;
  readonly mapping: Mapping;
  readonly report: Report;
}

export type Check = (checking: Checking) => void;

/** The hint of a misspelt name: the nearest known one, or what there is to choose from. */
export function hintFor(wanted: string, known: readonly string[]): { hint?: string } {
  const near = nearestName(wanted, known);
  if (near !== undefined) return { hint: `did you mean \`${near}\`?` };
  return known.length === 0 ? {} : { hint: `known: ${known.join(', ')}` };
}
