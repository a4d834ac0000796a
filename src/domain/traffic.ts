/**
 * What may be remembered of traffic: the shapes of requests, never their values. A shape says which fields came, where
 * and of what kind; that is enough to see what no mapping expects, and to replay a request through another mapping.
 */

/**
 * What a value looks like. `integer` and `decimal` are JSON numbers; `digits`, `phone` (a Nigerian mobile number in any of
 * its spellings), `amount` (a number written as text, with its commas, point or naira sign) and `word` (letters, at most with
 * a few digits) are texts; `text` is any other text.
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
  /** Set only where a format's signal names this very word (`plan_type: VTU`): a word of the mapping, not of a customer. */
  readonly word?: string;
}

/** How the key came. */
export type AuthShape = 'none' | 'basic' | 'token' | 'bearer' | 'token_header';

export interface RequestShape {
  readonly method: string;
  /** The address, with `:name` for each value in it; a prefix that pins a format and the trailing slash stay as sent. */
  readonly path: string;
  readonly auth: AuthShape;
  /** By name, so that equal requests have equal shapes whatever order their fields came in. */
  readonly fields: readonly FieldShape[];
}

/** A shape that was seen, and what became of its requests. */
export interface SeenShape {
  readonly shape: RequestShape;
  readonly operation: string;
  /** Undefined when the request was refused before its format was known. */
  readonly format: string | undefined;
  /** The family that its requests prove, or that the key is of; absent where there is none. */
  readonly family?: string;
  /** The fingerprint of the key; undefined for a request without one. */
  readonly caller: string | undefined;
  readonly count: number;
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
  /** How many were refused, by code. */
  readonly refusals: Readonly<Record<string, number>>;
}

/** Stands for a value that is not kept: a part of an address, a word or a name that might be somebody's. */
export const NOT_KEPT = ':value';

/**
 * A word that a field was sent and that its table does not have, in the form in which tables compare words; `:value` for
 * what may be more than a word.
 */
export interface UnlistedWord {
  readonly operation: string;
  /** The canonical field, and the script's spelling of it. */
  readonly field: string;
  readonly spelling: string;
  readonly table: string;
  readonly format: string | undefined;
  readonly word: string;
  readonly count: number;
  readonly lastSeenMs: number;
}

/** An address that nothing is served at; whatever in it may be a value is `:value`. */
export interface UnknownAddress {
  readonly method: string;
  readonly path: string;
  readonly count: number;
  readonly lastSeenMs: number;
}

/** A word of a table that came: one of the mapping's own, in the form in which tables compare words. */
export interface UsedWord {
  readonly table: string;
  readonly word: string;
  readonly count: number;
  readonly lastSeenMs: number;
}

export interface Traffic {
  /** Since when it has been remembered. */
  readonly sinceMs: number;
  /** Most seen first. */
  readonly shapes: readonly SeenShape[];
  readonly unlistedWords: readonly UnlistedWord[];
  readonly unknownAddresses: readonly UnknownAddress[];
  readonly usedWords: readonly UsedWord[];
  /** Requests that were not remembered because there was no more room. */
  readonly forgotten: number;
}
