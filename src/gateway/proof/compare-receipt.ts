/**
 * Can this receipt of v1 be that order? Asked when v1 reports a duplicate that the journal does not know, and when an
 * order that got no answer is looked for in v1's history.
 */
import { type AmountMinor, kobo } from '../../domain/amount';
import { type JsonObject, type JsonValue, textOf } from '../../domain/json';
import { compareNumber, isPhoneServed, type NumberKind, type NumberMatch, type ServedNumber } from '../../domain/number-identity';
import type { Field, Mapping, Operation } from '../../mapping/mapping';
import { readNaira, orderInReceipt, outcomeOfReceipt } from '../../upstream/answer-data';
import type { PriceLists } from '../../price-lists/price-lists';
import type { Clock } from '../../domain/clock';
import type { Outcome } from '../../domain/outcome';
import type { Finding, Upstream } from '../../upstream/upstream';
import { type CatalogLists, catalogListsOf } from '../read/catalog-lists';
import { type ParsedRequest, readContextOf } from '../read/walk-in';
import { isOverWithoutPins, parseTimes } from './read-history';

export type Agreement = 'agrees' | 'differs' | 'absent';

export interface Comparison {
  /** The phone, meter or smartcard number. */
  readonly number: Agreement;
  readonly price: Agreement;
  readonly category: Agreement;
}

/** What of an order a receipt can show. */
export interface OrderTraits {
  /** Meters and smartcards first, then phones. */
  readonly numbers: readonly ServedNumber[];
  readonly faceValue: AmountMinor | undefined;
  /** An amount that goes to a phone: v1 takes the account's discount off it and puts nothing on top (specification, 4: airtime). */
  readonly isAirtime?: boolean;
  /** Words that v1's category of such an order holds. */
  readonly categories: readonly string[];
  /** A message to many has neither number nor price: only its service could be seen in a receipt. */
  readonly isTraceless: boolean;
  /** How many PINs are bought; undefined for what has none. */
  readonly quantity: number | undefined;
}

/**
 * By the mapping: numbers and amount are the fields that v1 is sent. What has no amount of its own (plans, exams) has its
 * price in v1's catalog; without the catalog that stays open.
 */
export function traitsOf(operation: Operation, values: JsonObject, catalog?: CatalogLists): OrderTraits {
  const sent = operation.fields.filter((field) => field.isSent && values[field.name] !== undefined);
  const numbersAs = (kind: NumberKind): readonly ServedNumber[] =>
    sent.filter((field) => field.as === kind).map((field) => ({ kind, text: textOf(values[field.name]) }));
  const numbers = [...numbersAs('identifier'), ...numbersAs('phone')];
  const faceValue = faceValueOf(sent, values) ?? (catalog === undefined ? undefined : priceOf(operation, sent, values, catalog));
  return {
    numbers,
    faceValue,
    isAirtime: sent.some((field) => field.isAmount) && isPhoneServed(numbers),
    categories: operation.categories,
    isTraceless: numbers.length === 0 && faceValue === undefined && sent.some(({ as }) => as === 'phone_list'),
    quantity: sent.some((field) => field.as === 'quantity') ? countOf(sent, values) : undefined,
  };
}

/** The amount that was ordered; for cards, their denomination times how many. */
function faceValueOf(sent: readonly Field[], values: JsonObject): AmountMinor | undefined {
  const amount = sent.find((field) => field.isAmount);
  if (amount !== undefined) return values[amount.name] as AmountMinor;
  const denomination = sent.find((field) => field.as === 'denomination');
  return denomination === undefined ? undefined : priceOfAll((values[denomination.name] as number) * 100, sent, values);
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
    if (typeof price === 'number') return priceOfAll(price, sent, values);
  }
  return undefined;
}

/** Undefined for so many that money cannot count it: such an order is read all the same, for whoever lists it and the others of its key. */
function priceOfAll(price: number, sent: readonly Field[], values: JsonObject): AmountMinor | undefined {
  const sum = price * countOf(sent, values);
  return Number.isSafeInteger(sum) ? kobo(sum) : undefined;
}

function countOf(sent: readonly Field[], values: JsonObject): number {
  const quantity = sent.find((field) => field.as === 'quantity');
  return quantity === undefined ? 1 : (values[quantity.name] as number);
}

export function compareReceipt(receipt: JsonObject, traits: OrderTraits): Comparison {
  const data = (receipt['data'] ?? {}) as JsonObject;
  return {
    number: traits.numbers.length > 0 && isShown(data['phone']) ? compareShown(data, traits) : 'absent',
    price: comparePrice(data, traits),
    category: compareCategory(data, traits),
  };
}

