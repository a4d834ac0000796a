/**
 * How scripts read the answer to "what became of my order": every requery that is known, and those that read it as they read
 * a purchase. The conditions are ours, written from what the scripts do.
 */
import { byWords, isTwoHundred, says, type Conclude } from './family';
import { babspay, newerTwoFormat, olderTwoFormat, strictTwoFormat, threeWords } from './other-scripts';

export interface Requery {
  readonly name: string;
  /** What it asks at. */
  readonly operation: 'order_status' | 'list_orders';
  readonly concludes: Conclude;
}

/** `Status` alone: successful is a sale, failed a refund, anything else waits on. */
const byStatus: Requery = {
  name: 'MSORG client, requery (#12659351345)',
  operation: 'order_status',
  concludes: byWords({ sale: { Status: ['successful'] }, failure: { Status: ['failed'] }, otherwise: 'pending' }),
};

/** As above, and `error` is a failure too. */
const beeCodes: Requery = {
  name: 'BeeCodes, requery',
  operation: 'order_status',
  concludes: (reply) => (says(reply, 'Status', 'error') ? 'failure' : byStatus.concludes(reply)),
};

/** An order that is not there after half an hour never was. */
const gemData: Requery = {
  name: 'GemData, requery',
  operation: 'order_status',
  concludes: (reply) => {
    if (reply.status === 404 || says(reply, 'status', 'fail', 'failed') || says(reply, 'Status', 'failed')) return 'failure';
    return says(reply, 'status', 'success') ? 'sale' : 'pending';
  },
};

/** Reads the history and looks for its order in it; a history that says it failed has no orders. */
const searcher: Requery = {
  name: 'Search of the history (#68678016424)',
  operation: 'list_orders',
  concludes: (reply) => {
    if (says(reply, 'status', 'fail', 'failed', 'error') || says(reply, 'Status', 'failed', 'error')) return 'failure';
    return isTwoHundred(reply) && says(reply, 'status', 'success') ? 'sale' : 'pending';
  },
};

const asPurchase = ({ name, concludes }: Pick<Requery, 'name' | 'concludes'>): Requery => ({
  name,
  operation: 'order_status',
  concludes,
});

export const requeries: readonly Requery[] = [
  byStatus,
  beeCodes,
  gemData,
  searcher,
  ...[threeWords, babspay, strictTwoFormat, olderTwoFormat, newerTwoFormat].map(asPurchase),
];

/** Where the fate of the order is not known to be a failure: nobody may conclude one, nor a sale. */
export const UNKNOWN_FATES = [
  'pending',
  'unknown',
  'known_to_v1_pending',
  'not_found',
  'unavailable',
  'wrong_key',
  'limit',
  'no_key',
  // Of the history: v1 refuses to show it.
  'failure',
] as const;
