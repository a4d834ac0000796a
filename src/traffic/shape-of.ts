/** A request → its shape: which fields came, where and of what kind. No value gets further than this file. */
import type { LegacyFields, LegacyHeaders, LegacyRequest, LegacyValue } from '../domain/legacy';
import { keepName } from '../domain/shown-words';
import { FIELD_KINDS, type AuthShape, type FieldKind, type FieldShape, type RequestShape } from '../domain/traffic';
import { parseText } from '../mapping/input-transforms';
import type { Mapping, Operation } from '../mapping/mapping';
import { trimSlash } from '../mapping/trim-slash';
import { sameWord } from '../mapping/table';
import { fieldKindOf } from './field-kind';
import { keepAddress } from './keepable';

/** What of a mapping the shapes need, looked up once. */
interface Facts {
  /** Words that a signal names, by the field that would hold them. */
  readonly words: ReadonlyMap<string, readonly string[]>;
  /** By operation: addresses without a value in them. */
  readonly literals: ReadonlyMap<string, ReadonlySet<string>>;
  /** By operation: addresses with values, as segments. */
  readonly patterns: ReadonlyMap<string, readonly (readonly string[])[]>;
  /** A character for each spelling of the mapping. */
  readonly codes: ReadonlyMap<string, string>;
}

const KIND_CODES = Object.fromEntries(FIELD_KINDS.map((kind, index) => [kind, String.fromCharCode(97 + index)])) as Readonly<
  Record<FieldKind, string>
>;
/** Past everything that stands in a name of a field. */
const FIRST_CODE = 0x4e00;
const CODES_MAX = 20_000;

const FIELDS_MAX = 40;
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS']);

const factsOf = new WeakMap<Mapping, Facts>();

export function shapeOf(request: LegacyRequest, operation: Operation, mapping: Mapping): RequestShape {
  const facts = factsOf.get(mapping) ?? readFacts(mapping);
  const fields: FieldShape[] = [];
  collect(request.body, 'body', fields, request, operation, facts);
  collect(request.query, 'query', fields, request, operation, facts);
  return {
    method: shownMethod(request.method),
    path: shownPath(request, operation, mapping, facts),
    auth: authShapeOf(request.headers),
    fields: bounded(fields, operation),
  };
}

/**
 * A short text that only requests of the same shape have, whatever values they hold: most requests look like one before
 * them, and telling that costs a fraction of building the shape. The order of the fields may tell equal shapes apart.
 */
export function signatureOf(request: LegacyRequest, operation: Operation, mapping: Mapping): string {
  const facts = factsOf.get(mapping) ?? readFacts(mapping);
  const path = shownPath(request, operation, mapping, facts);
  let signature = `${operation.name} ${shownMethod(request.method)} ${path} ${authShapeOf(request.headers)} `;
  signature += signFields(request.body, request, operation, facts);
  return request.query.size === 0 ? signature : `${signature}?${signFields(request.query, request, operation, facts)}`;
}

function signFields(source: LegacyFields, { headers }: LegacyRequest, operation: Operation, facts: Facts): string {
  let signature = '';
  for (const [sent, value] of source) {
    // One character stands for a name of the mapping.
    const code = operation.known.has(sent) ? facts.codes.get(sent) : undefined;
    const word = facts.words.has(sent) ? signalWord(sent, value, facts) : undefined;
    signature +=
      (code ?? `\n${keepName(sent, headers)}\n`) + KIND_CODES[fieldKindOf(value)] + (word === undefined ? '' : `\n${word}\n`);
  }
  return signature;
}

/** The method, when it is one that programs send. */
export function shownMethod(method: string): string {
  return METHODS.has(method) ? method : 'OTHER';
}

function collect(
  source: LegacyFields,
  place: FieldShape['place'],
  into: FieldShape[],
  request: LegacyRequest,
  operation: Operation,
  facts: Facts,
): void {
  for (const [sent, value] of source) {
    const name = operation.known.has(sent) ? sent : keepName(sent, request.headers);
    const kind = fieldKindOf(value);
    const word = signalWord(sent, value, facts);
    into.push(word === undefined ? { name, place, kind } : { name, place, kind, word });
  }
}

