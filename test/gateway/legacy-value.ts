import fc from 'fast-check';
import type { LegacyValue } from '../../src/domain/legacy';

/** What a script may send in a field: usual words and numbers, or anything at all. */
export const legacyValue = fc.oneof(
  fc.constantFrom<LegacyValue>(
    ...['MTN', '08031234567', '+2348031234567', '100', '1,000', '1', '2', '', 'VTU', 'x', '<script>', '__proto__'],
    ...[1, 2, 100, 8031234567, true, null],
  ),
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<LegacyValue>,
);
