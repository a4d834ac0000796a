/**
 * Steps 2 to 6: from a request to what v1 would be asked. The only file that knows their order; pure, so that `explain` and `plan` walk the
 * very same steps. What only the outside can tell (who lends a key, the price list) is asked for by a value that goes on from there.
 */
import type { Credentials } from '../../domain/credentials';
import { GatewayError } from '../../domain/errors';
import type { LegacyRequest, Line } from '../../domain/legacy';
import type { CallerKey, Mapping, Operation, RouteMatch, AfterPending } from '../../mapping/mapping';
import type { V1Call, CallContext } from '../../upstream/upstream';
import type { Authenticated } from './authenticate';
import { buildCall } from './build-call';
import { canonicalise, type Intent, type LookUpWord } from './canonicalise';
import type { CatalogLists } from './catalog-lists';
import { detectFormat, type Detection, type RecognisedFamily, recogniseFamily } from './detect-format';
import { guardNumbering } from './guard-numbering';

/** Step 2: what the address asks for. */
export interface Routed {
  readonly operation: Operation;
  /** The parts of the address that are fields. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Of an order's status: every id that the address can be read as, likeliest first. */
  readonly readings: readonly string[];
}

/** Step 3: who asks. */
export interface Identified extends Routed {
  readonly credentials: Credentials;
  /** The request logged in with `Authorization: Basic`. */
  readonly isBasic: boolean;
  /** What the operator says of this key. */
  readonly callerKey: CallerKey | undefined;
}

/** Step 4: in which format, and of which family. */
export interface Detected extends Identified {
  readonly detection: Detection;
  readonly family: RecognisedFamily | undefined;
  /** As this script meets it: in the words of its family, if it is of one. */
  readonly mapping: Mapping;
}

/** Step 5: what is wanted, in canonical words. */
interface Canonical extends Detected {
  readonly intent: Intent;
}

/** Step 6: what v1 would be asked; nothing for lists, and for a status, which asks by what the journal knows. */
export interface WalkedIn extends Canonical {
  readonly call: V1Call | undefined;
}

/** As far as the steps came. */
export type Known = Partial<WalkedIn>;

export type Walk =
  | { readonly kind: 'walked'; readonly known: WalkedIn }
  | { readonly kind: 'needs_caller'; readonly known: Routed; readonly withCaller: (who: Authenticated) => Walk }
  | { readonly kind: 'needs_catalog'; readonly known: Detected; readonly withCatalog: (catalog: CatalogLists) => Walk }
  /** `error` is a GatewayError where the request is refused, and anything else for a bug. */
  | { readonly kind: 'stopped'; readonly known: Known; readonly error: unknown };

interface Asked {
  readonly request: LegacyRequest;
  readonly mapping: Mapping;
}

export function walkIn(request: LegacyRequest, mapping: Mapping): Walk {
  try {
    const { operation, parameters, readings, pinnedFormat } = matched(
      mapping.matchRoute(request.method, request.path, request.rawPath),
      request,
    );
    const known: Routed = { operation, parameters, readings };
    const withCaller = (who: Authenticated): Walk => walkOn(known, who, pinnedFormat, { request, mapping });
    return { kind: 'needs_caller', known, withCaller };
  } catch (error) {
    return { kind: 'stopped', known: {}, error };
  }
}

/** Filled in step by step: whatever a step throws ends the walk with what was known before it. */
type Filling = { -readonly [Part in keyof WalkedIn]: WalkedIn[Part] };

