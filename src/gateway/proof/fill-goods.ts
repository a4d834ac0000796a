/** Tokens and PINs of an order, which the journal does not keep. */
import type { Order } from '../../domain/order';
import { succeedOutcome, type Outcome } from '../../domain/outcome';
import type { Upstream } from '../../upstream/upstream';
import { readContextOf, type Reader } from '../read/parsed-request';
import { fillMoney } from './fill-money';
import { findReceipt } from './find-receipt';

/**
 * Tokens and PINs are never journalled: for an order that was settled earlier they are fetched from v1's receipt, and so
 * they are for a sale of PINs of which v1 said "success" and nothing more. Where goods are told and money is not, the
 * receipt is asked for as long as the caller still waits.
 */
export async function withGoods(
  order: Order,
  parsed: Reader,
  parts: { readonly upstream: Upstream },
  leftMs = Infinity,
): Promise<Outcome> {
  const outcome: Outcome = order.outcome ?? { kind: 'unknown', reason: 'a try is under way' };
  if (outcome.kind !== 'succeeded') return outcome;
  const { delivery, reference } = outcome;
  const isWithoutPins = sellsPins(order, parsed) && (delivery?.pins ?? []).length === 0;
  if (delivery?.goodsMissing !== true && !isWithoutPins) return fillMoney(outcome, parsed, leftMs, parts.upstream);
  const receipt = reference === undefined ? undefined : await findReceipt(reference, readContextOf(parsed), parts.upstream);
  return receipt === undefined ? outcome : succeedOutcome(outcome, receipt);
}

/** Cards and exam PINs are bought by number. */
function sellsPins({ operation }: Order, { mapping }: Reader): boolean {
  return mapping.operations.get(operation)?.fields.some((field) => field.isSent && field.as === 'quantity') === true;
}
