/** Fields from JSON text. The refusal of broken JSON names the place, so that the author of a script finds the missing comma. */
import { compareNumber, parse } from 'lossless-json';
import { GatewayError } from '../../domain/errors';
import { InexactNumber } from '../../domain/json';
import type { LegacyFields, LegacyValue } from '../../domain/legacy';
import type { BodyLimits } from '../http-limits';
import { assertDepth, assertFieldCount, assertFieldName, assertFieldText, NO_FIELDS, repeatedField } from './field-rules';

/** The usual mistakes of scripts that build JSON by joining texts (facts, section 2.2), by the beginning of lossless-json's message. */
const REASONS: readonly (readonly [start: string, reason: string])[] = [
  ['Comma', 'a comma is missing before this place'],
  ['Colon', 'a colon is missing after the name'],
  ['End of string', 'a text has no closing quote'],
  ['Invalid character', 'a line break or another control character stands inside a text'],
  ['Invalid escape', 'a backslash is followed by a character that cannot be escaped'],
  ['Invalid unicode', 'four hexadecimal digits are missing after \\u'],
  ['Invalid number', 'a number is not complete'],
  ['Quoted object key or end', 'the object has no end'],
  ['Quoted object key', 'a name in double quotes is missing'],
  ['Object value', 'the value is missing'],
  ['Array item or end', 'the list has no end'],
  ['Array item', 'a list item is missing'],
  ['JSON value', 'a value is missing'],
  ['Expected end', 'there is more text after the end of the JSON'],
];

/** `null` and `[]` are how PHP and axios send "no fields" (facts, section 2.2). Any other JSON than an object is refused. */
export function readJsonFields(text: string, limits: BodyLimits): LegacyFields {
  const value = parseExactly(text, limits);
  if (value === null || (Array.isArray(value) && value.length === 0)) return NO_FIELDS;
  if (typeof value !== 'object' || Array.isArray(value) || value instanceof InexactNumber) {
    throw new GatewayError('unreadable_body', 'The JSON body is not an object with fields.');
  }
  const fields = new Map<string, LegacyValue>(Object.entries(value));
  // UTF-8 has no lone surrogates and JSON no unescaped NUL. Only an escape can make either.
  if (text.includes('\\')) for (const [name, field] of fields) assertTexts(name, field);
  return fields;
}

function parseExactly(text: string, limits: BodyLimits): LegacyValue {
  let value: LegacyValue;
  try {
    value = JSON.parse(text) as LegacyValue;
  } catch (cause) {
    throw brokenJson(text, cause);
  }
  if (!scanJson(text, limits).hasInexactNumber) return value;
  return parse(text, undefined, (number) => (isExactNumber(number) ? Number(number) : new InexactNumber(number))) as LegacyValue;
}

function assertTexts(name: string, value: LegacyValue): void {
  if (typeof value === 'string') assertFieldText(name, value);
  else if (typeof value === 'object' && value !== null && !(value instanceof InexactNumber)) {
    for (const item of Object.values(value) as LegacyValue[]) assertTexts(name, item);
  }
}

/** Messages of JSON.parse differ between Node versions and quote the body. Those of lossless-json always have the position. */
function brokenJson(text: string, cause: unknown): GatewayError {
  const found = /^(.*) at position (\d+)$/s.exec(positionedMessage(text));
  if (found === null) return new GatewayError('unreadable_body', 'The JSON body is broken.', { cause });
  const [, message = '', position = '0'] = found;
  const reason = REASONS.find(([start]) => message.startsWith(start))?.[1] ?? 'this is no JSON';
  return new GatewayError('unreadable_body', `The JSON body is broken at ${placeOf(text, Number(position))}: ${reason}.`);
}

function positionedMessage(text: string): string {
  try {
    parse(text);
    return '';
  } catch (error) {
    // A RangeError here means nesting too deep for the stack. The refusal is that of broken JSON.
    return error instanceof Error ? error.message : '';
  }
}

function placeOf(text: string, position: number): string {
  const before = text.slice(0, position).split(/\r\n|\r|\n/);
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const DIGIT_ZERO = 0x30;
const DIGIT_NINE = 0x39;
const COLON = 0x3a;

/**
 * Scans JSON text that JSON.parse has already accepted, for two things that JSON.parse loses: repeated names (it keeps the
 * last one) and numbers that a double rounds. Native parsing plus this scan is several times faster than a parser written
 * in JavaScript. Throws a GatewayError for a repeated or forbidden name, too many names, or too deep nesting.
 */
export function scanJson(
  text: string,
  limits: Pick<BodyLimits, 'fieldsMax' | 'depthMax'>,
): { readonly hasInexactNumber: boolean } {
  const names: (Set<string> | undefined)[] = [];
  let hasInexactNumber = false;
  let count = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (isName(text, end)) {
        addName(names[names.length - 1], text.slice(at, end));
        assertFieldCount(++count, limits.fieldsMax);
      }
      at = end;
    } else if (code === MINUS || (code >= DIGIT_ZERO && code <= DIGIT_NINE)) {
      const end = endOfNumber(text, at);
      hasInexactNumber ||= !isExactNumber(text.slice(at, end));
      at = end;
    } else {
      if (code === 0x7b /* { */ || code === 0x5b /* [ */) {
        assertDepth(names.push(code === 0x7b ? new Set() : undefined), limits.depthMax);
      } else if (code === 0x7d /* } */ || code === 0x5d /* ] */) names.pop();
      at++;
    }
  }
  return { hasInexactNumber };
}

/**
 * True when a double keeps the number exactly: the shortest text of the double has the same decimal value. An integer
 * beyond 2^53 never counts as exact, even a multiple of a power of two: its neighbours give the same double.
 */
export function isExactNumber(text: string): boolean {
  // At most fifteen digits: a double keeps them (IEEE 754), unless an exponent makes the number too large or too small.
  if (text.length <= 15 && !/[eE]/.test(text)) return true;
  const value = Number(text);
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) return false;
  return compareNumber(text, String(value)) === 0;
}

function addName(names: Set<string> | undefined, quoted: string): void {
  // An escaped name ("\u005f_proto__") is compared and judged in its decoded form.
  const name = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  assertFieldName(name);
  if (names === undefined) return;
  if (names.has(name)) throw repeatedField(name);
  names.add(name);
}

function isName(text: string, afterString: number): boolean {
  let at = afterString;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++;
  return text.charCodeAt(at) === COLON;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    at += code === BACKSLASH ? 2 : 1;
  }
  return at;
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && /[\d.eE+-]/.test(text.charAt(at))) at++;
  return at;
}
