/** Checks addresses: reports those that cannot be reached or that mislead their reader. */
import { type Address, parameterNames, parseRoute, type PlacedRoute, routesOf } from '../routes';
import { trimSlash } from '../../domain/decode-path';
import type { MappingSource } from '../source';
import type { Checking } from './checking';

/** The default path below which requests are passed through to v1. */
const V1_PATH = '/api/v1';

export function checkRoutes({ source, report }: Checking): void {
  const owners = new Map<string, PlacedRoute>();
  for (const route of routesOf(source)) {
    if (!Object.hasOwn(source.operations, route.operation)) continue;
    checkWritten(route, report);
    const addresses = parseRoute(route.text);
    for (const address of addresses) {
      checkOwner(route, address, addresses.length === 1, owners, report);
      checkAddress(route, address.path, source, report);
    }
    if (source.operations[route.operation]!.kind === 'purchase' && addresses[0]!.methods.includes('GET'))
      report(route.path, 'purchase-by-get', `a GET of ${route.text} would buy`, { hint: 'use POST alone' });
  }
}

function checkWritten({ text, path }: PlacedRoute, report: Checking['report']): void {
  const [methods = '', written = ''] = text.split(' ');
  const normal = trimSlash(written).replace(/\/{2,}/g, '/');
  if (written !== normal)
    report(path, 'route-not-normal', `${written} is the same address as ${normal}`, {
      fix: { kind: 'replace', to: `${methods} ${normal}` },
    });
}

function checkOwner(
  route: PlacedRoute,
  { methods, path: address }: Address,
  isOnly: boolean,
  owners: Map<string, PlacedRoute>,
  report: Checking['report'],
): void {
  for (const method of methods) {
    const key = `${method} ${address.replaceAll(/:[^/]+/g, ':').replaceAll(/\/{2,}/g, '/')}`;
    const owner = owners.get(key);
    if (owner === undefined) owners.set(key, route);
    else if (owner.operation !== route.operation)
      report(route.path, 'route-shadowed', `${method} ${address} already means \`${owner.operation}\``);
    else if (owner.format === undefined || owner.format === route.format)
      report(route.path, 'route-repeated', `${method} ${address} is already listed here`, {
        fix: isOnly && methods.length === 1 && owner.format === route.format ? { kind: 'remove' } : undefined,
      });
  }
}

function checkAddress(
  { operation, path: at }: PlacedRoute,
  address: string,
  source: MappingSource,
  report: Checking['report'],
): void {
  const { kind, fields } = source.operations[operation]!;
  const parameters = parameterNames(address);
  for (const [index, parameter] of parameters.entries()) {
    if (parameters.indexOf(parameter) < index) report(at, 'parameter-repeated', `\`:${parameter}\` is twice in ${address}`);
    // A purchase may carry the script's own id in its address.
    else if (!Object.hasOwn(fields ?? {}, parameter) && !(kind === 'purchase' && parameter === 'request_id'))
      report(at, 'unknown-parameter', `\`:${parameter}\` is not a field of this operation`);
  }
  const [, first = ''] = /^\/([^/]+)\//.exec(address) ?? [];
  if (source.formats.has(first))
    report(at, 'format-shadows-route', `/${first}/… pins format \`${first}\`, so nothing is served at ${address}`);
  if (address === V1_PATH || address.startsWith(`${V1_PATH}/`))
    report(at, 'route-inside-v1', `${address} is passed through to v1`);
  if (/[A-Z]/.test(address.replaceAll(/:[^/]+/g, '')))
    report(at, 'route-in-capitals', `${address} is not the same address as ${address.toLowerCase()}`);
}
