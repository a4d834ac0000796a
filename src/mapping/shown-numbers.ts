/**
 * The numbers that replies show to a script: first the number that it sent, then its own from callers.yaml, then its format's.
 * v1's number is shown only if it keeps its meaning when the script sends it back.
 */
import type { JsonValue } from '../domain/json';
import type { CallerKey, Mapping, Scope } from './mapping';
import type { Numbering, Table } from './table';

type ShownNumbers = Required<Pick<Scope, 'numberOf' | 'rowOf'>>;

export function shownNumbers(
  mapping: Mapping,
  format: string,
  callerKey: CallerKey | undefined,
  sent: Readonly<Record<string, number>> = {},
): ShownNumbers {
  const numberOf: ShownNumbers['numberOf'] = (name, value, field) => {
    const table = mapping.tables.get(name);
    if (field !== undefined && Object.hasOwn(sent, field)) return sent[field];
    const own = callerKey?.numbers.get(name);
    const number = own?.numberOf(value);
    if (table === undefined || number !== undefined) return number;
    if (own?.passesUnlisted === false) return undefined;
    const shared = mapping.numberingOf(format, table);
    // A number that means something else in the format or among the caller's own numbers is not shown.
    const known =
      typeof value !== 'number'
        ? findNumber(shared, value)
        : shared.get(value) === table.numbering.get(value)
          ? value
          : undefined;
    return known !== undefined && own?.meanings.has(known) === true ? undefined : known;
  };
  return {
    numberOf,
    rowOf(list, row) {
      const columns = [mapping.formats.get(format), callerKey].flatMap((one) => one?.columns.get(list) ?? []);
      if (columns.length === 0) return row;
      const changed: Record<string, JsonValue> = { ...row };
      for (const { table, column } of columns) {
        const shown = showColumn(table, row[column] ?? null, numberOf);
        if (shown === null && column === 'id') return undefined;
        changed[column] = shown;
      }
      return changed;
    },
  };
}

function findNumber(numbering: Numbering, value: JsonValue): number | undefined {
  for (const [number, meaning] of numbering) if (meaning === value) return number;
  return undefined;
}

/** Replaces v1's number in a column by the script's, of the same JSON type; null if the script has none. A name is not changed. */
function showColumn(table: Table, value: JsonValue, numberOf: ShownNumbers['numberOf']): JsonValue {
  const number = isScalar(value) ? table.numberIn(value) : undefined;
  if (number === undefined) return value;
  const read = table.read(number, table.numbering);
  const shown = numberOf(table.name, 'value' in read ? read.value : number);
  if (shown === undefined) return null;
  return typeof value === 'string' ? String(shown) : shown;
}

const isScalar = (value: JsonValue): value is string | number => typeof value === 'string' || typeof value === 'number';

/** The numbers of a table for a script's lists, one for each value: the script's own, then those of its format that its own do not replace. */
export function numberingShown(mapping: Mapping, format: string, callerKey: CallerKey | undefined, table: Table): Numbering {
  const shared = mapping.numberingOf(format, table);
  const others = [...shared].filter(([number, value]) => findNumber(shared, value) === number);
  const own = callerKey?.numbers.get(table.name);
  if (own === undefined) return new Map(others);
  const values = new Set(own.meanings.values());
  const mine = [...own.meanings].flatMap(([number, value]) =>
    typeof value === 'string' && own.numberOf(value) === number ? [[number, value] as const] : [],
  );
  const left = own.passesUnlisted ? others.filter(([number, value]) => !own.meanings.has(number) && !values.has(value)) : [];
  return new Map([...mine, ...left]);
}
