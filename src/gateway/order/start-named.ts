/**
 * Sales with an id of their own. Such a sale repeats an earlier order under another id if the words are the same and no script has heard of that
 * order: the mapping of that time did not read the field as an id. Orders from before a start or a change of the mapping are looked for once, at the
 * first sale of their key.
 */
import { createLru } from '../../domain/lru';
import type { NewOrder } from '../../domain/order';

export interface KnownWords {
  /** Reads the orders of a key from the journal that are open or of which no script has heard. */
  readonly look: (owner: string, windowMs: number) => Promise<unknown>;
  /** The request ids of known orders of the same key and words, the newest first. */
  readonly idsOf: (order: NewOrder, windowMs: number) => readonly string[];
  readonly isUnheard: (owner: string, requestId: string) => Promise<boolean>;
  readonly keep: (order: NewOrder, windowMs: number) => void;
}

type StartNamed = <T>(
  order: NewOrder,
  windowMs: number,
  start: (order: NewOrder, standing: 'new' | 'again' | 'repeat') => Promise<T>,
) => Promise<T>;

const OWNERS_MAX = 10_000;

export function createStartNamed({ look, idsOf, isUnheard, keep }: KnownWords): StartNamed {
  let looked = createLru<string, Promise<unknown> | 'over'>(OWNERS_MAX);
  let lookedUnder: string | undefined;

  const newestUnheard = async (order: NewOrder, windowMs: number): Promise<string | undefined> => {
    for (const requestId of idsOf(order, windowMs))
      if (requestId !== order.requestId && (await isUnheard(order.owner, requestId))) return requestId;
    return undefined;
  };

  /** The id of the order that this one repeats. No promise where there can be none, so that an ordinary sale starts at once. */
  const find = (order: NewOrder, windowMs: number): Promise<string | undefined> | undefined => {
    const { owner, trail } = order;
    if (trail?.mapping !== lookedUnder) [looked, lookedUnder] = [createLru(OWNERS_MAX), trail?.mapping];
    const [inUse, looking] = [looked, looked.get(owner) ?? look(owner, windowMs)];
    if (looking === 'over')
      return idsOf(order, windowMs).every((id) => id === order.requestId) ? undefined : newestUnheard(order, windowMs);
    inUse.set(owner, looking);
    return looking
      .then(
        () => inUse.set(owner, 'over'),
        () => inUse.delete(owner),
      )
      .then(() => newestUnheard(order, windowMs));
  };

  return (order, windowMs, start) => {
    const begin = (requestId?: string): ReturnType<typeof start> => {
      if (requestId !== undefined) return start({ ...order, requestId }, 'repeat');
      const isKnown = idsOf(order, windowMs).includes(order.requestId);
      keep(order, windowMs);
      return start(order, isKnown ? 'again' : 'new');
    };
    const finding = find(order, windowMs);
    return finding === undefined ? begin() : finding.then(begin);
  };
}
