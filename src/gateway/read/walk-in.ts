/**
 * Steps 2 to 6: from a request to the call that v1 would get. No other file knows their order. It is pure, so `explain` and `plan` walk
 * the same steps. Where a step needs credentials or the price list, the walk returns `needs_caller` or `needs_catalog` with a function that
 * continues it.
 */
import type { Credentials } from '../../domain/credentials';
import { GatewayError } from '../../domain/errors';
import type { LegacyRequest, Line } from '../../domain/legacy';
import type { Order } from '../../domain/order';
import type { CallerKey, Field, Mapping, Operation, RouteMatch, AfterPending } from '../../mapping/mapping';
import type { V1Call, CallContext } from '../../upstream/upstream';
import type { Authenticated } from './authenticate';
import { buildCall } from './build-call';
import { canonicalise, type Intent, type LookUpWord } from './canonicalise';
import type { CatalogLists } from './catalog-lists';
import { detectFormat, type Detection } from './detect-format';
import { guardNumbering } from './guard-numbering';
import { isNoId, type RawValue, readRaw, readRequestId } from './read-raw';
import { type RecognisedFamily, recogniseFamily } from './recognise-family';

/** Step 2: the operation of the address. */
interface Routed {
  readonly operation: Operation;
  /** The parts of the address that are fields. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Only of an order status: every request id that the address may contain, likeliest first. */
  readonly readings: readonly string[];
}

/** Step 3: the credentials. */
export interface Identified extends Routed {
  readonly credentials: Credentials;
  /** The request logged in with `Authorization: Basic`. */
  readonly isBasic: boolean;
  /** The entry of this key in callers.yaml. */
  readonly callerKey: CallerKey | undefined;
}

/** Step 4: the format and the family. */
interface Detected extends Identified {
  readonly detection: Detection;
  readonly family: RecognisedFamily | undefined;
  /** The mapping with the changes that the script's family makes, if there is a family. */
  readonly mapping: Mapping;
}

/** Step 5: the intent. */
interface Canonical extends Detected {
  readonly intent: Intent;
}

/** Step 6: the call to v1. None for lists, and none for an order status: `answer-status` asks by a reference. */
export interface WalkedIn extends Canonical {
  readonly call: V1Call | undefined;
}

/** The results of the steps that succeeded. */
export type Known = Partial<WalkedIn>;

export type Walk =
  | { readonly kind: 'walked'; readonly known: WalkedIn }
  | { readonly kind: 'needs_caller'; readonly known: Routed; readonly withCaller: (who: Authenticated) => Walk }
  | { readonly kind: 'needs_catalog'; readonly known: Detected; readonly withWords: (lookUpWord: LookUpWord) => Walk }
  /** `error` is a GatewayError where the request is refused, and anything else for a bug. */
  | { readonly kind: 'stopped'; readonly known: Known; readonly error: unknown };

export function walkIn(request: LegacyRequest, mapping: Mapping): Walk {
  try {
    const match = mapping.matchRoute(request.method, request.path, request.rawPath);
    const { operation, parameters, readings, pinnedFormat } = matched(match, request);
    const known: Routed = { operation, parameters, readings };
    const withCaller = (who: Authenticated): Walk => continueWalk(known, who, pinnedFormat, request, mapping);
    return { kind: 'needs_caller', known, withCaller };
  } catch (error) {
    return { kind: 'stopped', known: {}, error };
  }
}

/** Step 3 has the credentials; steps 4 to 6 follow. */
function continueWalk(
  routed: Routed,
  who: Authenticated,
  pinnedFormat: string | undefined,
  request: LegacyRequest,
  mapping: Mapping,
): Walk {
  const { credentials, isBasic, isExpired } = who;
  // A key that is used for a lookup without a key is not the script's own, so its entry in callers.yaml does not apply.
  const callerKey = credentials.isLookupKey === true ? undefined : mapping.callerKeys.get(credentials.fingerprint);
  const identified: Identified = { ...routed, credentials, isBasic, callerKey };
  try {
    if (isExpired === true) throw new GatewayError('bad_credentials', 'Invalid token. The AccessToken is too old; log in again.');
    return finishWalk(detect(identified, pinnedFormat, request, mapping), undefined, request);
  } catch (error) {
    return { kind: 'stopped', known: identified, error };
  }
}

