/** The orders that a request may repeat, in the memory of this process: by key and content, or by key and words. */
import { createLru } from '../../domain/lru';
import type { Clock } from '../../domain/clock';
import type { NewOrder, Order } from '../../domain/order';
import { isRefusal } from '../../domain/outcome';
import type { SentRequestId } from '../read/read-raw';

/** An order that may be repeated. */
export interface KeptRepeat extends Pick<NewOrder, 'requestId' | 'headerId'> {
  /** Hash of the mapping that read it. */
  readonly mapping?: string | undefined;
  /** The last look has found it in the journal as refused. It may have been sent again since. */
  readonly wasRefused?: true;
  /** How long ago it was opened. */
  readonly agoMs: number;
}

/** How many contents are remembered; beyond that the oldest are forgotten. */
const CONTENTS_MAX = 20_000;
/** How many orders of one content are remembered: the newest. A look finds the others within a second, in which v1 refuses another sale as identical. */
const KEPT_MAX = 8;
/** How many orders of which no script has heard are remembered, and how many of one content. Many customers of a shop may wait for the same PINs. */
const UNHEARD_MAX = 20_000;
const UNHEARD_OF_CONTENT_MAX = 500;

export interface Contents {
  of(content: string): readonly KeptRepeat[];
  /** Puts the order first among those of its content. */
  keep(content: string, kept: KeptRepeat, windowMs: number): void;
  /** As `keep`, unless the order is kept already as it is. */
  add(content: string, kept: KeptRepeat, windowMs: number): void;
  /** As `add`, for an order of which the journal says that no script has heard: the sales of all keys do not displace it. */
  addUnheard(content: string, kept: KeptRepeat, windowMs: number): void;
  /** What this content has, or gets, is not forgotten before the returned function is called, whatever other contents get meanwhile. */
  hold(content: string): () => void;
}

/**
 * Ages are counted by `clock.elapsed()`: if somebody sets the clock, a repeat must not become another sale. `onForgotten`: the table had no room for orders
 * of `addUnheard` that may still be repeated.
 */
export function createContents(
  clock: Pick<Clock, 'elapsed'>,
  { most = CONTENTS_MAX, onForgotten }: { readonly most?: number; readonly onForgotten?: (content: string) => void } = {},
): Contents {
  let longestMs = 0;
  const isYoung = ({ sinceMs }: Remembered): boolean => clock.elapsed() - sinceMs <= longestMs;
  const ordinary = createLru<string, readonly Remembered[]>(most);
  const unheard = createLru<string, readonly Remembered[]>(UNHEARD_MAX, {
    sizeOf: (orders) => orders.length,
    onForgotten: (content, orders) => orders.some(isYoung) && onForgotten?.(content),
  });
  const held = new Map<string, { holders: number; readonly orders: Map<string, Remembered> }>();
  const inTables = (content: string): readonly Remembered[] => {
    const [kept = NONE, found = NONE] = [ordinary.get(content), unheard.get(content)];
    return withOthers(kept, found);
  };
  const all = (content: string): readonly Remembered[] =>
    withOthers(inTables(content), [...(held.get(content)?.orders.values() ?? NONE)].reverse());
  const put = (into: typeof ordinary, content: string, one: Remembered, windowMs: number): void => {
    longestMs = Math.max(longestMs, windowMs);
    held.get(content)?.orders.set(one.requestId, one);
    // A look finds the same orders again each second: for each of them the list would be copied.
    if (into === unheard && unheard.get(content)?.includes(one) === true) return;
    const isOther = ({ requestId, sinceMs }: Remembered): boolean =>
      requestId !== one.requestId && clock.elapsed() - sinceMs <= windowMs;
    const orders = [one, ...(into.get(content)?.filter(isOther) ?? NONE)];
    const ofContentMax = into === unheard ? UNHEARD_OF_CONTENT_MAX : KEPT_MAX;
    into.set(content, orders.slice(0, ofContentMax));
    if (into === unheard && orders.length > ofContentMax) onForgotten?.(content);
    // The other table may have the order as it was before: refused, or sent again since.
    const other = into === unheard ? ordinary : unheard;
    const isSame = ({ requestId }: Remembered): boolean => requestId === one.requestId;
    const before = other.get(content);
    if (before?.some(isSame) === true)
      other.set(
        content,
        before.map((known) => (isSame(known) ? one : known)),
      );
  };
  const since = ({ agoMs, ...kept }: KeptRepeat): Remembered => ({ ...kept, sinceMs: clock.elapsed() - agoMs });
  const knownOf = (content: string, { requestId, wasRefused }: KeptRepeat): Remembered | undefined => {
    const isIt = (one: Remembered): boolean => one.requestId === requestId && one.wasRefused === wasRefused;
    return ordinary.get(content)?.find(isIt) ?? unheard.get(content)?.find(isIt);
  };
  return {
    of: (content) => all(content).map(({ sinceMs, ...one }) => ({ ...one, agoMs: clock.elapsed() - sinceMs })),
    keep: (content, kept, windowMs) => put(ordinary, content, since(kept), windowMs),
    add(content, kept, windowMs) {
      if (knownOf(content, kept) === undefined) put(ordinary, content, since(kept), windowMs);
    },
    addUnheard: (content, kept, windowMs) => put(unheard, content, knownOf(content, kept) ?? since(kept), windowMs),
    hold(content) {
      const holding = held.get(content) ?? { holders: 0, orders: byId(inTables(content)) };
      held.set(content, holding);
      holding.holders += 1;
      return () => {
        holding.holders -= 1;
        if (holding.holders === 0) held.delete(content);
      };
    },
  };
}

