/** JSON as values. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/**
 * A JSON number that a double cannot hold exactly (an integer beyond 2^53, or one whose text would change). It is kept
 * as text so that it can be refused by name where it matters, and never rounded into somebody else's meter number.
 */
export class InexactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value as text: a text is itself, everything else is its JSON. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** True for a list; `Array.isArray` would make its items `any`. */
export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
