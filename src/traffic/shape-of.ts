/**
 * Converts a request into its shape: the names, places and kinds of its fields. No value leaves this file. Names, addresses and
 * words are kept where they are text of a program; everything that may be a key, a number or a person's name is replaced by
 * `:value`.
 */
import { parseNaira } from '../domain/amount';
import { InexactNumber } from '../domain/json';
import type { LegacyFields, LegacyHeaders, LegacyRequest, LegacyValue } from '../domain/legacy';
import { parsePhone } from '../domain/number-identity';
import { digitsIn, isInCredentials, keepName, mayBeKey } from '../domain/shown-words';
import { FIELD_KINDS, NOT_KEPT, type AuthShape, type FieldKind, type FieldShape, type RequestShape } from '../domain/traffic';
import { parseText } from '../mapping/input-transforms';
import type { Mapping, Operation } from '../mapping/mapping';
import { normaliseWord, sameWord } from '../mapping/table';
import { trimSlash } from '../domain/decode-path';

/** The parts of a mapping that shapes of one operation need, collected once. */
interface Facts {
  /** By name: fields that the operation reads or ignores, and fields with a signal of a format. */
  readonly names: ReadonlyMap<string, Named>;
  /** Addresses without a parameter. */
  readonly literals: ReadonlySet<string>;
  /** Addresses with parameters, as segments, the longest first. */
  readonly patterns: readonly (readonly string[])[];
}

interface Named {
  /** One character that replaces the name in signatures; only for names of the operation. */
  readonly code?: string;
  /** Words of signals with this field. */
  readonly words?: readonly string[];
}

const KIND_CODES = Object.fromEntries(FIELD_KINDS.map((kind, index) => [kind, String.fromCharCode(97 + index)])) as Readonly<
  Record<FieldKind, string>
>;
/** Beyond all characters in names of fields. */
const FIRST_CODE = 0x4e00;

const FIELDS_MAX = 40;
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS']);

const kept = new WeakMap<Mapping, Map<string, Facts>>();

export function shapeOf(request: LegacyRequest, operation: Operation, mapping: Mapping): RequestShape {
  const facts = factsOf(operation, mapping);
  const fields: FieldShape[] = [];
  collect(request.body, 'body', fields, request, facts);
  collect(request.query, 'query', fields, request, facts);
  return {
    method: shownMethod(request.method),
    path: shownPath(request, operation, mapping, facts),
    auth: authShapeOf(request.headers),
    fields: bounded(fields, operation),
  };
}

/**
 * A short text that depends on the shape only. Equal signatures mean equal shapes, and a signature costs a fraction of the shape,
 * which is then not built again for a request like an earlier one. Equal shapes may have several signatures, by the order of their
 * fields.
 */
export function signatureOf(request: LegacyRequest, operation: Operation, mapping: Mapping): string {
  const facts = factsOf(operation, mapping);
  const path = shownPath(request, operation, mapping, facts);
  let signature = `${operation.name} ${shownMethod(request.method)} ${path} ${authShapeOf(request.headers)} `;
  signature += signFields(request.body, request.headers, facts);
  return request.query.size === 0 ? signature : `${signature}?${signFields(request.query, request.headers, facts)}`;
}

function signFields(source: LegacyFields, headers: LegacyHeaders, { names }: Facts): string {
  let signature = '';
  for (const [sent, value] of source) {
    const named = names.get(sent);
    signature += named?.code ?? `\n${keepName(sent, headers)}\n`;
    signature += KIND_CODES[fieldKindOf(value)];
    const word = signalWord(value, named);
    if (word !== undefined) signature += `\n${word}\n`;
  }
  return signature;
}

/** The method if it is a usual one, otherwise `OTHER`. */
export function shownMethod(method: string): string {
  return METHODS.has(method) ? method : 'OTHER';
}

