/**
 * Steps 2 to 6 in a row: from a request to what v1 would be asked. Pure: no call, no clock, nothing written, so that
 * `explain` and `plan` are these very steps. What was found out before a refusal is in `found`.
 */
import type { Credentials } from '../../domain/credentials';
import { GatewayError } from '../../domain/errors';
import type { LegacyRequest } from '../../domain/legacy';
import type { CallerKey, Mapping, Operation, RouteMatch } from '../../mapping/mapping';
import type { V1Call } from '../../upstream/upstream';
import type { Authenticated } from './authenticate';
import { buildCall } from './build-call';
import { canonicalise, type Intent, type LookUpWord } from './canonicalise';
import type { CatalogLists } from './catalog-lists';
import { detectFormat, type Detection } from './detect-format';
import { guardNumbering } from './guard-numbering';

/** Filled step by step; whatever a refusal interrupts stays empty. */
export interface Found {
  operation?: Operation;
  /** The parts of the address that are fields. */
  parameters?: Readonly<Record<string, string>>;
  /** Of an order's status: every id that the address can be read as. */
  readings?: readonly string[];
  credentials?: Credentials;
  isBasic?: boolean;
  callerKey?: CallerKey | undefined;
  detection?: Detection;
  intent?: Intent;
  call?: V1Call | undefined;
}

export type WalkedIn = { readonly kind: 'asked' } | { readonly kind: 'needs_catalog'; readonly credentials: Credentials };

export interface WalkInTools {
  /** Step 3: who asks for this operation. Throws the refusal of a request without a key. */
  readonly identify: (request: LegacyRequest, operation: Operation) => Authenticated;
  readonly catalog: CatalogLists | undefined;
}

/** Throws a GatewayError where the request is refused. */
export function walkIn(request: LegacyRequest, mapping: Mapping, tools: WalkInTools, found: Found): WalkedIn {
  const match = matched(mapping.matchRoute(request.method, request.path, request.rawPath), request);
  const { operation, parameters, readings } = match;
  Object.assign(found, { operation, parameters, readings });

  const { credentials, isBasic, isExpired } = tools.identify(request, operation);
  // A key that only lends itself to a lookup says nothing of whose script this is.
  const callerKey = credentials.isSeller === true ? undefined : mapping.callerKeys.get(credentials.fingerprint);
  Object.assign(found, { credentials, isBasic, callerKey });
  if (isExpired === true) throw new GatewayError('bad_credentials', 'Invalid token. The AccessToken is too old; log in again.');

  const isGuarded = callerKey?.hasGuard !== false;
  const certainties = {
    pinnedByPath: match.pinnedFormat,
    pinnedByCaller: callerKey?.format,
    markedByToken: credentials.tokenFormat,
    ownNumbers: callerKey?.numbers,
    isGuarded,
  };
  const detection = detectFormat(request, operation, mapping, certainties, pathWithoutPin(request.path, mapping));
  found.detection = detection;

  const { format } = detection;
  const canonical = canonicalise({
    request,
    parameters,
    operation,
    format,
    mapping,
    callerKey,
    lookUpWord: wordsOf(tools.catalog),
  });
  if (canonical.kind === 'needs_catalog') return { kind: 'needs_catalog', credentials };
  found.intent = canonical.intent;
  const intent = isGuarded ? guardNumbering(canonical.intent, request, mapping, callerKey) : canonical.intent;
  found.intent = intent;

  // What an order's status is asked by comes from the journal, later.
  found.call = operation.call === undefined || operation.kind === 'status' ? undefined : buildCall(operation.call, intent.values);
  return { kind: 'asked' };
}

function wordsOf(catalog: CatalogLists | undefined): LookUpWord | undefined {
  if (catalog === undefined) return undefined;
  return (field, word) => {
    const source = field.table?.catalog;
    return source === undefined ? undefined : catalog.find(source.list, source.name, word)?.[source.id];
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

function pathWithoutPin(path: string, mapping: Mapping): string {
  const [, first = '', rest = ''] = /^\/([^/]+)(\/.*)$/.exec(path) ?? [];
  return mapping.formats.has(first) ? rest : path;
}
