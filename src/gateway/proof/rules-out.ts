/**
 * Whether a record of v1 is certainly not this order: the only kind of doubt that may prove an order absent, after which
 * its script hears "failed". So each trait counts only where the specification leaves v1 no other way to write it.
 */
import type { JsonObject, JsonValue } from '../../domain/json';
import type { Mapping, Operation } from '../../mapping/mapping';
import { readNaira } from '../../upstream/delivery';
import { numberIn, type OrderTraits } from './compare-receipt';

/** Money that came in: a refund, a deposit. What was bought is a debit (specification, 2.3). */
const MONEY_IN = /credit|refund|revers|deposit|fund/i;

/** Wider than what speaks for an order: service charges and discounts of v1 are not known to us. */
const LEAST_SHARE = 0.6;
const MOST_SHARE = 1.25;
const CHARGE_MOST = 250_00;

export function rulesOut(record: JsonObject, traits: OrderTraits, others: readonly string[]): boolean {
  const data = (record['data'] ?? {}) as JsonObject;
  return (
    isMoneyIn(data) ||
    numberIn(data, traits) === 'other' ||
    isOtherPrice(data, traits) ||
    isOtherService(data['category'], traits, others)
  );
}

/** How v1 calls what other operations buy: the first word of their categories. */
export function otherServices(operation: Operation, mapping: Mapping): readonly string[] {
  return [...mapping.operations.values()].flatMap((other) => (other === operation ? [] : other.categories.slice(0, 1)));
}

/** What v1 shows as `type` of a refund or deposit; such a record is nobody's order. */
export function isMoneyIn({ type }: JsonObject): boolean {
  return typeof type === 'string' && MONEY_IN.test(type);
}

/** The price of all or of one of them; a debit may be written with a minus. */
function isOtherPrice({ amount }: JsonObject, { faceValue, quantity = 1 }: OrderTraits): boolean {
  const shown = readNaira(amount);
  if (faceValue === undefined || shown === undefined) return false;
  const paid = Math.abs(shown);
  return paid < (faceValue * LEAST_SHARE) / quantity || paid > faceValue * MOST_SHARE + CHARGE_MOST;
}

/** The specification does not list v1's categories: a word that is nobody's (`education`) may be this order's. */
function isOtherService(category: JsonValue | undefined, { categories }: OrderTraits, others: readonly string[]): boolean {
  if (categories.length === 0 || typeof category !== 'string') return false;
  const word = category.toLowerCase();
  const isNamedBy = (names: readonly string[]): boolean => names.some((name) => word.includes(name.toLowerCase()));
  return isNamedBy(others) && !isNamedBy(categories);
}
