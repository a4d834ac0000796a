/**
 * Breaks each rule of a mapping on purpose, one at a time and in memory. Good cases notice every break. The way in which the
 * schema compares a key decides how the key is broken. Each break is described in the words of a plan. Keys whose breaks no
 * case can notice are left alone: titles, single callers, and waiting times, because cases never wait.
 */
import { isJsonObject, isList, textOf, type JsonObject } from '../../domain/json';
import type { Compared } from '../../mapping/language/declare';
import { fill, isChoiceAt, isOptionalAt, isRecordAt, MODEL, placeBelow, ROOT, type Place } from '../../mapping/language/model';
import { formatFileSchema, sharedFileSchema, type ValueSource } from '../../mapping/language/schema';
import { parseRoute } from '../../mapping/routes';
import type { MappingSource } from '../../mapping/source';
import { normaliseWord } from '../../mapping/table';
import { BROKEN_TEXT, breakAt, dropAt, swapsAt, type BrokenKey, type Mutant, type Reach } from './mutant';

export function listMutants(source: MappingSource): Mutant[] {
  return walk(source, ROOT, source);
}

const UNNOTICED_KEYS =
  /^(?:timing|callers|lookup_key)$|(?:^|\.)(?:title|scripts|kind|patience|after_pending|shown_in|why)$|^families\.\*\.(?:operations\.\*\.)?pending$|^families\.\*\.(?:request_id|numbers)\b|\.(?:call\.to|join\.\*\.list)$/;

function walk(value: unknown, place: Place, source: MappingSource): Mutant[] {
  const { pattern } = place;
  if (UNNOTICED_KEYS.test(pattern)) return [];
  const key = MODEL.keys.get(pattern);
  const at: Reach & Place = { ...place, operations: reachOf(place, source) };
  if (key !== undefined) return breakKey(value, key, { ...at, title: fill(key.title, place.names) }, source);
  const parts = value instanceof Map ? [...(value as Map<string, unknown>)] : Object.entries(value as object);
  return [
    ...wholeGroup(at),
    ...parts.flatMap(([name, part]) => {
      const below = part === undefined ? undefined : placeBelow(place, name);
      return below === undefined ? [] : walk(part, below, source);
    }),
    ...missingFlags(value, at),
  ];
}

/** Drops the place as a whole, if it is optional or an item of a list without names. */
function wholeGroup(at: Reach & Place): Mutant[] {
  const { pattern, names, path } = at;
  const around = MODEL.groups.get(pattern.slice(0, Math.max(0, pattern.lastIndexOf('.'))));
  const isItem = around?.unnamed === true;
  const isPart = !pattern.endsWith('*') && !pattern.endsWith('reply') && path.length > 2 && mayBeAbsent(at) && !isNamed(at);
  const said = fill(MODEL.groups.get(pattern)?.named ?? [...names, path.at(-1)].join(': '), names);
  return isItem || isPart ? [dropAt(at, said)] : [];
}

/** Sets each absent flag to true: an absent flag means false. */
function missingFlags(value: unknown, at: Reach & Place): Mutant[] {
  return [...MODEL.keys].flatMap(([pattern, { compared, title }]) => {
    const [around, flag] = [pattern.slice(0, Math.max(0, pattern.lastIndexOf('.'))), pattern.split('.').at(-1)!];
    if (compared !== 'flag' || around !== at.pattern || Object.hasOwn(value as object, flag)) return [];
    return [breakAt(at, `${fill(title, at.names)}: none -> true`, true, flag)];
  });
}

/** The operations whose requests can notice a break at this place. Status requests are answered with the replies of purchases. */
function reachOf({ pattern, names, path }: Place, { operations }: MappingSource): readonly string[] | undefined {
  const ofKind = (wanted: string): string[] =>
    Object.entries(operations).flatMap(([name, { kind }]) => (kind === wanted ? [name] : []));
  if (path[0] === 'request_id' || path[0] === 'request_id_headers') return ofKind('purchase');
  const name = pattern.startsWith('operations.')
    ? names[0]
    : /^(?:formats|families)\.\*\.operations\./.test(pattern)
      ? names[1]
      : undefined;
  if (name === undefined) return undefined;
  return pattern.includes('.reply') && operations[name]?.kind === 'purchase' ? [name, ...ofKind('status')] : [name];
}

function breakKey(value: unknown, key: Compared, at: BrokenKey, source: MappingSource): Mutant[] {
  switch (key.compared) {
    case 'fields':
      return breakFields(value as ValueSource, at);
    case 'value':
      return breakValue(value as ValueSource, at);
    case 'numbers':
      return breakNumbers(value as Readonly<Record<string, string>>, key, at);
    case 'routes':
      return breakRoutes(value as readonly string[], key, at);
    case 'set':
    case 'words':
    case 'agents':
    case 'sequence':
      return breakItems(value as readonly string[], key, at, source);
    case 'flag':
      return [breakAt(at, `${at.title}: ${String(value)} -> ${String(value !== true)}`, value !== true)];
    case 'default':
    case 'constant':
    case 'guard':
      return typeof value === 'object' ? breakEntries(value, at) : breakConstant(value as string | number | boolean, at, source);
  }
}

