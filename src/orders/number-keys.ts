/**
 * The look-up keys of phone, meter and card numbers: keyed hashes, so that no customer's number is on the disk. All spellings of a number
 * have the same key (decision 0044). Also the masking of numbers for pages and lists.
 */
import { isList, textOf, type JsonObject, type JsonValue } from '../domain/json';
import { identityOf, parseIdentifier, parsePhone, type ServedNumber } from '../domain/number-identity';
import type { Keyring } from '../gateway/read/keyring';
import type { Mapping, Operation } from '../mapping/mapping';

/** 16 bytes as hex digits. */
export type LookUpKey = string;

/** An SMS to many can be found by this many of its recipients. */
const RECIPIENTS_MAX = 100;

/**
 * The numbers in an order's fields: phones, meters, smartcards, recipients. The mapping's operation says which fields have numbers; of an
 * operation that the mapping no longer has, those that look like one.
 */
export function numbersIn(operation: Operation | undefined, values: JsonObject): readonly ServedNumber[] {
  if (operation === undefined) return Object.values(values).flatMap((value) => numbersOf(guessedAs(value) ?? '', value));
  return operation.fields.flatMap(({ name, as }) => numbersOf(as, values[name]));
}

/** The numbers in one value that is read as this kind of field. */
export function numbersOf(as: string, value: JsonValue | undefined): readonly ServedNumber[] {
  if (value === undefined || value === null || value === '') return [];
  if (as === 'phone' || as === 'identifier') return [{ kind: as, text: textOf(value) }];
  if (as !== 'phone_list') return [];
  const texts = Array.isArray(value) ? value.map(textOf) : textOf(value).split(/[\s,;]+/);
  return texts
    .filter((text) => text !== '')
    .slice(0, RECIPIENTS_MAX)
    .map((text) => ({ kind: 'phone', text }));
}

export function keyOfNumber({ kind, text }: ServedNumber, keyring: Pick<Keyring, 'hash'>): LookUpKey {
  return keyring.hash(JSON.stringify(['number', kind, identityOf(kind, text)]));
}

/** The keys of a number that a person has typed. The same text may be a phone and a meter number; empty where it can be neither. */
export function keysOfTyped(text: string, keyring: Pick<Keyring, 'hash'>): readonly LookUpKey[] {
  const kinds: ServedNumber[] = [
    ...(parsePhone(text) === undefined ? [] : [{ kind: 'phone' as const, text }]),
    ...(parseIdentifier(text) === undefined ? [] : [{ kind: 'identifier' as const, text }]),
  ];
  return kinds.map((one) => keyOfNumber(one, keyring));
}

/** A number as pages and lists show it: enough to recognise it, not enough to misuse it. */
export function maskNumber(text: string): string {
  const plain = text.trim();
  if (plain.length < 7) return '•'.repeat(plain.length);
  const shown = plain.length < 10 ? 2 : 4;
  return `${plain.slice(0, shown)}${'•'.repeat(plain.length - 2 * shown)}${plain.slice(-shown)}`;
}

/** A sentence of v1 or a reply, with the numbers of its order masked, as sent and without country code or leading zero. */
export function maskIn(text: string, numbers: readonly ServedNumber[]): string {
  return numbers.reduce((shown, { kind, text: number }) => {
    const masked = maskNumber(number);
    const whole = shown.replaceAll(number, masked);
    const national = kind === 'phone' ? parsePhone(number)?.slice(1) : undefined;
    return national === undefined ? whole : whole.replaceAll(national, masked.slice(1));
  }, text);
}

/** The fields of an order, with phone, meter and card numbers masked. */
export function maskFields(mapping: Pick<Mapping, 'operations'>, operation: string, values: JsonObject): JsonObject {
  const fields = mapping.operations.get(operation)?.fields ?? [];
  const asOf = new Map(fields.map(({ name, as }) => [name, as]));
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, maskValue(asOf.get(name) ?? guessedAs(value), value)]),
  );
}

/** How a field that the mapping no longer has was read, as far as its value shows. */
function guessedAs(value: JsonValue): string | undefined {
  if (isList(value)) return value.some((one) => guessedAs(one) !== undefined) ? 'phone_list' : undefined;
  if (typeof value !== 'string' || !/^\+?\d{7,}$/.test(value)) return undefined;
  return parsePhone(value) === undefined ? 'identifier' : 'phone';
}

function maskValue(as: string | undefined, value: JsonValue): JsonValue {
  if (as === 'phone' || as === 'identifier') return maskNumber(textOf(value));
  if (as === 'phone_list') {
    const numbers = numbersOf(as, value);
    const more = Array.isArray(value) ? value.length - 3 : 0;
    const shown = numbers.slice(0, 3).map(({ text }) => maskNumber(text));
    return more > 0 ? [...shown, `and ${more} more`] : shown;
  }
  return value;
}
