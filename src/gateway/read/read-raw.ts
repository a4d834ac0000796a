/** Reads the raw values of a field and the request id from a request. */
import { createHash, randomBytes } from 'node:crypto';
import { headerOf, type LegacyFields, type LegacyRequest, type LegacyValue } from '../../domain/legacy';
import type { Field } from '../../mapping/mapping';
import { GatewayError } from '../../domain/errors';
import { InexactNumber, type JsonObject, type JsonValue, textOf } from '../../domain/json';

export interface RawValue {
  /** The script's own spelling. */
  readonly spelling: string;
  readonly value: LegacyValue;
}

/**
 * All values sent for a field, under any of its spellings. `otherwise` spellings count only when no `from` spelling was sent.
 * On a GET the body is read only for fields that are not in the query: one script sends an unrelated JSON body with its meter
 * lookup (facts 2.2). With other methods query and body both count, so that contradictions are noticed.
 */
export function readRaw(request: LegacyRequest, field: Field): readonly RawValue[] {
  const first = readSpellings(request, field.from, field.takesEmpty);
  return first.length > 0 || field.otherwise.length === 0 ? first : readSpellings(request, field.otherwise, field.takesEmpty);
}

/** The values sent under these spellings. Empty texts and nulls count as absent, unless `takesEmpty`. */
export function readSpellings(request: LegacyRequest, spellings: readonly string[], takesEmpty = false): readonly RawValue[] {
  const { method, query, body } = request;
  if (method !== 'GET') return readSource(query, spellings, takesEmpty, readSource(body, spellings, takesEmpty, NONE));
  const inQuery = readSource(query, spellings, takesEmpty, NONE);
  return inQuery.length > 0 ? inQuery : readSource(body, spellings, takesEmpty, NONE);
}

/** Most fields of most requests are absent: they share one empty list. */
const NONE: readonly RawValue[] = [];

/** The values in `before`, followed by those of this source. */
function readSource(
  source: LegacyFields,
  spellings: readonly string[],
  takesEmpty: boolean,
  before: readonly RawValue[],
): readonly RawValue[] {
  if (source.size === 0) return before;
  let found: RawValue[] | undefined;
  for (const spelling of spellings) {
    const value = source.get(spelling);
    if (value === undefined || (!takesEmpty && isEmpty(value))) continue;
    (found ??= [...before]).push({ spelling, value });
  }
  return found ?? before;
}

export function isEmpty(value: LegacyValue): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '');
}

/** The request id of a script. */
export interface SentRequestId {
  /** As v1 gets it: at most 64 printable characters. */
  readonly id: string;
  /** As the script sent it, under each spelling that the script used. */
  readonly echo: JsonObject;
  /** The first value of `echo`, or the value of the header if no field was sent. */
  readonly sent: JsonValue;
  /** The id in a header. It is the request id only if no field has one. */
  readonly header?: { readonly name: string; readonly id: string };
}

/** Section 8 of the specification. */
const LENGTH_MAX = 64;
const HASH_LENGTH = 40;
/** v1 gets long ids shortened, but the journal keeps the id as sent, and journal records are bounded. */
export const SENT_LENGTH_MAX = 512;
/** The same for the id under all its spellings, as JSON: five spellings of control characters would fill a whole record. */
const ECHO_BYTES_MAX = 2_048;
const PRINTABLE = /^[\x20-\x7e]+$/;

/** What PHP and other languages write where a script has no id. Taken as one, it would be the id of every customer. */
const NO_ID = /^(?:false|true|null|undefined|nan|none|0)$/i;

/** A part of the address without a digit is a word of some server's address (`buy`, `index.php`): every sale would have it. */
const IN_PATH = /\d/;

export function isNoId(value: LegacyValue): boolean {
  return (
    typeof value === 'boolean' || ((typeof value === 'string' || typeof value === 'number') && NO_ID.test(textOf(value).trim()))
  );
}

/** Headers that one intent has and no other, by their definition. Proxies and HTTP libraries write any other anew for each request. */
const OF_ONE_INTENT = /^(?:x-)?idempotency-key$/i;

/** Whether a field or the address has the id. */
export function hasFieldId(sent: SentRequestId | undefined): boolean {
  return sent !== undefined && Object.keys(sent.echo).length > 0;
}

/** The id of a header, where no field has one. */
export function headerIdOf(sent: SentRequestId | undefined): string | undefined {
  return hasFieldId(sent) ? undefined : sent?.id;
}

/** Whether another id means another sale. Otherwise only the same id proves something: that the sale is sent again. */
export function namesItsSale(sent: SentRequestId | undefined): boolean {
  return hasFieldId(sent) || (sent !== undefined && OF_ONE_INTENT.test(sent.header!.name));
}

