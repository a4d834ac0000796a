/** Reads v1's answers: the JSON object, the money and goods in its `data`, and the order in a receipt. */
import { LRUCache } from 'lru-cache';
import { type AmountMinor, kobo, parseNaira } from '../domain/amount';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json';
import type { CardPin, Delivery, Outcome } from '../domain/outcome';

/**
 * Parsed long price lists, by their text. v1 sends the same list to many keys, and parsing it for each of them would take longer than their
 * sales. No other answer is kept: receipts have PINs and tokens, histories have customers' numbers.
 */
const priceLists = new LRUCache<string, JsonObject>({ maxSize: 16_000_000, sizeCalculation: (_object, text) => text.length });
const LONG_CHARACTERS = 16_384;
const OF_PRICE_LIST = '"data_plans"';

/**
 * The object in an answer's text; `undefined` for any other text: cut-off JSON, an HTML page, a list, a single value. The same long
 * price list gives the same object.
 */
export function parseJsonObject(text: string): JsonObject | undefined {
  if (text.length < LONG_CHARACTERS || !text.includes(OF_PRICE_LIST)) return parseObject(text);
  const known = priceLists.get(text);
  if (known !== undefined) return known;
  const object = parseObject(text);
  if (object !== undefined) priceLists.set(text, object);
  return object;
}

