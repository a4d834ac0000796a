/** The pure steps of the walk for one request against the shipped mapping: route, format, canonical fields. */
import type { LegacyRequest } from '../../src/domain/legacy';
import { canonicalise, type Intent, type LookUpWord } from '../../src/gateway/read/canonicalise';
import { detectFormat, type FormatPins, type Detection } from '../../src/gateway/read/detect-format';
import type { Mapping, Operation } from '../../src/mapping/mapping';
import { shippedMapping } from '../mapping/mapping-set';
import { legacyRequest, type LegacyRequestParts } from './legacy-request';

export interface MatchedRequest {
  readonly request: LegacyRequest;
  readonly mapping: Mapping;
  readonly operation: Operation;
  readonly parameters: Readonly<Record<string, string>>;
}

export function matchRequest(
  parts: LegacyRequestParts,
  mapping = shippedMapping(),
): MatchedRequest & { readonly pinned: string | undefined } {
  const request = legacyRequest(parts);
  const match = mapping.matchRoute(request.method, request.path);
  if (match.kind !== 'matched') throw new Error(`${request.method} ${request.path}: ${match.kind}`);
  return { request, mapping, operation: match.operation, parameters: match.parameters, pinned: match.pinnedFormat };
}

export function detect(parts: LegacyRequestParts, certain: Partial<FormatPins> = {}, mapping = shippedMapping()): Detection {
  const { request, operation, pinned } = matchRequest(parts, mapping);
  const path = request.path.replace(/^\/[ab](?=\/)/, '');
  const certainties = { pinnedByPath: pinned, pinnedByCaller: undefined, markedByToken: undefined, ...certain };
  return detectFormat(request, operation, mapping, certainties, path);
}

export function intentOf(parts: LegacyRequestParts, format: string, lookUpWord?: LookUpWord, mapping = shippedMapping()): Intent {
  const { request, operation, parameters } = matchRequest(parts, mapping);
  const result = canonicalise({ request, parameters, operation, format, mapping, lookUpWord });
  if (result.kind !== 'intent') throw new Error(result.kind);
  return result.intent;
}
