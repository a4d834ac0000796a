/** What a transaction record (section 2.3) says of an order, and of which one. */
import type { JsonObject } from '../domain/json';
import type { Outcome } from '../domain/outcome';
import { readDelivery } from './delivery';
import { isJsonObject } from './reply-json';

/** Whether the body of `GET /receipt` is about the order of this reference. A receipt of another order says nothing of this one. */
export function orderInReceipt(body: JsonObject, reference: string): 'this' | 'another' | 'unnamed' {
  const named = receiptOf(body)?.reference;
  if (typeof named !== 'string' || named === '') return 'unnamed';
  return named === reference ? 'this' : 'another';
}

/** The outcome that a receipt shows of the order of this reference, or `undefined` when it names no such order or no known status. */
export function outcomeOfReceipt(body: JsonObject, reference: string): Outcome | undefined {
  const receipt = receiptOf(body);
  if (receipt === undefined || orderInReceipt(body, reference) !== 'this') return undefined;
  switch (receipt.status) {
    case 'success':
      // What was bought, in v1's words. It is no reason, so an order that failed or is under way does not repeat it.
      return {
        kind: 'succeeded',
        reference,
        ...(typeof receipt.description === 'string' ? { message: receipt.description } : {}),
        delivery: readDelivery(receipt),
      };
    case 'pending':
    case 'processing':
      return { kind: 'pending', reference, delivery: readDelivery(receipt) };
    // The record of a failed order shows the balances around its charge, which was given back: nothing of it is a price.
    case 'failed':
      return { kind: 'declined', reference };
    default:
      return undefined;
  }
}

function receiptOf(body: JsonObject): JsonObject | undefined {
  return isJsonObject(body.data) ? body.data : undefined;
}
