/** Scripts of other origins than Topupmate's: ADEX, the two-format clients, clients of MSORG servers, and single ones. */
import { byWords, isEmpty, isTwoHundred, says, type Conclude, type Family, type ScriptReply } from './family';

const BOTH: readonly string[] = ['a', 'b'];
const DELIVERS_PENDING = { a: 'sells-what-is-pending-a', b: 'sells-what-is-pending' };

const adex: readonly Family[] = [
  /** `success` is a sale, `fail` a refund; any other text, or no JSON at all, stays pending. */
  {
    name: 'ADEX as a format A client',
    formats: ['a'],
    concludes: byWords({ sale: { status: ['success'] }, failure: { status: ['fail'] }, otherwise: 'pending' }),
    told: { as: { a: 'adex-a' } },
  },
  /** Pending is a sale; a reply without `Status` is refunded like any other. */
  {
    name: 'ADEX as a format B client',
    formats: ['b'],
    concludes: byWords({ sale: { Status: ['successful', 'processing'] } }),
    instead: { pending: 'sale' },
    told: { as: { b: 'adex-b' }, instead: { pending: 'sale' } },
  },
];

/** A15, older: an answer outside 2xx is refunded at once; then `status` alone decides, and all but success and pending refunds. */
export const olderTwoFormat: Family = {
  name: 'Two-format client, older (A15)',
  formats: ['a'],
  concludes: (reply) =>
    isTwoHundred(reply) ? byWords({ sale: { status: ['success'] }, pending: { status: ['pending'] } })(reply) : 'failure',
};

