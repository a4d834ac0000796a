/** Finds orders in the journal whose scripts may have heard nothing and that this process has not opened: another one did, or this one before a restart. */
import { createLru } from '../../domain/lru';
import { type Clock, CLOCKS_MS, pause, type Steadiness } from '../../domain/clock';
import { type Order, TOLD_PENDING } from '../../domain/order';
import type { Journal, OfOwner } from '../../journal/journal';
import { firstNumberAt } from '../../journal/order-life';
import { TELLING_MS, UNMARKED_MS, type ToldStore } from '../../journal/told-sales';
import { keepBy, keyOf, type KnownOrders } from './kept-repeats';

const OWNERS_MAX = 10_000;
/** The journal is looked through at most this often for one key. */
export const LOOK_EVERY_MS = 1_000;
/** The whole window is read once in this time. The other looks read only orders of the last two such spans. */
const LOOK_WHOLE_EVERY_MS = 60_000;
/** How many orders are read at once. */
const LOOK_PAGE = 500;
/** Of the newest orders of a key so many are read at most. */
const NEWEST_MAX = 10_000;

/** An order that another process has sold was opened at most so long before its end. */
const OPEN_MS = 30_000;
/** An earlier look has seen all orders that were opened this long before it: writing takes time, and clocks differ. */
const LATE_MARGIN_MS = CLOCKS_MS + 5_000;

/** The looks at the orders of one key. Times are by `clock.elapsed()`. */
interface Looks {
  /** When the last look began. */
  atMs: number;
  /** When the last successful look began. */
  readAtMs: number;
  /** When the last successful look at the whole window began. */
  wholeAtMs: number;
  /** When the last successful look began that had `isRefundedPending`. */
  newestAtMs: number;
  /** `forgottenOf` the key as the last successful look at the whole window began: if it is another one now, the tables lack what that look has found. */
  forgottenBefore: number;
  /** The same of the last successful look that added the newest orders of the whole window, ended or not. */
  forgottenBeforeNewest: number;
  /** Whether the last look had `isRefundedPending`. */
  isRefundedPending: boolean;
  reading: Promise<void>;
  isReading: boolean;
  /** A look that not all calls may share begins no earlier: the journal rests for as long as the last look took. */
  restsUntilMs: number;
  /** The look that begins after the present one, for all that wait for it. */
  next: (Wanted & { readonly reading: Promise<void> }) | undefined;
}

interface Wanted {
  windowMs: number;
  isRefundedPending: boolean;
}

const newLooks = (): Looks => ({
  atMs: -Infinity,
  readAtMs: -Infinity,
  wholeAtMs: -Infinity,
  newestAtMs: -Infinity,
  forgottenBefore: 0,
  forgottenBeforeNewest: 0,
  isRefundedPending: false,
  reading: Promise.resolve(),
  isReading: false,
  restsUntilMs: -Infinity,
  next: undefined,
});

export interface LookParts {
  readonly journal: Pick<Journal, 'listUnsettled' | 'listUntold' | 'listOfOwner'>;
  readonly clock: Clock;
  readonly steadiness: Pick<Steadiness, 'agoMs' | 'before' | 'steadyForMs'>;
  /** Undefined while no other process sells from the same journal. */
  readonly toldSales?: (() => ToldStore | undefined) | undefined;
  /** Within how many ms of its death the orders of another process may not be marked as untold; `UNMARKED_MS` unless given. */
  readonly unmarkedMs?: (() => number) | undefined;
}

/** `how` of a look. `isDue`: the look begins after the call, however lately the last one was. */
interface LookHow {
  readonly isDue?: boolean;
  /**
   * Scripts that refund what they heard as pending send a sale again that v1 may have sold since. The first such look of a key, of a clock that was set, and of
   * tables that had no room adds the newest orders of the whole window, ended or not; the others, where other processes sell, those since the look before.
   */
  readonly isRefundedPending?: boolean;
}

/**
 * The returned function adds the orders that it finds to those that are known. Calls within `LOOK_EVERY_MS` share one look, and its failure. Where the tables have
 * had no room for all orders of the key, the whole window is read, and only calls that came before that began share it.
 */
