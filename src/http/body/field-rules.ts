/** The rules for every field, in every encoding. */
import type { LegacyFields } from '../../domain/legacy';
import { GatewayError } from '../../domain/errors';

const NAME_LENGTH_MAX = 128;
const NAME_SHOWN_MAX = 40;

/** Names that would reach the prototype of a JavaScript object if later code copied fields carelessly. */
const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

// Under the u flag \p{Cs} matches only a lone surrogate, which cannot be written as UTF-8.
const UNUSABLE_CHARACTER = /[\0\p{Cs}]/u;

const CONTROL_CHARACTER = /[\u0000-\u001f\u007f\p{Cs}]/u;

export const NO_FIELDS: LegacyFields = new Map();

/** A name as a refusal may show it: short, and without characters that could break a log line. */
export function shownName(name: string): string {
  const clean = name.replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '?');
  return clean.length > NAME_SHOWN_MAX ? `${clean.slice(0, NAME_SHOWN_MAX)}…` : clean;
}

export function assertFieldName(name: string): void {
  if (name.length > NAME_LENGTH_MAX) {
    throw new GatewayError('unreadable_body', `A field name is longer than ${NAME_LENGTH_MAX} characters.`);
  }
  if (FORBIDDEN_NAMES.has(name) || CONTROL_CHARACTER.test(name)) {
    throw new GatewayError('unreadable_body', `A field may not be named "${shownName(name)}".`, { field: shownName(name) });
  }
}

export function assertFieldText(name: string, text: string): void {
  if (UNUSABLE_CHARACTER.test(text)) {
    throw new GatewayError('unreadable_body', `The field "${shownName(name)}" holds a character that is no text.`, {
      field: shownName(name),
    });
  }
}

export function assertFieldCount(count: number, fieldsMax: number): void {
  if (count > fieldsMax) throw new GatewayError('unreadable_body', `More than ${fieldsMax} fields were sent.`);
}

export function assertDepth(depth: number, depthMax: number): void {
  if (depth > depthMax) throw new GatewayError('unreadable_body', `The fields are nested deeper than ${depthMax} levels.`);
}

/** The refusal of a field given twice, also with equal values: the gateway does not guess which one a script meant. */
export function repeatedField(name: string): GatewayError {
  return new GatewayError('repeated_field', `The field "${shownName(name)}" is given twice.`, { field: shownName(name) });
}
