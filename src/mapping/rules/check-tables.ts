/** Checks tables and numberings: words or prefixes of two values, numbers without a value, lists whose numbers cannot be sent back. */
import { CATALOG_LISTS } from '../language/schema';
import { hintFor, nearestHint } from '../nearest-name';
import type { YamlPath } from '../read-yaml';
import { ROW_SHAPES } from '../shapes';
import { partsAt, type MappingSource } from '../source';
import { normaliseWord, toNumbering } from '../table';
import { reportTwins, type Checking } from './checking';

type Values = NonNullable<MappingSource['tables'][string]['values']>;
type Numbers = Readonly<Record<string, string>>;

export function checkTables(checking: Checking): void {
  const { source, report } = checking;
  for (const [name, { title, values = {}, numbers = {} }] of Object.entries(source.tables)) {
    const path = ['tables', name];
    checkWords(values, path, checking);
    checkNumbers(numbers, [...path, 'numbers'], checking, { title, values });
    checkValues(name, checking);
  }
  checkPrefixes(checking);
  checkShownIn(checking);
  for (const { value: numbers, path, names } of partsAt(source, 'formats.*.numbers.*')) {
    // Without a table as fourth argument, because the compiler reports unknown values of formats.
    checkNumbers(numbers, path, checking);
    checkCompleteness(names[1], numbers, path, checking);
  }
  for (const { value: numbers, path } of partsAt(source, 'formats.*.operations.*.fields.*.numbers'))
    checkNumbers(numbers, path, checking);
  for (const [index, { table: name, numbers }] of source.other_numberings.entries()) {
    const path = ['other_numberings', index];
    const table = source.tables[name];
    checkNumbers(numbers, [...path, 'numbers'], checking, table);
    if (table !== undefined) {
      if (partsAt(source, `tables.${name}.values.*.prefixes`).length === 0)
        report([...path, 'table'], 'guard-cannot-tell', `the table \`${name}\` has no prefixes`);
      continue;
    }
    const hint = nearestHint(name, Object.keys(source.tables));
    report([...path, 'table'], 'unknown-table', `there is no table \`${name}\``, { at: 'value', ...hint });
  }
  checkOthers(checking);
}

interface Owner {
  readonly value: string;
  readonly at: YamlPath;
  readonly what: 'key' | 'value';
}

/** Reports a word of two values: without this check the second value would get the word silently. */
function checkWords(values: Values, path: YamlPath, { source, report }: Checking): void {
  const owners = new Map<string, Owner>(
    Object.keys(values).map((value) => [normaliseWord(value), { value, at: [...path, 'values', value], what: 'key' }]),
  );
  for (const [value, { words }] of Object.entries(values)) {
    for (const [index, word] of words.entries()) {
      const place = [...path, 'values', value, 'words', index];
      const normal = normaliseWord(word);
      const owner = owners.get(normal);
      if (normal === '') report(place, 'empty-word', `\`${word}\` has neither letter nor digit, so nothing can match it`);
      else if (owner === undefined) owners.set(normal, { value, at: place, what: 'value' });
      else if (owner.value !== value)
        report(place, 'word-shared', `\`${word}\` is already a word of \`${owner.value}\``, {
          hint: `it is also at ${source.places.say(owner.at, owner.what)}`,
        });
      if (/^\s*\d+(?:\.0+)?\s*$/.test(word)) report(place, 'word-is-number', `\`${word}\` is a number, not a word`);
    }
  }
}

function checkPrefixes({ source, report }: Checking): void {
  const owners = new Map<string, string>();
  for (const { value: prefix, path, names } of partsAt(source, 'tables.*.values.*.prefixes.*')) {
    const [table, value] = names;
    const owner = owners.get(`${table} ${prefix}`);
    if (owner === undefined) owners.set(`${table} ${prefix}`, value);
    else if (owner !== value) report(path, 'prefix-shared', `${prefix} is already a prefix of \`${owner}\``);
  }
}

/** Reports unknown values, and two numbers for one value: lists show only one of the two. */
function checkNumbers(
  numbers: Numbers,
  path: YamlPath,
  checking: Checking,
  table?: { readonly title: string; readonly values?: Values | undefined },
): void {
  const { report } = checking;
  const values = new Map<string, string>();
  reportTwins(numbers, path, checking);
  for (const [number, value] of Object.entries(numbers)) {
    if (table !== undefined && !Object.hasOwn(table.values ?? {}, value))
      report([...path, number], 'unknown-value', `${table.title} \`${value}\` is not in the table`, {
        hint: `known: ${Object.keys(table.values ?? {}).join(', ')}`,
      });
    const other = values.get(value);
    if (other !== undefined) report([...path, number], 'numbering-not-one-to-one', `${number} and ${other} both mean ${value}`);
    values.set(value, number);
  }
}

function checkCompleteness(name: string, numbers: Numbers, path: YamlPath, { source, report }: Checking): void {
  const table = source.tables[name];
  const known = { ...table?.numbers, ...numbers };
  const without = Object.keys(table?.values ?? {}).filter((value) => !Object.values(known).includes(value));
  if (without.length > 0) report(path, 'numbering-incomplete', `no number means ${without.join(' or ')}`);
}

function checkValues(name: string, { source, report }: Checking): void {
  const { values = {}, catalog, unlisted, numbers = {} } = source.tables[name]!;
  const isEmpty = Object.keys(values).length === 0 && Object.keys(numbers).length === 0;
  if (isEmpty && catalog === undefined && unlisted === undefined)
    report(['tables', name], 'table-reads-nothing', `no value is listed in \`${name}\``);
  const ids = new Map<number, string>();
  for (const [value, { id }] of Object.entries(values)) {
    if (id === undefined) continue;
    const owner = ids.get(id);
    if (owner !== undefined)
      report(['tables', name, 'values', value, 'id'], 'id-shared', `${id} is already the number of ${owner}`);
    ids.set(id, owner ?? value);
  }
}

/** Reports `shown_in` with an unknown list or column. */
function checkShownIn({ source, report }: Checking): void {
  for (const { value: place, path } of partsAt(source, 'tables.*.shown_in.*')) {
    const [list = '', column = ''] = place.split('.');
    const columns = ROW_SHAPES[`catalog.${list}`];
    if (columns === undefined) report(path, 'unknown-list', `the catalog has no list \`${list}\``, hintFor(list, CATALOG_LISTS));
    else if (!Object.hasOwn(columns, column))
      report(path, 'unknown-column', `rows of ${list} have no column \`${column}\``, hintFor(column, Object.keys(columns)));
  }
}

/** Reports another server's numbering that equals that of a format: it explains no further number to the guard. */
function checkOthers({ source, report }: Checking): void {
  for (const [index, { table, numbers }] of source.other_numberings.entries()) {
    const twin = [...source.formats].find(
      ([, { guard, ...format }]) => guard !== 'own' && isSame(format.numbers?.[table], numbers),
    );
    if (twin !== undefined)
      report(['other_numberings', index, 'numbers'], 'numbering-identical', `format \`${twin[0]}\` has exactly these numbers`);
  }
}

function isSame(a: Numbers | undefined, b: Numbers): boolean {
  if (a === undefined) return false;
  const [one, other] = [toNumbering(a), toNumbering(b)];
  return one.size === other.size && [...one].every(([number, value]) => other.get(number) === value);
}
