/** The types of JSON values. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/**
 * A JSON number that a double cannot hold exactly (an integer beyond 2^53, or a number whose text would change). It is kept as text.
 * A field that needs it is refused by name: rounding could turn it into another customer's meter number.
 */
export class InexactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value as text: a text unchanged, any other value as JSON. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for a list; `Array.isArray` would make its items `any`. */
export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