/** The first of each id; the first ones are the last of the map. */
function byId<One extends Pick<KeptRepeat, 'requestId'>>(orders: readonly One[]): Map<string, One> {
  const pairs = orders.map((one) => [one.requestId, one] as const);
  return new Map(pairs.reverse());
}

function withOthers(orders: readonly Remembered[], more: readonly Remembered[]): readonly Remembered[] {
  if (more.length === 0) return orders;
  const ids = new Set(orders.map(({ requestId }) => requestId));
  return [...orders, ...more.filter(({ requestId }) => !ids.has(requestId))];
}

/** Fewer sales are remembered by words and by header than by content, because these matter only where the repeat is refused or read anew. */
const WORDINGS_MAX = 5_000;
const OWNERS_MAX = 10_000;
/** How many sets are known of one key. Each pause of a caller makes a set, and each of them reads a request that is refused now. */
const SETS_MAX = 8;

/** The known orders of all keys. */
export interface KnownOrders {
  readonly contents: Contents;
  readonly wordings: Contents;
  /** By the id of a header that is not the order's own id. */
  readonly headers: Contents;
  /** Another number than before once a table had no room for an order of this key that no script has heard of. */
  readonly forgottenOf: (owner: string) => number;
  /** The hashes of the sets of mappings that have read an order of this key within the last `windowMs`. */
  readonly setsOf: (owner: string, windowMs: number) => readonly string[];
  readonly noteSet: (owner: string, mapping: string, agoMs: number) => void;
}

export function createKnownOrders(clock: Pick<Clock, 'elapsed'>): KnownOrders {
  const forgotten = createLru<string, number>(OWNERS_MAX);
  const sets = createLru<string, Map<string, number>>(OWNERS_MAX);
  let count = 0;
  const onForgotten = (name: string): void => void forgotten.set(ownerOf(name), (count += 1));
  const create = (most: number): Contents => createContents(clock, { most, onForgotten });
  return {
    contents: create(CONTENTS_MAX),
    wordings: create(WORDINGS_MAX),
    headers: create(WORDINGS_MAX),
    forgottenOf: (owner) => forgotten.get(owner) ?? 0,
    setsOf(owner, windowMs) {
      const isYoung = ([, atMs]: readonly [string, number]): boolean => clock.elapsed() - atMs <= windowMs;
      return [...(sets.get(owner) ?? NONE)].filter(isYoung).map(([mapping]) => mapping);
    },
    noteSet(owner, mapping, agoMs) {
      const ofKey = sets.get(owner) ?? new Map<string, number>();
      const lastMs = Math.max(clock.elapsed() - agoMs, ofKey.get(mapping) ?? -Infinity);
      // The one noted longest ago is forgotten, not the one known longest: a caller that is let go on brings back an earlier set.
      ofKey.delete(mapping);
      sets.set(owner, ofKey.set(mapping, lastMs));
      if (ofKey.size > SETS_MAX) ofKey.delete(ofKey.keys().next().value!);
    },
  };
}

