/**
 * Reads the meaning of a merged source as a tree. Two sources of the same meaning give equal trees: order counts only where it
 * has a meaning, and differences of writing are removed.
 */
import { isJsonObject, textOf, type JsonObject, type JsonValue } from '../../domain/json';
import { shorten } from '../../domain/shown-words';
import { INPUT_TRANSFORMS } from '../../mapping/input-transforms';
import type { Comparison } from '../../mapping/language/declare';
import { groupAt, MODEL, placeBelow, ROOT, type Place } from '../../mapping/language/model';
import type { CallerKindSource, ValueSource } from '../../mapping/language/schema';
import { isFields } from '../../mapping/merge-layers';
import type { YamlPath } from '../../mapping/read-yaml';
import { parseRoute } from '../../mapping/routes';
import { oncePerSource, type MappingSource } from '../../mapping/source';
import { createTable } from '../../mapping/table';
import { canonicalText, canonicalValue, canonicalWord, overwrittenBySpread, sortedFields } from './canonical-value';

/** A part of the merged source, with its place. */
interface PlacedPart extends Place {
  /** Equal for parts of the same meaning, at any place and however they are written. */
  readonly canonical: string;
  /** One line for the operator. */
  readonly shown: string;
}

interface Leaf extends PlacedPart {
  readonly kind: 'leaf';
  readonly value: unknown;
  /** Only for `"*"` in a reply: the fields that it may overwrite. They are part of its meaning. */
  readonly over?: readonly string[];
}

export interface Item {
  readonly path: YamlPath;
  readonly shown: string;
}

/** Items by their canonical text. Order and repetition have no meaning. */
export interface SetOfItems extends PlacedPart {
  readonly kind: 'set';
  readonly items: ReadonlyMap<string, Item>;
}

export interface Branch extends PlacedPart {
  readonly kind: 'branch';
  readonly entries: ReadonlyMap<string, Meaning>;
  /** True if the entries have no names, such as signals. Repetition has a meaning, order has none. */
  readonly isBag?: true;
}

export type Meaning = Leaf | SetOfItems | Branch;

/** The parts of a meaning that have no further parts. */
export function leavesOf(meaning: Meaning): readonly Meaning[] {
  return meaning.kind === 'branch' ? [...meaning.entries.values()].flatMap(leavesOf) : [meaning];
}

type Fields = Readonly<Record<string, unknown>>;

/** The running set is read only once, for all candidates that it is compared with. */
export const readMeaning = oncePerSource((source) =>
  new Reader(source).branch({ ...source, formats: Object.fromEntries(source.formats) }, ROOT),
);

class Reader {
  readonly #source: MappingSource;
  readonly #requestIds: ReadonlySet<string>;

  constructor(source: MappingSource) {
    this.#source = source;
    this.#requestIds = new Set(source.request_id);
  }

  branch(value: Fields, place: Place): Branch {
    const entries = new Map<string, Meaning>();
    for (const [key, part] of Object.entries(value)) {
      const at = placeBelow(place, key);
      const meaning = part === undefined || at === undefined ? undefined : this.#meaning(part, at);
      if (meaning !== undefined) entries.set(key, meaning);
    }
    if (place.pattern === 'callers.kinds') addTurns(value, entries, place);
    return branchOf(entries, place);
  }