export function createLook(
  { journal, clock, steadiness, toldSales, unmarkedMs = () => UNMARKED_MS }: LookParts,
  known: KnownOrders,
): (owner: string, windowMs: number, how?: LookHow) => Promise<void> {
  const looks = createLru<string, Looks>(OWNERS_MAX);
  const readUnheard = createReading({ journal, clock, steadiness }, known);
  const isLossy = (owner: string, { forgottenBefore }: Looks): boolean => known.forgottenOf(owner) !== forgottenBefore;
  // A look by another clock may have left orders out.
  const byThisClock = (atMs: number): number => (atMs < clock.elapsed() - steadiness.steadyForMs() ? -Infinity : atMs);
  const lacksNewest = (owner: string, { newestAtMs, forgottenBeforeNewest }: Looks): boolean =>
    byThisClock(newestAtMs) === -Infinity || known.forgottenOf(owner) !== forgottenBeforeNewest;
  const begin = (owner: string, ofKey: Looks, wanted: Wanted): Promise<void> => {
    const atMs = clock.elapsed();
    const forgotten = known.forgottenOf(owner);
    const { windowMs, isRefundedPending } = wanted;
    const isFirst = byThisClock(ofKey.readAtMs) === -Infinity;
    const addsNewest = isRefundedPending && lacksNewest(owner, ofKey);
    const isWhole = isLossy(owner, ofKey) || atMs - byThisClock(ofKey.wholeAtMs) >= LOOK_WHOLE_EVERY_MS;
    const backMs = isWhole ? windowMs : Math.min(windowMs, 2 * LOOK_WHOLE_EVERY_MS);
    // Orders that were opened and sold between two looks were never in the list of open orders.
    const [sinceMs, longestMs] = isRefundedPending
      ? [ofKey.newestAtMs, windowMs]
      : [ofKey.readAtMs, TELLING_MS + unmarkedMs() + OPEN_MS];
    const lateMs = toldSales?.() === undefined ? undefined : Math.min(longestMs, atMs - byThisClock(sinceMs) + LATE_MARGIN_MS);
    const reading = readUnheard(owner, backMs, windowMs, { newestMs: addsNewest ? windowMs : lateMs, isFirst })
      .then(() => {
        ofKey.readAtMs = atMs;
        if (isWhole) [ofKey.wholeAtMs, ofKey.forgottenBefore] = [atMs, forgotten];
        if (isRefundedPending) ofKey.newestAtMs = atMs;
        if (addsNewest) ofKey.forgottenBeforeNewest = forgotten;
      })
      .finally(() => {
        if (ofKey.reading === reading) ofKey.isReading = false;
        ofKey.restsUntilMs = 2 * clock.elapsed() - atMs;
      });
    Object.assign(ofKey, { atMs, reading, isReading: true, isRefundedPending });
    return reading;
  };
  const beginNext = async (owner: string, ofKey: Looks, atMs: number): Promise<void> => {
    await ofKey.reading.catch(() => undefined);
    const waitMs = Math.max(atMs, ofKey.restsUntilMs) - clock.elapsed();
    if (waitMs > 0) await pause(clock, waitMs);
    const { next } = ofKey;
    ofKey.next = undefined;
    return begin(owner, ofKey, next!);
  };
  return (owner, windowMs, { isDue = false, isRefundedPending = false } = {}) => {
    const ofKey = looks.get(owner) ?? newLooks();
    looks.set(owner, ofKey);
    const nextAtMs = byThisClock(ofKey.atMs) + LOOK_EVERY_MS;
    const isSoon = clock.elapsed() < nextAtMs;
    const isAlone = isDue || isLossy(owner, ofKey);
    const wanted = { windowMs, isRefundedPending };
    const isShared = !isRefundedPending || (ofKey.isRefundedPending && (ofKey.isReading || !lacksNewest(owner, ofKey)));
    if (isSoon && !isAlone && isShared) return ofKey.reading;
    const isBusy = ofKey.isReading || clock.elapsed() < ofKey.restsUntilMs;
    if (!isAlone || !(isBusy || (isSoon && !isDue))) return begin(owner, ofKey, wanted);
    ofKey.next ??= { ...wanted, reading: beginNext(owner, ofKey, isDue ? -Infinity : nextAtMs) };
    ofKey.next.windowMs = Math.max(ofKey.next.windowMs, windowMs);
    ofKey.next.isRefundedPending ||= isRefundedPending;
    return ofKey.next.reading;
  };
}

