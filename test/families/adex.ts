/** The ADEX script when it buys from others. */
import { says, type Family } from './family';

/** As a format A client: `status` success is a sale, `fail` a refund; any other text, or no JSON at all, stays pending. */
const adexA: Family = {
  name: 'ADEX as a format A client',
  formats: ['a'],
  concludes: (reply) => {
    if (says(reply, 'status', 'success')) return 'sale';
    return says(reply, 'status', 'fail') ? 'failure' : 'pending';
  },
  told: { as: { a: 'adex-a' } },
};

/** As a format B client: `Status` successful or processing is a sale; a reply without `Status` is refunded like any other. */
const adexB: Family = {
  name: 'ADEX as a format B client',
  formats: ['b'],
  concludes: (reply) => (says(reply, 'Status', 'successful', 'processing') ? 'sale' : 'failure'),
  instead: { pending: 'sale' },
  told: { as: { b: 'adex-b' }, instead: { pending: 'sale' } },
};

export const adex: readonly Family[] = [adexA, adexB];
