/** Compiles numberings, from number to value: of a table, a format, a family or a single caller. */
import { nearestHint } from './nearest-name';
import type { YamlPath } from './read-yaml';
import type { MappingSource, Report } from './source';
import { toNumbering, type Numbering, type Table } from './table';
import type { JsonValue } from '../domain/json';

/**
 * The numberings by table, each with the table's own numbers behind those of the source: a reply shows the first number of a value.
 * Reports each table that does not exist, and each value that is not in its table.
 */
export function compileNumberings(
  source: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined,
  path: YamlPath,
  tables: ReadonlyMap<string, Table>,
  report: Report,
): Map<string, Numbering> {
  const numberings = new Map<string, Numbering>();
  for (const [name, numbers] of Object.entries(source ?? {})) {
    const table = tables.get(name);
    if (table === undefined) {
      const hint = nearestHint(name, tables.keys());
      report([...path, name], 'unknown-table', `there is no table \`${name}\``, hint);
      continue;
    }
    for (const [number, value] of Object.entries(numbers))
      if (!table.values.includes(value))
        report([...path, name, number], 'unknown-value', `${table.title} \`${value}\` is not in the table`, {
          hint:
            table.values.length === 0
              ? `a script’s own numbers of a ${table.title} belong to its key, below \`callers.keys\``
              : `known: ${table.values.join(', ')}`,
        });
    const own = toNumbering(numbers);
    numberings.set(name, new Map([...own, ...[...table.numbering].filter(([number]) => !own.has(number))]));
  }
  return numberings;
}

/** A column of a catalog list with v1's numbers of a table. */
export interface ShownColumn {
  readonly column: string;
  readonly table: Table;
}

/** By list of the catalog: the columns with v1's numbers of the named tables, which are shown in other numbers. */
export function columnsOf(
  names: Iterable<string>,
  source: MappingSource,
  tables: ReadonlyMap<string, Table>,
): Map<string, ShownColumn[]> {
  const columns = new Map<string, ShownColumn[]>();
  for (const name of names) {
    for (const place of source.tables[name]?.shown_in ?? []) {
      const [list = '', column = ''] = place.split('.');
      columns.set(list, [...(columns.get(list) ?? []), { column, table: tables.get(name)! }]);
    }
  }
  return columns;
}

/** One caller's own numbers for one table: a script that was moved to this gateway keeps the plan ids of its old server. */
export type OwnNumbers = ReturnType<typeof createOwnNumbers>;

/** `numbers` maps the caller's number to a value, a word or a number that the table can read. Calls `onUnknown` for any other text. */
export function createOwnNumbers(
  table: Table,
  numbers: Readonly<Record<string, string>>,
  passesUnlisted: boolean,
  onUnknown: (number: string, expected: string) => void,
) {
  const meanings = new Map<number, JsonValue>();
  const known = new Map<JsonValue, number>();
  for (const [written, ours] of Object.entries(numbers)) {
    const read = table.read(ours, table.numbering);
    if (!('value' in read)) {
      onUnknown(
        written,
        'expected' in read ? read.expected : 'its number: a name of the catalog is only known when somebody asks',
      );
      continue;
    }
    const number = Number(written);
    meanings.set(number, read.value);
    if (number < (known.get(read.value) ?? Infinity)) known.set(read.value, number);
  }
  return {
    /** From the caller's number to the value that we use, in ascending order. */
    meanings: meanings as ReadonlyMap<number, JsonValue>,
    /** Whether an unlisted number is read as if the caller had no own numbers; otherwise it is refused. */
    passesUnlisted,
    /** The caller's lowest number for a value. */
    numberOf: (value: JsonValue) => known.get(value),
  };
}
