/**
 * Compares a receipt of v1 with an order. This is needed when v1 reports a duplicate that the journal does not know, and
 * when a lost order is looked for in v1's history.
 */
import { type AmountMinor, kobo, ZERO_KOBO } from '../../domain/amount';
import { type JsonObject, type JsonValue, textOf } from '../../domain/json';
import { compareNumber, isPhoneServed, type NumberKind, type NumberMatch, type ServedNumber } from '../../domain/number-identity';
import type { Field, Mapping, Operation } from '../../mapping/mapping';
import { isMoneyIn, readNaira } from '../../upstream/answer-data';
import { sellsPins } from '../../upstream/v1';
import { buildCall } from '../read/build-call';
import type { CatalogLists } from '../read/catalog-lists';
import { isOverWithoutPins, parseTimes } from './read-history';

type Agreement = 'agrees' | 'differs' | 'absent';

export interface Comparison {
  /** The phone, meter or smartcard number. */
  readonly number: Agreement;
  readonly price: Agreement;
  readonly category: Agreement;
}

/** The traits of an order that a receipt can show. */
export interface OrderTraits {
  /** Meters and smartcards first, then phones. */
  readonly numbers: readonly ServedNumber[];
  /** Kobo: the amount that was ordered, or the list price. */
  readonly faceValue: AmountMinor | undefined;
  /** The price is that of a list: the face value, where it is known, is the price of now, and v1 may have sold the order at another one. */
  readonly isListed?: boolean;
  /** v1 may add a service charge to the amount: power (specification, 4). */
  readonly mayBeCharged?: boolean;
  /** Kobo: that charge by v1's catalog. Undefined where the catalog is not at hand or names none. */
  readonly charge?: AmountMinor | undefined;
  /** v1's category of such an order contains one of these words. */
  readonly categories: readonly string[];
  /** The order has neither number nor price (a message to many): a receipt shows only its service. */
  readonly isTraceless: boolean;
  /** How many PINs are bought; undefined for goods without PINs. */
  readonly quantity: number | undefined;
}

/**
 * The traits by the mapping: numbers and amount are fields that v1 is sent. An order without an amount (plans, exams) has its
 * price in v1's catalog; without `catalog` its face value is undefined.
 */
export function traitsOf(operation: Operation, values: JsonObject, catalog?: CatalogLists): OrderTraits {
  const sent = operation.fields.filter((field) => field.isSent && values[field.name] !== undefined);
  const numbersAs = (kind: NumberKind): readonly ServedNumber[] =>
    sent.filter((field) => field.as === kind).map((field) => ({ kind, text: textOf(values[field.name]) }));
  const numbers = [...numbersAs('identifier'), ...numbersAs('phone')];
  const quantity = pinsOrdered(operation, values);
  const ordered = faceValueOf(sent, values, quantity);
  const price = catalog === undefined ? undefined : columnOf('price', operation, values, catalog);
  const faceValue = ordered ?? priceOfAll(price, quantity);
  const isTraceless = numbers.length === 0 && faceValue === undefined && sent.some(({ as }) => as === 'phone_list');
  return {
    numbers,
    faceValue,
    isListed: ordered === undefined && !isTraceless,
    mayBeCharged: sent.some((field) => field.isAmount) && numbers.some(({ kind }) => kind === 'identifier'),
    charge: catalog && columnOf('charge', operation, values, catalog),
    categories: operation.categories,
    isTraceless,
    quantity,
  };
}

/** Whether the operation sells PINs (cards, exams). The call to v1 decides: the mapping may read their number from a field, or fix it. */
export function isOfPins(operation: Operation | undefined): boolean {
  return operation?.call !== undefined && sellsPins(operation.call);
}

/** How many PINs v1 is asked for, which is one where the call says no number (section 4); undefined for goods without PINs. */
export function pinsOrdered(operation: Operation | undefined, values: JsonObject): number | undefined {
  if (operation?.call === undefined || !isOfPins(operation)) return undefined;
  return Number(buildCall(operation.call, values).body?.['quantity'] ?? 1);
}

