/**
 * Sales with an id of their own. Such a sale repeats an earlier order under another id if the words are the same and no script has heard of that
 * order: the mapping of that time did not read the field as an id. Orders from before a start or a change of the mapping are looked for once, at the
 * first sale of their key; where other processes sell too, at each sale for one window, because they may have the earlier mapping for a while.
 */
import type { Clock } from '../../domain/clock';
import { createLru } from '../../domain/lru';
import type { NewOrder } from '../../domain/order';
import { UNREAD } from './read-earlier';

export interface KnownWords {
  /** Reads the orders of a key from the journal that are open or of which no script has heard. */
  readonly look: (owner: string, windowMs: number) => Promise<unknown>;
  /** The request ids of known orders of the same key and words, the newest first. */
  readonly idsOf: (order: NewOrder, windowMs: number) => readonly string[];
  /** Whether an order of the same words or content is known under the order's own id, and was not refused when a look found it. */
  readonly hasCome: (order: NewOrder, windowMs: number) => boolean;
  /** Whether the order under this id is repeated: no script has heard of it, or its own id is in the words. */
  readonly isRepeated: (order: NewOrder, requestId: string) => Promise<boolean | typeof UNREAD>;
  /** Whether no other process sells from the same journal. */
  readonly isAlone: () => boolean;
  readonly clock: Pick<Clock, 'elapsed'>;
}

const OWNERS_MAX = 10_000;

interface NamedSale {
  /** With the id of the order that it repeats, if there is one. */
  readonly order: NewOrder;
  readonly repeatKind: 'first' | 'again' | 'joined' | typeof UNREAD;
}

type FindNamed = (order: NewOrder, windowMs: number) => Promise<NamedSale>;

export function createNamedRepeats({ look, idsOf, hasCome, isRepeated, isAlone, clock }: KnownWords): FindNamed {
  let looked = createLru<string, Promise<unknown> | 'over'>(OWNERS_MAX);
  let lookedUnder: string | undefined;
  let sinceMs = 0;

  const repeating = async (order: NewOrder, ids: readonly string[]): Promise<NamedSale | undefined> => {
    let unread: NamedSale | undefined;
    for (const id of ids) {
      const isIt = id !== order.requestId && (await isRepeated(order, id));
      if (isIt === true) return { order: { ...order, requestId: id }, repeatKind: 'joined' };
      if (isIt === UNREAD) unread = { order, repeatKind: UNREAD };
    }
    return unread;
  };

  /** Undefined where the journal has been searched for this key. */
  const search = ({ owner, trail }: NewOrder, windowMs: number): Promise<unknown> | undefined => {
    if (trail?.mapping !== lookedUnder) [looked, lookedUnder, sinceMs] = [createLru(OWNERS_MAX), trail?.mapping, clock.elapsed()];
    const [inUse, looking] = [looked, looked.get(owner) ?? look(owner, windowMs)];
    if (looking === 'over') return undefined;
    inUse.set(owner, looking);
    const isLast = isAlone() || clock.elapsed() - sinceMs > windowMs;
    return looking.then(
      () => (isLast ? inUse.set(owner, 'over') : inUse.delete(owner)),
      () => inUse.delete(owner),
    );
  };

  return async (order, windowMs) => {
    const searching = search(order, windowMs);
    if (searching !== undefined) await searching;
    const repeated = await repeating(order, idsOf(order, windowMs));
    if (repeated !== undefined) return repeated;
    return { order, repeatKind: hasCome(order, windowMs) ? 'again' : 'first' };
  };
}
