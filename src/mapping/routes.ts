/** Finds the operation of an address. It is the same address with and without a final slash; a literal segment wins over a `:name`. */
import { decodePath, trimSlash, withoutEndSlashes } from '../domain/decode-path';
import type { MatchRoute, Operation, Route, RouteMatch } from './mapping';
import { partsAt, type MappingSource } from './source';

export interface Address {
  readonly methods: readonly string[];
  readonly path: string;
}

/** `GET|POST /api/data|topup/:id` is two addresses, each with both methods. */
export function parseRoute(text: string): Address[] {
  const [methods = '', path = ''] = text.split(' ');
  return pathsOf(trimSlash(path)).map((one) => ({ methods: methods.split('|'), path: one }));
}

/** `/api/data|topup` is two paths. */
export function pathsOf(path: string): string[] {
  return path
    .split('/')
    .map((segment) => segment.split('|'))
    .reduce<string[]>((begun, ends) => begun.flatMap((start) => ends.map((end) => `${start}/${end}`)), [''])
    .map((one) => one.slice(1));
}

export type PlacedRoute = ReturnType<typeof routesOf>[number];

/** Every route as written: those of all formats, then those of each format. */
export function routesOf(source: Pick<MappingSource, 'operations' | 'formats'>) {
  const shared = partsAt(source, 'operations.*.routes.*').map(({ value: text, path, names: [operation] }) => {
    return { operation, format: undefined, text, path };
  });
  const own = partsAt(source, 'formats.*.operations.*.routes.*').map(({ value: text, path, names: [format, operation] }) => {
    return { operation, format, text, path };
  });
  return [...shared, ...own];
}

/** The routes of one address. They may name its parameters differently: `GET /api/data/:id`, `POST /api/data/:request_id`. */
interface Place {
  /** The segments of the address, with `:` for each parameter. */
  readonly steps: readonly string[];
  readonly routes: Route[];
}

/** An encoded slash: part of a value, and no separator of the path. */
const ENCODED_SLASH = /%2f/i;

/**
 * Makes a matcher of all routes. The id of a format as first segment pins that format. Everything below the address of an order
 * status is the order's id, even with slashes in it. `rawPath` is the address before it was decoded.
 */
export function createRouter(
  routes: readonly Route[],
  operations: ReadonlyMap<string, Operation>,
  formats: ReadonlySet<string>,
): MatchRoute {
  const places = new Map<string, Place>();
  for (const route of routes) {
    const steps = segmentsOf(route.path).map((segment) => (segment.startsWith(':') ? ':' : segment));
    const address = `/${steps.join('/')}`;
    const place = places.get(address) ?? { steps, routes: [] };
    places.set(address, place);
    place.routes.push(route);
  }
  const literalsFirst = [...places.values()].sort((one, other) => (turnOf(one) < turnOf(other) ? -1 : 1));
  const find = (segments: readonly string[]): Place | undefined =>
    literalsFirst.find(
      ({ steps }) => steps.length === segments.length && steps.every((step, index) => step === ':' || step === segments[index]),
    );

  /** The routes of an order status whose only parameter is the order's id at the end, by the address above the id. */
  const statusRoutes = new Map<string, readonly Route[]>();
  for (const [address, { steps, routes: placed }] of places)
    if (address.endsWith('/:') && steps.indexOf(':') === steps.length - 1)
      statusRoutes.set(
        address.slice(0, -2),
        placed.filter(({ operation }) => operations.get(operation)?.kind === 'status'),
      );

  const matchPlain = (method: string, path: string, rawPath: string): RouteMatch => {
    const isEncoded = ENCODED_SLASH.test(rawPath);
    // Most requests come to a literal address, which one look-up in a map finds.
    const literal = isEncoded || path.includes(':') ? undefined : places.get(path);
    const segments = isEncoded ? segmentsOf(rawPath).map(decodePath) : literal === undefined ? segmentsOf(path) : [];
    const place = literal ?? find(segments);
    const fitting = place?.routes.filter((route) => route.methods.includes(method)) ?? [];
    const [route] = fitting;
    const isBelowStatus = route === undefined || (operations.get(route.operation)?.kind === 'status' && route.path.includes(':'));
    if (!isBelowStatus) {
      const values = segments.filter((_, index) => place!.steps[index] === ':');
      const parameters = Object.fromEntries(parameterNames(route.path).map((name, index) => [name, values[index]!]));
      return { ...matched(fitting, operations), parameters, readings: [] };
    }
    const ids = readIds(statusRoutes, method, rawPath) ?? readIds(statusRoutes, method, path);
    if (ids !== undefined) return { ...ids, ...matched(route === undefined ? [ids.route] : fitting, operations) };
    if (place === undefined) return { kind: 'unknown_path' };
    return { kind: 'wrong_method', allowed: [...new Set(place.routes.flatMap((one) => one.methods))] };
  };

  return (method, path, rawPath = path) => {
    const trimmed = trimSlash(path);
    const [, first = '', rest = ''] = /^\/([^/]+)(\/.*)$/s.exec(trimmed) ?? [];
    if (!formats.has(first)) return matchPlain(method, trimmed, rawPath);
    const match = matchPlain(method, rest, rawPath.replace(/^\/+[^/]+/, ''));
    return match.kind === 'matched' ? { ...match, pinnedFormat: first } : match;
  };
}