/** The amount that was ordered; for cards, the denomination times the quantity. */
function faceValueOf(sent: readonly Field[], values: JsonObject, quantity: number | undefined): AmountMinor | undefined {
  const amount = sent.find((field) => field.isAmount);
  if (amount !== undefined) return values[amount.name] as AmountMinor;
  const denomination = sent.find((field) => field.as === 'denomination');
  return denomination === undefined ? undefined : priceOfAll((values[denomination.name] as number) * 100, quantity);
}

/** An amount in the catalog row of the order: the row that `joins` finds for its reply. */
function columnOf(column: string, { joins }: Operation, values: JsonObject, catalog: CatalogLists): AmountMinor | undefined {
  for (const join of joins) {
    const wanted = join.value({ fields: values, joins: {}, roots: {}, numberOf: () => undefined });
    const amount = wanted === undefined || wanted === null ? undefined : catalog.find(join.list, join.key, wanted)?.[column];
    if (typeof amount === 'number') return kobo(amount);
  }
  return undefined;
}

/** Undefined where the sum is too large for an amount: the order must stay readable, because whole lists of orders are read with it. */
function priceOfAll(price: number | undefined, quantity = 1): AmountMinor | undefined {
  const sum = price === undefined ? NaN : price * quantity;
  return Number.isSafeInteger(sum) ? kobo(sum) : undefined;
}

export function compareReceipt(receipt: JsonObject, traits: OrderTraits): Comparison {
  const data = (receipt['data'] ?? {}) as JsonObject;
  return {
    number: traits.numbers.length > 0 && shownNumber(data) !== '' ? compareShown(data, traits) : 'absent',
    price: comparePrice(data, traits),
    category: compareCategory(data, traits),
  };
}

/** A masked or shortened number does not agree: a sale made past the gateway may have the same id, price and service. */
function compareShown(data: JsonObject, traits: OrderTraits): Agreement {
  return numberIn(data, traits) === 'same' ? 'agrees' : 'differs';
}

/** The number of a record of v1; empty where it has none. Of a JSON number the digits must be exact, and PHP writes 0 where there is none. */
function shownNumber({ phone = null }: JsonObject): string {
  if (typeof phone === 'string') return phone;
  return Number.isSafeInteger(phone) && phone !== 0 ? textOf(phone) : '';
}

/** The number of a record of v1, compared with the served numbers; `unclear` where the record has none. */
export function numberIn(data: JsonObject, { numbers }: OrderTraits): NumberMatch {
  const shown = shownNumber(data);
  return shown === '' ? 'unclear' : compareNumber(shown, numbers);
}

/**
 * A receipt may show the face value or the charged amount: up to a fifth less (discount), or for power more by a service charge. Only the price
 * tells cards of 100 naira from cards of 200, and a small data plan from the next one.
 */
function comparePrice({ amount }: JsonObject, { faceValue, mayBeCharged = false, charge = ZERO_KOBO }: OrderTraits): Agreement {
  const signed = readNaira(amount);
  if (faceValue === undefined || signed === undefined) return 'absent';
  // A debit may be written with a minus.
  const shown = Math.abs(signed);
  const chargeMost = mayBeCharged ? Math.max(100_00, charge) : 0;
  return shown >= faceValue * 0.8 && shown <= faceValue * 1.05 + chargeMost ? 'agrees' : 'differs';
}

function compareCategory({ category }: JsonObject, { categories }: OrderTraits): Agreement {
  if (categories.length === 0 || typeof category !== 'string' || category === '') return 'absent';
  return categories.some((word) => category.toLowerCase().includes(word.toLowerCase())) ? 'agrees' : 'differs';
}

export type Identity = 'same' | 'other' | 'contradicted' | 'unclear';

/** What is known of an order besides its traits. */
interface OrderContext {
  /** The earliest time at which the order can have reached v1; ms since the epoch. */
  readonly openedAtMs: number;
  readonly nowMs: number;
  /** By how much the clock of these times is ahead of v1's, where that is known. */
  readonly aheadMs?: number | undefined;
  /** The order's price in v1's catalog, if the catalog is in memory. */
  readonly listPrice?: AmountMinor | undefined;
}

