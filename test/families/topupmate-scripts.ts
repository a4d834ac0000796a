/** The Topupmate PHP script: the older generation has no word for pending anywhere, the newer one nearly everywhere. */
import { byWords, isEmpty, type Conclusion, type Family, type ScriptReply } from './family';

const AIRTIME_AND_DATA: readonly string[] = ['buy_airtime', 'buy_data'];
const CABLE_AND_ELECTRICITY: readonly string[] = ['buy_cable', 'buy_electricity'];

/** Pending and sold are one to it. */
const topUp = byWords({ sale: { Status: ['successful', 'processing'] } });
/** Whatever else is refunded, pending included. */
const bills = byWords({ sale: { Status: ['successful'], status: ['success'] } });
/** `status` alone. */
const plain = byWords({ sale: { status: ['successful', 'success'] } });

export const older = {
  airtime: {
    name: 'Topupmate, older (B airtime, data PIN)',
    formats: ['b'],
    operations: ['buy_airtime', 'buy_data_cards'],
    concludes: topUp,
    instead: { pending: 'sale' },
    told: { as: { b: 'topupmate-b' }, instead: { pending: 'sale' } },
  },
  /** Any `error` that is not empty is a failure even beside a good `Status`. */
  data: {
    name: 'Topupmate, older (B data)',
    formats: ['b'],
    operations: ['buy_data'],
    concludes: (reply) => (isEmpty(reply.body?.['error']) ? topUp(reply) : 'failure'),
    instead: { pending: 'sale' },
    told: { as: { b: 'topupmate-b' }, instead: { pending: 'sale' } },
  },
  bills: {
    name: 'Topupmate, older (B cable, electricity, exam)',
    formats: ['b'],
    operations: [...CABLE_AND_ELECTRICITY, 'buy_exam'],
    concludes: bills,
    instead: { pending: 'failure' },
    told: { as: { b: 'topupmate-b' }, instead: { pending: 'failure' } },
  },
  a: {
    name: 'Topupmate, older (A, all services)',
    formats: ['a'],
    operations: [...AIRTIME_AND_DATA, ...CABLE_AND_ELECTRICITY, 'buy_exam', 'buy_data_cards'],
    concludes: plain,
    instead: { pending: 'failure' },
    told: { as: { a: 'topupmate-a' }, instead: { pending: 'failure' } },
  },
  /** Our word for pending is another one than `processing`. */
  recharge: {
    name: 'Topupmate, older (recharge PIN)',
    formats: ['a', 'b'],
    operations: ['buy_recharge_cards'],
    concludes: byWords({ sale: { status: ['success', 'processing'] } }),
    instead: { pending: 'failure' },
    told: { as: { a: 'topupmate-a', b: 'topupmate-b' }, instead: { pending: 'failure' } },
  },
} as const satisfies Record<string, Family>;

/** `Status` in small letters if it is there, else `status`: a success word, a pending word, or a failure. */
function byEitherWord(reply: ScriptReply): Conclusion {
  const word = wordOf(reply);
  if (['successful', 'success'].includes(word)) return 'sale';
  return ['processing', 'process', 'pending'].includes(word) ? 'pending' : 'failure';
}

function wordOf({ body }: ScriptReply): string {
  const text = body?.['Status'] ?? body?.['status'];
  return typeof text === 'string' ? text.toLowerCase() : '';
}

export const newer = {
  /** Most copies. */
  most: {
    name: 'Topupmate, newer (airtime, data, cable, electricity)',
    formats: ['a', 'b'],
    operations: [...AIRTIME_AND_DATA, ...CABLE_AND_ELECTRICITY],
    concludes: byEitherWord,
    told: { as: { a: 'topupmate-new-a', b: 'topupmate-new-b' } },
  },
  /** Two of three copies die of the words `failed` and `fail`, with their customer debited: what follows takes the reply for an array. */
  cableOfTwo: {
    name: 'Topupmate, newer (A cable, two of three copies)',
    formats: ['a'],
    operations: ['buy_cable'],
    concludes: (reply) => (['failed', 'fail'].includes(wordOf(reply)) ? 'unknown' : byEitherWord(reply)),
    instead: { failure: 'unknown' },
    told: { as: { a: 'topupmate-new-a' } },
    because:
      'PHP ends them in the middle of a refund where the word is `failed` or `fail`, which most scripts need. Topupmate sites are told ' +
      '`error` there; without a key nobody knows them, and the customer stays debited until the owner looks.',
  },
  /** Reads only `Status`, and does not know the word `pending` there. */
  data: {
    name: 'Topupmate, newer (data of one copy, Cyberghost5)',
    formats: ['b'],
    operations: ['buy_data'],
    concludes: byWords({ sale: { Status: ['successful', 'success'] }, pending: { Status: ['processing', 'process'] } }),
    told: { as: { b: 'topupmate-new-b' } },
  },
  exam: {
    name: 'Topupmate, newer (B exam, two of three copies)',
    formats: ['b'],
    operations: ['buy_exam'],
    concludes: bills,
    instead: { pending: 'failure' },
    told: { as: { b: 'topupmate-new-b' }, instead: { pending: 'failure' } },
  },
  examOfThird: {
    name: 'Topupmate, newer (B exam, third copy)',
    formats: ['b'],
    operations: ['buy_exam'],
    concludes: byEitherWord,
    told: { as: { b: 'topupmate-new-b' } },
  },
  pins: {
    name: 'Topupmate, newer (A exam, data PIN)',
    formats: ['a'],
    operations: ['buy_exam', 'buy_data_cards'],
    concludes: plain,
    instead: { pending: 'failure' },
    told: { as: { a: 'topupmate-new-a' }, instead: { pending: 'failure' } },
  },
  /** Reads these as the older generation does. */
  bills: { ...older.bills, name: 'Topupmate, newer (cable, electricity, exam of one copy, Datadevg)' },
} as const satisfies Record<string, Family>;

export const topupmateScripts: readonly Family[] = [...Object.values(older), ...Object.values(newer)];
