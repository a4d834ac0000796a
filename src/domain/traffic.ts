/**
 * The data that is remembered of traffic: the shapes of requests, never their values. A shape has the names, places and kinds of
 * fields. That is enough to find fields that no mapping expects, and to replay a request through another mapping.
 */

/**
 * The kinds of values. `integer` and `decimal` are JSON numbers. `digits`, `phone` (a Nigerian mobile number in any
 * spelling), `amount` (a number as text, with commas, point or naira sign) and `word` (letters, with a few digits at most)
 * are texts. `text` is any other text.
 */
export const FIELD_KINDS = [
  'integer',
  'decimal',
  'digits',
  'phone',
  'amount',
  'word',
  'text',
  'flag',
  'empty',
  'null',
  'list',
  'object',
] as const;
export type FieldKind = (typeof FIELD_KINDS)[number];

export interface FieldShape {
  /** The script's own spelling. */
  readonly name: string;
  readonly place: 'body' | 'query';
  readonly kind: FieldKind;
  /** The value, but only if a signal of a format names this word (`plan_type: VTU`): then it is a word of the mapping, not of a customer. */
  readonly word?: string;
}

/** How the key was sent. */
export type AuthShape = 'none' | 'basic' | 'token' | 'bearer' | 'token_header';

export interface RequestShape {
  readonly method: string;
  /** The address, with `:name` for each value in it. A prefix that pins a format and a trailing slash are kept. */
  readonly path: string;
  readonly auth: AuthShape;
  /** Sorted by name, so that requests with the same fields in another order have the same shape. */
  readonly fields: readonly FieldShape[];
}

/** A shape that was seen, and how its requests ended. */
export interface SeenShape {
  readonly shape: RequestShape;
  readonly operation: string;
  /** Undefined when the request was refused before its format was known. */
  readonly format: string | undefined;
  /** The family that its requests prove or that callers.yaml names for the key; absent without one. */
  readonly family?: string;
  /** The fingerprint of the key; undefined for a request without one. */
  readonly caller: string | undefined;
  readonly count: number;
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
  /** How many were refused, by code. */
  readonly refusals: Readonly<Record<string, number>>;
}

/** Stands for a value that is not kept: a part of an address, a word or a name that might identify a person. */
export const NOT_KEPT = ':value';

/**
 * A word that was sent for a field and is not in the field's table, in the form in which tables compare words. `:value` stands
 * for a text that may be more than a word.
 */
export interface UnlistedWord {
  readonly operation: string;
  /** The canonical field, and the script's spelling of it. */
  readonly field: string;
  readonly spelling: string;
  readonly table: string;
  readonly format: string | undefined;
  /** Of a number: the fingerprint of the key, which may have numbers of its own. */
  readonly caller?: string | undefined;
  readonly word: string;
  readonly count: number;
  readonly lastSeenMs: number;
}

/** An address at which nothing is served. `:value` stands for each part that may be a value. */
export interface UnknownAddress {
  readonly method: string;
  readonly path: string;
  readonly count: number;
  readonly lastSeenMs: number;
}

/** A table entry that requests have used, in the form in which tables compare words. */
export interface UsedWord {
  readonly table: string;
  readonly word: string;
  readonly count: number;
  readonly lastSeenMs: number;
}

export interface Traffic {
  /** Since when traffic has been remembered. */
  readonly sinceMs: number;
  /** The most frequent first. */
  readonly shapes: readonly SeenShape[];
  readonly unlistedWords: readonly UnlistedWord[];
  readonly unknownAddresses: readonly UnknownAddress[];
  readonly usedWords: readonly UsedWord[];
  /** How many requests were not remembered, because there was no more room. */
  readonly forgotten: number;
}
