/** Step 5: the script's fields → an intent in canonical words. Refuses with the script's own name of the field. */
import { kobo, nairaText } from '../../domain/amount';
import { GatewayError } from '../../domain/errors';
import type { JsonObject, JsonValue } from '../../domain/json';
import type { LegacyRequest, LegacyValue } from '../../domain/legacy';
import type { CallerKey, Field, Mapping, Operation, OtherNumbering, RequiredIf } from '../../mapping/mapping';
import { numberIn } from '../../mapping/table';
import { trimSlash } from '../../domain/decode-path';
import { conflictingFields, isEmpty, type RawValue, readRaw, readRequestId, type SentRequestId } from './read-raw';

export interface Intent {
  readonly operation: Operation;
  readonly format: string;
  /** Canonical values by field name; absent fields are not in it. */
  readonly values: JsonObject;
  /** By field: the script's own name of it. */
  readonly spellings: Readonly<Record<string, string>>;
  /** By field: the number as sent, where the caller's own numbers or `numberedBy` gave it its meaning. */
  readonly ownNumbers: Readonly<Record<string, number>>;
  /** The numbering of another server by which the numbering guard read the number of `field`. */
  readonly numberedBy?: OtherNumbering & { readonly field: string };
  /** An absent field, and the values with which v1 is asked one after another. */
  readonly trial?: ValuesToTry;
  readonly requestId: SentRequestId | undefined;
  /** Names of fields that the mapping does not know: counted, never used. */
  readonly unknownFields: readonly string[];
}

interface ValuesToTry {
  readonly field: string;
  readonly values: readonly JsonValue[];
}

/** Finds a name in the catalog list that the field's table names; undefined where no row or more than one has this name. */
export type LookUpWord = (field: Field, word: string) => JsonValue | undefined;

type Canonicalised =
  | { readonly kind: 'intent'; readonly intent: Intent }
  /** A name in the request is only in the catalog: call again with `lookUpWord`. */
  | { readonly kind: 'needs_catalog' };

interface Canonicalising {
  readonly request: LegacyRequest;
  readonly parameters: Readonly<Record<string, string>>;
  readonly operation: Operation;
  readonly format: string;
  readonly mapping: Mapping;
  readonly callerKey?: CallerKey | undefined;
  /** Undefined while the catalog has not been fetched. */
  readonly lookUpWord: LookUpWord | undefined;
}

export function canonicalise(work: Canonicalising): Canonicalised {
  const { request, parameters, operation, format, mapping } = work;
  const values: Record<string, JsonValue> = {};
  const spellings: Record<string, string> = {};
  const ownNumbers: Record<string, number> = {};
  let trial: ValuesToTry | undefined;
  for (const field of operation.fields) {
    const raw = rawValuesOf(field, request, parameters);
    const read = readField(field, raw, work);
    if (read === 'needs_catalog') return { kind: 'needs_catalog' };
    const [first] = field.tryValues;
    if (read === undefined && first !== undefined) {
      trial = { field: field.name, values: field.tryValues };
      values[field.name] = first;
    }
    if (read === undefined) continue;
    values[field.name] = read.value;
    if (read.spelling !== undefined) spellings[field.name] = read.spelling;
    if (read.ownNumber !== undefined) ownNumbers[field.name] = read.ownNumber;
  }
  const requestId = operation.kind === 'purchase' ? readRequestId(request, parameters, mapping) : undefined;
  const unknownFields: string[] = [];
  for (const name of request.body.keys()) if (!operation.known.has(name)) unknownFields.push(name);
  for (const name of request.query.keys()) if (!operation.known.has(name)) unknownFields.push(name);
  const intent = { operation, format, values, spellings, ownNumbers, requestId, unknownFields };
  return { kind: 'intent', intent: trial === undefined ? intent : { ...intent, trial } };
}

function rawValuesOf(field: Field, request: LegacyRequest, parameters: Readonly<Record<string, string>>): readonly RawValue[] {
  const inPath = parameters[field.name];
  return inPath === undefined ? readRaw(request, field) : [{ spelling: `the address (${field.name})`, value: inPath }];
}

interface FieldValue {
  readonly value: JsonValue;
  readonly spelling?: string;
  readonly ownNumber?: number | undefined;
}

