/** The meaning of a change of mappings as one value: the differences, the effect on recorded requests, and the id of the plan. */
import { createHash } from 'node:crypto';
import { counted } from '../../domain/shown-words';
import type { SeenShape } from '../../domain/traffic';
import type { Mapping } from '../../mapping/mapping';
import type { MappingSource } from '../../mapping/source';
import { replay, type Replay } from '../replay/replay';
import { compareSources, type Difference } from './compare-sources';

/** A set that has been checked. */
export interface PlannedSet {
  readonly source: MappingSource;
  readonly mapping: Mapping;
}

export interface Plan {
  /** 16 hex digits over both sets. */
  readonly id: string;
  readonly running: string;
  readonly candidate: string;
  readonly differences: readonly Difference[];
  /** Absent if the plan was made without shapes, or both sets are the same. */
  readonly replay?: Replay;
  /** True if any difference or any change in the replay can move money. */
  readonly movesMoney: boolean;
}

/** Without `shapes` nothing is replayed, nor where both sets are the same: that would take as long, and find nothing. */
export function makePlan(before: PlannedSet, after: PlannedSet, shapes?: readonly SeenShape[]): Plan {
  const [running, candidate] = [before.mapping.hash, after.mapping.hash];
  const differences = compareSources(before.source, after.source);
  const replayed = shapes === undefined || running === candidate ? undefined : replay(shapes, before.mapping, after.mapping);
  const movesMoney = [...differences, ...(replayed?.changes ?? [])].some(({ money }) => money !== undefined);
  const id = planIdOf(running, candidate);
  return { id, running, candidate, differences, ...(replayed === undefined ? {} : { replay: replayed }), movesMoney };
}

/** How many differences there are, and whether they can move money. */
export function headlineOf({ running, candidate, differences, movesMoney }: Plan): string {
  if (running === candidate) return 'the candidate is the running set.';
  const money = differences.filter((one) => one.money !== undefined).length;
  if (differences.length === 0)
    return `the files differ, but they mean the same${movesMoney ? ', but the replay found changes' : ''}.`;
  const count = counted(differences.length, 'difference');
  if (money === 0) return `${count}, ${movesMoney ? 'and the replay found changes of money.' : 'none of which moves money.'}`;
  return `${count}, ${money === differences.length ? 'which can move money' : `${money} of which can move money`}.`;
}

/** The first digits of an id depend only on the running set, so `changedSince` can tell which of the two sets has changed. */
const RUNNING_DIGITS = 4;
const ID_DIGITS = 16;

export function planIdOf(running: string, candidate: string): string {
  return `${digest(running).slice(0, RUNNING_DIGITS)}${digest(`${running}\n${candidate}`).slice(0, ID_DIGITS - RUNNING_DIGITS)}`;
}

/** Which of the two sets has changed since the plan was made; undefined if neither has. */
export function changedSince(
  plannedId: string,
  { running, candidate }: Pick<Plan, 'running' | 'candidate'>,
): 'running' | 'candidate' | undefined {
  const id = planIdOf(running, candidate);
  if (id === plannedId) return undefined;
  return id.slice(0, RUNNING_DIGITS) === plannedId.slice(0, RUNNING_DIGITS) ? 'candidate' : 'running';
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
