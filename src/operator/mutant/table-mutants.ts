/** Breaks in tables, numberings and in what proves a format. */
import type { YamlPath } from '../../mapping/read-yaml';
import type { SignalSource, TableSource } from '../../mapping/language/schema';
import type { MappingSource } from '../../mapping/source';
import { normaliseWord } from '../../mapping/table';
import { drop, mutant, swaps, type Mutant } from './mutant';

export function tableMutants(source: MappingSource): Mutant[] {
  return [
    ...Object.entries(source.tables).flatMap(([name, table]) => oneTable(table, ['tables', name])),
    ...[...source.formats].flatMap(([id, { numbers, login, guard, cure, proof }]) => {
      const path = ['formats', id];
      return [
        ...Object.entries(numbers ?? {}).flatMap(([table, entries]) => numberMutants(entries, [...path, 'numbers', table])),
        ...(login === undefined ? [] : [drop('the login', [...path, 'login'])]),
        ...(guard === undefined ? [] : [drop('what keeps its numbers out of the guard of others', [...path, 'guard'])]),
        ...(cure === undefined ? [] : [mutant('changes the cure in refusals', [...path, 'cure'], 'broken on purpose')]),
        ...(proof ?? []).flatMap((signal, index) => signalMutants(signal, [...path, 'proof', index])),
      ];
    }),
    ...source.other_numberings.flatMap(({ numbers, sells_unported: sells }, index) => {
      const path = ['other_numberings', index];
      return [
        ...numberMutants(numbers, [...path, 'numbers']),
        ...(sells === true ? [drop('the sale of unported numbers', [...path, 'sells_unported'])] : []),
      ];
    }),
  ];
}

type Values = NonNullable<TableSource['values']>;

function oneTable({ values = {}, numbers = {}, unlisted, catalog }: TableSource, path: YamlPath): Mutant[] {
  return [
    ...Object.entries(values).flatMap(([value, entry]) => {
      const at = [...path, 'values', value];
      const { id, label, words, prefixes = [] } = entry;
      return [
        ...words.flatMap((word, index) =>
          isSaidTwice(word, index, value, words) ? [] : [drop(`the word ${word}`, [...at, 'words', index])],
        ),
        ...(id === undefined ? [] : [mutant(`changes the id of ${value}`, [...at, 'id'], id + 100)]),
        ...(label === undefined ? [] : [mutant(`changes the label of ${value}`, [...at, 'label'], `${label} X`)]),
        ...prefixes.flatMap((prefix, index) => prefixMutants(prefix, index, value, values, path)),
      ];
    }),
    ...swaps(
      'the words of',
      [...path, 'values'],
      Object.fromEntries(Object.entries(values).map(([value, entry]) => [value, entry])),
    ).map((one) => swapWords(one, values, path)),
    ...numberMutants(numbers, [...path, 'numbers']),
    ...(unlisted === undefined ? [] : [drop('what unlisted ones mean', [...path, 'unlisted'])]),
    ...(catalog === undefined ? [] : [drop('the look into the catalog', [...path, 'catalog'])]),
  ];
}

/** A value is a word of itself, and words are compared without case and punctuation: dropping one of two alike changes nothing. */
function isSaidTwice(word: string, index: number, value: string, words: readonly string[]): boolean {
  const normal = normaliseWord(word);
  return normal === normaliseWord(value) || words.some((one, at) => at !== index && normaliseWord(one) === normal);
}

function swapWords({ words, path, operations, edits }: Mutant, values: Values, table: YamlPath): Mutant {
  const [one = '', other = ''] = edits.map((edit) => String(edit.path.at(-1)));
  return {
    words,
    path,
    operations,
    edits: [
      { path: [...table, 'values', one, 'words'], value: values[other]?.words },
      { path: [...table, 'values', other, 'words'], value: values[one]?.words },
    ],
  };
}

function prefixMutants(prefix: string, index: number, value: string, values: Values, table: YamlPath): Mutant[] {
  const path = [...table, 'values', value, 'prefixes', index];
  const names = Object.keys(values);
  const next = names[(names.indexOf(value) + 1) % names.length]!;
  return [
    drop(`the prefix ${prefix}`, path),
    {
      words: `gives the prefix ${prefix} to ${next}`,
      path,
      edits: [
        { path, value: undefined },
        { path: [...table, 'values', next, 'prefixes'], value: [...(values[next]?.prefixes ?? []), prefix] },
      ],
      operations: undefined,
    },
  ];
}

function numberMutants(numbers: Readonly<Record<string, string>>, path: YamlPath): Mutant[] {
  return [
    ...swaps('the numbers', path, numbers),
    ...Object.keys(numbers).map((number) => drop(`the number ${number}`, [...path, number])),
  ];
}

const WEAKER = { strong: 'weak', medium: 'weak', weak: 'strong' } as const;

function signalMutants(signal: SignalSource, path: YamlPath): Mutant[] {
  const { any_field: any = [], all_fields: all = [], is = [], spelled, weight } = signal;
  const dropEach = (key: string, texts: readonly string[]): Mutant[] =>
    texts.length < 2 ? [] : texts.map((text, index) => drop(`the signal ${text}`, [...path, key, index]));
  return [
    drop('the signal', path),
    mutant(`makes the signal ${WEAKER[weight]}`, [...path, 'weight'], WEAKER[weight]),
    ...dropEach('any_field', any),
    ...dropEach('all_fields', all),
    ...dropEach('is', is),
    ...(spelled === undefined ? [] : [drop('the exact spelling of the address', [...path, 'spelled'])]),
  ];
}
