/** What a transaction record (section 2.3) says of an order. */
import type { JsonObject } from '../domain/json';
import type { Outcome } from '../domain/outcome';
import { readDelivery } from './delivery';
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

function receiptOf(body: JsonObject): JsonObject | undefined {
  return isJsonObject(body.data) ? body.data : undefined;
}