/** Of a number that is masked or cut nobody can tell that it is this one: a sale past the gateway may have the same id, price and service. */
function compareShown(data: JsonObject, traits: OrderTraits): Agreement {
  return numberIn(data, traits) === 'same' ? 'agrees' : 'differs';
}

function isShown(number: JsonValue | undefined): number is string {
  return typeof number === 'string' && number !== '';
}

/** The number of a record of v1, held against those that were served; `unclear` where there is nothing to hold. */
export function numberIn({ phone }: JsonObject, { numbers }: OrderTraits): NumberMatch {
  return isShown(phone) ? compareNumber(phone, numbers) : 'unclear';
}

/** A receipt may show the face value or what was charged for it: a discount of up to a fifth, a service charge on top of what is no airtime. */
function comparePrice({ amount }: JsonObject, { faceValue, isAirtime = false }: OrderTraits): Agreement {
  const signed = readNaira(amount);
  if (faceValue === undefined || signed === undefined) return 'absent';
  // A debit may be written with a minus.
  const shown = Math.abs(signed);
  return shown >= faceValue * 0.8 && shown <= faceValue * 1.05 + (isAirtime ? 0 : 100_00) ? 'agrees' : 'differs';
}

function compareCategory({ category }: JsonObject, { categories }: OrderTraits): Agreement {
  if (categories.length === 0 || typeof category !== 'string' || category === '') return 'absent';
  return categories.some((word) => category.toLowerCase().includes(word.toLowerCase())) ? 'agrees' : 'differs';
}

export type Identity = 'same' | 'other' | 'contradicted' | 'unclear';

/** What is known of an order besides its own words. */
export interface Circumstances {
  /** When it can have come to v1; ms since the epoch. */
  readonly openedAtMs: number;
  readonly nowMs: number;
  /** Its price by the catalog, when that is at hand. */
  readonly listPrice?: AmountMinor | undefined;
}

const SECOND_MS = 1_000;
/** Clocks that nobody keeps right differ by this much, and hardly more. */
const SKEW_MS = 10 * 60_000;

/**
 * When v1 wrote it down, against when we took the order under its id. v1's times are whole seconds, so that within the second
 * of the opening nobody can tell; `unclear` is also what is neither long before nor since.
 */
function compareTime(
  { created_at: createdAt }: JsonObject,
  { openedAtMs, nowMs }: Circumstances,
): 'since' | 'at once' | 'long before' | 'unclear' {
  const timesMs = parseTimes(createdAt);
  if (timesMs.some((time) => time >= openedAtMs && time <= nowMs + SECOND_MS)) return 'since';
  if (timesMs.some((time) => time + SECOND_MS > openedAtMs && time <= openedAtMs)) return 'at once';
  return timesMs.length > 0 && timesMs.every((time) => time < openedAtMs - SKEW_MS) ? 'long before' : 'unclear';
}

/**
 * For what has no number that a receipt could show. Its service, and nothing against it: enough for what came to v1 after
 * we had taken the order under this id. Within the very second another sale may have come by another door, so that exactly
 * its price and exactly as many PINs must be there as well.
 */
function isOurs(data: JsonObject, traits: OrderTraits, { category, price }: Comparison, known: Circumstances): boolean {
  const { numbers, quantity } = traits;
  if (numbers.length > 0 || category !== 'agrees' || price === 'differs') return false;
  const listPrice = traits.faceValue ?? known.listPrice;
  if (comparePrice(data, { ...traits, faceValue: listPrice }) === 'differs') return false;
  const count = Array.isArray(data['pins']) ? data['pins'].length : 0;
  if (quantity !== undefined && count > 0 && count !== quantity) return false;
  const time = compareTime(data, known);
  const isExact =
    quantity !== undefined && count === quantity && listPrice !== undefined && readNaira(data['amount']) === listPrice;
  return time === 'since' || (time === 'at once' && isExact);
}

/**
 * `same` when the receipt shows the served number and no other price or service, `other` when it provably names another phone, and
 * `unclear` in between: told as pending, because either of the other words could be a lie about money. `contradicted` is unclear
 * with two things against it, one of which v1 may merely spell in its own way, or when v1 had it long before we did. What
 * has no number is `same` by its time: v1 wrote it down after we had taken the order under this id.
 */
