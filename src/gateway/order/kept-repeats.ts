/** The orders that a request may repeat, in the memory of this process: by key and content, or by key and words. */
import { createLru } from '../../domain/lru';
import type { Clock } from '../../domain/clock';
import type { NewOrder } from '../../domain/order';

/** An order that may be repeated. */
export interface KeptRepeat extends Pick<NewOrder, 'requestId' | 'headerId'> {
  /** How long ago it was opened. */
  readonly agoMs: number;
}

/** How many contents are remembered; beyond that the oldest are forgotten. */
const CONTENTS_MAX = 20_000;
/** How many orders of one content are remembered: the newest. */
const KEPT_MAX = 8;

export interface Contents {
  of(content: string): readonly KeptRepeat[];
  /** Puts the order first among those of its content. */
  keep(content: string, kept: KeptRepeat, windowMs: number): void;
  /** As `keep`, unless the order is kept already. */
  add(content: string, kept: KeptRepeat, windowMs: number): void;
  /** As `add`, for an order of which the journal says that no script has heard: the sales of all keys do not displace it. */
  addUnheard(content: string, kept: KeptRepeat, windowMs: number): void;
}

/** Ages are counted by `clock.elapsed()`: if somebody sets the clock, a repeat must not become another sale. */
export function createContents(clock: Pick<Clock, 'elapsed'>, most = CONTENTS_MAX): Contents {
  const [ordinary, unheard] = [createLru<string, readonly Remembered[]>(most), createLru<string, readonly Remembered[]>(most)];
  const of: Contents['of'] = (content) => {
    const [kept = NONE, found = NONE] = [ordinary.get(content), unheard.get(content)];
    if (kept === NONE && found === NONE) return NONE;
    const others = found.filter((one) => !kept.some(({ requestId }) => requestId === one.requestId));
    return [...kept, ...others].map(({ sinceMs, ...one }) => ({ ...one, agoMs: clock.elapsed() - sinceMs }));
  };
  const knownOf = (content: string, { requestId }: KeptRepeat) => of(content).find((one) => one.requestId === requestId);
  const put = (into: typeof ordinary, content: string, one: KeptRepeat, windowMs: number): void => {
    const { requestId, headerId, agoMs } = one;
    const elapsedMs = clock.elapsed();
    const sinceMs = elapsedMs - agoMs;
    const kept = headerId === undefined ? { requestId, sinceMs } : { requestId, headerId, sinceMs };
    const others = into.get(content)?.filter((other) => other.requestId !== requestId && elapsedMs - other.sinceMs <= windowMs);
    into.set(content, others === undefined ? [kept] : [kept, ...others].slice(0, KEPT_MAX));
  };
  return {
    of,
    keep: (content, kept, windowMs) => put(ordinary, content, kept, windowMs),
    add(content, kept, windowMs) {
      if (knownOf(content, kept) === undefined) put(ordinary, content, kept, windowMs);
    },
    addUnheard: (content, kept, windowMs) => put(unheard, content, knownOf(content, kept) ?? kept, windowMs),
  };
}

/** Fewer orders are remembered by words and by header than by content, because these matter only where the repeat is refused or read anew. */
const WORDINGS_MAX = 5_000;

/** The known orders of all keys. */
export interface KnownOrders {
  readonly contents: Contents;
  readonly wordings: Contents;
  /** By the id of a header that is not the order's own id. */
  readonly headers: Contents;
}

export function createKnownOrders(clock: Pick<Clock, 'elapsed'>): KnownOrders {
  const [wordings, headers] = [createContents(clock, WORDINGS_MAX), createContents(clock, WORDINGS_MAX)];
  return { contents: createContents(clock), wordings, headers };
}

export function keepBy(
  how: Exclude<keyof Contents, 'of'>,
  { contents, wordings, headers }: KnownOrders,
  order: NewOrder,
  agoMs: number,
  windowMs: number,
): KeptRepeat {
  const kept = keptOf(order, agoMs);
  contents[how](keyOf(order.owner, order.contentHash), kept, windowMs);
  wordings[how](wordingOf(order), kept, windowMs);
  if (order.headerId !== undefined) headers[how](keyOf(order.owner, order.headerId), kept, windowMs);
  return kept;
}

const NONE: readonly never[] = [];

/** `sinceMs`: when the order was opened, by `clock.elapsed()`. */
type Remembered = Omit<KeptRepeat, 'agoMs'> & { readonly sinceMs: number };

function keptOf({ requestId, headerId }: NewOrder, agoMs: number): KeptRepeat {
  return headerId === undefined ? { requestId, agoMs } : { requestId, headerId, agoMs };
}

/** The name of an order, a content, the words or a header of one key, in tables of all keys. */
export function keyOf(owner: string, idOrHash: string): string {
  return `${owner} ${idOrHash}`;
}

/** Key and words as one text. Records of earlier builds have no hash of their words: there it is the content. */
export function wordingOf({ owner, wordsHash, contentHash }: NewOrder): string {
  return keyOf(owner, wordsHash ?? contentHash);
}
