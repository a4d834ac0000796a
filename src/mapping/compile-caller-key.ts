/** What callers.yaml says of single scripts → functions. Whether it is wise is for `rules/check-caller-keys.ts`. */
import type { AfterPending, CallerKeySource, ValueSource } from './language/schema';
import { compileValue, type ValueContext } from './compile-value';
import type { CallerKey, ListShape, OwnColumn } from './mapping';
import { nearestName } from './nearest-name';
import { createOwnNumbers, type OwnNumbers } from './own-numbers';
import type { YamlPath } from './read-yaml';
import type { MappingSource } from './source';
import type { Table } from './table';

/** The value for every operation without an entry of its own. */
export const DEFAULT = 'default';

export function compileCallerKey(
  fingerprint: string,
  key: CallerKeySource,
  source: MappingSource,
  context: ValueContext,
): CallerKey {
  const path = ['callers', 'keys', fingerprint];
  if (key.format !== undefined && !source.formats.has(key.format))
    context.report([...path, 'format'], 'unknown-format', `there is no format \`${key.format}\``);
  const family = key.family === undefined ? undefined : source.families[key.family];
  if (key.family !== undefined && family === undefined)
    context.report([...path, 'family'], 'unknown-family', `there is no family \`${key.family}\``, hintFor(key.family, source));
  if (family !== undefined && key.format !== undefined && key.format !== family.extends)
    context.report(
      [...path, 'family'],
      'family-of-other-format',
      `the family \`${key.family!}\` is of format \`${family.extends}\``,
      {
        hint: 'leave `format` out: the family brings its own',
      },
    );
  const numbers = compileNumbers(key, path, context);
  const patience = byOperation<number>(key.patience);
  const afterPending = byOperation<AfterPending>(key.after_pending);
  return {
    fingerprint,
    format: key.format ?? family?.extends,
    family: key.family,
    hasGuard: key.guard !== 'off',
    patienceOf: patience,
    afterPendingOf: afterPending,
    replayMs: key.replay === 'always' ? Infinity : key.replay,
    numbers,
    columns: columnsOf(numbers, source, context.tables),
    lists: compileLists(key, path, context),
  };
}

function hintFor(wanted: string, { families }: MappingSource): { hint?: string } {
  const near = nearestName(wanted, Object.keys(families));
  return near === undefined ? {} : { hint: `did you mean \`${near}\`?` };
}

/** A key of which nothing is said. */
export function plainCallerKey(fingerprint: string): CallerKey {
  return {
    fingerprint,
    format: undefined,
    family: undefined,
    hasGuard: true,
    patienceOf: () => undefined,
    afterPendingOf: () => undefined,
    replayMs: undefined,
    numbers: new Map(),
    columns: new Map(),
    lists: new Map(),
  };
}

/** One value for every operation, or values by operation with `default`. */
function byOperation<T extends string | number>(
  said: T | Readonly<Record<string, T>> | undefined,
): (operation: string) => T | undefined {
  const values = new Map<string, T>(
    said === undefined ? [] : typeof said === 'object' ? Object.entries<T>(said) : [[DEFAULT, said]],
  );
  return (operation) => values.get(operation) ?? values.get(DEFAULT);
}

function compileNumbers(key: CallerKeySource, path: YamlPath, context: ValueContext): Map<string, OwnNumbers> {
  const compiled = new Map<string, OwnNumbers>();
  for (const [name, numbers] of Object.entries(key.numbers ?? {})) {
    const table = context.tables.get(name);
    // The check reports this with the name that was most likely meant.
    if (table === undefined) continue;
    const onUnknown = (number: string, expected: string): void =>
      context.report(
        [...path, 'numbers', name, number],
        'unknown-value',
        `\`${numbers[number]!}\` is none: expected ${expected}`,
      );
    compiled.set(name, createOwnNumbers(table, numbers, key.unlisted?.[name] === 'pass', onUnknown));
  }
  return compiled;
}

/** Where lists hold v1's numbers of the tables that this caller numbers in its own way. */
function columnsOf(
  numbers: ReadonlyMap<string, OwnNumbers>,
  source: MappingSource,
  tables: ReadonlyMap<string, Table>,
): Map<string, OwnColumn[]> {
  const columns = new Map<string, OwnColumn[]>();
  for (const [name, own] of numbers) {
    for (const place of source.tables[name]?.shown_in ?? []) {
      const [list = '', column = ''] = place.split('.');
      columns.set(list, [...(columns.get(list) ?? []), { column, table: tables.get(name)!, own }]);
    }
  }
  return columns;
}

function compileLists(key: CallerKeySource, path: YamlPath, context: ValueContext): Map<string, ListShape> {
  const asList: ValueContext = { ...context, allowList: true };
  return new Map(
    Object.entries(key.lists ?? {}).map(([operation, fields]): [string, ListShape] => {
      const at = [...path, 'lists', operation];
      const value = compileValue(fields, at, asList);
      const build: ListShape['build'] = (list, scope) => {
        const made = value({ ...scope, roots: { ...scope.roots, list } });
        // A shape whose condition does not hold leaves the list as it is.
        return made !== null && typeof made === 'object' ? made : list;
      };
      return [operation, { build, sources: sourcesOf(fields, at) }];
    }),
  );
}

function sourcesOf(fields: Readonly<Record<string, ValueSource>>, path: YamlPath): ListShape['sources'] {
  const isOneValue = 'first' in fields || 'when' in fields || 'each' in fields;
  if (isOneValue) return [{ field: '', value: fields, path }];
  return Object.entries(fields).map(([field, value]) => ({ field, value, path: [...path, field] }));
}
