/** Clients of MSORG-shaped servers. */
import { says, type Family } from './family';

/** B3 against one server: `Status` successful or processing is a sale, the rest is refunded. */
const husmodata: Family = {
  name: 'semmatweb at husmodata (B3)',
  formats: ['b'],
  concludes: (reply) => (says(reply, 'Status', 'successful', 'processing') ? 'sale' : 'failure'),
  instead: { pending: 'sale' },
  told: { as: { b: 'semmatweb' }, instead: { pending: 'sale' } },
};

/** B3 against another server: only `Status` successful is a sale. */
const bwsub: Family = {
  name: 'semmatweb at bwsub (B3)',
  formats: ['b'],
  concludes: (reply) => (says(reply, 'Status', 'successful') ? 'sale' : 'failure'),
  instead: { pending: 'failure' },
  told: { as: { b: 'semmatweb-bwsub' }, instead: { pending: 'failure' } },
};

/** B4: a reply without an `error` key is a sale, whatever it says. */
const yaqoab: Family = {
  name: 'Yaqoab (B4)',
  formats: ['b'],
  concludes: ({ body }) => (body !== undefined && !('error' in body) ? 'sale' : 'failure'),
  instead: { pending: 'sale' },
  told: { as: { b: 'sells-what-is-pending' }, instead: { pending: 'sale' } },
};

/** HTTP 200 or 201 without `Status` failed is a sale; everything else throws, and nothing is sold. */
const harygbolahan: Family = {
  name: 'harygbolahan',
  formats: ['b'],
  concludes: (reply) => ([200, 201].includes(reply.status) && !says(reply, 'Status', 'failed') ? 'sale' : 'failure'),
  instead: { pending: 'sale' },
  told: { as: { b: 'sells-what-is-pending' }, instead: { pending: 'sale' } },
};

/** An MSORG server buying from us: as above, but any other HTTP status is "processing" and never refunded. */
const msorgServer: Family = {
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
};

/** A success, pending or other word in either field. */
export const threeWords: Family = {
  name: 'MSORG client (#54066687286)',
  formats: ['b'],
  concludes: (reply) => {
    const either = (...words: string[]): boolean => says(reply, 'Status', ...words) || says(reply, 'status', ...words);
    if (either('successful', 'success', 'true')) return 'sale';
    return either('processing', 'pending', 'initiated') ? 'pending' : 'failure';
  },
};

/** B5: a raw `status` counts when there is one; without it, `Status` successful or the presence of an `id` is a sale. */
const bikyensub: Family = {
  name: 'Bikyensub (B5)',
  formats: ['b'],
  concludes: (reply) => {
    const { body } = reply;
    if (body?.['status'] === undefined) {
      return says(reply, 'Status', 'successful') || (body?.['id'] ?? null) !== null ? 'sale' : 'failure';
    }
    if (says(reply, 'status', 'success', 'successful')) return 'sale';
    return says(reply, 'status', 'pending', 'processing', 'process') ? 'pending' : 'failure';
  },
};

export const msorgClients: readonly Family[] = [husmodata, bwsub, yaqoab, harygbolahan, msorgServer, threeWords, bikyensub];
