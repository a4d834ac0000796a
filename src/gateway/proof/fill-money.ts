/**
 * v1 answers a sale of cards, data cards and SMS without balances (specification, 2.7), and the compat section wants
 * `new_balance` in every reply. The receipt has them.
 */
import type { Delivery, Outcome, Succeeded } from '../../domain/outcome';
import type { Upstream } from '../../upstream/upstream';
import { readContextOf, type Reader } from '../read/parsed-request';
import { findReceipt } from './find-receipt';

/** A sale is told without its balances rather than late. */
const RECEIPT_MAX_MS = 1_000;

/** The success with what its receipt says of the money; as it was when that is known, or cannot be had in time. */
export async function fillMoney(outcome: Succeeded, reader: Reader, leftMs: number, upstream: Upstream): Promise<Outcome> {
  const { delivery, reference } = outcome;
  const isKnown = delivery?.balanceBefore !== undefined && delivery.balanceAfter !== undefined;
  if (isKnown || reference === undefined || leftMs <= 0) return outcome;
  const question = { ...readContextOf(reader), timeoutMs: Math.min(RECEIPT_MAX_MS, leftMs) };
  const receipt = await findReceipt(reference, question, upstream);
  // v1 has sold it: a receipt that says otherwise by now says nothing of this sale's money.
  if (receipt?.kind !== 'succeeded' || receipt.delivery === undefined) return outcome;
  return { ...outcome, delivery: { ...moneyOf(receipt.delivery), ...delivery } };
}

function moneyOf({ balanceBefore, balanceAfter, charged }: Delivery): Delivery {
  return {
    ...(balanceBefore === undefined ? {} : { balanceBefore }),
    ...(balanceAfter === undefined ? {} : { balanceAfter }),
    ...(charged === undefined ? {} : { charged }),
  };
}
