/** A merged source → what it means. Everything that is only a way of writing is gone afterwards. */
import { textOf } from '../../domain/json';
import { INPUT_TRANSFORMS } from '../../mapping/input-transforms';
import type { Comparison } from '../../mapping/language/declare';
import { groupAt, MODEL, placeBelow, ROOT, type Place } from '../../mapping/language/model';
import type { YamlPath } from '../../mapping/read-yaml';
import { parseRoute } from '../../mapping/routes';
import type { CallerKindSource, ValueSource } from '../../mapping/language/schema';
import type { MappingSource } from '../../mapping/source';
import { createTable } from '../../mapping/table';
import { canonicalText, canonicalValue, canonicalWord, isPlainMap, overwrittenBySpread } from './canonical-value';

import type { Bag, Branch, Item, Leaf, Meaning, SetOfItems } from './meaning';

type Fields = Readonly<Record<string, unknown>>;

/** The running set is read once, however many candidates it is held against. */
const meanings = new WeakMap<MappingSource, Branch>();

export function readMeaning(source: MappingSource): Branch {
  let meaning = meanings.get(source);
  if (meaning === undefined) meanings.set(source, (meaning = readAll(source)));
  return meaning;
}

function readAll(source: MappingSource): Branch {
  const reader = new Reader(source);
  const formats = Object.fromEntries(source.formats);
  return reader.branch({ ...source, formats }, ROOT);
}

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
    if (place.pattern === 'callers.kinds') this.#addTurns(value, entries, place);
    return { kind: 'branch', ...place, entries };
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
        return leaf(value, place);
      case 'flag':
        return value === true ? leaf(value, place) : undefined;
      case 'guard':
        return value === 'off' ? leaf(value, place) : undefined;
      case 'default':
        return { ...leaf(value, place), canonical: this.#canonicalDefault(value as string | number | boolean, place.path) };
      case 'sequence':
        return leaf(value, place);
      case 'set':
        return setOf(value as readonly string[], (text) => text, place);
      case 'agents':
        return setOf(value as readonly string[], (text) => text.toLowerCase(), place);
      case 'words':
        return this.#words(value as readonly string[], place);
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

  /** The value of a table is a word of itself. */
  #words(words: readonly string[], place: Place): SetOfItems {
    const named = place.pattern === 'tables.*.values.*.words';
    const own = new Map<string, Item>(
      named ? [[canonicalWord(place.names[1]!), { path: place.path, shown: place.names[1]! }]] : [],
    );
    const { items } = setOf(words, canonicalWord, place);
    return { kind: 'set', ...place, items: new Map([...items, ...own]) };
  }

  /** A layer without fields adds nothing, except to a list, which it makes empty. */
  #layer(value: ValueSource, place: Place): Meaning | undefined {
    const isEmpty = isPlainMap(value) && Object.keys(value).length === 0;
    if (!isEmpty) return this.#value(value, place);
    if (groupAt(place.pattern).keptEmpty === true) return { kind: 'branch', ...place, entries: new Map() };
    const operation = /^(?:formats|families)\./.test(place.pattern) ? place.names[1] : place.names[0];
    const isList = this.#source.operations[operation ?? '']?.kind === 'list';
    return isList && place.pattern.endsWith('.success') ? this.#value(value, place) : undefined;
  }

  #value(value: ValueSource, place: Place): Meaning {
    if (!isPlainMap(value) || Object.keys(value).length === 0)
      return {
        kind: 'leaf',
        ...place,
        value,
        canonical: canonicalValue(value, this.#requestIds),
        shown: showReplyValue(value),
      };
    const entries = new Map<string, Meaning>();
    for (const [key, part] of Object.entries(value))
      entries.set(key, this.#value(part, { ...place, path: [...place.path, key], names: [...place.names, key] }));
    const spread = entries.get('*');
    if (spread?.kind === 'leaf') {
      const before = overwrittenBySpread(value, this.#requestIds).sort();
      const shown = before.length === 0 ? spread.shown : `${spread.shown} (over ${before.join(', ')})`;
      entries.set('*', { ...spread, canonical: JSON.stringify([spread.canonical, before]), shown, over: before });
    }
    return { kind: 'branch', ...place, entries };
  }

  #bag(items: readonly Fields[], place: Place): Bag {
    return {
      kind: 'bag',
      ...place,
      items: items.map((item, index) =>
        this.branch(item, {
          path: [...place.path, index],
          pattern: `${place.pattern}.*`,
          names: [...place.names, describeItem(item)],
        }),
      ),
    };
  }

  /** Kinds are tried in order, which only counts for two that one User-Agent can be. */
  #addTurns(kinds: Fields, entries: Map<string, Meaning>, place: Place): void {
    const tried = Object.entries(kinds as Readonly<Record<string, CallerKindSource>>);
    for (const [index, [name, kind]] of tried.entries()) {
      const agents = agentsOf(kind);
      const meaning = entries.get(name);
      if (meaning?.kind !== 'branch') continue;
      const later = tried
        .slice(index + 1)
        .filter(([, other]) => agentsOf(other).some((two) => agents.some((one) => doMeet(one, two))))
        .map(([other]) => other)
        .sort();
      if (later.length === 0) continue;
      const at = { path: [...place.path, name], pattern: TURN, names: [name] };
      entries.set(name, { ...meaning, entries: new Map([...meaning.entries, ['before', leaf(later, at)]]) });
    }
  }

  #canonicalDefault(value: string | number | boolean, path: YamlPath): string {
    const [, operation, , name] = path.map(String);
    const { as } = this.#source.operations[operation!]!.fields![name!]!;
    const table = this.#source.tables[as];
    const transform = Object.hasOwn(INPUT_TRANSFORMS, as) ? INPUT_TRANSFORMS[as] : undefined;
    const read = table === undefined ? transform?.read(value) : readTable(as, table, value);
    return read !== undefined && 'value' in read ? JSON.stringify(read.value) : textOf(value);
  }
}

