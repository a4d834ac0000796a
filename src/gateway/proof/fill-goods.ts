/** Tokens and PINs of an order, which the journal does not keep. */
import type { Order } from '../../domain/order';
import { type Delivery, type Outcome, type Succeeded, succeedOutcome } from '../../domain/outcome';
import type { Field, Operation } from '../../mapping/mapping';
import type { Upstream } from '../../upstream/upstream';
import { readContextOf, type Reader } from '../read/walk-in';
import { findReceipt } from './find-receipt';

/**
 * Tokens and PINs are never journalled: for an order that was settled earlier they are fetched from v1's receipt, and so
 * they are for a sale of PINs of which v1 said "success" and nothing more. The receipt is asked for as long as the caller still
 * waits, also where goods are told and money is not. A plain value where nothing is asked for.
 */
export function withGoods(
  order: Order,
  parsed: Reader,
  { upstream }: { readonly upstream: Upstream },
  leftMs = Infinity,
): Outcome | Promise<Outcome> {
  const outcome: Outcome = order.outcome ?? { kind: 'unknown', reason: 'a try is under way' };
  if (outcome.kind !== 'succeeded') return outcome;
  const { delivery, reference } = outcome;
  const counted = countField(parsed.mapping.operations.get(order.operation));
  const pins = delivery?.pins?.length ?? 0;
  if (delivery?.goodsMissing === true || (counted !== undefined && pins === 0))
    return reference === undefined ? outcome : goodsOf(outcome, reference, parsed, leftMs, upstream);
  // Fewer than were bought are told all the same where the receipt has no more: v1 has sold them, and most scripts refund what is pending.
  const lacksPins = counted !== undefined && Number(order.fields[counted.name]) > pins;
  const lacksToken = delivery?.token === null && isOfPrepaidMeter(order);
  return fillMoney(outcome, parsed, leftMs, upstream, lacksPins || lacksToken);
}

/** A postpaid meter never gets a token, and other receipts have none. */
function isOfPrepaidMeter({ fields }: Order): boolean {
  return fields['meter_number'] !== undefined && fields['meter_type'] !== 'postpaid';
}

/** A receipt that comes in time is worth a reply that is late by so much. */
const GOODS_MS = 1_000;

async function goodsOf(
  outcome: Succeeded,
  reference: string,
  parsed: Reader,
  leftMs: number,
  upstream: Upstream,
): Promise<Outcome> {
  const context = readContextOf(parsed);
  const timeoutMs = Math.min(context.timeoutMs, Math.max(GOODS_MS, leftMs));
  const receipt = await findReceipt(reference, { ...context, timeoutMs }, upstream);
  // Told as pending until they can be had, also where the receipt has none or is behind: a script would deliver an empty PIN.
  const lacking: Succeeded = { ...outcome, delivery: { ...outcome.delivery, goodsMissing: true } };
  return receipt === undefined ? lacking : succeedOutcome(lacking, receipt);
}

/** Cards and exam PINs are bought by number. */
export function isOfPins(operation: Operation | undefined): boolean {
  return countField(operation) !== undefined;
}

function countField(operation: Operation | undefined): Field | undefined {
  return operation?.fields.find((field) => field.isSent && field.as === 'quantity');
}

/**
 * v1 answers a sale of cards, data cards and SMS without balances (specification, 2.7), and the compat section wants
 * `new_balance` in every reply. The receipt has them, and it may have what the answer left out: PINs, and the token of a meter that v1 sold
 * power for with `token: null`.
 */

/** A sale is told without them rather than late; a receipt that got lost is asked for once more by then. */
const RECEIPT_MAX_MS = 3_000;

/** The success with what its receipt says of the money and of goods; as it was when both are known, or cannot be had in time. */
export function fillMoney(
  outcome: Succeeded,
  reader: Reader,
  leftMs: number,
  upstream: Upstream,
  lacksGoods = false,
): Outcome | Promise<Outcome> {
  const { delivery, reference } = outcome;
  const isKnown = delivery?.balanceBefore !== undefined && delivery.balanceAfter !== undefined && !lacksGoods;
  return isKnown || reference === undefined || leftMs <= 0 ? outcome : moneyIn(outcome, reference, reader, leftMs, upstream);
}

async function moneyIn(
  outcome: Succeeded,
  reference: string,
  reader: Reader,
  leftMs: number,
  upstream: Upstream,
): Promise<Outcome> {
  const question = { ...readContextOf(reader), timeoutMs: Math.min(RECEIPT_MAX_MS, leftMs) };
  const receipt = await findReceipt(reference, question, upstream);
  // v1 has sold it: a receipt that says otherwise by now says nothing of this sale's money.
  if (receipt?.kind !== 'succeeded' || receipt.delivery === undefined) return outcome;
  const { token, pins = [] } = receipt.delivery;
  return {
    ...outcome,
    delivery: {
      ...moneyOf(receipt.delivery),
      ...outcome.delivery,
      ...(typeof token === 'string' ? { token } : {}),
      ...(pins.length > (outcome.delivery?.pins?.length ?? 0) ? { pins } : {}),
    },
  };
}

function moneyOf({ balanceBefore, balanceAfter, charged }: Delivery): Delivery {
  return {
    ...(balanceBefore === undefined ? {} : { balanceBefore }),
    ...(balanceAfter === undefined ? {} : { balanceAfter }),
    ...(charged === undefined ? {} : { charged }),
  };
}
