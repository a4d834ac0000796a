/** Scripts with conditions of their own, some of them plainly broken. */
import { isEmpty, isTwoHundred, says, type Family } from './family';

const BOTH: readonly string[] = ['a', 'b'];

/** A6: a success, pending or other word in either field; a failure was never charged to its customer. */
const sixth: Family = {
  name: 'A6',
  formats: ['a'],
  concludes: (reply) => {
    const either = (...words: string[]): boolean => says(reply, 'status', ...words) || says(reply, 'Status', ...words);
    if (either('success', 'successful', 'true')) return 'sale';
    return either('process', 'processing', 'pending') ? 'pending' : 'failure';
  },
};

/** A8: a 2xx with `status` success; there is no third word. */
const eighth: Family = {
  name: 'A8',
  formats: ['a'],
  concludes: (reply) => (isTwoHundred(reply) && says(reply, 'status', 'success') ? 'sale' : 'failure'),
  instead: { pending: 'failure' },
};

/**
 * A10: `status` success, which `Status` successful overrides; failed when a failure word or any `error` is there. A numeric
 * `code` of 200 or 1000 is a success too. Without any of these the order stays as it was.
 */
const tenth: Family = {
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
};

/** A11: only `status` process is a sale; everything else refunds, even success. One script, likely a mistake. */
const eleventh: Family = {
  name: 'A11',
  formats: ['a'],
  concludes: (reply) => (says(reply, 'status', 'process') ? 'sale' : 'failure'),
  instead: { success: 'failure', pending: 'failure' },
  because:
    'Its only word for a sale is ADEX’s word for pending, so it refunds every success. Saying `process` for a success would ' +
    'break every other script, so nobody is told that who is not named.',
  told: { as: { a: 'process-is-sold' }, instead: { pending: 'failure' } },
};

/** Tests a misspelt key, so everything is a sale. */
const alwaysSold: Family = {
  name: '#42355439945',
  formats: BOTH,
  concludes: () => 'sale',
  instead: { pending: 'sale', failure: 'sale' },
  because: 'It tests a key that no server sends, so every reply is a sale. No reply can tell it of a failure.',
};

/** Any body that is not empty is a sale. Before it buys, `user.Account_Balance` must be at least the price. */
const anyBody: Family = {
  name: '#22269752807',
  formats: ['b'],
  concludes: ({ body }) => (body !== undefined && Object.keys(body).length > 0 ? 'sale' : 'failure'),
  instead: { pending: 'sale', failure: 'sale' },
  because:
    'Any body is a sale to it, and an empty one would leave every other script without a word. What guards it is its look at ' +
    '`user.Account_Balance` before it buys, which is a number here.',
};

/** The HTTP status alone: any 2xx is a sale. */
const httpAlone: Family = {
  name: '#13307147537',
  formats: BOTH,
  concludes: (reply) => (isTwoHundred(reply) ? 'sale' : 'failure'),
  instead: { pending: 'sale' },
};

/** A success word in its own field, or a true `success`; all else fails. */
const successKey: Family = {
  name: 'prius2055',
  formats: BOTH,
  concludes: (reply) => {
    const isSold = says(reply, 'status', 'success') || says(reply, 'Status', 'successful') || reply.body?.['success'] === true;
    return isSold ? 'sale' : 'failure';
  },
  instead: { pending: 'failure' },
};

/** laravel-husmodata: a lower-case `status` is looked up in a table that does not have `success`; it throws unless HTTP is 200. */
const laravel: Family = {
  name: 'laravel-husmodata',
  formats: ['b'],
  concludes: (reply) =>
    reply.status === 200 && reply.body?.['status'] === undefined && says(reply, 'Status', 'successful') ? 'sale' : 'failure',
  instead: { success: 'failure', pending: 'failure' },
  told: { as: { b: 'laravel-husmodata' }, instead: { pending: 'failure' } },
  because: 'The word `success` in a lower-case `status`, which most scripts need, is not in its table.',
};

/** A Django shop: HTTP 201 alone is a sale. */
const created: Family = {
  name: 'Django shop (HTTP 201)',
  formats: ['b'],
  concludes: ({ status }) => (status === 201 ? 'sale' : 'failure'),
  instead: { success: 'failure', pending: 'failure' },
  told: { as: { b: 'django-201' }, instead: { pending: 'failure' } },
  because: 'Others demand exactly 200, so nobody is told 201 who is not known.',
};

/** A client of Topupmate's own API: a success with any text is refunded, and so is what is not finished. */
const topupmateApi: Family = {
  name: 'Topupmate API client',
  formats: ['c'],
  concludes: (reply) => {
    const hasText = ['msg', 'message', 'error'].some((name) => !isEmpty(reply.body?.[name]));
    return !hasText && says(reply, 'status', 'success') ? 'sale' : 'failure';
  },
  instead: { pending: 'failure' },
  told: { as: { c: 'topupmate-api' }, instead: { pending: 'failure' } },
};

/** forbill-ai: `success` alone, and any HTTP status outside 2xx is a failure. */
const forbill: Family = {
  name: 'forbill-ai',
  formats: ['a'],
  concludes: (reply) => (isTwoHundred(reply) && reply.body?.['success'] === true ? 'sale' : 'failure'),
  instead: { pending: 'failure' },
  told: { as: { a: 'forbill-ai' }, instead: { pending: 'failure' } },
};

export const singleScripts: readonly Family[] = [
  topupmateApi,
  forbill,
  laravel,
  created,
  sixth,
  eighth,
  tenth,
  eleventh,
  alwaysSold,
  anyBody,
  httpAlone,
  successKey,
];
