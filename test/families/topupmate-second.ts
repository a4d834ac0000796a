/** The newer generation of the Topupmate PHP script: it knows pending nearly everywhere. */
import { AIRTIME_AND_DATA, CABLE_AND_ELECTRICITY, says, type Conclusion, type Family, type ScriptReply } from './family';
import { firstTopupmateBills } from './topupmate-first';

/** `Status` in small letters if it is there, else `status`: a success word, a pending word, or a failure. */
function byEitherWord({ body }: ScriptReply): Conclusion {
  const text = body?.['Status'] ?? body?.['status'];
  const word = typeof text === 'string' ? text.toLowerCase() : '';
  if (['successful', 'success'].includes(word)) return 'sale';
  return ['processing', 'process', 'pending'].includes(word) ? 'pending' : 'failure';
}

/** Most copies, airtime, data, cable and electricity of both formats. */
export const secondTopupmate: Family = {
  name: 'Topupmate, newer (airtime, data, cable, electricity)',
  formats: ['a', 'b'],
  operations: [...AIRTIME_AND_DATA, ...CABLE_AND_ELECTRICITY],
  concludes: byEitherWord,
  told: { as: { a: 'topupmate-new-a', b: 'topupmate-new-b' } },
};

/** One copy reads only `Status` on data, and does not know the word `pending` there. */
export const secondTopupmateData: Family = {
  name: 'Topupmate, newer (data of one copy, Cyberghost5)',
  formats: ['b'],
  operations: ['buy_data'],
  concludes: (reply) => {
    if (says(reply, 'Status', 'successful', 'success')) return 'sale';
    return says(reply, 'Status', 'processing', 'process') ? 'pending' : 'failure';
  },
  told: { as: { b: 'topupmate-new-b' } },
};

/** B exam: two of three copies know no pending; `Status` successful or `status` success is a sale. */
export const secondTopupmateExam: Family = {
  name: 'Topupmate, newer (B exam, two of three copies)',
  formats: ['b'],
  operations: ['buy_exam'],
  concludes: (reply) => (says(reply, 'Status', 'successful') || says(reply, 'status', 'success') ? 'sale' : 'failure'),
  instead: { pending: 'failure' },
  told: { as: { b: 'topupmate-new-b' }, instead: { pending: 'failure' } },
};

/** B exam of the third copy: read like airtime. */
export const secondTopupmateExamThird: Family = {
  name: 'Topupmate, newer (B exam, third copy)',
  formats: ['b'],
  operations: ['buy_exam'],
  concludes: byEitherWord,
  told: { as: { b: 'topupmate-new-b' } },
};

/** A exam and data PIN: `status` alone, without a word for pending. */
export const secondTopupmatePins: Family = {
  name: 'Topupmate, newer (A exam, data PIN)',
  formats: ['a'],
  operations: ['buy_exam', 'buy_data_cards'],
  concludes: (reply) => (says(reply, 'status', 'successful', 'success') ? 'sale' : 'failure'),
  instead: { pending: 'failure' },
  told: { as: { a: 'topupmate-new-a' }, instead: { pending: 'failure' } },
};

/** One newer copy reads cable, electricity and exam as the older generation does. */
const secondTopupmateBills: Family = {
  ...firstTopupmateBills,
  name: 'Topupmate, newer (cable, electricity, exam of one copy, Datadevg)',
};

export const secondTopupmateFamilies: readonly Family[] = [
  secondTopupmate,
  secondTopupmateData,
  secondTopupmateExam,
  secondTopupmateExamThird,
  secondTopupmatePins,
  secondTopupmateBills,
];