function readField(field: Field, raw: readonly RawValue[], work: Canonicalising): FieldValue | undefined | 'needs_catalog' {
  let result: (FieldValue & { readonly spelling: string }) | undefined;
  for (const { spelling, value } of raw) {
    const read = readValue(field, value, work);
    if (read === 'needs_catalog') return read;
    if ('unlisted' in read) {
      if (field.isLenient) continue;
      throw unlistedNumber(spelling, read.unlisted, field);
    }
    const expected = 'expected' in read ? read.expected : outOfBounds(field, read.value);
    if (expected !== undefined || 'expected' in read) {
      if (field.isLenient) continue;
      throw new GatewayError('invalid_field', `${spelling}: expected ${expected}.`, { field: spelling });
    }
    if (result !== undefined && JSON.stringify(result.value) !== JSON.stringify(read.value))
      throw conflictingFields(result.spelling, spelling);
    result ??= { value: read.value, spelling, ownNumber: read.ownNumber };
  }
  if (result !== undefined) return result;
  const { requiredIf } = field;
  const isLost = requiredIf !== undefined && applies(requiredIf, work.request);
  if (field.isRequired || isLost) {
    const [name, ...more] = field.from;
    const also = more.length === 0 ? '' : ` (also accepted as ${more.join(', ')})`;
    const why = isLost ? `: ${requiredIf.why}` : '.';
    throw new GatewayError('missing_field', `${name} is required${also}${why}`, { field: name! });
  }
  return field.fallback === undefined ? undefined : { value: field.fallback };
}

/** The address may begin with a format (`/b/api/…`), so only its end is compared. */
function applies({ path, sentEmpty }: RequiredIf, { path: address, body, query }: LegacyRequest): boolean {
  const sent = body.has(sentEmpty) ? body.get(sentEmpty) : query.get(sentEmpty);
  return (path === undefined || trimSlash(address).endsWith(path)) && sent !== undefined && isEmpty(sent);
}

type ReadResult =
  | { readonly value: JsonValue; readonly ownNumber?: number }
  | { readonly expected: string }
  /** A number that callers.yaml does not list for this key. */
  | { readonly unlisted: number };

function readValue(
  field: Field,
  value: LegacyValue,
  { format, mapping, callerKey, lookUpWord }: Canonicalising,
): ReadResult | 'needs_catalog' {
  if (field.table === undefined) return field.read(field.numbers.get(format)?.get(numberIn(value) ?? NaN) ?? value);
  const own = callerKey?.numbers.get(field.table.name);
  const number = own === undefined ? undefined : field.table.numberIn(value);
  if (own !== undefined && number !== undefined) {
    const meaning = own.meanings.get(number);
    if (meaning !== undefined) return { value: meaning, ownNumber: number };
    if (!own.passesUnlisted) return { unlisted: number };
  }
  const read = field.table.read(value, mapping.numberingOf(format, field.table));
  if (!('lookUp' in read)) return read;
  if (lookUpWord === undefined) return 'needs_catalog';
  const found = lookUpWord(field, read.lookUp);
  return found === undefined
    ? { expected: `a number or name of the list; no ${field.table.title} has this name, or more than one has it` }
    : { value: found };
}

/** A number of another server would buy another plan here, so it is refused and not passed on. */
function unlistedNumber(spelling: string, number: number, { table }: Field): GatewayError {
  return new GatewayError(
    'number_unlisted',
    `${spelling}: ${number} is none of the ${table!.title} numbers that are set up for this key. Nothing was charged. Ask for it to be added.`,
    { field: spelling },
  );
}

/** The bound that the value breaks, in words, or `undefined` when the value is within its bounds. */
function outOfBounds({ min, max, lengthMax, isAmount }: Field, value: JsonValue): string | undefined {
  const show = (bound: number): string => (isAmount ? `${nairaText(kobo(bound))} naira` : String(bound));
  if (typeof value === 'number' && min !== undefined && value < min) return `at least ${show(min)}`;
  if (typeof value === 'number' && max !== undefined && value > max) return `at most ${show(max)}`;
  if (typeof value === 'string' && lengthMax !== undefined && value.length > lengthMax) return `at most ${lengthMax} characters`;
  return undefined;
}