function collect(
  source: LegacyFields,
  place: FieldShape['place'],
  into: FieldShape[],
  { headers }: LegacyRequest,
  { names }: Facts,
): void {
  for (const [sent, value] of source) {
    const named = names.get(sent);
    const name = named?.code === undefined ? keepName(sent, headers) : sent;
    const kind = fieldKindOf(value);
    const word = signalWord(value, named);
    into.push(word === undefined ? { name, place, kind } : { name, place, kind, word });
  }
}

/** The word of a signal that the value matches, in the mapping's spelling. */
function signalWord(value: LegacyValue, named: Named | undefined): string | undefined {
  if (named?.words === undefined) return undefined;
  const text = parseText(value);
  return text === undefined ? undefined : named.words.find((word) => sameWord(word, text));
}

/** The fields sorted by name, equal ones once. If there are too many, known fields are kept first, because a replay needs them. */
function bounded(fields: FieldShape[], operation: Operation): readonly FieldShape[] {
  const kept =
    fields.length <= FIELDS_MAX
      ? fields
      : [
          ...fields.filter(({ name }) => operation.known.has(name)),
          ...fields.filter(({ name }) => !operation.known.has(name)),
        ].slice(0, FIELDS_MAX);
  kept.sort(byName);
  return kept.filter((field, index) => index === 0 || byName(kept[index - 1]!, field) !== 0);
}

function byName(a: FieldShape, b: FieldShape): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  if (a.place !== b.place) return a.place < b.place ? -1 : 1;
  return a.kind === b.kind ? 0 : a.kind < b.kind ? -1 : 1;
}

function shownPath({ path, headers }: LegacyRequest, operation: Operation, mapping: Mapping, facts: Facts): string {
  const { literals, patterns } = facts;
  if (literals.has(path)) return path;
  const trimmed = trimSlash(path);
  if (literals.has(trimmed)) return path;
  const slash = path.length > trimmed.length ? '/' : '';
  const [, first = '', rest = ''] = /^\/([^/]+)(\/.*)$/.exec(trimmed) ?? [];
  const [pin, plain] = mapping.formats.has(first) ? [`/${first}`, rest] : ['', trimmed];
  if (literals.has(plain)) return path;
  const segments = plain.split('/');
  // Everything below the address of an order status is the order's id.
  const hasLength = ({ length }: readonly string[]) =>
    operation.kind === 'status' ? segments.length >= length : segments.length === length;
  const pattern = patterns.find((one) => hasLength(one) && begins(one, segments));
  // Without a pattern, the mapping was replaced during the request and no longer has the route of this address.
  return pattern === undefined ? keepAddress(path, headers) : `${pin}${pattern.join('/')}${slash}`;
}

function begins(pattern: readonly string[], segments: readonly string[]): boolean {
  return pattern.every((part, index) => part.startsWith(':') || part === segments[index]);
}

function authShapeOf({ authorization, token }: LegacyHeaders): AuthShape {
  const text = authorization?.trim() ?? '';
  if (text === '') return token === undefined || token.trim() === '' ? 'none' : 'token_header';
  const scheme = /^(basic|bearer)\b/i.exec(text)?.[1]?.toLowerCase();
  // A key without any scheme is read as a token.
  return scheme === 'basic' || scheme === 'bearer' ? scheme : 'token';
}

function factsOf(operation: Operation, mapping: Mapping): Facts {
  let ofMapping = kept.get(mapping);
  if (ofMapping === undefined) kept.set(mapping, (ofMapping = new Map<string, Facts>()));
  let facts = ofMapping.get(operation.name);
  if (facts === undefined) ofMapping.set(operation.name, (facts = readFacts(operation, mapping)));
  return facts;
}

function readFacts({ name, known }: Operation, mapping: Mapping): Facts {
  const names = new Map<string, Named>();
  for (const spelling of known) names.set(spelling, { code: String.fromCharCode(FIRST_CODE + names.size) });
  for (const { signals } of mapping.formats.values())
    for (const { fieldIs } of signals)
      if (fieldIs !== undefined) {
        const named = names.get(fieldIs.field);
        names.set(fieldIs.field, { ...named, words: [...(named?.words ?? []), ...fieldIs.words] });
      }
  const paths = mapping.routes.filter(({ operation }) => operation === name).map(({ path }) => path);
  const [patterns, literals] = [paths.filter((path) => path.includes('/:')), paths.filter((path) => !path.includes('/:'))];
  return {
    names,
    // An address is the same with and without a final slash.
    literals: new Set(literals.flatMap((path) => [path, `${path}/`])),
    patterns: patterns.map((path) => path.split('/')).sort((one, other) => other.length - one.length),
  };
}

