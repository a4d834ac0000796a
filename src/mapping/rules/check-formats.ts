/** Formats and the signals that prove them. */
import { trimSlash } from '../../domain/decode-path';
import type { SignalSource } from '../language/schema';
import type { YamlPath } from '../read-yaml';
import type { MappingSource } from '../source';
import { checkCharacters } from './check-fields';
import { spellingsOf, type Checking } from './checking';

export function checkFormats(checking: Checking): void {
  const { source, report } = checking;
  const logins: string[] = [];
  for (const [id, format] of source.formats) {
    if (format.login !== undefined && logins.push(id) > 1)
      report(['formats', id, 'login'], 'login-shared', `format \`${logins[0]!}\` claims the login already`, { at: 'key' });
    // One format alone needs no proof.
    if (source.formats.size > 1 && !isProvable(id, source))
      report(['formats', id, 'format'], 'format-unprovable', `nothing in a request proves format \`${id}\``);
  }
  checkPaths(checking);
  checkWeights(checking);
  checkProofs(checking);
}

function isProvable(id: string, source: MappingSource): boolean {
  const { proof, login, operations } = source.formats.get(id)!;
  const hasSignal = (proof ?? []).some(({ weight }) => weight !== 'weak');
  const hasRoute = Object.values(operations ?? {}).some(({ routes }) => (routes ?? []).length > 0);
  return hasSignal || hasRoute || login !== undefined;
}

function checkPaths({ source, report, mapping }: Checking): void {
  const served = new Set(mapping.routes.map(({ path }) => path));
  const isServed = (path: string): boolean =>
    served.has(path) || ['GET', 'POST', 'PUT', 'DELETE'].some((method) => mapping.matchRoute(method, path).kind === 'matched');
  const ofFormats = [...source.formats].map(([id, { proof }]) => ({ at: ['formats', id], proof }));
  const ofFamilies = Object.entries(source.families).map(([id, { proof }]) => ({ at: ['families', id], proof }));
  for (const { at, proof } of [...ofFormats, ...ofFamilies])
    for (const [index, { path }] of (proof ?? []).entries())
      if (path !== undefined && !isServed(trimSlash(path)))
        report([...at, 'proof', index, 'path'], 'signal-never-applies', `nothing is served at ${path}`);
}

/** What a signal looks for, one sentence a thing: `a field phone`. */
function thingsOf(signal: SignalSource): string[] {
  const {
    any_field: any,
    all_fields: all,
    no_field: none,
    field,
    is,
    types,
    order,
    path,
    spelled,
    auth,
    headers,
    layout,
  } = signal;
  const parts = [
    ...(any === undefined ? [] : [any.map((name) => `the field \`${name}\``)]),
    ...(all === undefined ? [] : [[`the fields ${[...all].sort().join(' and ')}`]]),
    ...(field === undefined ? [] : [(is ?? []).map((word) => `\`${field}\` with \`${word}\``)]),
    ...(path === undefined ? [] : [[`the address ${spelled === 'exactly' ? `${path} exactly` : trimSlash(path)}`]]),
    ...(auth === undefined ? [] : [[`${auth} authorization`]]),
    ...(none === undefined ? [] : [[`no field ${[...none].sort().join(' and ')}`]]),
    ...[types, order, headers, layout].flatMap((part) => (part === undefined ? [] : [[JSON.stringify(part)]])),
  ];
  // Several conditions in one signal are one thing together.
  return parts.length === 1 ? parts[0]! : [parts.flat().join(' and ')];
}

function checkWeights({ source, report }: Checking): void {
  const strong = new Map<string, string>();
  for (const [id, { proof }] of source.formats) {
    const own = new Set<string>();
    for (const [index, signal] of (proof ?? []).entries()) {
      const path = ['formats', id, 'proof', index];
      for (const thing of new Set(thingsOf(signal))) {
        if (own.has(thing)) report(path, 'signal-repeated', `${thing} is a signal of this format already`);
        own.add(thing);
        if (signal.weight !== 'strong') continue;
        const owner = strong.get(thing);
        if (owner !== undefined && owner !== id)
          report(path, 'signal-contradiction', `${thing} is a strong signal of format \`${owner}\` already`);
        strong.set(thing, owner ?? id);
      }
    }
  }
}

/** A field that no operation knows comes with no request that is served. */
function checkProofs({ source, report }: Checking): void {
  const known = knownSpellings(source);
  for (const [id, { proof = [] }] of source.formats)
    for (const [index, { any_field: any = [], all_fields: all = [], field }] of proof.entries()) {
      const path = ['formats', id, 'proof', index];
      const fields: (readonly [string, YamlPath])[] = [
        ...any.map((name, at) => [name, [...path, 'any_field', at]] as const),
        ...all.map((name, at) => [name, [...path, 'all_fields', at]] as const),
      ];
      for (const [name, at] of [...fields, ...(field === undefined ? [] : [[field, [...path, 'field']] as const])])
        if (!known.has(name)) report(at, 'proof-of-unread-field', `no operation reads a field \`${name}\``);
      for (const [name, at] of fields) checkCharacters(name, at, report);
    }
}

function knownSpellings(source: MappingSource): ReadonlySet<string> {
  const ignored = Object.values(source.operations).flatMap(({ ignore = [] }) => ignore);
  return new Set([...spellingsOf(source).map(({ spelling }) => spelling), ...ignored, ...source.request_id]);
}
