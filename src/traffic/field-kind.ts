/** What a value looks like, and nothing else of it. On the path of every request, so most texts are told in one look. */
import { parseNaira } from '../domain/amount';
import { InexactNumber } from '../domain/json';
import type { LegacyValue } from '../domain/legacy';
import { parsePhone } from '../domain/number-identity';
import type { FieldKind } from '../domain/traffic';

const FLAG = /^(?:true|false|on|off|yes|no)$/i;
const WORD = /^[A-Za-z0-9 _.-]*$/;
/** Longer than any phone number or amount with its spaces: not worth a closer look. */
const SHORT_MAX = 40;
const WORD_DIGITS_MAX = 3;
const PHONE_LENGTH_MIN = 10;

export function fieldKindOf(value: LegacyValue): FieldKind {
  if (typeof value === 'string') return kindOfText(value);
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'decimal';
  if (typeof value === 'boolean') return 'flag';
  if (value === null) return 'null';
  if (value instanceof InexactNumber) return /^-?\d+$/.test(value.text) ? 'integer' : 'decimal';
  return Array.isArray(value) ? 'list' : 'object';
}

function kindOfText(raw: string): FieldKind {
  const text = raw.trim();
  const { length } = text;
  if (length === 0) return 'empty';
  if (length > SHORT_MAX) return 'text';
  let digits = 0;
  let letters = 0;
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 48 && code <= 57) digits += 1;
    else if ((code >= 65 && code <= 90) || (code >= 97 && code <= 122)) letters += 1;
  }
  if (letters === 0 && digits >= PHONE_LENGTH_MIN && parsePhone(text) !== undefined) return 'phone';
  if (digits === length) return 'digits';
  if (letters === length) return length <= 5 && FLAG.test(text) ? 'flag' : 'word';
  if (digits > 0 && parseNaira(text) !== undefined) return 'amount';
  return letters > 0 && digits <= WORD_DIGITS_MAX && WORD.test(text) ? 'word' : 'text';
}
