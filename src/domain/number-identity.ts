/**
 * The one place that says how a phone, meter or smartcard number is written and when two spellings are the same number
 * (decision 0044). For a phone, the country code, blanks and punctuation do not count, nor does a lost leading zero of a mobile
 * number. For an identifier (a meter or smartcard number), letters and digits count; their case does not, nor do blanks,
 * dashes and the leading zeros of digits alone, which a number type loses.
 */

export type NumberKind = 'phone' | 'identifier';

/** A number that a request buys something for. */
export interface ServedNumber {
  readonly kind: NumberKind;
  readonly text: string;
}

/**
 * `0803 000 0001`, `+234-803…`, `234803…`, `803…` (a zero lost to a number type) → `08030000001`, or `undefined`.
 * Real scripts send all of these; v1 takes only the last form.
 */
export function parsePhone(text: string): string | undefined {
  const digits = text
    .trim()
    .replace(/^\+/, '')
    .replace(/[\s\-().]/g, '');
  // Only a mobile number has lost its zero: `2348030000` is a country code with digits missing, not 0234….
  const national = digits.replace(/^(?:00)?234(?=0?\d{10}$)/, '').replace(/^(?=[789]\d{9}$)/, '0');
  return /^0\d{10}$/.test(national) ? national : undefined;
}

/** A meter or smartcard number as v1 is sent it: letters and digits with their case and zeros, or `undefined`. */
export function parseIdentifier(text: string): string | undefined {
  const identifier = text.replace(/[\s-]/g, '');
  return /^[0-9A-Za-z]{1,40}$/.test(identifier) ? identifier : undefined;
}

export function isSameNumber(kind: NumberKind, one: string, other: string): boolean {
  return identityOf(kind, one) === identityOf(kind, other);
}

/** One text for all spellings of a number. */
export function identityOf(kind: NumberKind, text: string): string {
  if (kind === 'phone') return parsePhone(text) ?? text;
  const identifier = (parseIdentifier(text) ?? text).toLowerCase();
  return /^\d+$/.test(identifier) ? identifier.replace(/^0+(?=\d)/, '') : identifier;
}

/** A phone is served itself, and not passed on beside a meter or smartcard. */
export function isPhoneServed(served: readonly ServedNumber[]): boolean {
  return served.length > 0 && served.every(({ kind }) => kind === 'phone');
}

/** `unclear` proves neither: a number that is masked or cut, no number at all, or the customer's phone in place of a meter. */
export type NumberMatch = 'same' | 'other' | 'unclear';

/** Holds a number that v1's records show against those that were served: all that one order was sent with. */
export function compareNumber(shown: string, served: readonly ServedNumber[]): NumberMatch {
  if (served.some(({ kind, text }) => isSameNumber(kind, text, shown))) return 'same';
  const phone = parsePhone(shown);
  if (isPhoneServed(served)) return phone === undefined ? 'unclear' : 'other';
  // A meter may have eleven digits and a leading zero as well: only what looks like a mobile number may be the customer's phone.
  if (phone !== undefined && /^0[789]/.test(phone)) return 'unclear';
  const isMasked = parseIdentifier(shown) === undefined || MASK.test(shown);
  const isPiece = served.some(({ text }) => isPieceOf(identityOf('identifier', shown), identityOf('identifier', text)));
  return served.length === 0 || isMasked || isPiece ? 'unclear' : 'other';
}

/** Beside signs that are no letter or digit, records use this letter for what they hide. */
const MASK = /x/i;

/** The shortest piece of a number that is taken for a piece of it, and not for a short number. */
const PIECE_MIN = 4;

/** What a cut leaves of a number: its beginning or its end. */
function isPieceOf(shown: string, whole: string): boolean {
  return shown.length >= PIECE_MIN && (whole.startsWith(shown) || whole.endsWith(shown));
}
