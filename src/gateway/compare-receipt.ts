/**
 * Can this receipt of v1 be that order? Asked when v1 reports a duplicate that the journal does not know, and when an
 * order that got no answer is looked for in v1's history.
 */
import { kobo, type AmountMinor } from '../domain/amount';
import { textOf, type JsonObject } from '../domain/json';
import type { Field, Operation } from '../mapping/mapping';
import { readNaira } from '../upstream/delivery';
import type { CatalogLists } from './catalog-lists';
import { receiptMatches } from '../upstream/receipt';

export type Agreement = 'agrees' | 'differs' | 'absent';

export interface Comparison {
  /** The phone, meter or smartcard number. */
  readonly number: Agreement;
  readonly price: Agreement;
  readonly category: Agreement;
}

/** What of an order a receipt can show. */
export interface OrderTraits {
  readonly numbers: readonly string[];
  readonly faceValue: AmountMinor | undefined;
  /** Words that v1's category of such an order holds. */
  readonly categories: readonly string[];
  /** The number is a phone that is served, not one that is told: then a receipt's `phone` is this one. */
  readonly isPhoneServed: boolean;
}

/**
 * By the mapping: numbers and amount are the fields that v1 is sent. What has no amount of its own (plans, exams) has its
 * price in v1's catalog; without the catalog that stays open.
 */
export function traitsOf(operation: Operation, values: JsonObject, catalog?: CatalogLists): OrderTraits {
  const sent = operation.fields.filter((field) => field.isSent && values[field.name] !== undefined);
  const identifiers = sent.filter((field) => field.as === 'identifier');
  const phones = sent.filter((field) => field.as === 'phone');
  return {
    numbers: [...identifiers, ...phones].map((field) => textOf(values[field.name])),
    faceValue: faceValueOf(sent, values) ?? (catalog === undefined ? undefined : priceOf(operation, sent, values, catalog)),
    categories: operation.categories,
    isPhoneServed: phones.length > 0 && identifiers.length === 0,
  };
}

/** The amount that was ordered; for cards, their denomination times how many. */
function faceValueOf(sent: readonly Field[], values: JsonObject): AmountMinor | undefined {
  const amount = sent.find((field) => field.isAmount);
  if (amount !== undefined) return values[amount.name] as AmountMinor;
  const denomination = sent.find((field) => field.as === 'denomination');
  return denomination === undefined ? undefined : kobo((values[denomination.name] as number) * 100 * countOf(sent, values));
}

/** The price of the row that the reply names as bought, times how many. */
function priceOf(
  { joins }: Operation,
  sent: readonly Field[],
  values: JsonObject,
  catalog: CatalogLists,
): AmountMinor | undefined {
  for (const join of joins) {
    const wanted = join.value({ fields: values, joins: {}, roots: {}, numberOf: () => undefined });
    const price = wanted === undefined || wanted === null ? undefined : catalog.find(join.list, join.key, wanted)?.['price'];
    if (typeof price === 'number') return kobo(price * countOf(sent, values));
  }
  return undefined;
}

function countOf(sent: readonly Field[], values: JsonObject): number {
  const quantity = sent.find((field) => field.as === 'quantity');
  return quantity === undefined ? 1 : (values[quantity.name] as number);
}

export function compareReceipt(receipt: JsonObject, traits: OrderTraits): Comparison {
  const data = (receipt['data'] ?? {}) as JsonObject;
  return {
    number: compareNumber(receipt, data, traits),
    price: comparePrice(data, traits),
    category: compareCategory(data, traits),
  };
}

function compareNumber(receipt: JsonObject, { phone }: JsonObject, { numbers }: OrderTraits): Agreement {
  if (numbers.length === 0 || typeof phone !== 'string' || phone === '') return 'absent';
  return receiptMatches(receipt, { numbers, amounts: [], categories: [] }) ? 'agrees' : 'differs';
}

/** A receipt may show the face value or what was charged for it: a discount of up to a fifth, a service charge on top. */
function comparePrice({ amount }: JsonObject, { faceValue }: OrderTraits): Agreement {
  const shown = readNaira(amount);
  if (faceValue === undefined || shown === undefined) return 'absent';
  return shown >= faceValue * 0.8 && shown <= faceValue * 1.05 + 100_00 ? 'agrees' : 'differs';
}

function compareCategory({ category }: JsonObject, { categories }: OrderTraits): Agreement {
  if (categories.length === 0 || typeof category !== 'string' || category === '') return 'absent';
  return categories.some((word) => category.toLowerCase().includes(word.toLowerCase())) ? 'agrees' : 'differs';
}

export type Identity = 'same' | 'other' | 'contradicted' | 'unclear';

/**
 * `same` when the receipt shows the served number and no other price or service, `other` when it provably names another phone, and
 * `unclear` in between: told as pending, because either of the other words could be a lie about money. `contradicted` is unclear
 * with two things against it: one of them v1 may merely spell in its own way.
 */
export function identifyReceipt(receipt: JsonObject, traits: OrderTraits): Identity {
  const { number, price, category } = compareReceipt(receipt, traits);
  if (number === 'agrees' && price !== 'differs' && category !== 'differs') return 'same';
  if (number === 'differs' && traits.isPhoneServed) return 'other';
  return [number, price, category].filter((agreement) => agreement === 'differs').length > 1 ? 'contradicted' : 'unclear';
}
