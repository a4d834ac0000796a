/**
 * Under what numbers and ids are looked up: a keyed hash of a phone, meter or card number, the same for all spellings of one number
 * (decision 0044), so that what is on the disk tells nobody's number.
 */
import { textOf, type JsonObject, type JsonValue } from '../domain/json';
import { identityOf, parseIdentifier, parsePhone, type NumberKind } from '../domain/number-identity';
import type { Keyring } from '../gateway/read/keyring';
import type { Mapping, Operation } from '../mapping/mapping';

/** 16 bytes as hex digits. */
export type LookUpKey = string;

/** Of an SMS to many as many recipients as this can be looked for. */
const RECIPIENTS_MAX = 100;

export interface KindOfNumber {
  readonly kind: NumberKind;
  readonly text: string;
}

/** The numbers in an order's fields: phones, meters, smartcards, recipients. By the mapping, which alone knows which those are. */
export function numbersIn(operation: Operation | undefined, values: JsonObject): readonly KindOfNumber[] {
  const fields = operation?.fields ?? [];
  return fields.flatMap(({ name, as }) => numbersOf(as, values[name]));
}

/** The numbers in one value that is read as this kind of field. */
export function numbersOf(as: string, value: JsonValue | undefined): readonly KindOfNumber[] {
  if (value === undefined || value === null || value === '') return [];
  if (as === 'phone' || as === 'identifier') return [{ kind: as, text: textOf(value) }];
  if (as !== 'phone_list') return [];
  const texts = Array.isArray(value) ? value.map(textOf) : textOf(value).split(/[\s,;]+/);
  return texts
    .filter((text) => text !== '')
    .slice(0, RECIPIENTS_MAX)
    .map((text) => ({ kind: 'phone', text }));
}

export function keyOfNumber({ kind, text }: KindOfNumber, keyring: Pick<Keyring, 'hash'>): LookUpKey {
  return keyring.hash(JSON.stringify(['number', kind, identityOf(kind, text)]));
}

/** Of what a person types: it may be a phone as well as a meter number. Empty where it can be neither. */
export function keysOfTyped(text: string, keyring: Pick<Keyring, 'hash'>): readonly LookUpKey[] {
  const kinds: KindOfNumber[] = [
    ...(parsePhone(text) === undefined ? [] : [{ kind: 'phone' as const, text }]),
    ...(parseIdentifier(text) === undefined ? [] : [{ kind: 'identifier' as const, text }]),
  ];
  return kinds.map((one) => keyOfNumber(one, keyring));
}

/** A number as pages and lists show it: enough to know it again, not enough to sell it. */
export function maskNumber(text: string): string {
  const plain = text.trim();
  if (plain.length < 7) return '•'.repeat(plain.length);
  const shown = plain.length < 10 ? 2 : 4;
  return `${plain.slice(0, shown)}${'•'.repeat(plain.length - 2 * shown)}${plain.slice(-shown)}`;
}

/** A sentence of v1 or a reply, without the numbers of its order in any usual spelling. */
export function maskIn(text: string, numbers: readonly KindOfNumber[]): string {
  return numbers.reduce((shown, { kind, text: number }) => {
    const masked = maskNumber(number);
    const whole = shown.replaceAll(number, masked);
    const national = kind === 'phone' ? parsePhone(number)?.slice(1) : undefined;
    return national === undefined ? whole : whole.replaceAll(national, masked.slice(1));
  }, text);
}

/** The fields of an order that name a person. */
export function maskFields(mapping: Pick<Mapping, 'operations'>, operation: string, values: JsonObject): JsonObject {
  const fields = mapping.operations.get(operation)?.fields ?? [];
  const asOf = new Map(fields.map(({ name, as }) => [name, as]));
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, maskValue(asOf.get(name), value)]));
}

function maskValue(as: string | undefined, value: JsonValue): JsonValue {
  if (as === 'phone' || as === 'identifier') return maskNumber(textOf(value));
  if (as === 'phone_list') {
    const numbers = numbersOf(as, value);
    const more = Array.isArray(value) ? value.length - 3 : 0;
    const shown = numbers.slice(0, 3).map(({ text }) => maskNumber(text));
    return more > 0 ? [...shown, `and ${more} more`] : shown;
  }
  // A field that the mapping does not know any more may hold a number.
  return as === undefined && typeof value === 'string' && /^\+?\d{7,}$/.test(value) ? maskNumber(value) : value;
}