/** The mapping's own spelling of the word, never the script's. */
function signalWord(name: string, value: LegacyValue, { words }: Facts): string | undefined {
  const named = words.get(name);
  if (named === undefined) return undefined;
  const text = parseText(value);
  return text === undefined ? undefined : named.find((word) => sameWord(word, text));
}

/** In order of name, equal ones once. Of too many the known ones are kept: they are what a replay needs. */
function bounded(fields: FieldShape[], operation: Operation): readonly FieldShape[] {
  const kept =
    fields.length <= FIELDS_MAX
      ? fields
      : [
          ...fields.filter(({ name }) => operation.known.has(name)),
          ...fields.filter(({ name }) => !operation.known.has(name)),
        ].slice(0, FIELDS_MAX);
  kept.sort(byName);
  return kept.filter((field, index) => index === 0 || byName(kept[index - 1]!, field) !== 0);
}

function byName(a: FieldShape, b: FieldShape): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  if (a.place !== b.place) return a.place < b.place ? -1 : 1;
  return a.kind === b.kind ? 0 : a.kind < b.kind ? -1 : 1;
}

function shownPath({ path, headers }: LegacyRequest, operation: Operation, mapping: Mapping, facts: Facts): string {
  const literals = facts.literals.get(operation.name);
  if (literals?.has(path) === true) return path;
  const trimmed = trimSlash(path);
  if (literals?.has(trimmed) === true) return path;
  const slash = path.length > trimmed.length ? '/' : '';
  const [, first = '', rest = ''] = /^\/([^/]+)(\/.*)$/.exec(trimmed) ?? [];
  const [pin, plain] = mapping.formats.has(first) ? [`/${first}`, rest] : ['', trimmed];
  if (literals?.has(plain) === true) return path;
  const segments = plain.split('/');
  // Below the address of a status everything is the order's id.
  const partOf = (one: readonly string[]) => (operation.kind === 'status' ? segments.slice(0, one.length) : segments);
  const pattern = facts.patterns.get(operation.name)?.find((one) => fits(one, partOf(one)));
  // The mapping was replaced while the request was on its way: what its address meant is not known any more.
  return pattern === undefined ? keepAddress(path, headers) : `${pin}${pattern.join('/')}${slash}`;
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  return pattern.length === segments.length && pattern.every((part, index) => part.startsWith(':') || part === segments[index]);
}

function authShapeOf({ authorization, token }: LegacyHeaders): AuthShape {
  const text = authorization?.trim() ?? '';
  if (text === '') return token === undefined || token.trim() === '' ? 'none' : 'token_header';
  const scheme = /^(basic|bearer)\b/i.exec(text)?.[1]?.toLowerCase();
  // A key without any scheme is read as a token.
  return scheme === 'basic' || scheme === 'bearer' ? scheme : 'token';
}

function readFacts(mapping: Mapping): Facts {
  const words = new Map<string, string[]>();
  for (const { signals } of mapping.formats.values())
    for (const { fieldIs } of signals)
      if (fieldIs !== undefined) words.set(fieldIs.field, [...(words.get(fieldIs.field) ?? []), ...fieldIs.words]);
  const literals = new Map<string, Set<string>>();
  const patterns = new Map<string, (readonly string[])[]>();
  for (const { operation, path } of mapping.routes) {
    if (path.includes('/:')) patterns.set(operation, [...(patterns.get(operation) ?? []), path.split('/')]);
    // Both slash spellings are the same address.
    else literals.set(operation, (literals.get(operation) ?? new Set()).add(path).add(`${path}/`));
  }
  const spellings = new Set([...mapping.operations.values()].flatMap(({ known }) => [...known]));
  const codes = new Map([...spellings].slice(0, CODES_MAX).map((name, index) => [name, String.fromCharCode(FIRST_CODE + index)]));
  for (const some of patterns.values()) some.sort((one, other) => other.length - one.length);
  const facts = { words, literals, patterns, codes };
  factsOf.set(mapping, facts);
  return facts;
}
