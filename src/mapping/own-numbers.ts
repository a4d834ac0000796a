/** The numbers of one caller's own for one table: a script that was moved here keeps the plan ids of its old server. */
import type { JsonValue } from '../domain/json';
import type { Table } from './table';

export interface OwnNumbers {
  /** Its number to what we mean by it, in rising order. */
  readonly meanings: ReadonlyMap<number, JsonValue>;
  /** A number that is not among them is read as if there were none; else it is refused. */
  readonly passesUnlisted: boolean;
  /** The lowest number by which the caller knows a value. */
  readonly numberOf: (value: JsonValue) => number | undefined;
}

/** `ours` is read as the table itself reads it: one of its values or words, or a number of its own or of v1. */
export function createOwnNumbers(
  table: Table,
  numbers: Readonly<Record<string, string>>,
  passesUnlisted: boolean,
  onUnknown: (number: string, expected: string) => void,
): OwnNumbers {
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
  return { meanings, passesUnlisted, numberOf: (value) => known.get(value) };
}
