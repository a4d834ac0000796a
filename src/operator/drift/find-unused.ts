/** Spellings, addresses and words that nobody used. For information: a script may come back tomorrow. */
import type { Traffic } from '../../domain/traffic';
import type { Mapping } from '../../mapping/mapping';
import { trimSlash } from '../../mapping/trim-slash';
import type { MappingSource } from '../../mapping/source';
import { normaliseWord } from '../../mapping/table';
import type { Unused, UnusedWords } from './drift';
import { operationOf } from './sighting';

export function findUnused(traffic: Traffic, mapping: Mapping): Unused[] {
  return [...mapping.operations.values()].flatMap((operation) => {
    const seen = traffic.shapes.filter((one) => operationOf(one, mapping)?.name === operation.name);
    const sent = new Set(seen.flatMap(({ shape }) => shape.fields.map(({ name }) => name)));
    const asked = new Set(seen.map(({ shape }) => withoutPin(trimSlash(shape.path), mapping)));
    const routes = mapping.routes.filter((route) => route.operation === operation.name && !asked.has(route.path));
    const aliases = operation.fields.flatMap(({ from, otherwise }) => [...from, ...otherwise]).filter((name) => !sent.has(name));
    const requests = seen.reduce((sum, { count }) => sum + count, 0);
    if (routes.length === 0 && aliases.length === 0) return [];
    return [
      {
        operation: operation.name,
        requests,
        aliases: [...new Set(aliases)],
        routes: [...new Set(routes.map(({ path }) => path))],
      },
    ];
  });
}

/** Words other than the name of the value itself, which need not be used. */
export function findUnusedWords(traffic: Traffic, source: MappingSource): UnusedWords[] {
  return Object.entries(source.tables).flatMap(([table, { values }]) => {
    const used = traffic.usedWords.filter((one) => one.table === table);
    const came = new Set(used.map(({ word }) => word));
    const words = Object.entries(values ?? {}).flatMap(([value, entry]) =>
      entry.words.filter((word) => normaliseWord(word) !== normaliseWord(value) && !came.has(normaliseWord(word))),
    );
    return words.length === 0 ? [] : [{ table, uses: used.reduce((sum, { count }) => sum + count, 0), words }];
  });
}

function withoutPin(path: string, mapping: Mapping): string {
  const [, first = '', rest = ''] = /^\/([^/]+)(\/.*)$/.exec(path) ?? [];
  return mapping.formats.has(first) ? rest : path;
}
