/**
 * Makes texts of requests safe for logs, metric labels and remembered traffic. Names of fields and addresses come from programs
 * and help an operator, so they are shown. A text that looks like a number, a key or an e-mail address is replaced by `:value`.
 */
import { decodePath } from './decode-path';
import type { LegacyHeaders } from './legacy';
import { NOT_KEPT } from './traffic';

const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,39}$/;
/** Wider than a name: addresses such as `/.env` and `/2fa` show an operator that somebody searches for weaknesses. */
const SEGMENT = /^\.?[A-Za-z0-9_~][A-Za-z0-9_.~-]{0,39}$/;
/** How many digits a plain text has at most, in all: a phone number may have separators between its digits. */
const DIGITS_MAX = 3;
const PATH_MAX = 200;

/** The name of a field, or `:value` where a broken script may have sent a value in its place. */
export function keepName(name: string, headers: LegacyHeaders = {}): string {
  return NAME.test(name) && isPlain(name) && !isInCredentials(name, headers) ? name : NOT_KEPT;
}

/** An address, decoded or not, with `:value` for each segment that is not plain. */
export function showPath(path: string, headers: LegacyHeaders = {}): string {
  const show = (segment: string): string =>
    segment === '' || (SEGMENT.test(segment) && isPlain(segment) && !isInCredentials(segment, headers)) ? segment : NOT_KEPT;
  const shown = path.slice(0, PATH_MAX).split('/').map(show).join('/');
  return path.length > PATH_MAX ? `${shown}…` : shown;
}

/** Results of `isPlain` by text: scripts send the same names each time. */
const judged = new Map<string, boolean>();
const JUDGED_MAX = 2_000;

function isPlain(text: string): boolean {
  const known = judged.get(text);
  if (known !== undefined) return known;
  const isOne = digitsIn(text) <= DIGITS_MAX && !mayBeKey(text);
  if (judged.size >= JUDGED_MAX) judged.clear();
  judged.set(text, isOne);
  return isOne;
}

const NOT_PLAIN_ASCII = /[^\x20-\x7e]/;
const UNSHOWN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Text that is safe on a terminal: invisible characters (control characters, direction marks, zero widths, line separators,
 * half surrogate pairs) are written as `\u` and four hex digits. Characters in `keeps` stay.
 */
export function escapeText(text: string, keeps = ''): string {
  if (!NOT_PLAIN_ASCII.test(text)) return text;
  return text.replace(UNSHOWN, (character) => (keeps.includes(character) ? character : escaped(character)));
}

function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

