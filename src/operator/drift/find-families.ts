/** Keys whose requests prove a family. Named in callers.yaml, the family also holds where a request shows nothing of it. */
import type { Traffic } from '../../domain/traffic';
import type { Mapping } from '../../mapping/mapping';
import type { DriftedFamily } from './drift';

/** Fewer requests than this may have been somebody's test. */
const REQUESTS_MIN = 10;

export function findFamilies({ shapes }: Traffic, mapping: Mapping): DriftedFamily[] {
  const callers = new Map<string, { purchases: number; readonly proven: Map<string, number> }>();
  for (const { caller, family, operation, count } of shapes) {
    if (caller === undefined || mapping.operations.get(operation)?.kind !== 'purchase') continue;
    const seen = callers.get(caller) ?? { purchases: 0, proven: new Map<string, number>() };
    callers.set(caller, seen);
    seen.purchases += count;
    if (family !== undefined) seen.proven.set(family, (seen.proven.get(family) ?? 0) + count);
  }
  return [...callers].flatMap(([caller, { purchases, proven }]): DriftedFamily[] => {
    const [[family, count] = ['', 0], ...others] = proven;
    const isNamed = mapping.callerKeys.get(caller)?.family !== undefined;
    // Two families under one key are two scripts: nobody but the operator can say which is meant.
    return isNamed || others.length > 0 || count < REQUESTS_MIN ? [] : [{ caller, family, count, purchases }];
  });
}
