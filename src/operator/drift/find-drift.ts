/** Compares traffic with the mapping files, and lists what could be added to the files. It decides nothing. */
import type { Traffic } from '../../domain/traffic';
import { pathWithoutFormat } from '../../gateway/read/walk-in';
import type { Mapping } from '../../mapping/mapping';
import { nearestName } from '../../mapping/nearest-name';
import type { MappingSource } from '../../mapping/source';
import { normaliseWord } from '../../mapping/table';
import { trimSlash } from '../../domain/decode-path';
import { findUnknownFields, operationOf } from './find-unknown-fields';
import { findUnlistedWords } from './find-unlisted-words';
import type { Addition } from './make-patch';

export type Drift = ReturnType<typeof findDrift>;

export function findDrift(traffic: Traffic, mapping: Mapping, source: MappingSource) {
  return {
    sinceMs: traffic.sinceMs,
    requests: traffic.shapes.reduce((sum, { count }) => sum + count, 0),
    forgotten: traffic.forgotten,
    fields: findUnknownFields(traffic, mapping),
    words: findUnlistedWords(traffic, mapping, source),
    addresses: findAddresses(traffic, mapping),
    families: findFamilies(traffic, mapping),
    unused: findUnused(traffic, mapping),
    unusedWords: findUnusedWords(traffic, source),
  };
}

/** Whether something needs a person's look. Parts of the mapping that no request has used do not: they are only information. */
export function hasFound({ fields, words, addresses, families }: Drift): boolean {
  return fields.length + words.length + addresses.length + families.length > 0;
}

/** All additions that a patch can make. What a person has to decide is left out. */
export function additionsOf({ fields, words }: Pick<Drift, 'fields' | 'words'>): Addition[] {
  const additions = [
    ...fields.flatMap(({ operation, name: value, advice }): Addition[] => {
      if (advice.kind === 'alias') {
        const { field, format, movesMoney } = advice;
        const where = format === undefined ? [] : ['formats', format];
        const path = [...where, 'operations', operation, 'fields', field, 'from'];
        return [{ path, value, title: `${value} is ${field} in ${operation}`, movesMoney }];
      }
      if (advice.kind === 'request_id')
        return [{ path: ['request_id'], value, title: `${value} is the script's own id of an order`, movesMoney: true }];
      if (advice.kind === 'decide') return [];
      const title = `${value} means nothing in ${operation}`;
      return [{ path: ['operations', operation, 'ignore'], value, title, movesMoney: false }];
    }),
    ...words.flatMap(({ table, word, value }): Addition[] => {
      if (value === undefined) return [];
      const path = ['tables', table, 'values', value, 'words'];
      return [{ path, value: word, title: `${word} is ${value} in ${table}`, movesMoney: true }];
    }),
  ];
  // Two operations may receive the same unknown spelling of a field that the mapping declares once: one addition serves both.
  return [...new Map(additions.map((addition) => [JSON.stringify([addition.path, addition.value]), addition])).values()];
}

/** Addresses that scripts call and the mapping does not serve, or not with that method. `allowed` are the methods that it serves. */
function findAddresses(traffic: Traffic, mapping: Mapping) {
  const paths = [...new Set(mapping.routes.map(({ path }) => path))];
  return traffic.unknownAddresses.flatMap(({ method, path, count }) => {
    const match = mapping.matchRoute(method, path);
    if (match.kind === 'matched') return [];
    const allowed = match.kind === 'wrong_method' ? match.allowed : [];
    const near = match.kind === 'wrong_method' ? undefined : nearestName(trimSlash(path), paths);
    return [{ method, path, count, allowed, hint: near === undefined ? undefined : `near ${near}` }];
  });
}

/** A smaller number of requests may have been a test. */
const REQUESTS_MIN = 10;

/**
 * Keys (by fingerprint) with enough purchases that prove a family. If callers.yaml names the family, it also holds for requests
 * that show no sign of it.
 */
export function findFamilies({ shapes }: Traffic, mapping: Mapping) {
  const callers = new Map<string, { purchases: number; readonly proven: Map<string, number> }>();
  for (const { caller: seenAs, family, operation, count } of shapes) {
    if (seenAs === undefined || mapping.operations.get(operation)?.kind !== 'purchase') continue;
    // Requests to the sandbox have a fingerprint of their own, which callers.yaml does not take.
    const caller = mapping.callerKeys.get(seenAs)?.sandboxOf ?? seenAs;
    const seen = callers.get(caller) ?? { purchases: 0, proven: new Map<string, number>() };
    callers.set(caller, seen);
    seen.purchases += count;
    if (family !== undefined) seen.proven.set(family, (seen.proven.get(family) ?? 0) + count);
  }
  return [...callers].flatMap(([caller, { purchases, proven }]) => {
    const [[family, count] = ['', 0], ...others] = proven;
    const isNamed = mapping.callerKeys.get(caller)?.family !== undefined;
    // Two families under one key are two scripts: only the operator can decide which one is meant.
    return isNamed || others.length > 0 || count < REQUESTS_MIN ? [] : [{ caller, family, count, purchases }];
  });
}

/** Spellings and addresses that no request has used, with the number of requests that this rests on. A script may use them again tomorrow. */
function findUnused(traffic: Traffic, mapping: Mapping) {
  return [...mapping.operations.values()].flatMap(({ name: operation, fields }) => {
    const seen = traffic.shapes.filter((one) => operationOf(one, mapping)?.name === operation);
    const sent = new Set(seen.flatMap(({ shape }) => shape.fields.map(({ name }) => name)));
    const asked = new Set(seen.map(({ shape }) => pathWithoutFormat(trimSlash(shape.path), mapping)));
    const routes = mapping.routes.filter((route) => route.operation === operation && !asked.has(route.path));
    const aliases = fields.flatMap(({ from, otherwise }) => [...from, ...otherwise]).filter((name) => !sent.has(name));
    const requests = seen.reduce((sum, { count }) => sum + count, 0);
    if (routes.length === 0 && aliases.length === 0) return [];
    return [{ operation, requests, aliases: [...new Set(aliases)], routes: [...new Set(routes.map(({ path }) => path))] }];
  });
}

/**
 * Words of tables that no request has used, with the number of uses of their table. The name of a value itself need not be
 * used, so it is left out.
 */
function findUnusedWords(traffic: Traffic, source: MappingSource) {
  return Object.entries(source.tables).flatMap(([table, { values }]) => {
    const used = traffic.usedWords.filter((one) => one.table === table);
    const came = new Set(used.map(({ word }) => word));
    const words = Object.entries(values ?? {}).flatMap(([value, entry]) =>
      entry.words.filter((word) => normaliseWord(word) !== normaliseWord(value) && !came.has(normaliseWord(word))),
    );
    return words.length === 0 ? [] : [{ table, uses: used.reduce((sum, { count }) => sum + count, 0), words }];
  });
}