/**
 * Gives the function that reads the orders of a key that were opened within `backMs` and have no end, or one that no script has heard; and the newest ones
 * within `newestMs`, whatever became of them. It rejects where one of them is a record that this build cannot read: it may be the repeated one. The stores
 * know the time of such a record, so it refuses sales no longer than it may be repeated.
 */
function createReading({ journal, clock, steadiness }: LookParts, known: KnownOrders) {
  const addBy = (add: 'add' | 'addUnheard', order: Order, windowMs: number): void =>
    void keepBy(add, known, order, steadiness.agoMs(order.openedAtMs), windowMs);
  const addAll = async (
    list: 'listUnsettled' | 'listUntold',
    owner: string,
    beginMs: number,
    windowMs: number,
  ): Promise<void> => {
    let fromMs = beginMs;
    let isMore = true;
    while (isMore) {
      // Requests of other keys come in between: an embedded journal reads without waiting.
      if (fromMs > beginMs) await pause(clock, 0);
      const orders = await journal[list]({ owner, fromMs, limit: LOOK_PAGE });
      for (const order of orders) addBy('addUnheard', order, windowMs);
      const nextMs = orders.at(-1)?.openedAtMs ?? fromMs;
      // A full page may come back shorter: orders that have ended in the meantime are left out.
      isMore = orders.length > LOOK_PAGE / 2 && nextMs > fromMs;
      fromMs = nextMs;
    }
  };
  const addNewest = async (owner: string, backMs: number, windowMs: number): Promise<void> => {
    const range = { owner, fromMs: Math.max(0, steadiness.before(backMs)) };
    // A look at the whole window is for orders that the tables may have forgotten behind known ones.
    const isKnown = ({ requestId, contentHash }: Order): boolean =>
      backMs < windowMs && known.contents.of(keyOf(owner, contentHash)).some((one) => one.requestId === requestId);
    const newest = await newestOf(range, clock.now() + CLOCKS_MS, journal, isKnown);
    // The newest are added last, so that a full table keeps them: they are the likeliest to be repeated.
    for (const [nth, order] of newest.reverse().entries()) {
      if (nth % LOOK_PAGE === LOOK_PAGE - 1) await new Promise(setImmediate);
      addBy(order.toldAtMs === TOLD_PENDING ? 'addUnheard' : 'add', order, windowMs);
    }
  };
  /** A record that this build cannot read could not be marked as untold after the death of its process. The others have been heard, and are not kept. */
  const readAll = async (owner: string, fromMs: number): Promise<void> => {
    const orders = journal.listOfOwner({ owner, fromMs, limit: Infinity })[Symbol.asyncIterator]();
    while ((await orders.next()).done !== true);
  };
  return async (
    owner: string,
    backMs: number,
    windowMs: number,
    { newestMs, isFirst }: { readonly newestMs: number | undefined; readonly isFirst: boolean },
  ): Promise<void> => {
    const fromMs = Math.max(0, steadiness.before(backMs));
    await Promise.all([
      isFirst && newestMs !== windowMs ? readAll(owner, fromMs) : undefined,
      addAll('listUnsettled', owner, fromMs, windowMs),
      addAll('listUntold', owner, fromMs, windowMs),
      newestMs === undefined ? undefined : addNewest(owner, newestMs, windowMs),
    ]);
  };
}

/**
 * The newest orders of this range. Those that were opened while the clock was ahead stay the newest until that time comes: behind them come the newest
 * ones that were opened until `presentMs`, which are first here. Reading ends behind a page of orders for which `isKnown`.
 */
async function newestOf(
  range: Pick<OfOwner, 'owner' | 'fromMs'>,
  presentMs: number,
  journal: LookParts['journal'],
  isKnown: (order: Order) => boolean,
): Promise<Order[]> {
  const read = async (page: Pick<OfOwner, 'beforeNumber'>): Promise<Order[]> => {
    const found: Order[] = [];
    let knownInARow = 0;
    const newest = { ...range, ...page, newestFirst: true, limit: NEWEST_MAX };
    for await (const order of journal.listOfOwner(newest)) {
      found.push(order);
      knownInARow = isKnown(order) ? knownInARow + 1 : 0;
      if (knownInARow === LOOK_PAGE) break;
    }
    return found;
  };
  const late = await read({});
  const beforeNumber = firstNumberAt(presentMs);
  return (late[0]?.number ?? 0) < beforeNumber ? late : [...(await read({ beforeNumber })), ...late];
}
