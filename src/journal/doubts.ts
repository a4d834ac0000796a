/**
 * Orders that were refused while the journal could be neither written nor read. Nothing of them was sent, but their scripts were told
 * "pending", because the id of each could be that of an order which nobody could read. And of some it is open whether they were written.
 * (Decisions 0012, 0051.)
 */
import type { NewOrder, Order } from '../domain/order';
import type { NotSent } from '../domain/outcome';
import { type JournalEvent, keyText, type OrderKey } from './journal';
import type { KeepingJournal } from './kept-answers';

export const NOT_SENT: NotSent = { kind: 'not_sent', reason: 'the journal could not be reached when the order came' };

const ORDERS_MAX = 10_000;

export interface Doubts<Standing> {
  readonly count: number;
  /** `standing`: the order as it would stand if the opening that failed was written all the same. */
  note(intent: NewOrder, standing?: Standing): void;
  /** For an id that the journal does not know: the order as it will be written. */
  find(key: OrderKey): Order | undefined;
  /** Rejects as the writing does; then what is left stays for the next time. */
  resolve(): Promise<void>;
}

/** `end` writes the order as not sent, unless the journal knows its id. */
export function createDoubts<Standing>(
  end: (intent: NewOrder, standing: Standing | undefined) => Promise<unknown>,
): Doubts<Standing> {
  const doubts = new Map<string, { readonly intent: NewOrder; readonly standing: Standing | undefined }>();
  return {
    get count() {
      return doubts.size;
    },
    note(intent, standing) {
      const key = keyText(intent);
      // Beyond the bound an order stays as it is: not there, or as after a crash.
      if (doubts.size < ORDERS_MAX || doubts.has(key))
        doubts.set(key, { intent, standing: standing ?? doubts.get(key)?.standing });
    },
    find(key) {
      const intent = doubts.size === 0 ? undefined : doubts.get(keyText(key))?.intent;
      return intent && { ...intent, number: 0, tries: 1, outcome: NOT_SENT };
    },
    async resolve() {
      await Promise.all(
        [...doubts].map(async ([key, doubt]) => {
          await end(doubt.intent, doubt.standing);
          if (doubts.get(key) === doubt) doubts.delete(key);
        }),
      );
    },
  };
}

/** Once orders can be written again: what v1 said meanwhile, and what was refused. What fails now stays for the next time. */
export async function catchUp(
  journal: Pick<KeepingJournal, 'writeKept'>,
  doubts: Pick<Doubts<never>, 'resolve'>,
  onEvent: (event: JournalEvent) => void,
): Promise<void> {
  const orders = await journal.writeKept();
  if (orders > 0) onEvent({ kind: 'answers_written', orders });
  await doubts.resolve().catch(() => undefined);
}
