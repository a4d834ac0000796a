/** v1's answers as JSON objects. */
import type { JsonObject, JsonValue } from '../domain/json';

/** The object in an answer's text, or `undefined` for anything else: cut-off JSON, a page, a list, a bare word. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    // A byte-order mark is no part of JSON (RFC 8259 section 8.1), and a saved PHP file puts one in front of every answer.
    const value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text) as JsonValue;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
