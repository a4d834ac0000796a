/** Orders as they are after each word about them, heard from outside: one wrapper around the journal, however many want to know. */
import type { Order } from '../domain/order';
import type { Journal } from '../journal/journal';

/** Hears of the order once it is on disk, and when the word about it came. */
export type SettledHearer = (order: Order, atMs: number) => void;

/** The same journal. What a hearer throws is told to `onTrouble`: what is on disk is not in doubt because of it. */
export function hearSettled(journal: Journal, hearers: readonly SettledHearer[], onTrouble: (error: unknown) => void): Journal {
  return {
    ...journal,
    async settle(owner, requestId, latest, atMs, tries) {
      const order = await journal.settle(owner, requestId, latest, atMs, tries);
      for (const hear of hearers)
        try {
          hear(order, atMs);
        } catch (error) {
          onTrouble(error);
        }
      return order;
    },
  };
}
