/** The one way from a folder of files to a mapping: `compat-gateway check`, start-up, reload and tests all come here. */
import { V1_ENDPOINTS } from '../upstream/v1';
import { checkTables } from './check-tables';
import { compileMapping } from './compile';
import { loadSource, mergeFiles, type LoadedSource, type MappingFileText } from './load';
import type { Mapping } from './mapping';
import { nearestName } from './nearest-name';
import type { Problem } from './problem';
import type { YamlPath } from './read-yaml';
import { parameterNames, parseRoute } from './routes';
import { createReport, type MappingSource, type Report } from './source';

export interface CheckedMapping {
  /** Absent when there are errors. */
  readonly mapping?: Mapping;
  readonly problems: readonly Problem[];
}

export function checkFolder(folder: string): CheckedMapping {
  return checkSource(loadSource(folder));
}

export function checkFiles(files: readonly MappingFileText[]): CheckedMapping {
  return checkSource(mergeFiles(files));
}

function checkSource({ source, problems: found }: LoadedSource): CheckedMapping {
  const problems = [...found];
  if (source === undefined) return { problems };
  const report = createReport(source.places, problems);
  const mapping = compileMapping(source, report);
  checkTables(source, report);
  checkNumberings(source, report);
  checkRoutes(mapping, report);
  checkNames(source, report);
  checkCalls(source, report);
  // Formats compile the same shared lines once each: one problem is said once.
  const distinct = [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
  return distinct.some((problem) => problem.severity === 'error') ? { problems: distinct } : { mapping, problems: distinct };
}

/** Two numbers for one network would make a list that does not read back. */
function checkNumberings(source: MappingSource, report: Report): void {
  for (const [id, format] of source.formats) {
    for (const [table, numbers] of Object.entries(format.numbers ?? {})) {
      const seen = new Map<string, string>();
      for (const [number, value] of Object.entries(numbers)) {
        const other = seen.get(value);
        if (other !== undefined)
          report(
            ['formats', id, 'numbers', table, number],
            'numbering-not-one-to-one',
            `${number} and ${other} both mean ${value}`,
          );
        seen.set(value, number);
      }
    }
  }
}

/** One address and method cannot mean two operations. */
function checkRoutes(mapping: Mapping, report: Report): void {
  const owners = new Map<string, string>();
  for (const route of mapping.routes) {
    for (const method of route.methods) {
      const key = `${method} ${route.path.replaceAll(/:[^/]+/g, ':')}`;
      const owner = owners.get(key);
      const path =
        route.format === undefined
          ? ['operations', route.operation, 'routes']
          : ['formats', route.format, 'operations', route.operation, 'routes'];
      if (owner !== undefined && owner !== route.operation)
        report(path, 'route-shadowed', `${method} ${route.path} already means \`${owner}\``);
      owners.set(key, route.operation);
    }
  }
}

/** Names that would mean nothing in silence: parts of an address, kinds of callers, prefixes that no request can get past. */
function checkNames(source: MappingSource, report: Report): void {
  const kinds = Object.keys(source.callerKinds);
  for (const [name, operation] of Object.entries(source.operations)) {
    const path = ['operations', name];
    for (const kind of Object.keys(operation.patience ?? {})) {
      if (kinds.includes(kind)) continue;
      const hint = nearestName(kind, kinds);
      report([...path, 'patience', kind], 'unknown-caller-kind', `there is no kind of caller \`${kind}\``, {
        at: 'key',
        ...(hint === undefined ? {} : { hint: `did you mean \`${hint}\`?` }),
      });
    }
    checkAddresses(name, operation.routes, [...path, 'routes'], source, report);
    for (const [id, format] of source.formats)
      checkAddresses(name, format.operations?.[name]?.routes, ['formats', id, 'operations', name, 'routes'], source, report);
  }
}

function checkAddresses(
  name: string,
  routes: readonly string[] | undefined,
  path: YamlPath,
  source: MappingSource,
  report: Report,
): void {
  const { kind, fields } = source.operations[name]!;
  for (const [index, route] of (routes ?? []).entries()) {
    const { path: address } = parseRoute(route);
    for (const parameter of parameterNames(address))
      // A purchase may carry the script's own id in its address.
      if (!Object.hasOwn(fields ?? {}, parameter) && !(kind === 'purchase' && parameter === 'request_id'))
        report([...path, index], 'unknown-parameter', `\`:${parameter}\` is no field of this operation`);
    const [, first = ''] = /^\/([^/]+)\//.exec(address) ?? [];
    if (source.formats.has(first))
      report(
        [...path, index],
        'format-shadows-route',
        `/${first}/… pins format \`${first}\`, so nothing is served at ${address}`,
      );
  }
}

/** v1 fields that the specification does not have, and required ones that nothing fills. */
function checkCalls(source: MappingSource, report: Report): void {
  for (const [name, operation] of Object.entries(source.operations)) {
    if (operation.call === undefined) continue;
    const path = ['operations', name, 'call'];
    const [method, address] = operation.call.to.split(' ');
    const endpoint = V1_ENDPOINTS.find((one) => one.method === method && one.path === address);
    if (endpoint === undefined) {
      const hint = nearestName(
        operation.call.to,
        V1_ENDPOINTS.map((one) => `${one.method} ${one.path}`),
      );
      report(
        [...path, 'to'],
        'unknown-endpoint',
        `v1 has no ${operation.call.to}`,
        hint === undefined ? {} : { hint: `did you mean ${hint}?` },
      );
      continue;
    }
    const sent = Object.keys(operation.call.send ?? {});
    for (const field of sent) {
      if (Object.hasOwn(endpoint.fields, field)) continue;
      const hint = nearestName(field, Object.keys(endpoint.fields));
      report([...path, 'send', field], 'unknown-v1-field', `${operation.call.to} has no field \`${field}\``, {
        at: 'key',
        ...(hint === undefined ? {} : { hint: `did you mean \`${hint}\`?` }),
      });
    }
    for (const [field, { required }] of Object.entries(endpoint.fields)) {
      if (required && field !== 'pin' && !sent.includes(field))
        report([...path, 'send'], 'missing-v1-field', `${operation.call.to} needs \`${field}\``);
    }
  }
}
