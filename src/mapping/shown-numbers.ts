/**
 * The numbers by which a script knows things: what it sent itself, then its own from callers.yaml, then its format's.
 * v1's number is shown only where the script would be understood when it sends it back.
 */
import type { JsonValue } from '../domain/json';
import type { CallerKey, Mapping, OwnColumn, Scope } from './mapping';
import type { Numbering, Table } from './table';

type ShownNumbers = Required<Pick<Scope, 'numberOf' | 'rowOf'>>;

export function shownNumbers(
  mapping: Mapping,
  format: string,
  callerKey: CallerKey | undefined,
  sent: Readonly<Record<string, number>> = {},
): ShownNumbers {
  return {
    numberOf(name, value, field) {
      const table = mapping.tables.get(name);
      if (field !== undefined && Object.hasOwn(sent, field)) return sent[field];
      const own = callerKey?.numbers.get(name);
      const number = own?.numberOf(value);
      if (table === undefined || number !== undefined) return number;
      if (own?.passesUnlisted === false) return undefined;
      const known = typeof value === 'number' ? value : findNumber(mapping.numberingOf(format, table), value);
      // It stands for something else in this caller's own numbers.
      return known !== undefined && own?.meanings.has(known) === true ? undefined : known;
    },
    rowOf(list, row) {
      const columns = callerKey?.columns.get(list);
      if (columns === undefined) return row;
      const changed: Record<string, JsonValue> = { ...row };
      for (const one of columns) {
        const shown = showColumn(one, row[one.column] ?? null);
        if (shown === null && one.column === 'id') return undefined;
        changed[one.column] = shown;
      }
      return changed;
    },
  };
}

function findNumber(numbering: Numbering, value: JsonValue): number | undefined {
  for (const [number, meaning] of numbering) if (meaning === value) return number;
  return undefined;
}

/** v1's number of a column in the caller's numbers, of the same type; null when it has none. A name stays as it is. */
function showColumn({ table, own }: OwnColumn, value: JsonValue): JsonValue {
  const number = isScalar(value) ? table.numberIn(value) : undefined;
  if (number === undefined) return value;
  const read = table.read(number, table.numbering);
  const shown = own.numberOf('value' in read ? read.value : number) ?? (isUnderstood(number, own) ? number : undefined);
  if (shown === undefined) return null;
  return typeof value === 'string' ? String(shown) : shown;
}

const isScalar = (value: JsonValue): value is string | number => typeof value === 'string' || typeof value === 'number';

/** Sent back by the caller it means what it meant at v1. */
function isUnderstood(number: number, own: OwnColumn['own']): boolean {
  return own.passesUnlisted && !own.meanings.has(number);
}

/** What each number of a table means to a script, for lists of them: its own, then those of its format that still mean the same. */
export function numberingShown(mapping: Mapping, format: string, callerKey: CallerKey | undefined, table: Table): Numbering {
  const own = callerKey?.numbers.get(table.name);
  const shared = mapping.numberingOf(format, table);
  if (own === undefined) return shared;
  const values = new Set(own.meanings.values());
  const mine = [...own.meanings].flatMap(([number, value]) =>
    typeof value === 'string' && own.numberOf(value) === number ? [[number, value] as const] : [],
  );
  const others = own.passesUnlisted
    ? [...shared].filter(([number, value]) => !own.meanings.has(number) && !values.has(value))
    : [];
  return new Map([...mine, ...others]);
}
