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

  const newestUnheard = async ({ owner, requestId }: NewOrder, ids: readonly string[]): Promise<string | undefined> => {
    for (const id of ids) if (id !== requestId && (await isUnheard(owner, id))) return id;
    return undefined;
  };

  /** Undefined where the journal has been searched for this key. */
  const search = ({ owner, trail }: NewOrder, windowMs: number): Promise<unknown> | undefined => {
    if (trail?.mapping !== lookedUnder) [looked, lookedUnder] = [createLru(OWNERS_MAX), trail?.mapping];
    const [inUse, looking] = [looked, looked.get(owner) ?? look(owner, windowMs)];
    if (looking === 'over') return undefined;
    inUse.set(owner, looking);
    return looking.then(
      () => inUse.set(owner, 'over'),
      () => inUse.delete(owner),
    );
  };

  return (order, windowMs, start) => {
    const begin = (ids: readonly string[], repeated?: string): ReturnType<typeof start> => {
      if (repeated !== undefined) return start({ ...order, requestId: repeated }, 'repeat');
      keep(order, windowMs);
      return start(order, ids.includes(order.requestId) ? 'again' : 'new');
    };
    // No promise where there can be no repeat, so that an ordinary sale starts at once.
    const choose = (ids: readonly string[]): ReturnType<typeof start> =>
      ids.every((id) => id === order.requestId)
        ? begin(ids)
        : newestUnheard(order, ids).then((repeated) => begin(idsOf(order, windowMs), repeated));
    const searching = search(order, windowMs);
    if (searching === undefined) return choose(idsOf(order, windowMs));
    return searching.then(() => choose(idsOf(order, windowMs)));
  };
}
