import { nairaNumber, parseNaira, type AmountMinor } from '../../domain/amount';
import type { Catalog } from '../catalog/catalog';
import { Refusal } from '../refusal';
import { integerOf, textOf, type Fields } from './check-fields';

const PASSED_ON_CHARACTERS_MAX = 20;

/** An 11-digit Nigerian number (section 4). */
export function phoneOf(body: Fields): string {
  const phone = textOf(body, 'phone');
  if (!/^0\d{10}$/.test(phone)) throw new Refusal('invalid_field', 'phone', 'must be an 11-digit Nigerian number');
  return phone;
}

/** Smartcard and meter numbers: the specification gives no length, so anything that such a number could be. */
export function customerNumberOf(body: Fields, name: 'smartcard' | 'meter_number'): string {
  const number = textOf(body, name);
  if (!/^\d{5,20}$/.test(number)) throw new Refusal('invalid_field', name, 'must be 5 to 20 digits');
  return number;
}

/** Section 7, rule 2. A prefix that belongs to no network cannot mismatch; one of MTN's mismatches a SMILE plan as well. */
export function checkPrefix(catalog: Catalog, phone: string, network: string, body: Fields): void {
  if (body['ported'] === true) return;
  const owner = catalog.networkOfPhone(phone);
  if (owner !== undefined && owner !== network) throw new Refusal('prefix_mismatch', phone, owner);
}

/** The customer's phone that cable TV and electricity pass on: it may be missing, and is not judged beyond its length. */
export function passedOnPhone(body: Fields): string | null {
  const phone = lengthAtMost(body, 'phone', PASSED_ON_CHARACTERS_MAX);
  return phone === '' ? null : phone;
}

export function quantityOf(body: Fields, max: number): number {
  const quantity = integerOf(body, 'quantity', 1);
  if (quantity < 1 || quantity > max) throw new Refusal('invalid_field', 'quantity', `must be 1 to ${max}`);
  return quantity;
}

/** Naira with at most two decimals inside the limits of section 8. */
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
  // Characters as people count them: an emoji is one.
  if (text.length > max && [...text].length > max) throw new Refusal('invalid_field', name, `must be at most ${max} characters`);
  return text;
}