  #meaning(value: unknown, place: Place): Meaning | undefined {
    const compared = MODEL.keys.get(place.pattern)?.compared;
    if (compared !== undefined) return this.#compared(value, compared, place);
    if (groupAt(place.pattern).unnamed === true) return this.#bag(value as readonly Fields[], place);
    const branch = this.branch(value as Fields, place);
    return branch.entries.size === 0 && groupAt(place.pattern).keptEmpty !== true ? undefined : branch;
  }

  #compared(value: unknown, compared: Comparison, place: Place): Meaning | undefined {
    switch (compared) {
      case 'constant':
      case 'sequence':
        return leaf(value, place);
      case 'flag':
        // A flag may be a text: a text pauses a key as `true` does.
        return value === false ? undefined : leaf(value, place);
      case 'guard':
        return value === 'off' ? leaf(value, place) : undefined;
      case 'default':
        return { ...leaf(value, place), canonical: this.#canonicalDefault(value as string | number | boolean, place.path) };
      case 'set':
        return setOf(itemsOf(value as readonly string[], place), place);
      case 'agents':
        return setOf(
          itemsOf(value as readonly string[], place, (text) => text.toLowerCase()),
          place,
        );
      case 'words':
        return wordsOf(value as readonly string[], place);
      case 'routes':
        return routesOf(value as readonly string[], place);
      case 'numbers':
        return numbersOf(value as Readonly<Record<string, string>>, place);
      case 'value':
        return this.#value(value as ValueSource, place);
      case 'fields':
        return this.#layer(value as ValueSource, place);
    }
  }

  /** A layer without fields has no meaning, except in the reply of a list: there it makes the list empty. */
  #layer(value: ValueSource, place: Place): Meaning | undefined {
    const isEmpty = isFields(value) && Object.keys(value).length === 0;
    if (!isEmpty) return this.#value(value, place);
    if (groupAt(place.pattern).keptEmpty === true) return branchOf(new Map(), place);
    const operation = /^(?:formats|families)\./.test(place.pattern) ? place.names[1] : place.names[0];
    const isList = this.#source.operations[operation ?? '']?.kind === 'list';
    return isList && place.pattern.endsWith('.success') ? this.#value(value, place) : undefined;
  }

  #value(value: ValueSource, place: Place): Meaning {
    if (!isFields(value) || Object.keys(value).length === 0)
      return leaf(value, place, canonicalValue(value, this.#requestIds), showReplyValue(value));
    const entries = new Map<string, Meaning>();
    for (const [key, part] of Object.entries(value))
      entries.set(key, this.#value(part, { ...place, path: [...place.path, key], names: [...place.names, key] }));
    const spread = entries.get('*');
    if (spread?.kind === 'leaf') {
      const over = overwrittenBySpread(value, this.#requestIds);
      const shown = over.length === 0 ? spread.shown : `${spread.shown} (over ${over.join(', ')})`;
      entries.set('*', { ...spread, canonical: JSON.stringify([spread.canonical, over]), shown, over });
    }
    return branchOf(entries, place);
  }

  #bag(values: readonly Fields[], { path, pattern, names }: Place): Branch {
    const items = values.map((item, index) =>
      this.branch(item, { path: [...path, index], pattern: `${pattern}.*`, names: [...names, describeItem(item)] }),
    );
    const canonical = `[${[...items.map((item) => item.canonical)].sort().join()}]`;
    const entries = new Map(items.map((item, index) => [String(index), item]));
    return { kind: 'branch', isBag: true, path, pattern, names, entries, canonical, shown: listed(items) };
  }

  #canonicalDefault(value: string | number | boolean, path: YamlPath): string {
    const [, operation, , name] = path.map(String);
    const { as } = this.#source.operations[operation!]!.fields![name!]!;
    const source = this.#source.tables[as];
    const table = source && createTable(as, source);
    const transform = Object.hasOwn(INPUT_TRANSFORMS, as) ? INPUT_TRANSFORMS[as] : undefined;
    const read = table === undefined ? transform?.read(value) : table.read(value, table.numbering);
    return read !== undefined && 'value' in read ? JSON.stringify(read.value) : textOf(value);
  }
}

/** A pattern for the order in which kinds are tried. The language has no such key. */
export const KIND_ORDER_PATTERN = 'callers.kinds.*.before';

/** Kinds are tried in order. The order matters only where two kinds match the same User-Agent. */
function addTurns(kinds: Fields, entries: Map<string, Meaning>, place: Place): void {
  const tried = Object.entries(kinds as Readonly<Record<string, CallerKindSource>>);
  for (const [index, [name, kind]] of tried.entries()) {
    const agents = agentsOf(kind);
    const meaning = entries.get(name);
    if (meaning?.kind !== 'branch') continue;
    const later = tried
      .slice(index + 1)
      .filter(([, other]) => agentsOf(other).some((two) => agents.some((one) => canBothMatch(one, two))))
      .map(([other]) => other)
      .sort();
    if (later.length === 0) continue;
    const before = leaf(later, { path: [...place.path, name], pattern: KIND_ORDER_PATTERN, names: [name] });
    entries.set(name, branchOf(new Map([...meaning.entries, ['before', before]]), meaning));
  }
}

