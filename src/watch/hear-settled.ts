/** Calls hearers with each order that was settled. One wrapper around the journal serves all hearers. */
import type { Order } from '../domain/order';
import type { Journal } from '../journal/journal';

/** Called once the outcome is on disk, with the time of the settling (ms since the epoch). */
export type SettledHearer = (order: Order, atMs: number) => void;

/** Returns the journal with the hearers around it. An error of a hearer goes to `onTrouble` and changes nothing: the order is on disk. */
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
