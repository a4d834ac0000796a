/** Fields from JSON text. Broken JSON is refused with its place, so that whoever glued it by hand finds the missing comma. */
import { parse } from 'lossless-json';
import { GatewayError } from '../../domain/errors';
import { InexactNumber } from '../../domain/json';
import type { LegacyFields, LegacyValue } from '../../domain/legacy';
import { NO_FIELDS, assertFieldText } from './field-rules';
import { isExactNumber, scanJson } from './json-scan';
import type { BodyLimits } from '../http-limits';

/** Scripts glue JSON together from form values (facts, section 2.2): these are the mistakes that come of it. */
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
  for (const [name, field] of fields) assertTexts(name, field);
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

/** The messages of JSON.parse differ between Node versions and quote the body; lossless-json always tells the position. */
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
    // A RangeError here is nesting beyond the stack: broken JSON all the same.
    return error instanceof Error ? error.message : '';
  }
}

function placeOf(text: string, position: number): string {
  const before = text.slice(0, position).split(/\r\n|\r|\n/);
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