/** Whether nothing but its content or its words makes the request a repeat of this order. */
export function isNameless(
  sent: SentRequestId | undefined,
  order: { readonly requestId: string; readonly headerId?: string },
): boolean {
  return sent === undefined || (!namesItsSale(sent) && ![order.requestId, order.headerId].includes(sent.id));
}

/** The fields and headers in which a mapping expects request ids. */
interface RequestIdPlaces {
  readonly requestIdSpellings: readonly string[];
  readonly requestIdHeaders: readonly string[];
}

/**
 * The request id, a text or a number (facts 7); `undefined` when none was sent. Two fields with different ids are refused. An id in a
 * header may differ from the field: the header may name one sending of the request, while the field names the sale.
 */
export function readRequestId(
  request: LegacyRequest,
  parameters: Readonly<Record<string, string>>,
  { requestIdSpellings, requestIdHeaders }: RequestIdPlaces,
): SentRequestId | undefined {
  const header = readHeaderId(request, requestIdHeaders);
  const own = readOwnId(request, parameters, requestIdSpellings);
  if (own === undefined) return header === undefined ? undefined : { id: header.id, echo: {}, sent: header.sent, header };
  return header === undefined ? own : { ...own, header };
}

function readHeaderId(
  { headers }: LegacyRequest,
  names: readonly string[],
): (NonNullable<SentRequestId['header']> & { readonly sent: string }) | undefined {
  for (const name of names) {
    const sent = headerOf(headers, name);
    if (sent !== undefined && sent.length <= SENT_LENGTH_MAX && !isNoId(sent)) return { name, id: shortenRequestId(sent), sent };
  }
  return undefined;
}

function readOwnId(
  request: LegacyRequest,
  parameters: Readonly<Record<string, string>>,
  spellings: readonly string[],
): SentRequestId | undefined {
  const inPath = parameters['request_id'];
  const sentOnes = readSpellings(request, spellings).filter(({ value }) => !isNoId(value));
  const found =
    inPath === undefined || !IN_PATH.test(inPath) || isNoId(inPath)
      ? sentOnes
      : [{ spelling: 'request_id', value: inPath }, ...sentOnes];
  const [first] = found;
  if (first === undefined) return undefined;
  const sent = first.value as JsonValue;
  const echo: Record<string, JsonValue> = {};
  for (const { spelling, value } of found) {
    if (value instanceof InexactNumber)
      throw new GatewayError('invalid_field', `${spelling}: this number is too long to be kept exactly; send it as text.`, {
        field: spelling,
      });
    if (typeof value !== 'string' && typeof value !== 'number') {
      throw new GatewayError('invalid_field', `${spelling}: expected a text or a number.`, { field: spelling });
    }
    if (textOf(value).length > SENT_LENGTH_MAX) {
      throw new GatewayError('invalid_field', `${spelling}: expected at most ${SENT_LENGTH_MAX} characters.`, {
        field: spelling,
      });
    }
    if (textOf(value) !== textOf(sent)) throw conflictingFields(first.spelling, spelling);
    echo[spelling] = value;
  }
  if (Buffer.byteLength(JSON.stringify(echo)) > ECHO_BYTES_MAX)
    throw new GatewayError('invalid_field', `${first.spelling}: expected a shorter id, or fewer fields with it.`, {
      field: first.spelling,
    });
  return { id: shortenRequestId(textOf(sent)), echo, sent };
}

export function conflictingFields(one: string, other: string): GatewayError {
  return new GatewayError('conflicting_fields', `${one} and ${other} mean the same but hold different values.`, { field: other });
}

/** The id as v1 takes it: unchanged if possible, else its beginning and a hash. The same id always gives the same result. */
export function shortenRequestId(sent: string): string {
  if (sent.length <= LENGTH_MAX && PRINTABLE.test(sent)) return sent;
  const hash = createHash('sha256').update(sent).digest('hex').slice(0, HASH_LENGTH);
  const start = sent.replace(/[^\x21-\x7e]/g, '').slice(0, LENGTH_MAX - HASH_LENGTH - 1);
  return `${start}~${hash}`;
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

const GENERATED = new RegExp(`^CG[${CROCKFORD}]{26}$`);

/** Whether the order was sent without an id: a script knows its id from a reply alone. */
export function isGenerated(requestId: string): boolean {
  return GENERATED.test(requestId);
}

/** A time-sortable request id for an order that was sent without one: `CG` and 26 characters. */
export function generateRequestId(nowMs: number): string {
  let time = nowMs;
  let text = '';
  for (let index = 0; index < 10; index += 1) {
    text = CROCKFORD[time % 32]! + text;
    time = Math.floor(time / 32);
  }
  return `CG${text}${Array.from(randomBytes(16), (byte) => CROCKFORD[byte % 32]!).join('')}`;
}