function breakNumbers(numbers: Readonly<Record<string, string>>, { title }: Compared, at: BrokenKey): Mutant[] {
  const called = (number: string): string => fill(title, [...at.names, number]);
  return [...swapsAt(at, called, numbers), ...Object.keys(numbers).map((number) => dropAt(at, called(number), number))];
}

function breakRoutes(routes: readonly string[], key: Compared, { path, names, operations }: BrokenKey): Mutant[] {
  return routes.flatMap((text, index) => {
    const addresses = parseRoute(text).flatMap(({ methods, path: address }) => methods.map((method) => `${method} ${address}`));
    return addresses.map((address) => ({
      words: fill(key.removed!, names).replace('{item}', address),
      path: [...path, index],
      edits: [
        { path, value: [...routes.slice(0, index), ...addresses.filter((one) => one !== address), ...routes.slice(index + 1)] },
      ],
      operations,
    }));
  });
}

function breakItems(items: readonly string[], key: Compared, at: BrokenKey, source: MappingSource): Mutant[] {
  const { path, names, title } = at;
  // A signal without its only field proves nothing: `wholeGroup` makes the same break by dropping the signal.
  if (path.includes('proof') && items.length < 2) return [];
  // A shorter list of fields in the same order still fits the request of a case, so the list is reversed.
  if (path.includes('proof') && key.compared === 'sequence')
    return [breakAt(at, `${title}: in reverse order`, items.toReversed())];
  // The first of `try_values` stays: an absent field has that value.
  const from = at.pattern.endsWith('.try_values') ? 1 : 0;
  const dropped = items.flatMap((item, index) => {
    if (index < from || (key.compared === 'words' && isDuplicate(item, index, [String(path.at(-2)), ...items]))) return [];
    const words = key.removed === undefined ? `${title}: ${item} is gone` : fill(key.removed, names).replace('{item}', item);
    return [breakAt(at, words, undefined, index)];
  });
  return at.pattern.endsWith('.otherwise') ? [...dropped, readWithOthers(items, at, source)] : dropped;
}

/**
 * Whether another entry means the same, so that dropping this one changes nothing. Entries are compared without case and
 * punctuation. `all` begins with the table's value, which is an entry of its own.
 */
function isDuplicate(word: string, index: number, all: readonly string[]): boolean {
  return all.some((one, at) => at !== index + 1 && normaliseWord(one) === normaliseWord(word));
}

/** Moves the spellings of `otherwise`, which are read only where those of `from` are absent, to `from`. */
function readWithOthers(items: readonly string[], { path, names, operations }: BrokenKey, source: MappingSource): Mutant {
  const from = [...path.slice(0, -1), 'from'];
  const spellings = source.operations[names[0]!]!.fields![names[1]!]!.from;
  return {
    words: `${names[0]}: field ${names[1]} is read from ${items.join(', ')} beside the others`,
    path,
    edits: [
      { path: from, value: [...spellings, ...items] },
      { path, value: undefined },
    ],
    operations,
  };
}

/** Drops each condition of a map, such as a header, unless it is the only one. */
function breakEntries(value: object | null, at: BrokenKey): Mutant[] {
  const names = Object.keys(value ?? {});
  return names.length < 2 ? [] : names.map((name) => dropAt(at, `${at.title}: ${name}`, name));
}

const WEAKER: Readonly<Record<string, string>> = { strong: 'weak', medium: 'weak', weak: 'strong' };

function breakConstant(value: string | number | boolean, at: BrokenKey, source: MappingSource): Mutant[] {
  const { title, pattern } = at;
  const put = (other?: string | number | boolean): Mutant => breakAt(at, `${title}: ${value} -> ${other ?? 'none'}`, other);
  if (pattern.endsWith('.weight')) return [put(WEAKER[value as string])];
  if (pattern.endsWith('.as')) return value === 'text' ? [] : [put('text')];
  if (pattern.endsWith('.undecided')) return [...source.formats.keys()].filter((id) => id !== value).map((id) => put(id));
  const others = typeof value === 'number' ? [value + 1] : typeof value === 'boolean' ? [!value] : [BROKEN_TEXT];
  return [...(mayBeAbsent(at) ? [put()] : []), ...(isChoice(at) ? [] : others.map((other) => put(other)))];
}