/** Headers alone tell a kind whatever its User-Agent. */
function agentsOf({ user_agents: agents, headers }: CallerKindSource): readonly string[] {
  return agents ?? (headers === undefined ? [] : ['*']);
}

/** The pattern for the order in which kinds are tried, which is not a key of the language. */
export const TURN = 'callers.kinds.*.before';

function readTable(name: string, source: MappingSource['tables'][string], value: string | number | boolean) {
  const table = createTable(name, source);
  return table.read(value, table.numbering);
}

function leaf(value: unknown, place: Place): Leaf {
  return {
    kind: 'leaf',
    ...place,
    value,
    canonical: JSON.stringify(inOrderOfKeys(value)),
    shown: showValue(value as ValueSource),
  };
}

/** The order of keys says nothing. */
function inOrderOfKeys(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function showValue(value: ValueSource): string {
  return typeof value === 'string' ? (value === '' ? "''" : canonicalText(value)) : JSON.stringify(value);
}

/** A constant of a reply or call keeps its quotes where they make it a text: PHP may compare `'200'` and `200` by type. */
function showReplyValue(value: ValueSource): string {
  return typeof value === 'string' && /^(?:-?\d+(?:\.\d+)?|true|false|null)$/.test(value) ? `'${value}'` : showValue(value);
}

function setOf(texts: readonly string[], canonical: (text: string) => string, place: Place): SetOfItems {
  const items = new Map<string, Item>();
  for (const [index, text] of texts.entries()) {
    const key = canonical(text);
    if (!items.has(key)) items.set(key, { path: [...place.path, index], shown: text });
  }
  return { kind: 'set', ...place, items };
}

function routesOf(texts: readonly string[], place: Place): SetOfItems {
  const items = new Map<string, Item>();
  for (const [index, text] of texts.entries()) {
    for (const { methods, path } of parseRoute(text)) {
      const address = path.replace(/\/{2,}/g, '/');
      for (const method of methods)
        items.set(`${method} ${address}`, { path: [...place.path, index], shown: `${method} ${address}` });
    }
  }
  return { kind: 'set', ...place, items };
}

function numbersOf(numbers: Readonly<Record<string, string>>, place: Place): Branch {
  const entries = new Map<string, Meaning>();
  for (const [number, value] of Object.entries(numbers)) {
    const key = String(Number(number));
    entries.set(key, leaf(value, { ...place, path: [...place.path, number], names: [...place.names, key] }));
  }
  return { kind: 'branch', ...place, entries };
}

function without(item: object, ...keys: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(item).filter(([key]) => !keys.includes(key)));
}

/** A short description of an item without a name. */
function describeItem(item: Fields): string {
  if (typeof item['title'] === 'string') return item['title'];
  const text = Object.entries(without(item, 'weight'))
    .map(([key, value]) => `${key} ${Array.isArray(value) ? value.join(', ') : textOf(value as string)}`)
    .join(', ');
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** True when one User-Agent can match both patterns. */
function doMeet(one: string, two: string): boolean {
  const [a, b] = [one.toLowerCase(), two.toLowerCase()];
  const starts = (pattern: string, text: string): boolean => pattern.endsWith('*') && text.startsWith(pattern.slice(0, -1));
  return a === b || starts(a, b.replace(/\*$/, '')) || starts(b, a.replace(/\*$/, ''));
}
