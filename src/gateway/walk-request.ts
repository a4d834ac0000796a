/** Steps 2 to 6 of one request. Gives `walkIn` what it asks for: the credentials, and the price list for names in the request. */
import type { Credentials } from '../domain/credentials';
import { GatewayError } from '../domain/errors';
import type { LegacyRequest } from '../domain/legacy';
import { sandboxScopeOf } from '../mapping/caller-name';
import type { Mapping, Operation } from '../mapping/mapping';
import { authenticate, authenticateFields, type Authenticated } from './read/authenticate';
import { catalogListsOf, type CatalogLists } from './read/catalog-lists';
import type { LookUpWord } from './read/canonicalise';
import { walkIn, wordsOf, type Identified, type Walk } from './read/walk-in';
import type { WalkParts } from './walk-parts';

type Parts = Pick<WalkParts, 'keyring' | 'keyless' | 'keyGuard' | 'priceLists' | 'sandboxKey'>;

/** No promise unless the price list must be fetched. Names are looked up by `lookUpWord` where it is given, else in v1's price list. */
export function walkRequest(
  request: LegacyRequest,
  mapping: Mapping,
  parts: Parts,
  lookUpWord?: LookUpWord,
): Walk | Promise<Walk> {
  const begun = walkIn(request, mapping);
  if (begun.kind !== 'needs_caller') return begun;
  try {
    const walk = begun.withCaller(identify(request, begun.known.operation, mapping, parts));
    if (walk.kind !== 'needs_catalog') return walk;
    if (lookUpWord !== undefined) return walk.withWords(lookUpWord);
    const { known } = walk;
    const stop = (error: unknown): Walk => ({ kind: 'stopped', known, error });
    return fetchLists(known, request, mapping, parts).then((lists) => walk.withWords(wordsOf(lists)), stop);
  } catch (error) {
    return { kind: 'stopped', known: begun.known, error };
  }
}

/** The script's own key. Without `operation` only the headers are read. */
export function ownKeyOf(
  request: LegacyRequest,
  operation: Operation | undefined,
  mapping: Mapping,
  parts: Pick<Parts, 'keyring' | 'sandboxKey'>,
): Authenticated | undefined {
  const { keyring } = parts;
  const own = authenticate(request.headers, keyring) ?? (operation && authenticateFields(request, operation, keyring));
  return own && { ...own, credentials: perhapsInSandbox(own.credentials, mapping, parts) };
}

/** The script's own key, or a lookup key for a lookup without a key. */
function identify(request: LegacyRequest, operation: Operation, mapping: Mapping, parts: Parts): Authenticated {
  const own = ownKeyOf(request, operation, mapping, parts);
  if (own !== undefined) return own;
  const credentials = operation.withoutKey ? parts.keyless.keyFor(request.clientAddress, mapping.lookupKey) : undefined;
  if (credentials !== undefined) return { isBasic: false, credentials: perhapsInSandbox(credentials, mapping, parts) };
  throw new GatewayError(
    'missing_credentials',
    'Authentication credentials were not provided. Send your API key as `Authorization: Token <API_KEY>:<PIN>`.',
  );
}

/**
 * The credentials, or those in the sandbox for a key that callers.yaml sends there. The orders have another owner then, and v1 gets no call with the key.
 * Without `sandboxKey` the sandbox itself is v1, and the key is already one of the sandbox.
 */
export function perhapsInSandbox(
  own: Credentials,
  { callerKeys }: Mapping,
  { sandboxKey }: Pick<Parts, 'sandboxKey'>,
): Credentials {
  const { fingerprint, sandboxOf } = own;
  if (sandboxOf !== undefined || callerKeys.get(fingerprint)?.isSandboxed !== true) return own;
  return { ...own, ...sandboxKey, fingerprint: sandboxScopeOf(fingerprint), sandboxOf: own };
}

/** Fetches v1's price list, in the mapping's words. Refuses where v1 returns none. */
async function fetchLists(
  { credentials }: Identified,
  { clientAddress, trace }: LegacyRequest,
  mapping: Mapping,
  { keyGuard, priceLists }: Parts,
): Promise<CatalogLists> {
  const context = { credentials, clientAddress, timeoutMs: mapping.timing.read, trace };
  await keyGuard?.enter(context);
  const catalog = await priceLists.get(context);
  if (catalog !== undefined) return catalogListsOf(catalog, mapping);
  throw new GatewayError(
    'catalog_unavailable',
    'The name cannot be looked up right now. Send its number from the list, or try again later.',
  );
}