export function identifyReceipt(receipt: JsonObject, traits: OrderTraits, known: Circumstances): Identity {
  const comparison = compareReceipt(receipt, traits);
  const { number, price, category } = comparison;
  const data = (receipt['data'] ?? {}) as JsonObject;
  if (number === 'agrees' && price !== 'differs' && category !== 'differs') return 'same';
  const isPhone = isPhoneServed(traits.numbers);
  if (numberIn(data, traits) === 'other') return isPhone ? 'other' : 'contradicted';
  // Something that is no phone is no other phone, and nobody can tell that it is this one.
  if (number === 'differs' && isPhone) return 'contradicted';
  if (isOurs(data, traits, comparison, known)) return 'same';
  const isBefore = number !== 'agrees' && compareTime(data, known) === 'long before';
  const against = [number, price, category].filter((agreement) => agreement === 'differs').length;
  return against > 1 || isBefore ? 'contradicted' : 'unclear';
}

/**
 * Whether a record of v1 is certainly not this order: the only kind of doubt that may prove an order absent, after which
 * its script hears "failed". So each trait counts only where the specification leaves v1 no other way to write it.
 */

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
    isOtherService(data['category'], traits, others) ||
    isWithoutPins(data, traits)
  );
}

/**
 * How v1 calls what other operations buy: the first word of their categories. Recharge cards are airtime of a network on cards (specification,
 * 1), and v1 may call them so.
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

/** Under a word that is not that of the cards: v1 sells no card without a PIN (specification, 2.3), and of cards that failed the money is back. */
function isWithoutPins(data: JsonObject, { quantity, categories }: OrderTraits): boolean {
  const { category } = data;
  if (quantity === undefined || typeof category !== 'string' || !isOverWithoutPins(data)) return false;
  return !categories.some((name) => category.toLowerCase().includes(name.toLowerCase()));
}

/** What v1's receipt says of a reference. */
export interface Witness {
  /** `unread` when it cannot be had right now, `none` when v1 has no order of this reference. */
  readonly identity: Identity | 'unread' | 'none';
  /** What became of it, when the receipt tells that. */
  readonly outcome?: Outcome | undefined;
  /** v1 wrote it down so long before we took the order, by its own clock, that who sends its id now means another sale. */
  readonly isOfOld?: boolean;
}

/** Asks for the receipt of a reference and compares it with the order that is being bought. */
export type Identify = (reference: string, openedAtMs: number) => Promise<Witness>;

interface IdentifyingParts {
  readonly upstream: Pick<Upstream, 'find'>;
  readonly priceLists: Pick<PriceLists, 'peek'>;
  readonly clock: Clock;
  /** How long a success is told again to its repeats. */
  readonly replayMs: number;
}

/** The journal keeps an order for a day at least: what it does not know may be the sale of a journal that was lost, but only for so long. */
const OLD_MS = 20 * 3_600_000;

/** Without v1's own clock nobody can tell: ours may be a day wrong. */
function isOfOld(
  { body, serverAtMs }: Extract<Finding, { kind: 'found' }>,
  openedAtMs: number,
  { clock, replayMs }: IdentifyingParts,
): boolean {
  const timesMs = parseTimes(((body['data'] ?? {}) as JsonObject)['created_at']);
  const oldMs = Math.max(OLD_MS, replayMs) + Math.max(0, clock.now() - openedAtMs);
  return serverAtMs !== undefined && timesMs.length > 0 && timesMs.every((time) => serverAtMs - time > oldMs);
}

/** Asks v1 for the receipt of this reference and compares it with what is being bought. */
export async function identifyOrder(
  reference: string,
  openedAtMs: number,
  parsed: ParsedRequest,
  parts: IdentifyingParts,
): Promise<Witness> {
  const finding = await parts.upstream.find({ method: 'GET', path: '/receipt', query: { reference } }, readContextOf(parsed));
  if (finding.kind === 'refused' && finding.httpStatus === 404) return { identity: 'none' };
  if (finding.kind !== 'found') return { identity: 'unread' };
  if (orderInReceipt(finding.body, reference) === 'another') return { identity: 'unread' };
  const { operation, intent, mapping, credentials } = parsed;
  const catalog = operation.joins.length === 0 ? undefined : parts.priceLists.peek(credentials.fingerprint);
  const lists = catalog === undefined ? undefined : catalogListsOf(catalog, mapping);
  const listed = traitsOf(operation, intent.values, lists);
  const identity = identifyReceipt(finding.body, traitsOf(operation, intent.values), {
    openedAtMs,
    nowMs: parts.clock.now(),
    listPrice: listed.faceValue,
  });
  const isRuledOut = identity === 'unclear' && rulesOut(finding.body, listed, otherServices(operation, mapping));
  return {
    identity: isRuledOut ? 'contradicted' : identity,
    outcome: outcomeOfReceipt(finding.body, reference),
    isOfOld: isOfOld(finding, openedAtMs, parts),
  };
}