const FLAG = /^(?:true|false|on|off|yes|no)$/i;
const PLAIN = /^[A-Za-z0-9 _.-]*$/;
/** A longer text is no phone number and no amount, even with spaces, and is not examined. */
const SHORT_MAX = 40;
const PLAIN_DIGITS_MAX = 3;
const PHONE_LENGTH_MIN = 10;
const PHONE_DIGITS = 11;

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
  // The form that v1 takes and that nearly every script sends.
  if (digits === PHONE_DIGITS && length === PHONE_DIGITS && text.startsWith('0')) return 'phone';
  if (letters === 0 && digits >= PHONE_LENGTH_MIN && parsePhone(text) !== undefined) return 'phone';
  if (digits === length) return 'digits';
  if (letters === length) return length <= 5 && FLAG.test(text) ? 'flag' : 'word';
  if (digits > 0 && parseNaira(text) !== undefined) return 'amount';
  return letters > 0 && digits <= PLAIN_DIGITS_MAX && PLAIN.test(text) ? 'word' : 'text';
}

/** A segment of an address as programs spell it: `buy-data`, `v2`, `topup.php`, `buyData`, `BuyData`. */
const SEGMENT = /^(?=.{1,24}$)(?:[a-z]|[A-Z][a-z]{2})[a-z0-9_.-]*(?:[A-Z][a-z]{2,})*[a-z0-9_.-]*$/;
const SEGMENT_DIGITS_MAX = 2;
const SEGMENTS_MAX = 8;
/** The characters of a word; a text with other characters is not kept. */
const WORD = /^[A-Za-z0-9 ._+&()-]{1,40}$/;
/** One part of a word: `mtn`, `MTN`, `Glo`, `DStv`, `StarTimes`. Other mixtures of capitals may be a part of a key. */
const STRETCH = /^(?:[a-z]*|[A-Z]+|[A-Z]{2,3}[a-z]{2,5}|[a-z]{0,}(?:[A-Z][a-z]{2,})+)$/;
const WORD_LETTERS_MAX = 24;
const WORD_DIGITS_MAX = 2;
const NUMBER = /^\d{1,3}$/;

/** An address without a route, with `:value` in place of each segment that is no plain word. */
export function keepAddress(path: string, headers: LegacyHeaders): string {
  const segments = path.split('/');
  const kept = segments
    .slice(0, SEGMENTS_MAX + 1)
    .map((segment) => (segment === '' || (isPlain(segment) && !isInCredentials(segment, headers)) ? segment : NOT_KEPT));
  return `${kept.join('/')}${segments.length > kept.length ? `/${NOT_KEPT}` : ''}`;
}

function isPlain(segment: string): boolean {
  return SEGMENT.test(segment) && digitsIn(segment) <= SEGMENT_DIGITS_MAX && !mayBeKey(segment);
}

/** The value as a word in the form in which tables compare words, as a number of at most three digits, or as `:value`. */
export function keepWord(raw: LegacyValue, headers: LegacyHeaders): string {
  const text = typeof raw === 'number' ? String(raw) : typeof raw === 'string' ? raw.trim() : '';
  if (NUMBER.test(text)) return String(Number(text));
  const word = normaliseWord(text);
  const isWord =
    WORD.test(text) &&
    text.split(/[^A-Za-z]+/).every((part) => STRETCH.test(part)) &&
    /[a-z]/.test(word) &&
    word.length <= WORD_LETTERS_MAX &&
    digitsIn(word) <= WORD_DIGITS_MAX;
  return isWord && !mayBeKey(text) && !isInCredentials(text, headers) ? word : NOT_KEPT;
}
