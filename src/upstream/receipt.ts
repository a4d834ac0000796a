/** What a transaction record (section 2.3) says of an order, and whether it can be that order at all. */
import type { AmountMinor } from '../domain/amount';
import type { JsonObject, JsonValue } from '../domain/json';
import type { Outcome } from '../domain/outcome';
import { readDelivery, readNaira } from './delivery';
import { isJsonObject } from './reply-json';

/** The outcome in the body of `GET /receipt`, or `undefined` when it holds no record with a known status. */
export function outcomeOfReceipt(body: JsonObject): Outcome | undefined {
  const receipt = receiptOf(body);
  if (receipt === undefined) return undefined;
  const told = typeof receipt.reference === 'string' && receipt.reference !== '' ? { reference: receipt.reference } : {};
  switch (receipt.status) {
    case 'success':
      // What was bought, in v1's words. It is no reason, so an order that failed or is under way does not repeat it.
      return {
        kind: 'succeeded',
        ...told,
        ...(typeof receipt.description === 'string' ? { message: receipt.description } : {}),
        delivery: readDelivery(receipt),
      };
    case 'pending':
    case 'processing':
      return { kind: 'pending', ...told, delivery: readDelivery(receipt) };
    // The record of a failed order shows the balances around its charge, which was given back: nothing of it is a price.
    case 'failed':
      return { kind: 'declined', ...told };
    default:
      return undefined;
  }
}

/** What is known of an order when its receipt is looked for. Empty lists and absent values do not narrow. */
export interface ReceiptTraits {
  /** The number that was served: a phone, meter or smartcard number. */
  readonly numbers: readonly string[];
  /** Face value, price or charge: whichever of them v1 shows. */
  readonly amounts: readonly AmountMinor[];
  readonly categories: readonly string[];
}

/**
 * True when the record can be the order. A trait that the record does not show (null, empty) speaks neither for nor
 * against; at least one trait must be shown and agree, else any record would do.
 */
export function receiptMatches(body: JsonObject, traits: ReceiptTraits): boolean {
  const receipt = receiptOf(body);
  if (receipt === undefined) return false;
  const verdicts = [
    verdict(traits.numbers.map(digits), textOf(receipt.phone, digits)),
    verdict(
      traits.amounts,
      receipt.amount === undefined || receipt.amount === null ? undefined : (readNaira(receipt.amount) ?? 'unreadable'),
    ),
    verdict(traits.categories.map(word), textOf(receipt.category, word)),
  ];
  return verdicts.includes(true) && !verdicts.includes(false);
}

function verdict<T>(wanted: readonly T[], shown: T | 'unreadable' | undefined): boolean | undefined {
  if (wanted.length === 0 || shown === undefined) return undefined;
  return shown !== 'unreadable' && wanted.includes(shown);
}

function textOf(value: JsonValue | undefined, canonical: (text: string) => string): string | undefined {
  return typeof value === 'string' && value !== '' ? canonical(value) : undefined;
}

// 08030000001, 8030000001 and 2348030000001 are one phone; meter and card numbers have no such prefix and compare as they are.
function digits(text: string): string {
  const bare = text.replace(/\D/g, '');
  if (/^234\d{10}$/.test(bare)) return `0${bare.slice(3)}`;
  return /^[789]\d{9}$/.test(bare) ? `0${bare}` : bare;
}

// v1 writes `cabletv` where another place of it writes `Cable TV` or `cable_tv`.
function word(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function receiptOf(body: JsonObject): JsonObject | undefined {
  return isJsonObject(body.data) ? body.data : undefined;
}