/** Step 4. */
function detect(identified: Identified, pinnedFormat: string | undefined, request: LegacyRequest, shared: Mapping): Detected {
  const { operation, credentials, callerKey } = identified;
  const pins = {
    pinnedByPath: pinnedFormat,
    pinnedByCaller: callerKey?.format,
    markedByToken: credentials.tokenFormat,
    ownNumbers: callerKey?.numbers,
    isGuarded: isGuarded(identified),
  };
  const path = pathWithoutFormat(request.path, shared);
  const detection = detectFormat(request, operation, shared, pins, path);
  const family = recogniseFamily(request, detection.format, shared, callerKey, path);
  const mapping = family === undefined ? shared : shared.families.get(family.id)!.mapping();
  return { ...identified, operation: mapping.operations.get(operation.name)!, detection, family, mapping };
}

/** Steps 5 and 6. Does not throw: a refusal stops the walk with what is known by then. */
function finishWalk(detected: Detected, lookUpWord: LookUpWord | undefined, request: LegacyRequest): Walk {
  let intent: Intent | undefined;
  try {
    const { parameters, operation, callerKey, detection, mapping } = detected;
    const { format } = detection;
    // Before the id is found to be missing, of which a script hears nothing but that its question was not answered.
    if (operation.kind === 'status') refuseMisplacedPurchase(detected, request);
    const canonical = canonicalise({ request, parameters, operation, format, mapping, callerKey, lookUpWord });
    if (canonical.kind === 'needs_catalog')
      return { kind: 'needs_catalog', known: detected, withWords: (words) => finishWalk(detected, words, request) };
    intent = canonical.intent;
    if (operation.kind !== 'status') refuseMisplacedPurchase(detected, request);
    if (isGuarded(detected)) intent = guardNumbering(intent, request, mapping, callerKey);
    const isAsked = operation.call !== undefined && operation.kind !== 'status';
    const call = isAsked ? buildCall(operation.call, intent.values) : undefined;
    return { kind: 'walked', known: { ...detected, intent, call } };
  } catch (error) {
    return { kind: 'stopped', known: intent === undefined ? detected : { ...detected, intent }, error };
  }
}

/**
 * Refuses a purchase at an address that does not sell it, in a wrong setting of the script: the "success" of what is there would be told as its
 * sale. The request has all that the purchase requires, and some of it is no field of this address. At the address of another purchase it has no field
 * of that one alone, such as the quantity of cards. At that of a question, a purchase that requires one field only, which may be the filter of a
 * list, must have something else there too. Not by GET, except at a list: one script sends all fields of its form with a lookup (facts 2.2).
 * At the address of an order status it has nothing else and no id: all else may be a question about an order that was charged.
 */