/** Format files have a schema of their own. */
const schemaOf = ({ path }: Place): readonly [typeof sharedFileSchema | typeof formatFileSchema, Place['path']] =>
  path[0] === 'formats' ? [formatFileSchema, path.slice(2)] : [sharedFileSchema, path];
const mayBeAbsent = (place: Place): boolean => isOptionalAt(...schemaOf(place));
const isNamed = (place: Place): boolean => isRecordAt(...schemaOf(place));
const isChoice = (place: Place): boolean => isChoiceAt(...schemaOf(place));

/** The source with only these operations: it compiles faster, and many cases need no others. */
export function narrowSource(source: MappingSource, names: ReadonlySet<string>): MappingSource {
  const pick = <Item>(all: Readonly<Record<string, Item>>): Record<string, Item> =>
    Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name)));
  const narrow = <Part extends { readonly operations?: Readonly<Record<string, unknown>> | undefined }>(part: Part): Part =>
    part.operations === undefined ? part : { ...part, operations: pick(part.operations) };
  const formats = new Map([...source.formats].map(([id, format]) => [id, narrow(format)]));
  const families = Object.fromEntries(Object.entries(source.families).map(([id, family]) => [id, narrow(family)]));
  return { ...source, formats, families, operations: pick(source.operations) };
}

/** Drops each field of a reply, a row or a call, and changes its value. */
function breakFields(value: ValueSource, at: BrokenKey): Mutant[] {
  if (value === null || typeof value !== 'object') return [];
  if (!isJsonObject(value) || 'each' in value) return breakValue(value, at);
  return Object.entries(value).flatMap(([name, part]) => {
    const below = inside(at, name);
    return [dropAt(below, below.title), ...breakValue(part, below)];
  });
}

/** Changes one value in each way that its form allows. */
function breakValue(value: ValueSource, at: BrokenKey): Mutant[] {
  const replaced = breakAt(at, `${at.title}: another value`, typeof value === 'boolean' ? !value : BROKEN_TEXT);
  if (typeof value === 'string') return [replaced, ...withoutTransforms(value, at)];
  if (isList(value)) return [replaced, ...value.flatMap((part, index) => breakValue(part, inside(at, index)))];
  if (!isJsonObject(value)) return [replaced];
  if ('first' in value) return breakFirst(value, at);
  if ('when' in value) return breakWhen(value, at);
  if ('each' in value) return breakEach(value, at);
  return Object.keys(value).length === 0 ? [replaced] : breakFields(value, at);
}

const inside = (at: BrokenKey, step: string | number): BrokenKey => ({
  ...at,
  path: [...at.path, step],
  title: typeof step === 'number' ? at.title : `${at.title}, \`${step}\``,
});

/** Drops each transform of an expression: `$amount | naira` becomes `$amount`. */
function withoutTransforms(value: string, at: BrokenKey): Mutant[] {
  if (!value.startsWith('$')) return [];
  const [root = '', ...transforms] = value.split('|').map((part) => part.trim());
  return transforms.map((name, index) =>
    breakAt(at, `${at.title}: without ${name}`, [root, ...transforms.filter((_, other) => other !== index)].join(' | ')),
  );
}

function breakFirst({ first }: JsonObject, at: BrokenKey): Mutant[] {
  const parts = isList(first) ? first : [];
  const without = parts.map((part, index) =>
    breakAt(at, `${at.title}: without ${JSON.stringify(part)}`, undefined, 'first', index),
  );
  if (parts.length < 2) return without;
  return [...without, breakAt(at, `${at.title}: the alternatives in reverse order`, [...parts].reverse(), 'first')];
}

function breakWhen({ when, value = null }: JsonObject, at: BrokenKey): Mutant[] {
  return [
    breakAt(at, `${at.title}: without the condition`, value),
    ...Object.keys((when ?? {}) as JsonObject).map((key) =>
      breakAt(at, `${at.title}: the condition on ${key} reversed`, 'another value', 'when', key),
    ),
    ...breakValue(value, { ...at, path: [...at.path, 'value'] }),
  ];
}

function breakEach(object: JsonObject, at: BrokenKey): Mutant[] {
  const any = (object['where_any'] ?? []) as readonly ValueSource[];
  const without = (what: string, ...steps: (string | number)[]): Mutant =>
    breakAt(at, `${at.title}: without ${what}`, undefined, ...steps);
  return [
    breakAt(at, `${at.title}: an empty list`, []),
    ...Object.entries((object['where'] ?? {}) as JsonObject).flatMap(([key, wanted]) => [
      without(`the condition on ${key}`, 'where', key),
      ...(isList(wanted) ? wanted.map((word, index) => without(`${key} ${textOf(word)}`, 'where', key, index)) : []),
    ]),
    ...any.map((_, index) => without('one of the conditions', 'where_any', index)),
    ...('only' in object ? [without('`only`', 'only')] : []),
  ];
}
