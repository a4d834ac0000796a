/** Where a canonical field's raw value stands in a request. */
import type { LegacyFields, LegacyRequest, LegacyValue } from '../../domain/legacy';
import type { Field } from '../../mapping/mapping';

export interface RawValue {
  /** The script's own spelling. */
  readonly spelling: string;
  readonly value: LegacyValue;
}

/**
 * Every value given for a field, by its spellings. `otherwise` spellings count only when none of `from` is there. On a
 * GET the query is the request and a body is read only for what the query lacks: one script sends an unrelated JSON body
 * with its meter look-up (facts 2.2). On anything else both count, so that a contradiction is seen.
 */
export function readRaw(request: LegacyRequest, field: Field): readonly RawValue[] {
  const first = readSpellings(request, field.from, field.takesEmpty);
  return first.length > 0 || field.otherwise.length === 0 ? first : readSpellings(request, field.otherwise, field.takesEmpty);
}

/** The values of several spellings of one thing. Empty texts and nulls are absent, unless emptiness means something. */
export function readSpellings(request: LegacyRequest, spellings: readonly string[], takesEmpty = false): readonly RawValue[] {
  const sources: readonly LegacyFields[] =
    request.method === 'GET' ? [request.query, request.body] : [request.body, request.query];
  const found: RawValue[] = [];
  for (const source of sources) {
    if (source.size === 0) continue;
    for (const spelling of spellings) {
      const value = source.get(spelling);
      if (value === undefined || (!takesEmpty && isEmpty(value))) continue;
      found.push({ spelling, value });
    }
    if (found.length > 0 && request.method === 'GET') break;
  }
  return found;
}

export function isEmpty(value: LegacyValue): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '');
}