function walkOn(routed: Routed, who: Authenticated, pinnedFormat: string | undefined, { request, mapping }: Asked): Walk {
  const { operation, parameters, readings } = routed;
  const { credentials, isBasic, isExpired } = who;
  // A key that only lends itself to a lookup says nothing of whose script this is.
  const callerKey = credentials.isSeller === true ? undefined : mapping.callerKeys.get(credentials.fingerprint);
  const known = { operation, parameters, readings, credentials, isBasic, callerKey } satisfies Identified as Filling;
  try {
    if (isExpired === true) throw new GatewayError('bad_credentials', 'Invalid token. The AccessToken is too old; log in again.');
    const certainties = {
      pinnedByPath: pinnedFormat,
      pinnedByCaller: callerKey?.format,
      markedByToken: credentials.tokenFormat,
      ownNumbers: callerKey?.numbers,
      isGuarded: isGuarded(known),
    };
    const path = pathWithoutPin(request.path, mapping);
    const detection = detectFormat(request, operation, mapping, certainties, path);
    const family = recogniseFamily(request, detection.format, mapping, callerKey, path);
    const told = family === undefined ? mapping : mapping.families.get(family.id)!.mapping();
    known.operation = told.operations.get(operation.name)!;
    known.detection = detection;
    known.family = family;
    known.mapping = told;
    return readIntent(known, undefined, request);
  } catch (error) {
    return { kind: 'stopped', known, error };
  }
}

function readIntent(known: Filling, catalog: CatalogLists | undefined, request: LegacyRequest): Walk {
  const { parameters, operation, callerKey, detection, mapping } = known;
  const lookUpWord = wordsOf(catalog);
  const { format } = detection;
  const canonical = canonicalise({ request, parameters, operation, format, mapping, callerKey, lookUpWord });
  if (canonical.kind === 'needs_catalog') {
    return { kind: 'needs_catalog', known, withCatalog: (lists) => readAgain({ ...known }, lists, request) };
  }
  known.intent = canonical.intent;
  if (isGuarded(known)) known.intent = guardNumbering(known.intent, request, mapping, callerKey);
  const isAsked = operation.call !== undefined && operation.kind !== 'status';
  known.call = isAsked ? buildCall(operation.call, known.intent.values) : undefined;
  return { kind: 'walked', known };
}

function readAgain(known: Filling, catalog: CatalogLists, request: LegacyRequest): Walk {
  try {
    return readIntent(known, catalog, request);
  } catch (error) {
    return { kind: 'stopped', known, error };
  }
}

function isGuarded({ callerKey }: Identified): boolean {
  return callerKey?.hasGuard !== false;
}

function wordsOf(catalog: CatalogLists | undefined): LookUpWord | undefined {
  if (catalog === undefined) return undefined;
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

/** `/b/api/topup` without the format that it pins. */
export function pathWithoutPin(path: string, mapping: Mapping): string {
  const [, first = '', rest = ''] = /^\/([^/]+)(\/.*)$/.exec(path) ?? [];
  return mapping.formats.has(first) ? rest : path;
}

/** One request after step 6: who asks for what, in which format, under which mapping. Every answer starts from this. */
export interface ParsedRequest {
  readonly request: LegacyRequest;
  /** As the script meets it: in the words of its family, if it is of one. */
  readonly mapping: Mapping;
  readonly operation: Operation;
  readonly format: string;
  /** What decided the format. */
  readonly reason: string;
  readonly family: RecognisedFamily | undefined;
  readonly intent: Intent;
  /** Of an order's status: every id that the address can be read as, likeliest first. */
  readonly readings: readonly string[];
  /** What v1 is to be asked; undefined for lists, and for a status, which asks by the journal's reference. */
  readonly call: V1Call | undefined;
  readonly credentials: Credentials;
  /** The request logged in with `Authorization: Basic`. */
  readonly isBasic: boolean;
  readonly callerKey: CallerKey | undefined;
  /** Over which the caller waits. */
  readonly line: Line;
  /** How long the request had waited when it was read: milliseconds. */
  readonly waitedMs: number;
  /** How long this caller waits for the end of an order, from then on. */
  readonly patienceMs: number;
  /** What is done with the order once its script has heard "pending". */
  readonly afterPending: AfterPending;
}

/** Who asks, from where, and how long v1 may take to be read. */
export type Reader = Pick<ParsedRequest, 'credentials' | 'request' | 'mapping'>;

export function readContextOf({ credentials, request, mapping }: Reader): CallContext {
  const { clientAddress, trace } = request;
  return { credentials, clientAddress, timeoutMs: mapping.timing.read, trace };
}