function parseObject(text: string): JsonObject | undefined {
  try {
    // A byte-order mark is no part of JSON (RFC 8259 section 8.1), but a PHP file saved with one sends it before every answer.
    const value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text) as JsonValue;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The money and the goods in v1's `data`, of a purchase (section 2.7) or of a receipt (section 2.3). Reads leniently, field by field: an
 * unreadable balance must not turn a paid order into an unknown one. Goods that cannot be read exactly are marked by `goodsMissing`.
 */
export function readDelivery(data: JsonObject): Delivery {
  const delivery: { -readonly [Field in keyof Delivery]: Delivery[Field] } = {};
  const balanceBefore = readBalance(data.balance_before);
  const balanceAfter = readBalance(data.balance_after);
  const cashback = readBalance(data.cashback_earned);
  const token = readToken(data.token);
  const pins = readPins(data.pins);
  if (balanceBefore !== undefined) delivery.balanceBefore = balanceBefore;
  if (balanceAfter !== undefined) delivery.balanceAfter = balanceAfter;
  // Other orders of the account may change the balance between the two readings; a negative difference cannot be this charge.
  if (balanceBefore !== undefined && balanceAfter !== undefined && balanceBefore >= balanceAfter)
    delivery.charged = kobo(balanceBefore - balanceAfter);
  if (cashback !== undefined) delivery.cashback = cashback;
  if (token !== undefined && token !== 'unreadable') delivery.token = token.text;
  if (pins !== undefined && pins !== 'unreadable') delivery.pins = pins;
  if (token === 'unreadable' || pins === 'unreadable') delivery.goodsMissing = true;
  return delivery;
}

/** Kobo from v1's naira. The rounding error of a double (`48980.199999999997`) is mended; a real fraction of a kobo gives undefined. */
export function readNaira(value: JsonValue | undefined): AmountMinor | undefined {
  const exact = parseNaira(value);
  if (exact !== undefined || typeof value !== 'number') return exact;
  const nearest = Math.round(value * 100);
  return Number.isSafeInteger(nearest) && Math.abs(value * 100 - nearest) < 1e-4 ? kobo(nearest) : undefined;
}

/** Kobo from a balance or cashback. A percentage may leave a fraction of a kobo, which is rounded: no order is recognised by its balances. */
export function readBalance(value: JsonValue | undefined): AmountMinor | undefined {
  return readNaira(typeof value === 'number' ? Math.round(value * 100) / 100 : value);
}

function readToken(value: JsonValue | undefined): { readonly text: string | null } | 'unreadable' | undefined {
  if (value === undefined) return undefined;
  if (isNothing(value)) return { text: null };
  // A token sent as a number has lost its leading zeros, and beyond 2^53 its last digits: no meter would accept it.
  return typeof value === 'string' ? { text: value } : 'unreadable';
}

/** What PHP writes where there is nothing. A sale without goods must not lack them for ever. */
function isNothing(value: JsonValue): boolean {
  return value === '' || value === false || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** A card that is listed twice is one card. A serial that cannot be read is empty: the PIN is what was sold. */
function readPins(value: JsonValue | undefined): readonly CardPin[] | 'unreadable' | undefined {
  if (value === undefined || isNothing(value)) return undefined;
  if (!Array.isArray(value)) return 'unreadable';
  const items = value as readonly JsonValue[];
  const pins: CardPin[] = [];
  for (const item of items) {
    if (!isJsonObject(item) || typeof item.pin !== 'string' || item.pin.trim() === '') return 'unreadable';
    const card: CardPin = { pin: item.pin, serial: typeof item.serial === 'string' ? item.serial : '' };
    if (!pins.some(({ pin, serial }) => pin === card.pin && serial === card.serial)) pins.push(card);
  }
  return pins;
}

/** Whether the body of `GET /receipt` is about the order of this reference. A receipt of another order proves nothing about this one. */
export function orderInReceipt(body: JsonObject, reference: string): 'this' | 'another' | 'unnamed' {
  const named = receiptOf(body)?.reference;
  if (typeof named !== 'string' || named === '') return 'unnamed';
  return named === reference ? 'this' : 'another';
}

/** v1's `type` of a refund or deposit. Purchases are debits (specification, 2.3). */
const MONEY_IN = /credit|refund|revers|deposit|fund/i;

/** Whether the record is a refund or deposit by its `type`: such a record is no order. */
export function isCredit({ type }: JsonObject): boolean {
  return typeof type === 'string' && MONEY_IN.test(type);
}

/** v1's `category` of such a record. The word for a credit may be that of airtime. */
const MONEY_IN_CATEGORY = /refund|revers|deposit|fund/i;

/**
 * Whether the record is a refund or deposit by its `type`, or without one by its `category`: v1's list has no `type`, and v1 may have no receipt of
 * it. `services`: v1's words for what is sold, which may be the funding of a bet.
 */
export function isMoneyIn(record: JsonObject, services: readonly string[]): boolean {
  const { type, category } = record;
  if (typeof type === 'string' || typeof category !== 'string' || !MONEY_IN_CATEGORY.test(category)) return isCredit(record);
  return !services.some((word) => category.toLowerCase().includes(word.toLowerCase()));
}

/** PHP and MySQL sometimes write `true` as 1 or as text, and `false` as 0 or as text. */
export function isYes(value: JsonValue | undefined): boolean {
  return value === true || value === 1 || (typeof value === 'string' && /^(?:1|true|yes)$/i.test(value));
}

export function isNo(value: JsonValue | undefined): boolean {
  return value === false || value === 0 || (typeof value === 'string' && /^(?:0|false|no)$/i.test(value));
}

/**
 * The outcome of the order of this reference by its receipt; `undefined` when the receipt names another order or an unknown status, or is that of the
 * refund, which v1 may list under the reference of its order: its `success` is that of the refund.
 */
export function outcomeOfReceipt(body: JsonObject, reference: string): Outcome | undefined {
  const receipt = receiptOf(body);
  if (receipt === undefined || orderInReceipt(body, reference) !== 'this' || isCredit(receipt)) return undefined;
  if (receipt.status === 'success' && isYes(receipt.refunded)) return undefined;
  const delivery = readDelivery(receipt);
  // v1 shows no number with PINs. Where it shows no PINs either they may stand in its description, which the journal would keep.
  const mayHavePins = (receipt.phone ?? '') === '' && delivery.pins === undefined;
  switch (receipt.status) {
    case 'success':
      // v1's description names what was bought. It explains no failure or delay, so only a success has it as its message.
      return {
        kind: 'succeeded',
        reference,
        ...(typeof receipt.description === 'string' && !mayHavePins ? { message: receipt.description } : {}),
        delivery,
      };
    case 'pending':
    case 'processing':
      return { kind: 'pending', reference, delivery };
    // The receipt of a failed order shows the balances around a charge that was refunded: no price may be read from it.
    case 'failed':
      return { kind: 'declined', reference };
    default:
      return undefined;
  }
}

function receiptOf(body: JsonObject): JsonObject | undefined {
  return isJsonObject(body.data) ? body.data : undefined;
}
