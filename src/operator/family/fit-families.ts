/** Finds the families that a request fits wholly or in part, and makes the requests that the source of a script seems to send. */
import { stringify } from 'yaml';
import { GatewayError } from '../../domain/errors';
import type { LegacyRequest } from '../../domain/legacy';
import { detectFormat, type Detection } from '../../gateway/read/detect-format';
import { proofsOf } from '../../gateway/read/recognise-family';
import { pathWithoutFormat } from '../../gateway/read/walk-in';
import type { Mapping, Operation } from '../../mapping/mapping';
import type { SourceFindings } from './read-source';

export type Fit = NonNullable<ReturnType<typeof fitFamilies>>;

/** Undefined if the address is not served. */
export function fitFamilies(request: LegacyRequest, mapping: Mapping) {
  const match = mapping.matchRoute(request.method, request.path);
  if (match.kind !== 'matched') return undefined;
  const { operation, pinnedFormat } = match;
  const { format, reason } = formatOf(request, operation, pinnedFormat, mapping);
  const formats = format === undefined ? [...mapping.formats.keys()] : [format];
  return {
    method: request.method,
    path: request.path,
    operation: operation.name,
    // Undefined if none can be detected; the reason says why this one was, or why none.
    ...{ format, reason },
    // Without values.
    fields: [...request.body.keys(), ...request.query.keys()],
    // Families with at least one signal, the best proven first.
    proofs: formats.flatMap((id) => proofsOf(request, id, mapping, pathWithoutFormat(request.path, mapping))),
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
      pathWithoutFormat(request.path, mapping),
    );
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { format: undefined, reason: error.detail };
  }
}

/**
 * One request for each body that the source writes, and one for each other address in it, with those fields of the source that
 * the operation knows. All values are empty.
 */
export function requestsOf(findings: SourceFindings, mapping: Mapping): LegacyRequest[] {
  const { bodies, paths, fields } = findings;
  const written = bodies.flatMap((body) => {
    const path = addressOf(body, paths, mapping);
    return path === undefined ? [] : [requestOf(path, body.fields, findings, body.isByHand)];
  });
  const others = paths.flatMap((path) => {
    const operation = purchaseAt(path, mapping);
    const isWritten = written.some((one) => one.path === path);
    return operation === undefined || isWritten
      ? []
      : [
          requestOf(
            path,
            fields.filter((name) => operation.known.has(name)),
            findings,
          ),
        ];
  });
  return [...written, ...others];
}

function purchaseAt(path: string, mapping: Mapping): Operation | undefined {
  const match = mapping.matchRoute('POST', path);
  return match.kind === 'matched' && match.operation.kind === 'purchase' ? match.operation : undefined;
}

/**
 * The first purchase address that knows all fields of the body and gets all that it requires. Addresses of the mapping are tried
 * after those of the source, because many scripts have theirs in a setting.
 */
function addressOf({ fields }: SourceFindings['bodies'][number], paths: readonly string[], mapping: Mapping): string | undefined {
  return [...paths, ...mapping.routes.map(({ path }) => path)].find((path) => {
    const { fields: wanted = [], known } = purchaseAt(path, mapping) ?? {};
    const isWhole = wanted.every(
      ({ isRequired, from, otherwise }) => !isRequired || [...from, ...otherwise].some((name) => fields.includes(name)),
    );
    return known !== undefined && isWhole && fields.every((name) => known.has(name));
  });
}

function requestOf(
  path: string,
  fields: readonly string[],
  { headers, userAgent }: SourceFindings,
  isByHand = false,
): LegacyRequest {
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const body = new Map(fields.map((name) => [name, '']));
  return {
    method: 'POST',
    path,
    query: new Map(),
    body,
    bytes: Buffer.from(JSON.stringify(Object.fromEntries(body), undefined, isByHand ? 2 : undefined)),
    headers: { userAgent, sent: { ...sent, ...(userAgent === undefined ? {} : { 'user-agent': userAgent }) } },
    clientAddress: '127.0.0.1',
  };
}

/** The suggested patience as a share of the script's own limit: the remainder is for v1's last answer and the way of the reply. */
const PATIENCE_SHARE = 0.85;

/**
 * A first YAML of a family for a script that fits none. A person has to decide which parts of it are proof. Undefined if the
 * format of no request is known.
 */
export function writeSkeleton(fits: readonly Fit[], sources: readonly SourceFindings[]): string | undefined {
  const fit = fits.find(({ format }) => format !== undefined);
  if (fit === undefined) return undefined;
  const agent = sources.map(({ userAgent }) => userAgent).find((one) => one !== undefined);
  const seconds = sources.flatMap(({ limits }) => limits.flatMap(({ text }) => secondsIn(text) ?? []));
  const family = {
    title: 'Say whose scripts these are',
    scripts: 'Say what they send, and what they decide by.',
    extends: fit.format,
    proof: [
      {
        weight: 'strong',
        ...(agent === undefined ? {} : { headers: { 'User-Agent': agent.replace(/\/.*$/, '/*') } }),
        all_fields: fit.fields,
      },
    ],
    ...(seconds.length === 0 ? {} : { patience: `${Math.max(1, Math.floor(Math.min(...seconds) * PATIENCE_SHARE))}s` }),
    pending: 'refunds',
  };
  return stringify({ families: { 'name-of-the-family': family } }).trimEnd();
}

/** The time limit that a line of source sets, in seconds. Options that end in `_MS` and numbers from 1000 up are milliseconds. */
function secondsIn(text: string): number | undefined {
  const number = /(\d+)(?!.*\d)/.exec(text)?.[1];
  if (number === undefined) return undefined;
  const value = Number(number);
  const seconds = /_MS\b/.test(text) || value >= 1_000 ? value / 1_000 : value;
  return seconds > 0 ? seconds : undefined;
}