const DATE = /^20\d\d-\d\d-\d\d(?: \d\d:\d\d)?$/;
/** A date or time as the gateway writes it, or at least seven digits with any separators. */
const NUMBER = /20\d\d-\d\d-\d\d(?: \d\d:\d\d)?\b|\+?\p{Nd}(?:[\s.()/-]{0,2}\p{Nd}){6,}/gu;
const MAIL = /[^\s"'<>]+@[^\s"'<>]+/g;
/** A quick test: nearly every sentence of the gateway does not match, and needs no masking. */
const DOUBTFUL = /[^\x20-\x7e]|@|\d\D{0,2}\d\D{0,2}\d/;

/** A sentence of the gateway that may repeat parts of a request, without numbers and e-mail addresses. */
export function showText(text: string): string {
  if (!DOUBTFUL.test(text)) return text;
  const withoutNumbers = text.replace(NUMBER, (number) => (DATE.test(number) ? number : NOT_KEPT));
  return escapeText(withoutNumbers.replace(MAIL, NOT_KEPT));
}

/**
 * A Nigerian mobile number in any spelling: alone, between separators, or joined with a time. Digits that are only a date
 * (`0815143000…`) and longer numbers do not match.
 */
const PHONE = new RegExp(
  String.raw`(?<=^|\D|20\d{6}|20\d{12}|1[6-9]\d{8}|1[6-9]\d{11})` +
    String.raw`(?:(?:(?:00|\+)?234[-. ]?0?|0)[-. ]?[789][-. ]?[01]|[789][01])(?:[-. ()]{0,2}\d){8}(?=$|\D|1[6-9]\d{8}|20\d{6})`,
);

const PHONE_DIGITS_MIN = 10;
/** A quick test that every phone number passes. It takes a tenth of the time of `PHONE`, which also finds where the number begins. */
const NEARLY_PHONE = /[789][-. ]?[01](?:[-. ()]{0,2}\d){8}/;

/** Whether a request id contains a phone number or an e-mail address. Meter numbers cannot be distinguished from numbers of orders. */
export function identifiesPerson(id: string): boolean {
  const plain = NOT_PLAIN_ASCII.test(id) || id.includes('%') ? decodePath(id).normalize('NFKC') : id;
  if (digitsIn(plain) < PHONE_DIGITS_MIN && !plain.includes('@')) return false;
  return (NEARLY_PHONE.test(plain) && PHONE.test(plain)) || /[^\s@]@[^\s@]+\./.test(plain);
}

/** Shorter texts occur in many words, so they must be equal to a credential and not only part of one. */
const PART_LENGTH_MIN = 6;

/** True when the text is a credential of the request (key, PIN, token) or a part of one. */
export function isInCredentials(text: string, headers: LegacyHeaders): boolean {
  if (headers.authorization === undefined && headers.token === undefined) return false;
  const wanted = text.toLowerCase();
  return credentialParts(headers).some((part) => part === wanted || (wanted.length >= PART_LENGTH_MIN && part.includes(wanted)));
}

/** The length of the shortest PINs. */
const KEY_PART_MIN = 4;

/** Masks credentials: a refusal may repeat the address or the value of a field, and either may have the script's key or PIN. */
export function withoutKeys(text: string, headers: LegacyHeaders): string {
  const isKey = (word: string): boolean => word.length >= KEY_PART_MIN && (isInCredentials(word, headers) || mayBeKey(word));
  const show = (word: string): string => (isKey(word.replace(/[.]+$/, '')) ? NOT_KEPT : word);
  // The whole word first: a key may have a slash too. What is joined to a key may be its PIN.
  const shown = text.replace(/[\w.+/=-]+/g, (word) => (show(word) === word ? word.split('/').map(show).join('/') : NOT_KEPT));
  const withoutPins = shown.replace(/(?<=:value)(?::|%3A)\d{4,6}\b/gi, '');
  // A PIN may also stand beside letters.
  const pins = credentialParts(headers).filter((part) => /^\d{4,6}$/.test(part));
  return pins.reduce((rest, pin) => rest.replace(new RegExp(`(?<!\\d)${pin}(?!\\d)`, 'g'), NOT_KEPT), withoutPins);
}

/** The words before a key that are no part of it: "Invalid token" is no secret. */
const SCHEMES: ReadonlySet<string> = new Set(['token', 'bearer', 'basic']);

/** The parts by headers: one request has many names to check. */
const partsOf = new WeakMap<LegacyHeaders, readonly string[]>();

function credentialParts(headers: LegacyHeaders): readonly string[] {
  const known = partsOf.get(headers);
  if (known !== undefined) return known;
  const { authorization = '', token = '' } = headers;
  const encoded = /^\s*basic[\s:]+(\S+)/i.exec(authorization)?.[1];
  const decoded = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('latin1');
  const sent = [authorization, token, decoded].flatMap((text) => text.toLowerCase().split(/[\s:]+/));
  const parts = sent.filter((part) => part !== '' && !SCHEMES.has(part));
  partsOf.set(headers, parts);
  return parts;
}

/** True for keys as v1 writes them, for texts that `check` masks in files, and for random letters. */
export function mayBeKey(text: string): boolean {
  return /(?:^|_)live_|sandbox_|_test_|[0-9a-f]{12}/i.test(text) || findSecrets(text).length > 0 || looksRandom(text);
}

const RANDOM_LENGTH_MIN = 8;
const RUN_TOO_LONG = /[A-Za-z]{25}/;
/** The fewest letters per stretch of capital or lower-case letters, on average: `customerPhoneNo` has five. */
const STRETCH_MIN = 3;
const VOWELS_MIN = 0.18;

/** A heuristic for random letters: many changes of case, digits in between, few vowels, or very long runs. */
function looksRandom(text: string): boolean {
  const letters = text.replace(/[^A-Za-z]/g, '');
  if (letters.length < RANDOM_LENGTH_MIN) return false;
  const stretches = text.match(/[A-Z]?[a-z]+|[A-Z]+/g)?.length ?? 1;
  const vowels = text.match(/[aeiouy]/gi)?.length ?? 0;
  return (
    letters.length < stretches * STRETCH_MIN ||
    vowels < letters.length * VOWELS_MIN ||
    /[bcdfghjklmnpqrstvwxz]{7}/i.test(text) ||
    RUN_TOO_LONG.test(text) ||
    (/[A-Za-z]\d+[A-Za-z]/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text))
  );
}

