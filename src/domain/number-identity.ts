/**
 * The only place that decides how a phone, meter or smartcard number is written, and when two spellings are the same number
 * (decision 0044). For a phone, these differences are ignored: country code, blanks, punctuation, and the leading zero of a mobile
 * number, which number types lose. For an identifier (a meter or smartcard number) these are ignored: case, blanks, dashes, and the
 * leading zeros of an identifier of digits only.
 */

/** A phone number as v1 takes it. */
const NATIONAL = /^0\d{10}$/;

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
  if (NATIONAL.test(text)) return text;
  // `0803123456.0` is a number type's text of a number with a digit missing: the zero behind the dot is no digit of the phone.
  if (/^\s*\d+\.\d{1,2}\s*$/.test(text)) return undefined;
  const digits = text
    .trim()
    .replace(/^\+/, '')
    .replace(/[\s\-().]/g, '');
  // The zero is added only to mobile numbers: `2348030000` is a country code with digits missing, not 0234….
  const national = digits.replace(/^(?:00)?234(?=0?\d{10}$)/, '').replace(/^(?=[789]\d{9}$)/, '0');
  return NATIONAL.test(national) ? national : undefined;
}

/** A meter or smartcard number as it is sent to v1: letters and digits, with case and zeros kept; or `undefined`. */
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

/** Whether the purchase is for a phone, and not for a meter or smartcard with a customer's phone beside it. */
export function isPhoneServed(served: readonly ServedNumber[]): boolean {
  return served.length > 0 && served.every(({ kind }) => kind === 'phone');
}

/** `unclear` proves neither: the shown number is masked or shortened, no number, or the customer's phone instead of a meter. */
export type NumberMatch = 'same' | 'other' | 'unclear';

/** Compares a number in a record of v1 with the numbers of one order. */
export function compareNumber(shown: string, served: readonly ServedNumber[]): NumberMatch {
  if (served.some(({ kind, text }) => isSameNumber(kind, text, shown))) return 'same';
  const phone = parsePhone(shown);
  if (isPhoneServed(served)) return phone === undefined ? 'unclear' : 'other';
  // A meter number may also have eleven digits and a leading zero. Only a mobile number is taken for the customer's phone.
  if (phone !== undefined && /^0[789]/.test(phone)) return 'unclear';
  const isMasked = parseIdentifier(shown) === undefined || MASK.test(shown);
  const isPiece = served.some(({ text }) => isPieceOf(identityOf('identifier', shown), identityOf('identifier', text)));
  return served.length === 0 || isMasked || isPiece ? 'unclear' : 'other';
}

/** Records hide digits behind this letter, or behind characters that are neither letters nor digits. */
const MASK = /x/i;

/** A shorter number is not taken for a piece of another number. */
const PIECE_MIN = 4;

/** Whether a shown number is the beginning or the end of the whole number. */
function isPieceOf(shown: string, whole: string): boolean {
  return shown.length >= PIECE_MIN && (whole.startsWith(shown) || whole.endsWith(shown));
}
