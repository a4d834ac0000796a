/** Traffic and mapping files → what they disagree about, and what could be added to the files. */
import type { Traffic } from '../../domain/traffic';
import type { Mapping } from '../../mapping/mapping';
import type { MappingSource } from '../../mapping/source';
import type { Addition, Drift } from './drift';
import { findAddresses } from './find-addresses';
import { findFamilies } from './find-families';
import { findUnknownFields } from './find-unknown-fields';
import { findUnused, findUnusedWords } from './find-unused';
import { findWords } from './find-words';

export function findDrift(traffic: Traffic, mapping: Mapping, source: MappingSource): Drift {
  return {
    sinceMs: traffic.sinceMs,
    requests: traffic.shapes.reduce((sum, { count }) => sum + count, 0),
    forgotten: traffic.forgotten,
    fields: findUnknownFields(traffic, mapping),
    words: findWords(traffic, mapping, source),
    addresses: findAddresses(traffic, mapping),
    families: findFamilies(traffic, mapping),
    unused: findUnused(traffic, mapping),
    unusedWords: findUnusedWords(traffic, source),
  };
}

/** Everything that a patch can say. What a person has to decide is not among it. */
export function additionsOf({ fields, words }: Pick<Drift, 'fields' | 'words'>): Addition[] {
  const additions = [
    ...fields.flatMap(({ operation, name, advice }): Addition[] => {
      if (advice.kind === 'decide') return [];
      if (advice.kind === 'ignore')
        return [
          {
            path: ['operations', operation, 'ignore'],
            value: name,
            title: `${name} means nothing in ${operation}`,
            movesMoney: false,
          },
        ];
      if (advice.kind === 'request_id')
        return [{ path: ['request_id'], value: name, title: `${name} is the script's own id of an order`, movesMoney: true }];
      const { field, format, movesMoney } = advice;
      const where = format === undefined ? [] : ['formats', format];
      const path = [...where, 'operations', operation, 'fields', field, 'from'];
      return [{ path, value: name, title: `${name} is ${field} in ${operation}`, movesMoney }];
    }),
    ...words.flatMap(({ table, word, value }): Addition[] =>
      value === undefined
        ? []
        : [
            {
              path: ['tables', table, 'values', value, 'words'],
              value: word,
              title: `${word} is ${value} in ${table}`,
              movesMoney: true,
            },
          ],
    ),
  ];
  // Two operations may receive the same spelling of a field that the mapping declares once.
  return [...new Map(additions.map((addition) => [JSON.stringify([addition.path, addition.value]), addition])).values()];
}
