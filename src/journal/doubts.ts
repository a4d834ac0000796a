/**
 * Orders that came while the journal could be neither written nor read. Nothing was sent for them, but their scripts were told
 * "pending", because the journal could have an order with the same id. For some it is unknown whether their opening was written.
 * (Decisions 0012, 0051.)
 */
import type { NewOrder, Order } from '../domain/order';
import type { NotSent } from '../domain/outcome';
import { type JournalEvent, keyText, type OrderKey } from './journal';
import type { KeepingJournal } from './kept-answers';

export const NOT_SENT: NotSent = { kind: 'not_sent', reason: 'the journal could not be reached when the order came' };

/** Of 250 sales a second for more than three minutes, in some 50 MB. */
const ORDERS_MAX = 50_000;
/** Sales beside them wait for so many writes at most. */
const WRITTEN_AT_ONCE = 1_000;

export interface Doubts<Standing> {
  readonly count: number;
  /** `standing`: the order as it is in the journal if its opening was written although it seemed to fail. */
  note(intent: NewOrder, standing?: Standing): void;
  /** The order as it will be written, without the time; to be asked for an id that the journal does not have. */
  find(key: OrderKey): Order | undefined;
  /** Writes all noted orders. Rejects when a write does; orders not written stay for the next call. */
  resolve(): Promise<void>;
}

/**
 * How a doubted order ends, and when: as that is written, not when the order came. The same order may have come to another process in between; of the two
 * requests one would hear a failure, and the other would be sold.
 */
export interface Ended {
  readonly outcome: NotSent;
  readonly atMs: number;
}

/** `end` writes the order with its end, unless the journal has its id already. `now`: in ms since the epoch. */
export function createDoubts<Standing>(
  now: () => number,
  end: (intent: NewOrder, ended: Ended, standing: Standing | undefined) => Promise<unknown>,
  ordersMax = ORDERS_MAX,
): Doubts<Standing> {
  const doubts = new Map<string, { readonly intent: NewOrder; readonly standing: Standing | undefined }>();
  return {
    get count() {
      return doubts.size;
    },
    note(intent, standing) {
      const key = keyText(intent);
      // Beyond the bound an order is not noted: the journal then has none, or an open attempt as after a crash.
      if (doubts.size < ordersMax || doubts.has(key))
        doubts.set(key, { intent, standing: standing ?? doubts.get(key)?.standing });
    },
    find(key) {
      const intent = doubts.size === 0 ? undefined : doubts.get(keyText(key))?.intent;
      return intent && { ...intent, number: 0, attempts: 1, outcome: NOT_SENT };
    },
    async resolve() {
      const noted = [...doubts];
      const endOne = async ([key, doubt]: (typeof noted)[number]): Promise<void> => {
        await end(doubt.intent, { outcome: NOT_SENT, atMs: now() }, doubt.standing);
        if (doubts.get(key) === doubt) doubts.delete(key);
      };
      const failures: unknown[] = [];
      for (let from = 0; from < noted.length; from += WRITTEN_AT_ONCE) {
        const ended = noted
          .slice(from, from + WRITTEN_AT_ONCE)
          .map((one) => endOne(one).catch((error: unknown) => failures.push(error)));
        await Promise.all(ended);
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** To be called when orders can be written again: writes v1's kept answers and the doubts. Writes that fail are left for the next time. */
export async function catchUp(
  journal: Pick<KeepingJournal, 'writeKept'>,
  doubts: Pick<Doubts<never>, 'resolve'>,
  onEvent: (event: JournalEvent) => void,
): Promise<void> {
  const orders = await journal.writeKept();
  if (orders > 0) onEvent({ kind: 'answers_written', orders });
  await doubts.resolve().catch(() => undefined);
}
