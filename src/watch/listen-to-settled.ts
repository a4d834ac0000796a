/** Calls listeners with each order that was settled. One wrapper around the journal serves all listeners. */
import type { Order } from '../domain/order';
import type { Journal } from '../journal/journal';

/** Called once the outcome is on disk, with the time of the settling (ms since the epoch). */
export type SettledListener = (order: Order, atMs: number) => void;

/** Returns the journal with the listeners around it. An error of a listener goes to `onTrouble` and changes nothing: the order is on disk. */
export function listenToSettled(
  journal: Journal,
  listeners: readonly SettledListener[],
  onTrouble: (error: unknown) => void,
): Journal {
  // Not in `settle` itself: a loop there would make its state larger, which is kept while the journal writes.
  const report = (order: Order, atMs: number): void => {
    for (const listen of listeners)
      try {
        listen(order, atMs);
      } catch (error) {
        onTrouble(error);
      }
  };
  return {
    ...journal,
    async settle(...settling) {
      const order = await journal.settle(...settling);
      report(order, settling[3]);
      return order;
    },
  };
}