/** A15, newer: a success or pending word in either field; `process` and `processing` alone refund, unless the text says successful. */
export const newerTwoFormat: Family = {
  name: 'Two-format client, newer (A15)',
  formats: ['a'],
  concludes: (reply) => {
    const { message } = reply.body ?? {};
    const otherwise = typeof message === 'string' && message.toLowerCase().includes('successful') ? 'sale' : 'failure';
    return byWords({
      sale: { 'status, Status': ['success', 'successful'] },
      pending: { 'status, Status': ['pending'] },
      otherwise,
    })(reply);
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
  // It always sends a request id of its own; these are the samples that carry one as `request-id`.
  operations: ['buy_airtime', 'buy_data', 'buy_cable', 'buy_electricity', 'buy_data_cards'],
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

/** A17: `process` fails like all that it does not know. */
const telecomTwoFormat: Family = {
  name: 'Two-format client (A17)',
  formats: ['a'],
  concludes: byWords({ sale: { status: ['success'], Status: ['successful'] }, pending: { 'status, Status': ['pending'] } }),
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
  because:
    'To this script a refused key says nothing about an order. Nothing was charged, and its owner must mend the key anyway.',
};

/** A success, pending or other word in either field. */
export const threeWords: Family = {
  name: 'MSORG client (#54066687286)',
  formats: ['b'],
  concludes: byWords({
    sale: { 'Status, status': ['successful', 'success', 'true'] },
    pending: { 'Status, status': ['processing', 'pending', 'initiated'] },
  }),
};

const bySuccessOrId: Conclude = (reply) =>
  says(reply, 'Status', 'successful') || (reply.body?.['id'] ?? null) !== null ? 'sale' : 'failure';

const msorgClients: readonly Family[] = [
  /** B3 against one server: pending is a sale. */
  {
    name: 'semmatweb at husmodata (B3)',
    formats: ['b'],
    concludes: byWords({ sale: { Status: ['successful', 'processing'] } }),
    instead: { pending: 'sale' },
    told: { as: { b: 'semmatweb' }, instead: { pending: 'sale' } },
  },
  /** B3 against another server. */
  {
    name: 'semmatweb at bwsub (B3)',
    formats: ['b'],
    concludes: byWords({ sale: { Status: ['successful'] } }),
    instead: { pending: 'failure' },
    told: { as: { b: 'semmatweb-bwsub' }, instead: { pending: 'failure' } },
  },
  /** A reply without an `error` key is a sale, whatever it says. */
  {
    name: 'Yaqoab (B4)',
    formats: ['b'],
    concludes: ({ body }) => (body !== undefined && !('error' in body) ? 'sale' : 'failure'),
    instead: { pending: 'sale' },
    told: { as: DELIVERS_PENDING, instead: { pending: 'sale' } },
  },
  /** HTTP 200 or 201 without `Status` failed is a sale; everything else throws, and nothing is sold. */
  {
    name: 'harygbolahan',
    formats: ['b'],
    concludes: (reply) => ([200, 201].includes(reply.status) && !says(reply, 'Status', 'failed') ? 'sale' : 'failure'),
    instead: { pending: 'sale' },
    told: { as: DELIVERS_PENDING, instead: { pending: 'sale' } },
  },
  /** As above, but any other HTTP status is "processing" and never refunded. */
  {
    name: 'MSORG server as a client (#5631434148)',
    formats: ['b'],
    concludes: (reply) => {
      if (![200, 201].includes(reply.status)) return 'pending';
      return says(reply, 'Status', 'failed') ? 'failure' : 'sale';
    },
    instead: { pending: 'sale', failure: 'pending' },
    told: { as: { b: 'msorg-as-client' }, instead: { pending: 'sale' } },
    because:
      'It refunds only on HTTP 200 with `Status` failed. Saying so would make failures sales to a script that goes by the HTTP ' +
      'status alone (#13307147537), so they stay 4xx, as on real MSORG servers, and its owner closes the order.',
  },
  threeWords,
  /** A raw `status` counts when there is one; without it, `Status` successful or the presence of an `id` is a sale. */
  {
    name: 'Bikyensub (B5)',
    formats: ['b'],
    concludes: (reply) => {
      if (reply.body?.['status'] === undefined) return bySuccessOrId(reply);
      const pending = ['pending', 'processing', 'process'];
      return byWords({ sale: { status: ['success', 'successful'] }, pending: { status: pending } })(reply);
    },
  },
  /** Parts of it were measured to deliver what is pending. The condition that fits does not look at `status`. */
  {
    name: 'Bikyensub (B5, parts that go by the id)',
    formats: ['b'],
    concludes: bySuccessOrId,
    instead: { pending: 'sale' },
    told: { as: DELIVERS_PENDING, instead: { pending: 'sale' } },
  },
  /** It was measured to deliver what is pending. No more is known of its condition. */
  {
    name: 'dennis',
    formats: ['b'],
    concludes: byWords({ sale: { Status: ['successful', 'processing'] } }),
    instead: { pending: 'sale' },
    told: { as: DELIVERS_PENDING, instead: { pending: 'sale' } },
  },
];

/** Scripts with conditions of their own, some of them plainly broken. */
const singleScripts: readonly Family[] = [
  /** A success with any text is refunded, and so is what is not finished. */
  {
    name: 'Topupmate API client',
    formats: ['c'],
    concludes: (reply) => {
      const hasText = ['msg', 'message', 'error'].some((name) => !isEmpty(reply.body?.[name]));
      return !hasText && says(reply, 'status', 'success') ? 'sale' : 'failure';
    },
    instead: { pending: 'failure' },
    told: { as: { c: 'topupmate-api' }, instead: { pending: 'failure' } },
  },
  {
    name: 'forbill-ai',
    formats: ['a'],
    concludes: (reply) => (isTwoHundred(reply) && reply.body?.['success'] === true ? 'sale' : 'failure'),
    instead: { pending: 'failure' },
    told: { as: { a: 'forbill-ai' }, instead: { pending: 'failure' } },
  },
  /** A lower-case `status` is looked up in a table that does not have `success`; it throws unless HTTP is 200. */
  {
    name: 'laravel-husmodata',
    formats: ['b'],
    concludes: (reply) =>
      reply.status === 200 && reply.body?.['status'] === undefined && says(reply, 'Status', 'successful') ? 'sale' : 'failure',
    instead: { success: 'failure', pending: 'failure' },
    told: { as: { b: 'laravel-husmodata' }, instead: { pending: 'failure' } },
    because: 'The word `success` in a lower-case `status`, which most scripts need, is not in its table.',
  },
  {
    name: 'Django shop (HTTP 201)',
    formats: ['b'],
    concludes: ({ status }) => (status === 201 ? 'sale' : 'failure'),
    instead: { success: 'failure', pending: 'failure' },
    told: { as: { b: 'django-201' }, instead: { pending: 'failure' } },
    because: 'Others demand exactly 200, so only keys of this family are told 201.',
  },
  /** A failure was never charged to its customer. */
  {
    name: 'A6',
    formats: ['a'],
    concludes: (reply) => {
      if (says(reply, 'status', 'processing') || says(reply, 'Status', 'processing')) return 'unknown';
      return byWords({
        sale: { 'status, Status': ['success', 'successful', 'true'] },
        pending: { 'status, Status': ['process', 'pending'] },
      })(reply);
    },
    instead: { pending: 'unknown' },
    because: 'PHP ends it with an error at the word `processing`, which most scripts need: only the end of the order helps.',
  },
  /** There is no third word. */
  {
    name: 'A8',
    formats: ['a'],
    concludes: (reply) => (isTwoHundred(reply) && says(reply, 'status', 'success') ? 'sale' : 'failure'),
    instead: { pending: 'failure' },
  },
  /**
   * `status` success, which `Status` successful overrides; failed when a failure word or any `error` is there. A numeric `code`
   * of 200 or 1000 is a success too. Without any of these the order stays as it was.
   */
  {
    name: 'A10',
    formats: BOTH,
    concludes: (reply) => {
      const { body } = reply;
      const isFailed = says(reply, 'status', 'fail', 'failed') || says(reply, 'Status', 'fail', 'failed');
      if (isFailed || !isEmpty(body?.['error'])) return 'failure';
      const isSold = says(reply, 'status', 'success') || says(reply, 'Status', 'successful');
      return isSold || body?.['code'] === 200 || body?.['code'] === 1000 ? 'sale' : 'unknown';
    },
    instead: { pending: 'unknown' },
  },
  /** Everything but `process` refunds, even success. One script, likely a mistake. */
  {
    name: 'A11',
    formats: ['a'],
    concludes: byWords({ sale: { status: ['process'] } }),
    instead: { success: 'failure', pending: 'failure' },
    because:
      'Its only word for a sale is ADEX’s word for pending, so it refunds every success. Saying `process` for a success would ' +
      'break every other script, so only keys of this family are told that.',
    told: { as: { a: 'process-is-sold' }, instead: { pending: 'failure' } },
  },
  {
    name: '#42355439945',
    formats: BOTH,
    concludes: () => 'sale',
    instead: { pending: 'sale', failure: 'sale' },
    told: { as: DELIVERS_PENDING, instead: { pending: 'sale', failure: 'sale' } },
    because: 'It tests a key that no server sends, so every reply is a sale. No reply can tell it of a failure.',
  },
  {
    name: '#22269752807',
    formats: ['b'],
    concludes: ({ body }) => (body !== undefined && Object.keys(body).length > 0 ? 'sale' : 'failure'),
    instead: { pending: 'sale', failure: 'sale' },
    told: { as: DELIVERS_PENDING, instead: { pending: 'sale', failure: 'sale' } },
    because:
      'Any body is a sale to it, and an empty one would leave every other script without a word. Its only guard: before it ' +
      'buys it reads `user.Account_Balance`, a number here.',
  },
  {
    name: '#13307147537',
    formats: BOTH,
    concludes: (reply) => (isTwoHundred(reply) ? 'sale' : 'failure'),
    instead: { pending: 'sale' },
    told: { as: DELIVERS_PENDING, instead: { pending: 'sale' } },
  },
  /** A success word in its own field, or a true `success`; all else fails. */
  {
    name: 'prius2055',
    formats: BOTH,
    concludes: (reply) =>
      reply.body?.['success'] === true ? 'sale' : byWords({ sale: { status: ['success'], Status: ['successful'] } })(reply),
    instead: { pending: 'failure' },
  },
];

export const otherScripts: readonly Family[] = [
  ...adex,
  ...[olderTwoFormat, newerTwoFormat, strictTwoFormat, telecomTwoFormat, babspay],
  ...msorgClients,
  ...singleScripts,
];
