/** Clients of the newer servers whose replies carry both formats' words. */
import { isTwoHundred, says, type Family, type ScriptReply } from './family';

/** These clients always send a request id of their own; here the samples that carry one as `request-id`. */
const WITH_REQUEST_ID: readonly string[] = ['buy_airtime', 'buy_data', 'buy_cable', 'buy_electricity', 'buy_data_cards'];

/** A15, older: an answer outside 2xx is refunded at once; then `status` alone decides, and all but success and pending refunds. */
export const olderTwoFormat: Family = {
  name: 'Two-format client, older (A15)',
  formats: ['a'],
  concludes: (reply) => {
    if (!isTwoHundred(reply)) return 'failure';
    if (says(reply, 'status', 'success')) return 'sale';
    return says(reply, 'status', 'pending') ? 'pending' : 'failure';
  },
};

/** A15, newer: a success or pending word in either field; `process` and `processing` alone refund, unless the text says successful. */
export const newerTwoFormat: Family = {
  name: 'Two-format client, newer (A15)',
  formats: ['a'],
  concludes: (reply) => {
    const either = (...words: string[]): boolean => says(reply, 'status', ...words) || says(reply, 'Status', ...words);
    if (either('success', 'successful')) return 'sale';
    if (either('pending')) return 'pending';
    const { message } = reply.body ?? {};
    return typeof message === 'string' && message.toLowerCase().includes('successful') ? 'sale' : 'failure';
  },
};

function isEchoed({ body, requestId }: ScriptReply): boolean {
  return requestId !== undefined && body?.['request-id'] === requestId;
}

/**
 * A16: a sale needs both fields to agree and the request id echoed exactly. Pending words, disagreement or a missing id
 * leave it open, HTTP 202 too. It believes in a failure only with HTTP 422 and both failure words; the rest is unknown.
 */
export const strictTwoFormat: Family = {
  name: 'Two-format client, strict (A16)',
  formats: ['a'],
  operations: WITH_REQUEST_ID,
  concludes: (reply) => {
    if (reply.status === 202) return 'pending';
    if (reply.status === 422 && says(reply, 'status', 'fail') && says(reply, 'Status', 'failed')) return 'failure';
    if (!isTwoHundred(reply)) return 'unknown';
    const isSuccess = [says(reply, 'status', 'success'), says(reply, 'Status', 'successful')];
    if (isSuccess.every(Boolean) && isEchoed(reply)) return 'sale';
    const isOpen = says(reply, 'status', 'pending', 'processing') || says(reply, 'Status', 'pending', 'processing');
    return isOpen || isSuccess.some(Boolean) || !isEchoed(reply) ? 'pending' : 'unknown';
  },
  instead: { failure: 'unknown' },
  told: { as: { a: 'two-format-strict' } },
  because:
    'It believes in a failure only with HTTP 422, which ADEX, MSORG and Topupmate servers never send: v1’s own 4xx is passed ' +
    'on, and a declined order is 400. It refunds nothing by itself and pays for nothing twice: its owner closes the order.',
};

/** A17: a success word in its own field is a sale, `pending` in either is pending, all else fails, `process` included. */
const telecomTwoFormat: Family = {
  name: 'Two-format client (A17)',
  formats: ['a'],
  concludes: (reply) => {
    if (says(reply, 'status', 'success') || says(reply, 'Status', 'successful')) return 'sale';
    return says(reply, 'status', 'pending') || says(reply, 'Status', 'pending') ? 'pending' : 'failure';
  },
};

/**
 * A19 (babspay): a sale needs a success word and the provider's reference. A 4xx is a failure, except 401, 403 and 429,
 * which with every 5xx say nothing about the order and are kept.
 */
export const babspay: Family = {
  name: 'babspay (A19)',
  formats: ['b'],
  concludes: (reply) => {
    const { status } = reply;
    if ([401, 403, 429].includes(status) || status >= 500) return 'unknown';
    if (status >= 400) return 'failure';
    if (says(reply, 'status', 'pending', 'processing', 'queued')) return 'pending';
    const reference = reply.body?.['reference'];
    const hasReference = typeof reference === 'string' && reference !== '';
    return says(reply, 'status', 'success', 'successful') && hasReference ? 'sale' : 'unknown';
  },
  instead: { wrong_key: 'unknown', no_key: 'unknown' },
  told: { as: { b: 'babspay' }, instead: { wrong_key: 'unknown', no_key: 'unknown' } },
  because: 'A refused key says nothing about an order to it. Nothing was charged, and its owner has a key to mend anyway.',
};

export const twoFormat: readonly Family[] = [olderTwoFormat, newerTwoFormat, strictTwoFormat, telecomTwoFormat, babspay];
