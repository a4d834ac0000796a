/** The older generation of the Topupmate PHP script: no word for pending anywhere. */
import { AIRTIME_AND_DATA, CABLE_AND_ELECTRICITY, isEmpty, says, type Family } from './family';

/** B airtime and data PINs: `Status` successful or processing is a sale; all else is refunded. */
export const firstTopupmateAirtime: Family = {
  name: 'Topupmate, older (B airtime, data PIN)',
  formats: ['b'],
  operations: ['buy_airtime', 'buy_data_cards'],
  concludes: (reply) => (says(reply, 'Status', 'successful', 'processing') ? 'sale' : 'failure'),
  instead: { pending: 'sale' },
  told: { as: { b: 'topupmate-b' }, instead: { pending: 'sale' } },
};

/** B data: the same, but any `error` that is not empty is a failure even beside a good `Status`. */
export const firstTopupmateData: Family = {
  name: 'Topupmate, older (B data)',
  formats: ['b'],
  operations: ['buy_data'],
  concludes: (reply) =>
    says(reply, 'Status', 'successful', 'processing') && isEmpty(reply.body?.['error']) ? 'sale' : 'failure',
  instead: { pending: 'sale' },
  told: { as: { b: 'topupmate-b' }, instead: { pending: 'sale' } },
};

/** B cable, electricity, exam: `Status` successful or `status` success; whatever else is refunded, pending included. */
export const firstTopupmateBills: Family = {
  name: 'Topupmate, older (B cable, electricity, exam)',
  formats: ['b'],
  operations: [...CABLE_AND_ELECTRICITY, 'buy_exam'],
  concludes: (reply) => (says(reply, 'Status', 'successful') || says(reply, 'status', 'success') ? 'sale' : 'failure'),
  instead: { pending: 'failure' },
  told: { as: { b: 'topupmate-b' }, instead: { pending: 'failure' } },
};

/** A, every service: `status` successful or success; whatever else is refunded. */
export const firstTopupmateA: Family = {
  name: 'Topupmate, older (A, all services)',
  formats: ['a'],
  operations: [...AIRTIME_AND_DATA, ...CABLE_AND_ELECTRICITY, 'buy_exam', 'buy_data_cards'],
  concludes: (reply) => (says(reply, 'status', 'successful', 'success') ? 'sale' : 'failure'),
  instead: { pending: 'failure' },
  told: { as: { a: 'topupmate-a' }, instead: { pending: 'failure' } },
};

/** Recharge PINs: `status` success or processing; all else is refunded. Our word for pending is another one. */
const firstTopupmateRecharge: Family = {
  name: 'Topupmate, older (recharge PIN)',
  formats: ['a', 'b'],
  operations: ['buy_recharge_cards'],
  concludes: (reply) => (says(reply, 'status', 'success', 'processing') ? 'sale' : 'failure'),
  instead: { pending: 'failure' },
  told: { as: { a: 'topupmate-a', b: 'topupmate-b' }, instead: { pending: 'failure' } },
};

export const firstTopupmate: readonly Family[] = [
  firstTopupmateAirtime,
  firstTopupmateData,
  firstTopupmateBills,
  firstTopupmateA,
  firstTopupmateRecharge,
];