export function digitsIn(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 48 && code <= 57) count += 1;
  }
  return count;
}

/** What a key, a token or a PIN looks like. Masking a harmless word is better than showing a key. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----/g, 'a private key'],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g, 'a token'],
  [/\b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{8,}/g, 'an API key'],
  [/\b[A-Za-z0-9]+_(?:live|sandbox)_[A-Za-z0-9]{6,}(?::\d{4,6})?/g, 'an API key'],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, 'an access key'],
  [/\bgh[pousr]_[A-Za-z0-9]{20,}/g, 'a token'],
  [/(?<=\b(?:Token|Bearer|Basic):?\s+)(?!\$)(?=[^\s'"]*\d)[A-Za-z0-9+/=._:-]{12,}/gi, 'a key'],
  [/(?<=:\/\/[^\s/:@]{1,80}:)[^\s/:@]+(?=@)/g, 'a password'],
  // A key with its PIN, as scripts send them.
  [/\b[A-Za-z0-9_-]{12,}:\d{4,6}\b/g, 'a key with its PIN'],
  [/(?<=\b(?:pin|transaction_pin|passcode)['"]?\s*[:=]\s*['"]?)\d{4,6}\b/gi, 'a PIN'],
  [
    /(?<=\b(?:password|passwd|secret|api_?key|access_?token|auth_?token|private_?key)['"]?\s*[:=]\s*['"]?)(?!\$)(?=[^\s'",}]*\d)[^\s'",}\]]{6,}/gi,
    'a secret',
  ],
  [/\b(?=[A-Za-z0-9_-]*\d)(?=[A-Za-z0-9_-]*[A-Za-z])[A-Za-z0-9_-]{40,}\b/g, 'a key or token'],
];

interface SecretLiteral {
  /** From 0. */
  readonly index: number;
  readonly length: number;
  readonly what: string;
}

export function findSecrets(line: string): SecretLiteral[] {
  // A quick test: nearly every line has no secret and ends here.
  if (!/\d{4}|_(?:live|test|sandbox)_|PRIVATE KEY|[A-Za-z]\d|\d[A-Za-z]/.test(line)) return [];
  const found: SecretLiteral[] = [];
  for (const [pattern, what] of PATTERNS)
    for (const match of line.matchAll(pattern)) {
      const isKnown = found.some(({ index, length }) => match.index < index + length && index < match.index + match[0].length);
      if (!isKnown) found.push({ index: match.index, length: match[0].length, what });
    }
  return found.sort((a, b) => a.index - b.index);
}

export function maskSecrets(line: string): string {
  let masked = line;
  for (const { index, length } of findSecrets(line))
    masked = `${masked.slice(0, index)}${'*'.repeat(length)}${masked.slice(index + length)}`;
  return masked;
}

/** A cell of a CSV file, quoted as in RFC 4180. A text that a spreadsheet would run as a formula gets an apostrophe, so that it stays a text. */
export function csvCell(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** At most so many characters of a text; a longer one ends in `…`. */
export function shorten(text: string, charactersMax: number): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax - 1)}…` : text;
}

/** `1 case`, `2 cases`. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** The message of an error, or the text of whatever else was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
