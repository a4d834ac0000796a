/** The order of a parsed request as it goes into the journal, with the hashes by which its repeat is recognised. */
import { withoutEndSlashes } from '../../domain/decode-path';
import { InexactNumber, isList, type JsonObject, type JsonValue } from '../../domain/json';
import type { LegacyFields, LegacyRequest } from '../../domain/legacy';
import type { NewOrder, Order, Trail } from '../../domain/order';
import type { Operation } from '../../mapping/mapping';
import type { V1Call } from '../../upstream/upstream';
import type { Keyring } from './keyring';
import { generateRequestId } from './read-raw';
import type { ParsedRequest } from './walk-in';

export function newOrderOf(parsed: ParsedRequest, call: V1Call, openedAtMs: number, keyring: Keyring): NewOrder {
  const { operation, intent, request, line } = parsed;
  const { requestId } = intent;
  const order = {
    owner: parsed.credentials.fingerprint,
    requestId: requestId?.id ?? generateRequestId(openedAtMs),
    operation: operation.name,
    format: parsed.format,
    fields: boundedFields(intent.values),
    identifiers: operation.identifiers,
    essentials: operation.essentials,
    echo: requestId?.echo ?? {},
    contentHash: contentHashOf(operation, call, keyring),
    wordsHash: wordsHashOf(request, keyring),
    addressHash: keyring.hashOfAddress(request.clientAddress),
    openedAtMs,
    cameAtMs: openedAtMs - line.ageMs - (line.heldUpMs ?? 0),
    trail: trailOf(parsed),
  };
  // The id of a header is kept if it differs from the request id.
  const headerId = requestId?.header?.id;
  return headerId === undefined || headerId === requestId?.id ? order : { ...order, headerId };
}

function trailOf(parsed: ParsedRequest): Trail {
  const { mapping, reason, family, credentials, intent } = parsed;
  const { spellings, ownNumbers, numberedBy } = intent;
  const read = { mapping: mapping.hash, reason, spellings, ...(credentials.sandboxOf && { sandbox: true as const }) };
  const trail = family === undefined ? read : { ...read, family };
  if (Object.keys(ownNumbers).length === 0) return trail;
  return numberedBy === undefined ? { ...trail, ownNumbers } : { ...trail, ownNumbers, numberedBy: numberedBy.title };
}

const KEPT_TEXT_MAX = 500;
const KEPT_ITEMS_MAX = 200;

/** The journal keeps only the beginning of long texts and lists. The content hash covers all of them. */
function boundedFields(values: JsonObject): JsonObject {
  const bounded: Record<string, JsonValue> = {};
  for (const name in values) bounded[name] = beginningOf(values[name]!);
  return bounded;
}

function beginningOf(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.length > KEPT_TEXT_MAX ? `${value.slice(0, KEPT_TEXT_MAX - 1)}…` : value;
  return isList(value) ? value.slice(0, KEPT_ITEMS_MAX) : value;
}

/** The fields of an order for a reply. A list that may be cut is null: its count would be told as that of all recipients. */
export function wholeFields({ fields }: Order): JsonObject {
  const isCut = (value: JsonValue | undefined): boolean => isList(value) && value.length === KEPT_ITEMS_MAX;
  if (!Object.values(fields).some(isCut)) return fields;
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, isCut(value) ? null : value]));
}

/**
 * A keyed hash of the operation and of everything that v1 is sent: two intents with the same hash are the same purchase. The order of a list does not
 * count: the recipients of a message are the same ones.
 */
export function contentHashOf(operation: Operation, call: V1Call, keyring: Keyring): string {
  const { body = {} } = call;
  const entries = Object.keys(body)
    .sort()
    .map((name) => [name, isList(body[name]) ? [...body[name]].sort() : body[name]]);
  return keyring.hash(JSON.stringify([operation.name, call.path, entries]));
}

/** A keyed hash of the script's words: its request as sent. A repeat has the same hash even if the mapping has changed in between. */
export function wordsHashOf({ path, query, body }: LegacyRequest, keyring: Keyring): string {
  // `asked` is in the hashes on disk.
  return keyring.hash(JSON.stringify(['asked', withoutEndSlashes(path), plainOf(query), plainOf(body)]));
}

/** Whether these are the words of this order but for its id, which a repeat under the id of a header may leave out (decision 0024). */
export function isWithoutItsId(request: LegacyRequest, { wordsHash, echo }: Order, keyring: Keyring): boolean {
  const body = new Map([...request.body, ...Object.entries(echo)]);
  return wordsHashOf({ ...request, body }, keyring) === wordsHash;
}

function plainOf(fields: LegacyFields): readonly (readonly [string, JsonValue])[] {
  if (fields.size === 0) return [];
  return [...fields.keys()].sort().map((name) => {
    const value = fields.get(name)!;
    return [name, value instanceof InexactNumber ? value.text : value];
  });
}
