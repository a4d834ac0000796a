/** What can be wrong with tables: two values that claim one word or prefix, numbers and lists that mean nothing. */
import { nearestName } from './nearest-name';
import type { YamlPath } from './read-yaml';
import type { MappingSource, Places, Report } from './source';
import { normaliseWord } from './table';

type Values = NonNullable<MappingSource['tables'][string]['values']>;

export function checkTables(source: MappingSource, report: Report): void {
  for (const [name, table] of Object.entries(source.tables)) {
    const path = ['tables', name];
    checkWords(table.values ?? {}, path, source.places, report);
    checkPrefixes(table.values ?? {}, path, report);
    checkNumbers(table.title, table.numbers ?? {}, table.values ?? {}, [...path, 'numbers'], report);
  }
  for (const [index, { table: name, numbers }] of source.other_numberings.entries()) {
    const path = ['other_numberings', index];
    const table = source.tables[name];
    if (table !== undefined) checkNumbers(table.title, numbers, table.values ?? {}, [...path, 'numbers'], report);
    else {
      const hint = nearestName(name, Object.keys(source.tables));
      report(
        [...path, 'table'],
        'unknown-table',
        `there is no table \`${name}\``,
        hint === undefined ? {} : { hint: `did you mean \`${hint}\`?` },
      );
    }
  }
}

interface Owner {
  readonly value: string;
  readonly at: YamlPath;
  readonly what: 'key' | 'value';
}

/** The second of two values that claim one word would win in silence. */
function checkWords(values: Values, path: YamlPath, places: Places, report: Report): void {
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
          hint: `it also stands at ${places.say(owner.at, owner.what)}`,
        });
    }
  }
}

function checkPrefixes(values: Values, path: YamlPath, report: Report): void {
  const owners = new Map<string, string>();
  for (const [value, { prefixes }] of Object.entries(values)) {
    for (const [index, prefix] of (prefixes ?? []).entries()) {
      const owner = owners.get(prefix);
      if (owner === undefined) owners.set(prefix, value);
      else if (owner !== value)
        report([...path, 'values', value, 'prefixes', index], 'prefix-shared', `${prefix} is already a prefix of \`${owner}\``);
    }
  }
}

function checkNumbers(
  title: string,
  numbers: Readonly<Record<string, string>>,
  values: Values,
  path: YamlPath,
  report: Report,
): void {
  for (const [number, value] of Object.entries(numbers)) {
    if (!Object.hasOwn(values, value))
      report([...path, number], 'unknown-value', `${title} \`${value}\` is not in the table`, {
        hint: `known: ${Object.keys(values).join(', ')}`,
      });
  }
}
