/**
 * A sale of each key before a history begins. Its first sale could be one of another account, and in the first day of an account few orders are
 * proven never to have been (decision 0013).
 */
import { newOrder } from '../../journal/new-order';
import type { Disk } from './disk';
import { ownerOf, START_MS } from './house-parts';
import type { SimulatedV1 } from './simulated-v1';

/** An almost empty wallet has a little more. */
export const FIRST_NAIRA = 50;
/** So early that v1's history reaches back far enough whenever an order is looked for. */
export const FIRST_MS = START_MS - 48 * 3_600_000;

/** Sells airtime for `FIRST_NAIRA` to this number, at v1 and in the journal. Resolves with the request id. */
export async function sellFirst(
  { apiKey, pin, number }: { readonly apiKey: string; readonly pin: string | undefined; readonly number: string },
  v1: Pick<SimulatedV1, 'answer'>,
  { journal }: Disk,
): Promise<string> {
  const requestId = `first-${apiKey}`;
  const owner = ownerOf(apiKey);
  const body = { network: 'MTN', phone: number, amount: FIRST_NAIRA, ported: true, request_id: requestId, pin };
  const request = { method: 'POST', path: '/airtime', query: {}, authorization: `Bearer ${apiKey}`, address: '127.0.0.1', body };
  const { reference } = v1.answer(request).body['data'] as { reference: string };
  const fields = { phone: number, network: 'MTN', amount: FIRST_NAIRA * 100 };
  await journal.open(newOrder({ owner, requestId, fields, openedAtMs: FIRST_MS }));
  await journal.settle(owner, requestId, { kind: 'succeeded', reference }, FIRST_MS);
  return requestId;
}
