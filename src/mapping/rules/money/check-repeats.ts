/** What could buy twice or for somebody else: ids that repeat, purchases by GET, proofs that no request can bring. */
import type { YamlPath } from '../../read-yaml';
import { parseRoute } from '../../routes';
import type { MappingSource } from '../../source';
import type { Checking } from '../checking';

/** Parts of names of what is the same in two orders: who buys, what, when, and for how much. */
const REPEATING = new Set(
  'customer user username owner agent phone mobile msisdn email name amount price plan network product service date day time medium type quantity'.split(
    ' ',
  ),
);

export function checkRepeats({ source, report }: Checking): void {
  for (const [index, spelling] of source.request_id.entries()) {
    const words = spelling
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(/[^a-z0-9]+/);
    const word = words.find((one) => REPEATING.has(one));
    if (word !== undefined) report(['request_id', index], 'request-id-repeats', `two orders can have the same \`${spelling}\``);
  }
  for (const { routes, path } of purchaseRoutes(source))
    for (const [index, route] of routes.entries())
      if (parseRoute(route)[0]!.methods.includes('GET'))
        report([...path, index], 'purchase-by-get', `${route} would buy`, { hint: 'use POST alone' });
  checkProofs(source, report);
}

function purchaseRoutes({ operations, formats }: MappingSource): { routes: readonly string[]; path: YamlPath }[] {
  return Object.entries(operations).flatMap(([name, { kind, routes = [] }]) => {
    if (kind !== 'purchase') return [];
    const own = [...formats].map(([id, format]) => ({
      routes: format.operations?.[name]?.routes ?? [],
      path: ['formats', id, 'operations', name, 'routes'],
    }));
    return [{ routes, path: ['operations', name, 'routes'] }, ...own];
  });
}

/** A field that no operation knows comes with no request that is served. */
function checkProofs(source: MappingSource, report: Checking['report']): void {
  const known = knownSpellings(source);
  for (const [id, { proof = [] }] of source.formats)
    for (const [index, { any_field: any = [], all_fields: all = [], field }] of proof.entries()) {
      const path = ['formats', id, 'proof', index];
      const named: (readonly [string, YamlPath])[] = [
        ...any.map((name, at) => [name, [...path, 'any_field', at]] as const),
        ...all.map((name, at) => [name, [...path, 'all_fields', at]] as const),
        ...(field === undefined ? [] : [[field, [...path, 'field']] as const]),
      ];
      for (const [name, at] of named)
        if (!known.has(name)) report(at, 'proof-of-unread-field', `no operation reads a field \`${name}\``);
    }
}

function knownSpellings({ operations, formats, request_id: requestId }: MappingSource): ReadonlySet<string> {
  const shared = Object.values(operations).flatMap(({ fields = {}, ignore = [] }) => [
    ...Object.values(fields).flatMap(({ from, otherwise = [] }) => [...from, ...otherwise]),
    ...ignore,
  ]);
  const own = [...formats.values()].flatMap((format) =>
    Object.values(format.operations ?? {}).flatMap(({ fields = {} }) => Object.values(fields).flatMap(({ from = [] }) => from)),
  );
  return new Set([...shared, ...own, ...requestId]);
}
