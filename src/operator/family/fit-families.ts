/** Which families a request is of, or comes close to, and the requests that a source seems to send. */
import type { LegacyRequest } from '../../domain/legacy';
import { GatewayError } from '../../domain/errors';
import { proofsOf, type FamilyProof } from '../../gateway/read/recognise-family';
import { detectFormat, type Detection } from '../../gateway/read/detect-format';
import { pathWithoutPin } from '../../gateway/read/walk-in';
import type { Mapping, Operation } from '../../mapping/mapping';
import type { SourceFindings } from './read-source';

export interface Fit {
  readonly method: string;
  readonly path: string;
  readonly operation: string;
  /** Undefined when the request does not show it. */
  readonly format: string | undefined;
  readonly reason: string;
  /** The fields of the request, without values. */
  readonly fields: readonly string[];
  /** Families with at least one signal, the best proven first. */
  readonly proofs: readonly FamilyProof[];
}

/** Undefined when nothing is served at the address. */
export function fitFamilies(request: LegacyRequest, mapping: Mapping): Fit | undefined {
  const match = mapping.matchRoute(request.method, request.path);
  if (match.kind !== 'matched') return undefined;
  const { operation, pinnedFormat } = match;
  const { format, reason } = formatOf(request, operation, pinnedFormat, mapping);
  const formats = format === undefined ? [...mapping.formats.keys()] : [format];
  return {
    method: request.method,
    path: request.path,
    operation: operation.name,
    format,
    reason,
    fields: [...request.body.keys(), ...request.query.keys()],
    proofs: formats.flatMap((id) => proofsOf(request, id, mapping, pathWithoutPin(request.path, mapping))),
  };
}

function formatOf(
  request: LegacyRequest,
  operation: Operation,
  pinnedByPath: string | undefined,
  mapping: Mapping,
): { readonly format: Detection['format'] | undefined; readonly reason: string } {
  try {
    return detectFormat(
      request,
      operation,
      mapping,
      { pinnedByPath, pinnedByCaller: undefined, markedByToken: undefined },
      pathWithoutPin(request.path, mapping),
    );
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { format: undefined, reason: error.detail };
  }
}

/** One request for each address of the source that is served: with the fields that mean something there, and no values. */
export function requestsOf({ paths, fields, headers, userAgent }: SourceFindings, mapping: Mapping): LegacyRequest[] {
  return paths.flatMap((path) => {
    const match = mapping.matchRoute('POST', path);
    if (match.kind !== 'matched' || match.operation.kind !== 'purchase') return [];
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    return [
      {
        method: 'POST',
        path,
        query: new Map(),
        body: new Map(fields.filter((name) => match.operation.known.has(name)).map((name) => [name, ''])),
        headers: { userAgent, sent: { ...sent, ...(userAgent === undefined ? {} : { 'user-agent': userAgent }) } },
        clientAddress: '127.0.0.1',
      },
    ];
  });
}
