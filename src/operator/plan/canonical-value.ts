/** Writes a value of a reply or call in one canonical way: values that compile to the same function get the same text. */
import { isJsonObject, isList, textOf, type JsonObject, type JsonValue } from '../../domain/json';
import { isExpression, parseExpression } from '../../mapping/expression';
import type { ValueSource } from '../../mapping/language/schema';
import { normaliseWord } from '../../mapping/table';

export function canonicalValue(value: ValueSource, requestIds: ReadonlySet<string>): string {
  return JSON.stringify(canonical(value, requestIds));
}

/** Removes differences of spacing: `$a|b` and `$a | b` are the same expression. */
export function canonicalText(text: string): string {
  const expression = parseExpression(text);
  if (expression === undefined) return text;
  return [`$${[expression.root, ...expression.path].join('.')}`, ...expression.transforms].join(' | ');
}

/**
 * The fields that `"*"` overwrites. It spreads its fields over those written before it, and only there the order of a reply's
 * keys has a meaning. An echo contains only spellings of the request id, so it can overwrite only those.
 */
export function overwrittenBySpread(fields: JsonObject, requestIds: ReadonlySet<string>): string[] {
  const keys = Object.keys(fields);
  const spread = fields['*'];
  const isEcho = typeof spread === 'string' && /^\$(?:order|sent)\.echo$/.test(canonicalText(spread));
  return keys
    .slice(0, keys.indexOf('*'))
    .filter((key) => !isEcho || requestIds.has(key))
    .sort();
}

function canonical(value: ValueSource, requestIds: ReadonlySet<string>): JsonValue {
  if (typeof value === 'string') return canonicalText(value);
  if (isList(value)) return value.map((part) => canonical(part, requestIds));
  if (!isJsonObject(value)) return value;
  // The compiler tests for these keys in the same order.
  const kind = ['first', 'each', 'when'].find((key) => key in value);
  const fields = sortedFields(value, (part, key) => {
    if (kind === 'each' && key === 'where') return canonicalConditions(part);
    if (kind === 'each' && key === 'where_any' && isList(part)) return part.map(canonicalConditions).sort(byText);
    if (kind !== 'when' || key !== 'when' || !isJsonObject(part)) return canonical(part, requestIds);
    const conditions = Object.entries(part).map(([name, wanted]) => [canonicalText(name), wanted]);
    return sortedFields(Object.fromEntries(conditions) as JsonObject, (wanted) => canonical(wanted, requestIds));
  });
  return kind === undefined && '*' in value ? [fields, overwrittenBySpread(value, requestIds)] : fields;
}

/** Conditions on rows. Several words are alternatives without order, compared as `canonicalWord` does. */
function canonicalConditions(conditions: ValueSource): JsonValue {
  if (!isJsonObject(conditions)) return canonical(conditions, new Set());
  return sortedFields(conditions, (wanted) => {
    const words = (isList(wanted) ? wanted : [wanted]).map((one) => {
      if (isJsonObject(one)) return JSON.stringify(canonical(one, new Set()));
      return typeof one === 'string' && isExpression(one) ? canonicalText(one) : canonicalWord(textOf(one));
    });
    return [...new Set(words)].sort();
  });
}

/** Words are compared without case, spaces and punctuation. A word of nothing but punctuation is compared as written. */
export function canonicalWord(word: string): string {
  return normaliseWord(word) || word;
}

/** The fields of a map, whose order has no meaning, in the order of their keys. */
export function sortedFields(
  object: JsonObject,
  change: (part: ValueSource, key: string) => JsonValue = (part) => part,
): JsonValue {
  const entries = Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, part]) => [key, change(part, key)]));
}

function byText(a: JsonValue, b: JsonValue): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
