/** What a case expects against what was found. Only what is named is compared, and only what differs is told. */
import type { JsonObject, JsonValue } from '../../domain/json';
import { splitNames } from '../../mapping/language/values';

export interface Difference {
  /** `reply.user.balance` */
  readonly place: string;
  readonly expected: string;
  readonly found: string;
}

/** Fields that are named must be there and equal; a list must have the same rows, each compared in the same way. */
export function compareSubset(expected: JsonValue, found: JsonValue | undefined, place: string): Difference[] {
  if (isObject(expected)) {
    const pattern = expected['$matches'];
    if (typeof pattern === 'string') return matchText(pattern, found, place);
    if (!isObject(found)) return [differs(place, expected, found)];
    return Object.entries(expected).flatMap(([names, value]) =>
      splitNames(names).flatMap((name) =>
        compareSubset(value, Object.hasOwn(found, name) ? found[name] : undefined, `${place}.${name}`),
      ),
    );
  }
  if (Array.isArray(expected) && Array.isArray(found)) {
    if (expected.length !== found.length) return [differs(`${place}, rows`, expected.length, found.length)];
    return expected.flatMap((item: JsonValue, index) => compareSubset(item, found[index] as JsonValue, `${place}[${index}]`));
  }
  return JSON.stringify(expected) === JSON.stringify(found) ? [] : [differs(place, expected, found)];
}

/** Both must have the same fields with equal values, except for those that may be left out. */
export function compareWhole(expected: JsonObject, found: JsonObject, place: string, optional: readonly string[]): Difference[] {
  const missing = Object.keys(found).filter((name) => !Object.hasOwn(expected, name) && !optional.includes(name));
  return [
    ...compareSubset(expected, found, place),
    ...missing.map((name) => ({ place: `${place}.${name}`, expected: 'nothing', found: show(found[name]) })),
  ];
}

export function differs(place: string, expected: JsonValue | undefined, found: JsonValue | undefined): Difference {
  return { place, expected: show(expected), found: show(found) };
}

function matchText(pattern: string, found: JsonValue | undefined, place: string): Difference[] {
  if (typeof found === 'string' && new RegExp(pattern).test(found)) return [];
  return [{ place, expected: `a text that matches ${pattern}`, found: show(found) }];
}

const SHOWN_MAX = 200;

function show(value: JsonValue | undefined): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
