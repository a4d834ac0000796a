/** Compiles the signals of formats and families into predicates on requests. */
import { InexactNumber } from '../domain/json';
import { headerOf, type LegacyFields, type LegacyRequest, type LegacyValue } from '../domain/legacy';
import { parseText } from './input-transforms';
import { trimSlash } from '../domain/decode-path';
import type { Layout } from './language/formats';
import type { SignalSource } from './language/schema';
import type { Report } from './source';
import type { YamlPath } from './read-yaml';
import { sameWord } from './table';

export type Weight = SignalSource['weight'];

export interface Signal {
  readonly weight: Weight;
  /** Describes in words what was found in the request; `undefined` if the signal does not apply. */
  readonly find: (request: LegacyRequest, path: string) => string | undefined;
  /** Set for a signal with `field` and `is`. */
  readonly fieldIs?: { readonly field: string; readonly words: readonly string[] };
}

type Finder = (request: LegacyRequest, path: string) => string | undefined;

/** A signal applies when all its conditions apply. `find` takes the address without the prefix that pins a format. */
export function compileSignal(source: SignalSource, path: YamlPath, report: Report): Signal {
  const finders: Finder[] = [];
  if (source.any_field !== undefined) finders.push(anyField(source.any_field));
  if (source.all_fields !== undefined) finders.push(allFields(source.all_fields));
  if (source.field !== undefined && source.is !== undefined) finders.push(fieldIs(source.field, source.is));
  if (source.path !== undefined) finders.push(source.spelled === 'exactly' ? exactPath(source.path) : anyPath(source.path));
  if (source.auth !== undefined) finders.push(authScheme(source.auth));
  if (source.no_field !== undefined) finders.push(noField(source.no_field));
  if (source.types !== undefined) finders.push(typesAre(source.types));
  if (source.order !== undefined) finders.push(orderIs(source.order));
  if (source.headers !== undefined) finders.push(headersAre(source.headers));
  // Last, because the body is examined only if all other conditions apply.
  if (source.layout !== undefined) finders.push(layoutIs(source.layout));
  if (finders.length === 0)
    report(path, 'empty-signal', 'this signal names nothing to look for', {
      hint: 'add any_field, all_fields, no_field, field with is, types, order, layout, path, auth or headers',
    });
  if ((source.field === undefined) !== (source.is === undefined)) report(path, 'half-signal', '`field` and `is` belong together');
  const { field, is } = source;
  return {
    weight: source.weight,
    ...(field === undefined || is === undefined ? {} : { fieldIs: { field, words: is } }),
    // Most signals have one condition.
    find:
      (finders.length === 1 ? finders[0] : undefined) ??
      ((request, address) => {
        let found: string | undefined;
        for (const finder of finders) {
          const words = finder(request, address);
          if (words === undefined) return undefined;
          found = found === undefined ? words : `${found} and ${words}`;
        }
        return found;
      }),
  };
}

function fieldOf(request: LegacyRequest, name: string): LegacyValue | undefined {
  return request.body.get(name) ?? request.query.get(name);
}

function hasField(request: LegacyRequest, name: string): boolean {
  return request.body.has(name) || request.query.has(name);
}

const anyField = (names: readonly string[]): Finder => {
  const wanted = names.map((name) => ({ name, words: `field ${name}` }));
  return (request) => wanted.find(({ name }) => hasField(request, name))?.words;
};

const allFields = (names: readonly string[]): Finder => {
  const words = `fields ${names.join(' and ')}`;
  return (request) => (names.every((name) => hasField(request, name)) ? words : undefined);
};

const fieldIs =
  (name: string, words: readonly string[]): Finder =>
  (request) => {
    // Scripts send numbers as text and text as numbers.
    const value = parseText(fieldOf(request, name) ?? null);
    return value !== undefined && words.some((word) => sameWord(word, value)) ? `${name} is ${value}` : undefined;
  };

const exactPath = (wanted: string): Finder => {
  const words = `address ${wanted}`;
  return (_request, path) => (path === wanted ? words : undefined);
};

