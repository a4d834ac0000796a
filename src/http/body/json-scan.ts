/**
 * A walk over JSON text that JSON.parse has already accepted, for what JSON.parse loses: repeated names (the last one
 * silently wins there) and numbers that a double rounds. Native parsing plus this walk is several times faster than a
 * parser written in JavaScript, and every purchase goes through here.
 */
import { compareNumber } from 'lossless-json';
import { assertDepth, assertFieldCount, assertFieldName, repeatedField } from './field-rules';
import type { BodyLimits } from '../http-limits';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const DIGIT_ZERO = 0x30;
const DIGIT_NINE = 0x39;
const COLON = 0x3a;

/** Throws a GatewayError for a repeated or forbidden name, too many names, or too deep nesting. */
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
 * True when the number survives being a double: its decimal value is the shortest text of the double again. An integer
 * beyond 2^53 never does, even if it happens to be a multiple of a power of two: its neighbours would look the same.
 */
export function isExactNumber(text: string): boolean {
  // Fifteen significant digits always survive (IEEE 754 double), and an exponent needs at least one letter.
  if (text.length <= 15 && !/[eE]/.test(text)) return true;
  const value = Number(text);
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) return false;
  return compareNumber(text, String(value)) === 0;
}

function addName(names: Set<string> | undefined, quoted: string): void {
  // An escaped name ("\u005f_proto__") is compared and judged as what it means.
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