const SECOND_MS = 1_000;
/** Clocks without synchronisation differ by this much, and hardly more. */
const SKEW_MS = 10 * 60_000;

/**
 * Compares the time of v1's record with the opening of the order. v1's times are whole seconds: `at once` is the very second
 * of the opening, which may be before or after it. `unclear` is a time a little before the opening, a time after now, or none.
 */
function compareTime(
  { created_at: createdAt }: JsonObject,
  { openedAtMs, nowMs, aheadMs = 0 }: OrderContext,
): 'since' | 'at once' | 'long before' | 'unclear' {
  const timesMs = parseTimes(createdAt).map((time) => time + aheadMs);
  if (timesMs.some((time) => time >= openedAtMs && time <= nowMs + SECOND_MS)) return 'since';
  if (timesMs.some((time) => time + SECOND_MS > openedAtMs && time <= openedAtMs)) return 'at once';
  return timesMs.length > 0 && timesMs.every((time) => time < openedAtMs - SKEW_MS) ? 'long before' : 'unclear';
}

/**
 * Whether a record without a comparable number is this order. A record that v1 wrote after the opening needs the same service
 * and nothing that differs. A record of the very second of the opening may be a sale made past the gateway: it also needs
 * exactly the price and exactly the number of PINs.
 */
function isSameWithoutNumber(
  data: JsonObject,
  traits: OrderTraits,
  { category, price }: Comparison,
  known: OrderContext,
): boolean {
  const { numbers, quantity } = traits;
  if (numbers.length > 0 || category !== 'agrees' || price === 'differs') return false;
  const listPrice = traits.faceValue ?? known.listPrice;
  if (comparePrice(data, { ...traits, faceValue: listPrice }) === 'differs') return false;
  const count = Array.isArray(data['pins']) ? data['pins'].length : 0;
  if (count > 0 && count !== quantity) return false;
  const time = compareTime(data, known);
  const isExact =
    quantity !== undefined && count === quantity && listPrice !== undefined && readNaira(data['amount']) === listPrice;
  return time === 'since' || (time === 'at once' && isExact);
}

/**
 * `same`: the receipt shows the served number, and price and service do not differ. An order without a number is `same` by its time:
 * v1 wrote the receipt after the order was opened here. `other`: the receipt provably names another phone. Everything else may only be
 * told as pending, because success or failure could be a lie about money. `contradicted`: the receipt shows another number or a masked one,
 * two traits differ (one alone may be v1's own spelling), or v1 wrote it long before the order was opened here. `unclear`: the rest.
 */
export function identifyReceipt(receipt: JsonObject, traits: OrderTraits, known: OrderContext): Identity {
  const comparison = compareReceipt(receipt, traits);
  const { number, price, category } = comparison;
  const data = (receipt['data'] ?? {}) as JsonObject;
  if (number === 'agrees' && price !== 'differs' && category !== 'differs') return 'same';
  const isPhone = isPhoneServed(traits.numbers);
  if (numberIn(data, traits) === 'other') return isPhone ? 'other' : 'contradicted';
  // The receipt shows a number that is no readable phone number: it proves neither this phone nor another one.
  if (number === 'differs' && isPhone) return 'contradicted';
  if (isSameWithoutNumber(data, traits, comparison, known)) return 'same';
  const isBefore = number !== 'agrees' && compareTime(data, known) === 'long before';
  // A message to many has no number that v1 could show.
  const shown: Agreement = traits.isTraceless && shownNumber(data) !== '' ? 'differs' : number;
  const against = [shown, price, category].filter((agreement) => agreement === 'differs').length;
  return against > 1 || isBefore ? 'contradicted' : 'unclear';
}

/**
 * Whether v1 wrote the receipt since the order was opened here, or it shows exactly the order's price, with or without the charge. A price that is about
 * the same may be that of another plan or amount: the gateway does not know the account's discount.
 */
export function isExactly(receipt: JsonObject, { faceValue, charge = ZERO_KOBO }: OrderTraits, known: OrderContext): boolean {
  const data = (receipt['data'] ?? {}) as JsonObject;
  const over = Math.abs(readNaira(data['amount']) ?? NaN) - (faceValue ?? NaN);
  return over === 0 || over === charge || ['since', 'at once'].includes(compareTime(data, known));
}