/** The names by which the orders that a sale may repeat are found. */
interface SaleNames {
  readonly contentHash?: string | undefined;
  readonly wordsHash: string;
  readonly headerId?: string | undefined;
}

/** Nothing that is known under these names, or found, is forgotten before the returned function is called. */
export function holdNames(
  { contents, wordings, headers }: KnownOrders,
  owner: string,
  { contentHash, wordsHash, headerId }: SaleNames,
): () => void {
  const releases = [wordings.hold(keyOf(owner, wordsHash))];
  if (contentHash !== undefined) releases.push(contents.hold(keyOf(owner, contentHash)));
  if (headerId !== undefined) releases.push(headers.hold(keyOf(owner, headerId)));
  return () => {
    for (const release of releases) release();
  };
}

export function keepBy(
  how: Exclude<keyof Contents, 'of'>,
  { contents, wordings, headers, noteSet }: KnownOrders,
  order: NewOrder & Pick<Order, 'outcome'>,
  agoMs: number,
  windowMs: number,
): KeptRepeat {
  const kept = keptOf(order, agoMs);
  contents[how](keyOf(order.owner, order.contentHash), kept, windowMs);
  wordings[how](wordingOf(order), kept, windowMs);
  if (kept.mapping !== undefined) noteSet(order.owner, kept.mapping, agoMs);
  if (order.headerId !== undefined) headers[how](keyOf(order.owner, order.headerId), kept, windowMs);
  return kept;
}

const NONE: readonly never[] = [];

/** `sinceMs`: when the order was opened, by `clock.elapsed()`. */
type Remembered = Omit<KeptRepeat, 'agoMs'> & { readonly sinceMs: number };

function keptOf({ requestId, headerId, trail, outcome }: NewOrder & Pick<Order, 'outcome'>, agoMs: number): KeptRepeat {
  const kept = { requestId, mapping: trail?.mapping, agoMs, ...(isRefusal(outcome) && { wasRefused: true as const }) };
  return headerId === undefined ? kept : { ...kept, headerId };
}

/** The name of an order, a content, the words or a header of one key, in tables of all keys. */
export function keyOf(owner: string, idOrHash: string): string {
  return `${owner} ${idOrHash}`;
}

function ownerOf(name: string): string {
  return name.slice(0, name.indexOf(' '));
}

/** Key and words as one text. Records of earlier builds have no hash of their words: there it is the content. */
export function wordingOf({ owner, wordsHash, contentHash }: NewOrder): string {
  return keyOf(owner, wordsHash ?? contentHash);
}

export interface Repeatable extends KeptRepeat {
  readonly isByHeader?: boolean;
}

/**
 * The kept orders of the same content, then those of the same words only, then those that came under the same header only: their repeat may leave out
 * its id, and be read anew.
 */
export function repeatable(
  order: NewOrder,
  sent: SentRequestId | undefined,
  windowMs: number,
  { contents, wordings, headers }: KnownOrders,
): readonly Repeatable[] {
  const alike = contents.of(keyOf(order.owner, order.contentHash));
  const ofWords = wordings.of(wordingOf(order));
  const underHeader = sent === undefined ? [] : headers.of(keyOf(order.owner, sent.id));
  const all = [...alike, ...ofWords, ...underHeader.map((one) => ({ ...one, isByHeader: true }))];
  const firstOf = byId(all);
  return all.filter((one) => one.agoMs <= windowMs && firstOf.get(one.requestId) === one);
}