type Matched = Extract<RouteMatch, { kind: 'matched' }>;

function matched(
  fitting: readonly Route[],
  operations: ReadonlyMap<string, Operation>,
): Pick<Matched, 'kind' | 'operation' | 'route' | 'pinnedFormat'> {
  const route = fitting[0]!;
  const isShared = fitting.some((one) => one.format === undefined);
  return {
    kind: 'matched',
    operation: operations.get(route.operation)!,
    route,
    pinnedFormat: isShared || fitting.length > 1 ? undefined : route.format,
  };
}

/** The names of a route's parameters, in their order in the path. */
export function parameterNames(path: string): string[] {
  return path.includes(':') ? segmentsOf(path).flatMap((segment) => (segment.startsWith(':') ? [segment.slice(1)] : [])) : [];
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

/** Of two places for one address, the one with a literal where the other has a parameter comes first. */
const turnOf = ({ steps }: Place): string => steps.map((step) => (step === ':' ? '1' : '0')).join('');

type ReadIds = Pick<Matched, 'route' | 'parameters' | 'readings'>;

/** Undefined for an address that is below no status route. */
function readIds(statusRoutes: ReadonlyMap<string, readonly Route[]>, method: string, path: string): ReadIds | undefined {
  const found: { readonly route: Route; readonly rest: string }[] = [];
  const longest = Math.max(...[...statusRoutes.keys()].map(({ length }) => length));
  let above = '';
  for (const { 1: segment, index } of path.matchAll(/\/+([^/]*)/gy)) {
    // Otherwise the look-ups of an address with thousands of segments would take quadratic time.
    if (above.length > longest) break;
    const route = statusRoutes.get(above)?.find(({ methods }) => methods.includes(method));
    const rest = path.slice(index + 1);
    // The longest address comes first: `/api/data/requery/7` means order 7 first, and order `requery/7` only after that.
    if (route !== undefined && rest !== '') found.unshift({ route, rest });
    above += `/${segment}`;
  }
  const [first] = found;
  if (first === undefined) return undefined;
  const readings = [...new Set(found.flatMap(({ rest }) => idReadings(rest)))].filter((id) => id !== '');
  const [parameter = ''] = parameterNames(first.route.path);
  // The id without slashes at its ends: v1's references have none.
  const id = decodePath(withoutEndSlashes(first.rest.replace(/^\/+/, '')));
  return { route: first.route, parameters: { [parameter]: id === '' ? first.rest : id }, readings };
}

/** Most ids are of these characters, and can be read in one way only. */
const PLAIN_ID = /^[\w.-]+$/;

/**
 * The ids that a script may have meant by the end of an address, likeliest first: the text with all slashes as part of the id; without
 * slashes that come from a base address or from habit; with `+` read as a blank, as PHP's urlencode writes it; the text not decoded,
 * for scripts that do not encode.
 */
function idReadings(rest: string): readonly string[] {
  if (PLAIN_ID.test(rest)) return [rest];
  const id = rest.replace(/^\/+/, '');
  const spellings = [rest, withoutEndSlashes(rest), id, withoutEndSlashes(id)];
  const single = spellings.at(-1)!.replace(/\/{2,}/g, '/');
  const texts = [...spellings, single];
  return [...texts.map(decodePath), ...texts.map((text) => decodePath(text.replaceAll('+', '%20'))), ...texts];
}