/** A kind with headers and without agents matches any User-Agent. */
function agentsOf({ user_agents: agents, headers }: CallerKindSource): readonly string[] {
  return agents ?? (headers === undefined ? [] : ['*']);
}

/** Whether one User-Agent can match both patterns. */
function canBothMatch(one: string, two: string): boolean {
  const [a, b] = [one.toLowerCase(), two.toLowerCase()];
  const starts = (pattern: string, text: string): boolean => pattern.endsWith('*') && text.startsWith(pattern.slice(0, -1));
  return a === b || starts(a, b.replace(/\*$/, '')) || starts(b, a.replace(/\*$/, ''));
}

function branchOf(entries: ReadonlyMap<string, Meaning>, { path, pattern, names }: Place): Branch {
  const canonical = [...entries]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, part]) => `${JSON.stringify(key)}:${part.canonical}`);
  const shown = `{ ${[...entries].map(([key, part]) => `${key}: ${part.shown}`).join(', ')} }`;
  return { kind: 'branch', path, pattern, names, entries, canonical: `{${canonical.join()}}`, shown };
}

function leaf(
  value: unknown,
  place: Place,
  canonical = JSON.stringify(isJsonObject(value as JsonValue) ? sortedFields(value as JsonObject) : value),
  shown = showValue(value as ValueSource),
): Leaf {
  return { kind: 'leaf', ...place, value, canonical, shown };
}

function showValue(value: ValueSource): string {
  return typeof value === 'string' ? (value === '' ? "''" : canonicalText(value)) : JSON.stringify(value);
}

/** Quotes a text that looks like a number, a boolean or null: PHP may compare `'200'` and `200` by type. */
function showReplyValue(value: ValueSource): string {
  return typeof value === 'string' && /^(?:-?\d+(?:\.\d+)?|true|false|null)$/.test(value) ? `'${value}'` : showValue(value);
}

const listed = (items: readonly { readonly shown: string }[]): string => `[${items.map(({ shown }) => shown).join(', ')}]`;

/** Of two items with the same meaning the first is kept. */
function setOf(all: readonly (readonly [string, Item])[], place: Place): SetOfItems {
  const items = new Map<string, Item>();
  for (const [key, item] of all) if (!items.has(key)) items.set(key, item);
  return {
    kind: 'set',
    ...place,
    items,
    canonical: JSON.stringify([...items.keys()].sort()),
    shown: listed([...items.values()]),
  };
}

function itemsOf(texts: readonly string[], { path }: Place, canonical = (text: string): string => text): [string, Item][] {
  return texts.map((shown, index) => [canonical(shown), { path: [...path, index], shown }]);
}

/** The words of a table's value include the value itself. */
function wordsOf(words: readonly string[], place: Place): SetOfItems {
  const items = itemsOf(words, place, canonicalWord);
  if (place.pattern !== 'tables.*.values.*.words') return setOf(items, place);
  const shown = place.names[1]!;
  const own: [string, Item] = [canonicalWord(shown), { path: place.path, shown }];
  return setOf([...items.map((item) => (item[0] === own[0] ? own : item)), own], place);
}

function routesOf(texts: readonly string[], place: Place): SetOfItems {
  const items = texts.flatMap((text, index) =>
    parseRoute(text).flatMap(({ methods, path }) =>
      methods.map((method): [string, Item] => {
        const shown = `${method} ${path.replace(/\/{2,}/g, '/')}`;
        return [shown, { path: [...place.path, index], shown }];
      }),
    ),
  );
  return setOf(items, place);
}

function numbersOf(numbers: Readonly<Record<string, string>>, place: Place): Branch {
  const entries = Object.entries(numbers).map(([number, value]): [string, Meaning] => {
    const key = String(Number(number));
    return [key, leaf(value, { ...place, path: [...place.path, number], names: [...place.names, key] })];
  });
  return branchOf(new Map(entries), place);
}

/** A short description of an item without a name. */
function describeItem(item: Fields): string {
  if (typeof item['title'] === 'string') return item['title'];
  const parts = Object.entries(item)
    .filter(([key]) => key !== 'weight')
    .map(([key, value]) => `${key} ${Array.isArray(value) ? value.join(', ') : textOf(value as string)}`);
  return shorten(parts.join(', '), 60);
}
