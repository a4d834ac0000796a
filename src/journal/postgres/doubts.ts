/**
 * Orders that were refused while the database was away. Nothing of them was sent, but whoever brought an id of its own may have been told
 * "pending": the id could be that of an order which nobody could read. And of some it is open whether they were written. Once the
 * database is back, each is there as not sent, unless the journal knows its id: then nothing is said of it.
 */
import type { NewOrder, Opened, Order } from '../../domain/order';
import type { NotSent } from '../../domain/outcome';
import { settleOrder } from '../settle-order';
import { keyText, type Key, type Standing } from './rows';

const NOT_SENT: NotSent = { kind: 'not_sent', reason: 'the journal could not be reached when the order came' };
const DOUBTS_MAX = 10_000;

export interface Doubts {
  note(intent: NewOrder): void;
  /** The order as it would stand if the opening that failed was written all the same. */
  noteWriting(standing: Standing): void;
  /** Rejects as the writing does; then what is left stays for the next time. */
  resolve(): Promise<void>;
}

export interface DoubtParts {
  readonly open: (intent: NewOrder, outcome: NotSent) => Promise<Opened>;
  readonly write: (key: Key, change: (order: Order, standing: Standing) => Order) => Promise<unknown>;
  readonly now: () => number;
}

interface Doubt {
  readonly intent: NewOrder;
  readonly standing: Standing | undefined;
}

export function createDoubts({ open, write, now }: DoubtParts): Doubts {
  const doubts = new Map<string, Doubt>();
  const set = (intent: NewOrder, standing: Standing | undefined): void => {
    const key = keyText(intent);
    // Beyond the bound an order stays as it is: not there, or as after a crash.
    if (doubts.size < DOUBTS_MAX || doubts.has(key)) doubts.set(key, { intent, standing: standing ?? doubts.get(key)?.standing });
  };
  const resolveOne = async ({ intent, standing }: Doubt): Promise<void> => {
    // Written first: an opening that is still on its way to the database then finds its id taken.
    const { kind } = await open(intent, NOT_SENT);
    if (kind === 'opened' || standing === undefined) return;
    await write(intent, (order, found) => (isThatAttempt(found, standing) ? settleOrder(order, NOT_SENT, now()) : order));
  };
  return {
    note: (intent) => set(intent, undefined),
    noteWriting: (standing) => set(standing.order, standing),
    async resolve() {
      await Promise.all(
        [...doubts].map(async ([key, doubt]) => {
          await resolveOne(doubt);
          if (doubts.get(key) === doubt) doubts.delete(key);
        }),
      );
    },
  };
}

/** Whether the order stands as that opening wrote it: who has found it since, and may send it, has written its lease, and told it pending. */
function isThatAttempt({ order, version, holder }: Standing, standing: Standing): boolean {
  const isSame = version === standing.version && holder === standing.holder;
  return isSame && order.number === standing.order.number && order.outcome === undefined;
}
