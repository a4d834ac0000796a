/**
 * How scripts read the reply to a status query: every known requery, and the scripts that read it like the reply to a purchase.
 * The conditions are our own, written after what the scripts do.
 */
import { byWords, isTwoHundred, says, type Conclude } from './family';
import { babspay, newerTwoFormat, olderTwoFormat, strictTwoFormat, threeWords } from './other-scripts';

export interface Requery {
  readonly name: string;
  /** The address that it asks. */
  readonly operation: 'order_status' | 'list_orders';
  readonly concludes: Conclude;
}

/** `Status` alone: successful is a sale, failed a refund, and anything else waits on. */
const byStatus: Requery = {
  name: 'MSORG client, requery (#12659351345)',
  operation: 'order_status',
  concludes: byWords({ sale: { Status: ['successful'] }, failure: { Status: ['failed'] }, otherwise: 'pending' }),
};

/** The same, and `error` is a failure too. */
const beeCodes: Requery = {
  name: 'BeeCodes, requery',
  operation: 'order_status',
  concludes: (reply) => (says(reply, 'Status', 'error') ? 'failure' : byStatus.concludes(reply)),
};

/** An order that is not found after half an hour counts as never placed. */
const gemData: Requery = {
  name: 'GemData, requery',
  operation: 'order_status',
  concludes: (reply) => {
    if (reply.status === 404 || says(reply, 'status', 'fail', 'failed') || says(reply, 'Status', 'failed')) return 'failure';
    return says(reply, 'status', 'success') ? 'sale' : 'pending';
  },
};

/** Reads the history and looks for its order there; a history with a failure counts as one without orders. */
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

/** Replies to an order that is not known to have failed: no script may conclude a failure or a sale. */
export const UNKNOWN_FATES = [
  'pending',
  'unknown',
  'known_to_v1_pending',
  'not_found',
  'unavailable',
  'wrong_key',
  'limit',
  'no_key',
  // For the history: v1 refuses to show it.
  'failure',
] as const;