/** Wider bounds than in `comparePrice`: the gateway does not know v1's service charges and discounts. The charge is in kobo. */
const LEAST_SHARE = 0.6;
const MOST_SHARE = 1.25;
/** Of a list price: v1 hardly makes a plan half or twice as dear while an order of it is looked for. */
const [LEAST_SHARE_OF_LIST, MOST_SHARE_OF_LIST] = [0.5, 2];
const CHARGE_MOST = 250_00;

/**
 * Whether a record of v1 is certainly not this order. An order is proven absent when this is true of every record, and its script
 * then hears "failed". So a trait counts only where the specification leaves v1 no other way to write it.
 */
export function rulesOut(record: JsonObject, traits: OrderTraits, others: readonly string[]): boolean {
  const data = (record['data'] ?? {}) as JsonObject;
  return (
    isMoneyIn(data, traits.categories) ||
    numberIn(data, traits) === 'other' ||
    isOtherPrice(data, traits) ||
    isOtherService(data['category'], traits, others) ||
    isWithoutPins(data, traits) ||
    isOfCards(data, traits)
  );
}

/**
 * The words by which v1 names the services of other operations: the first category of each. Recharge cards are airtime of a network on cards
 * (specification, 1), and v1 may call them airtime, so for cards the operations with a network are left out.
 */
export function otherServices(operation: Operation, mapping: Mapping): readonly string[] {
  const isOnCards = isSentAs(operation, 'denomination');
  return [...mapping.operations.values()].flatMap((other) =>
    other === operation || (isOnCards && isSentAs(other, 'network')) ? [] : other.categories.slice(0, 1),
  );
}

function isSentAs({ fields }: Operation, transform: string): boolean {
  return fields.some((field) => field.isSent && field.as === transform);
}

/**
 * v1 may show the price of all pieces or of one, and may write a debit with a minus. No sum is too high for power: the specification sets no
 * limit to the charge on it, and v1 may have changed the charge since its price list was read.
 */
function isOtherPrice({ amount }: JsonObject, traits: OrderTraits): boolean {
  const { faceValue, isListed = false, quantity = 1, mayBeCharged = false } = traits;
  const shown = readNaira(amount);
  if (faceValue === undefined || shown === undefined) return false;
  const paid = Math.abs(shown);
  const chargeMost = mayBeCharged ? Infinity : CHARGE_MOST;
  const [least, most] = isListed ? [LEAST_SHARE_OF_LIST, MOST_SHARE_OF_LIST] : [LEAST_SHARE, MOST_SHARE];
  return paid < (faceValue * least) / quantity || paid > faceValue * most + chargeMost;
}

/** The specification does not list v1's categories. So an unknown word (`education`) may mean this order's service, and rules nothing out. */
function isOtherService(category: JsonValue | undefined, { categories }: OrderTraits, others: readonly string[]): boolean {
  if (categories.length === 0 || typeof category !== 'string') return false;
  const word = category.toLowerCase();
  const isNamedBy = (names: readonly string[]): boolean => names.some((name) => word.includes(name.toLowerCase()));
  return isNamedBy(others) && !isNamedBy(categories);
}

/**
 * A finished record without PINs is no sale of cards: v1 sells no card without a PIN (specification, 2.3), and failed cards are refunded.
 * A record under the category of cards may still be such a sale.
 */
function isWithoutPins(data: JsonObject, { quantity, categories }: OrderTraits): boolean {
  const { category } = data;
  if (quantity === undefined || typeof category !== 'string' || !isOverWithoutPins(data)) return false;
  return !categories.some((name) => category.toLowerCase().includes(name.toLowerCase()));
}

/** A record with PINs is no sale for a phone: v1 gives none with it (specification, 2.3). The token of a meter might stand among them. */
function isOfCards({ pins }: JsonObject, { numbers }: OrderTraits): boolean {
  return isPhoneServed(numbers) && Array.isArray(pins) && pins.length > 0;
}