const anyPath = (wanted: string): Finder => {
  const trimmed = trimSlash(wanted);
  const words = `address ${trimmed}`;
  return (_request, path) => (path.startsWith(trimmed) && trimSlash(path) === trimmed ? words : undefined);
};

const authScheme = (scheme: string): Finder => {
  const begins = new RegExp(`^${scheme}\\b`, 'i');
  return (request) => (begins.test(request.headers.authorization?.trim() ?? '') ? `${scheme} authorization` : undefined);
};

const noField = (names: readonly string[]): Finder => {
  const words = `no field ${names.join(' or ')}`;
  return (request) => (names.some((name) => hasField(request, name)) ? undefined : words);
};

type JsonType = NonNullable<SignalSource['types']>[string];

function typeOf(value: LegacyValue): JsonType {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number' || value instanceof InexactNumber) return 'number';
  if (typeof value === 'boolean') return 'flag';
  return value === null ? 'null' : Array.isArray(value) ? 'list' : 'object';
}

const typesAre = (types: Readonly<Record<string, JsonType>>): Finder => {
  const wanted = Object.entries(types);
  const words = wanted.map(([name, type]) => `${name} as ${type}`).join(' and ');
  return (request) =>
    wanted.every(([name, type]) => {
      const value = fieldOf(request, name);
      return value !== undefined && typeOf(value) === type;
    })
      ? words
      : undefined;
};

/** The fields must all be in the body, or all in the query: there is no order across the two. */
const orderIs = (names: readonly string[]): Finder => {
  const words = `fields in the order ${names.join(', ')}`;
  const isIn = (fields: LegacyFields): boolean => {
    let found = 0;
    for (const name of fields.keys()) if (name === names[found]) found += 1;
    return found === names.length;
  };
  return ({ body, query }) => (isIn(body) || isIn(query) ? words : undefined);
};

const headersAre = (headers: Readonly<Record<string, readonly string[]>>): Finder => {
  const wanted = Object.entries(headers).map(([name, patterns]) => ({
    name,
    mayBeAbsent: patterns.includes(''),
    patterns: patterns.map(compilePattern),
  }));
  const words = Object.entries(headers)
    .map(([name, patterns]) => (patterns.join() === '' ? `no ${name}` : name))
    .join(' and ');
  return ({ headers: sent }) =>
    wanted.every(({ name, mayBeAbsent, patterns }) => {
      const value = headerOf(sent, name)?.toLowerCase() ?? '';
      return value === '' ? mayBeAbsent : patterns.some((matches) => matches(value));
    })
      ? words
      : undefined;
};

const layoutIs =
  (wanted: Layout): Finder =>
  ({ bytes }) =>
    bytes !== undefined && layoutOf(bytes) === wanted ? `body written ${LAYOUT_WORDS[wanted]}` : undefined;

const LAYOUT_WORDS: Readonly<Record<Layout, string>> = { compact: 'without blanks', spaced: 'with blanks', by_hand: 'by hand' };

/** Undefined for a body that is no JSON object with a field: a form, an empty body, a body without a colon. */
function layoutOf(bytes: Buffer): Layout | undefined {
  const text = bytes.toString('utf8').trim();
  if (!text.startsWith('{') || !text.includes(':')) return undefined;
  const marks = text.replace(/"(?:[^"\\]|\\.)*"?/g, '""');
  if (!/\s/.test(marks)) return 'compact';
  const isSpaced = !/\s[:,}]|[{[]\s|[:,](?! \S)|\s{2}|[\n\t\r]/.test(marks);
  return isSpaced ? 'spaced' : 'by_hand';
}

/** Compiles a pattern of header values: case does not count, and a final `*` matches any rest. The predicate takes a lower-case value. */
export function compilePattern(pattern: string): (lowerCaseValue: string) => boolean {
  const lower = pattern.toLowerCase();
  if (!lower.endsWith('*')) return (value) => value === lower;
  const start = lower.slice(0, -1);
  return (value) => value.startsWith(start);
}
