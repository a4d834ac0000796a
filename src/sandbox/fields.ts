import { nairaNumber, parseNaira, type AmountMinor } from '../domain/amount';
import { V1_ENDPOINTS, type V1Endpoint, type V1Field } from '../upstream/v1';
import { Refusal } from './answer';
import { networkOfPhone, type Catalog } from './catalog';

/** A parsed JSON object or query. Read a field only after `checkFields` or a check of your own. */
export type Fields = Readonly<Record<string, unknown>>;

/** The description of a POST endpoint in the specification. */
export function postEndpoint(path: string): V1Endpoint {
  const found = V1_ENDPOINTS.find((endpoint) => endpoint.method === 'POST' && endpoint.path === path);
  if (found === undefined) throw new Error(`the specification has no POST ${path}`);
  return found;
}

const TYPES: Readonly<Record<V1Field['type'], { readonly article: string; readonly holds: (value: unknown) => boolean }>> = {
  string: { article: 'must be a string', holds: (value) => typeof value === 'string' },
  integer: { article: 'must be an integer', holds: (value) => Number.isSafeInteger(value) },
  number: { article: 'must be a number', holds: (value) => typeof value === 'number' && Number.isFinite(value) },
  boolean: { article: 'must be true or false', holds: (value) => typeof value === 'boolean' },
  list: {
    article: 'must be an array of strings or one string',
    holds: (value) => typeof value === 'string' || (Array.isArray(value) && value.every((item) => typeof item === 'string')),
  },
};

/**
 * Refuses the request unless every field has the type of its table in section 4. Types are exact: a number in quotes is not a
 * number, so that a script that works here also works with a strict service. Only an id that the catalog itself writes as text
 * may be text or a number. null counts as absent. Unknown fields are ignored.
 */
export function checkFields(endpoint: V1Endpoint, body: Fields): void {
  for (const [name, { type, required, isIgnored, isAlsoText }] of Object.entries(endpoint.fields)) {
    if (isIgnored) continue;
    const value = body[name];
    if (value === undefined || value === null) {
      if (required) throw new Refusal('missing_field', name);
      continue;
    }
    if (isAlsoText && typeof value === 'string' && value !== '') continue;
    if (!TYPES[type].holds(value)) throw new Refusal('invalid_field', name, TYPES[type].article);
    if (required && (value === '' || (Array.isArray(value) && value.length === 0))) throw new Refusal('missing_field', name);
  }
}

/** A text field after `checkFields`; empty if an optional field is absent. */
export function textOf(body: Fields, name: string): string {
  const value = body[name];
  return typeof value === 'string' ? value : '';
}

/** An integer field after `checkFields`; the fallback if an optional field is absent. */
export function integerOf(body: Fields, name: string, fallback = 0): number {
  const value = body[name];
  return typeof value === 'number' ? value : fallback;
}

/** An 11-digit Nigerian number (section 4). */
export function phoneOf(body: Fields): string {
  const phone = textOf(body, 'phone');
  if (!/^0\d{10}$/.test(phone)) throw new Refusal('invalid_field', 'phone', 'must be an 11-digit Nigerian number');
  return phone;
}

/** Smartcard and meter numbers. The specification gives no length, so 5 to 20 digits are accepted. */
export function customerNumberOf(body: Fields, name: 'smartcard' | 'meter_number'): string {
  const number = textOf(body, name);
  if (!/^\d{5,20}$/.test(number)) throw new Refusal('invalid_field', name, 'must be 5 to 20 digits');
  return number;
}

/** Section 7, rule 2. A prefix that belongs to no network never mismatches. A prefix of MTN mismatches a SMILE plan too. */
export function checkPrefix(catalog: Catalog, phone: string, network: string, body: Fields): void {
  if (body['ported'] === true) return;
  const owner = networkOfPhone(catalog, phone);
  if (owner !== undefined && owner !== network) throw new Refusal('prefix_mismatch', phone, owner);
}

/** The customer's phone number, which cable TV and electricity pass on. It may be absent, and only its length is checked. */
export function passedOnPhone(body: Fields): string | null {
  const phone = lengthAtMost(body, 'phone', 20);
  return phone === '' ? null : phone;
}

export function quantityOf(body: Fields, max: number): number {
  const quantity = integerOf(body, 'quantity', 1);
  if (quantity < 1 || quantity > max) throw new Refusal('invalid_field', 'quantity', `must be 1 to ${max}`);
  return quantity;
}

/** The amount in kobo, from naira with at most two decimals, within the limits of section 8. */
export function amountOf(body: Fields, limits: { readonly min: AmountMinor; readonly max: AmountMinor }): AmountMinor {
  const amount = parseNaira(body['amount']);
  if (amount === undefined) throw new Refusal('invalid_field', 'amount', 'must be naira with at most two decimals');
  if (amount < limits.min || amount > limits.max) {
    throw new Refusal('invalid_field', 'amount', `must be ${nairaNumber(limits.min)} to ${nairaNumber(limits.max)}`);
  }
  return amount;
}

export function meterTypeOf(body: Fields): 'prepaid' | 'postpaid' {
  const type = textOf(body, 'meter_type');
  if (type !== 'prepaid' && type !== 'postpaid') throw new Refusal('invalid_field', 'meter_type', 'must be prepaid or postpaid');
  return type;
}

export function lengthAtMost(body: Fields, name: string, max: number): string {
  const text = textOf(body, name);
  // Counts code points, so that an emoji is one character.
  if (text.length > max && [...text].length > max) throw new Refusal('invalid_field', name, `must be at most ${max} characters`);
  return text;
}
