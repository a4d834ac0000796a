/** Steps 2 to 6 of one request, with what only the outside can tell: who lends it a key, and what a name in it means. */
import { GatewayError } from '../domain/errors';
import type { LegacyRequest } from '../domain/legacy';
import type { Mapping, Operation } from '../mapping/mapping';
import { authenticate, authenticateFields, type Authenticated } from './read/authenticate';
import { catalogListsOf, type CatalogLists } from './read/catalog-lists';
import { walkIn, type Identified, type Walk } from './read/walk-in';
import type { WalkParts } from './walk-parts';

type Parts = Pick<WalkParts, 'keyring' | 'keyless' | 'keyGuard' | 'priceLists'>;

export async function walkRequest(request: LegacyRequest, mapping: Mapping, parts: Parts): Promise<Walk> {
  let walk = walkIn(request, mapping);
  try {
    if (walk.kind === 'needs_caller') walk = walk.withCaller(identify(request, walk.known.operation, mapping, parts));
    if (walk.kind === 'needs_catalog') walk = walk.withCatalog(await fetchLists(walk.known, request, mapping, parts));
    return walk;
  } catch (error) {
    return { kind: 'stopped', known: walk.known, error };
  }
}

/** The script's own key, or another one for a lookup that brings none. */
function identify(
  request: LegacyRequest,
  operation: Operation,
  { lookupKey }: Mapping,
  { keyring, keyless }: Parts,
): Authenticated {
  const authenticated = authenticate(request.headers, keyring) ?? authenticateFields(request, operation, keyring);
  if (authenticated !== undefined) return authenticated;
  const credentials = operation.withoutKey ? keyless.keyFor(request.clientAddress, lookupKey) : undefined;
  if (credentials !== undefined) return { isBasic: false, credentials };
  throw new GatewayError(
    'missing_credentials',
    'Authentication credentials were not provided. Send your API key as `Authorization: Token <API_KEY>:<PIN>`.',
  );
}

/** v1's price list in the mapping's words. */
async function fetchLists(
  { credentials }: Identified,
  { clientAddress }: LegacyRequest,
  mapping: Mapping,
  { keyGuard, priceLists }: Parts,
): Promise<CatalogLists> {
  const context = { credentials, clientAddress, timeoutMs: mapping.timing.read };
  await keyGuard?.enter(context);
  const catalog = await priceLists.get(context);
  if (catalog !== undefined) return catalogListsOf(catalog, mapping);
  throw new GatewayError(
    'catalog_unavailable',
    'The name cannot be looked up right now. Send its number from the list, or try again later.',
  );
}
