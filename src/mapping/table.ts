/** Tables: for each value its accepted words and numbers and v1's id, and for networks the prefixes of phone numbers. */
import { InexactNumber, type JsonValue } from '../domain/json';
import type { LegacyValue } from '../domain/legacy';
import type { TableSource } from './language/schema';

/** The form in which words are compared: `Abuja-Electric` and `abuja electric` are equal. */
export function normaliseWord(word: string): string {
  return word.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Compares words in that form. Words without letters and digits must be equal as written: `--` is not `₦`. */
export function sameWord(a: string, b: string): boolean {
  return a === b || (normaliseWord(a) === normaliseWord(b) && normaliseWord(a) !== '');
}

export type TableRead =
  | { readonly value: JsonValue }
  | { readonly expected: string }
  /** A word that is not in the table and has to be looked up in the catalog. */
  | { readonly lookUp: string };

/** What a number means: from the format, or from the table itself. */
export type Numbering = ReadonlyMap<number, string>;

/** From number to value; `01` is 1. */
export function toNumbering(numbers: Readonly<Record<string, string>>): Numbering {
  // Sorted by number: replies use the first number of a value, so a value with two numbers is shown by the smaller.
  return new Map(
    Object.entries(numbers)
      .map(([number, value]) => [Number(number), value] as const)
      .sort(([one], [other]) => one - other),
  );
}

/** A longer text is no name of the catalog. */
const LOOK_UP_MAX = 100;

export type Table = ReturnType<typeof createTable>;

export function createTable(name: string, source: TableSource) {
  const entries = Object.entries(source.values ?? {});
  const byWord = new Map<string, string>();
  for (const [value, entry] of entries) for (const word of [value, ...entry.words]) byWord.set(normaliseWord(word), value);
  const byPrefix = new Map(entries.flatMap(([value, entry]) => (entry.prefixes ?? []).map((prefix) => [prefix, value] as const)));
  const numbering = toNumbering(source.numbers ?? {});
  const isNumberOnly = entries.length === 0 && source.unlisted === 'number' && source.catalog === undefined;
  const expected = `${isNumberOnly ? 'the number of ' : ''}${aOrAn(source.title)}${
    entries.length === 0
      ? ''
      : ` such as ${entries
          .slice(0, 4)
          .map(([value]) => value)
          .join(', ')}`
  }`;

  return {
    name,
    title: source.title,
    values: entries.map(([value]) => value) as readonly string[],
    /** Every accepted word, in the form in which words are compared. */
    words: [...byWord.keys()] as readonly string[],
    numbering,
    catalog: source.catalog,
    numberIn,
    read(raw: LegacyValue, numbers: Numbering): TableRead {
      const number = numberIn(raw);
      if (number !== undefined) {
        const value = numbers.get(number);
        if (value !== undefined) return { value };
        return source.unlisted === 'number' ? { value: number } : { expected: `${expected}; the number ${number} means none` };
      }
      if (raw instanceof InexactNumber || typeof raw !== 'string' || normaliseWord(raw) === '') return { expected };
      const value = byWord.get(normaliseWord(raw));
      if (value !== undefined) return { value };
      const word = raw.trim();
      if (source.catalog !== undefined && word.length <= LOOK_UP_MAX) return { lookUp: word };
      return source.unlisted === 'upper' && word.length <= 40 ? { value: word.toUpperCase() } : { expected };
    },
    idOf: (value: string) => source.values?.[value]?.id,
    labelOf: (value: string) => source.values?.[value]?.label ?? value,
    prefixesOf: (value: string): readonly string[] => source.values?.[value]?.prefixes ?? [],
    /** The value whose prefix a phone number has; the longest prefix wins. */
    valueOfPhone: (phone: string) => byPrefix.get(phone.slice(0, 5)) ?? byPrefix.get(phone.slice(0, 4)),
  };
}

/** The number of a value such as `2` or `"02"`; undefined for a word. */
export function numberIn(raw: LegacyValue): number | undefined {
  if (typeof raw === 'number') return Number.isSafeInteger(raw) && raw >= 0 ? raw : undefined;
  const text = typeof raw === 'string' ? raw.trim() : '';
  return /^\d{1,15}(?:\.0+)?$/.test(text) ? Number.parseInt(text, 10) : undefined;
}

function aOrAn(title: string): string {
  return `${/^[aeiou]/i.test(title) ? 'an' : 'a'} ${title}`;
}