function refuseMisplacedPurchase({ operation, parameters, mapping }: Detected, request: LegacyRequest): void {
  const { kind } = operation;
  if (kind !== 'list' && request.method !== 'POST') return;
  const hasId = (): boolean => readRequestId(request, parameters, mapping) !== undefined;
  const hasOrder = (field: Field): boolean =>
    field.name in parameters || readRaw(request, field).some(({ value }) => !isNoId(value));
  if (kind === 'status' && (hasId() || operation.fields.some(hasOrder))) return;
  const spellings = spellingsOf(operation);
  const isForeign = ({ spelling }: RawValue): boolean => !spellings.includes(spelling);
  const isEachName = (isAllowed: (name: string) => boolean): boolean =>
    [...request.body.keys(), ...request.query.keys()].every(isAllowed);
  const isBought = (other: Operation): boolean => {
    if (other.kind !== 'purchase' || other === operation) return false;
    const sent: (readonly RawValue[])[] = [];
    for (const field of other.fields) {
      if (!field.isRequired) continue;
      const raw = readRaw(request, field);
      // Every sale comes here, and mostly lacks the first field that another purchase requires.
      if (raw.length === 0) return false;
      sent.push(raw);
    }
    if (!sent.flat().some(isForeign)) return false;
    if (kind === 'purchase') {
      const own = spellingsOf(other);
      return isEachName((name) => !spellings.includes(name) || own.includes(name));
    }
    if (kind === 'status' && !isEachName((name) => other.known.has(name))) return false;
    if (sent.length > 1 || hasId()) return true;
    return other.fields.some((field) => !field.isRequired && readRaw(request, field).some(isForeign));
  };
  if ([...mapping.operations.values()].some(isBought))
    throw new GatewayError('sells_nothing', `${request.path} does not sell this. Check the address in your script's settings.`);
}

function spellingsOf({ fields }: Operation): string[] {
  return fields.flatMap(({ from, otherwise }) => [...from, ...otherwise]);
}

function isGuarded({ callerKey }: Identified): boolean {
  return callerKey?.hasGuard !== false;
}

/** Looks names up in v1's price list. */
export function wordsOf(catalog: CatalogLists): LookUpWord {
  return (field, word) => {
    const source = field.table?.catalog;
    return source === undefined ? undefined : catalog.named(source.list, source, word);
  };
}

function matched(match: RouteMatch, { method, path }: LegacyRequest): Extract<RouteMatch, { kind: 'matched' }> {
  if (match.kind === 'matched') return match;
  if (match.kind === 'wrong_method')
    throw new GatewayError('wrong_method', `${path} takes ${match.allowed.join(' or ')}, not ${method}.`);
  throw new GatewayError(
    'unknown_path',
    `Nothing is served at ${path.slice(0, 200)}. Check the address in your script's settings.`,
  );
}

/** `/b/api/topup` without the prefix that pins the format: `/api/topup`. */
export function pathWithoutFormat(path: string, mapping: Mapping): string {
  const [, first = '', rest = ''] = /^\/([^/]+)(\/.*)$/.exec(path) ?? [];
  return mapping.formats.has(first) ? rest : path;
}

/** The parsed request: all that steps 2 to 6 found. Every `answer-*` file starts from it. */
export interface ParsedRequest extends Omit<WalkedIn, 'parameters' | 'detection'> {
  readonly request: LegacyRequest;
  readonly format: string;
  /** Why this format. */
  readonly reason: string;
  /** The connection over which the script waits. */
  readonly line: Line;
  /** How long the script had waited when steps 2 to 6 were done. */
  readonly waitedMs: number;
  /** How long the script waits for the end of an order, counted from the end of step 6. */
  readonly patienceMs: number;
  /** How the order is pursued once its script has heard "pending". */
  readonly afterPending: AfterPending;
}

/** The parts of a parsed request that a read from v1 needs: key, address, and the time limit in the mapping. */
export type Reader = Pick<ParsedRequest, 'credentials' | 'request' | 'mapping'>;

/**
 * The reader with the key of the order. An order that was placed at v1, before callers.yaml sent its key to the sandbox, is judged and read at v1: the
 * sandbox does not know it, and would let every address hear of it.
 */
export function readerOf<R extends Reader>({ owner }: Pick<Order, 'owner'>, reader: R): R {
  const { sandboxOf } = reader.credentials;
  return sandboxOf?.fingerprint === owner ? { ...reader, credentials: sandboxOf } : reader;
}

export function readContextOf({ credentials, request, mapping }: Reader): CallContext {
  const { clientAddress, trace } = request;
  return { credentials, clientAddress, timeoutMs: mapping.timing.read, trace };
}
