/** Finds orders in the journal whose scripts may have heard nothing and that this process has not opened: another one did, or this one before a restart. */
import { createLru } from '../../domain/lru';
import { type Clock, CLOCKS_MS, type Steadiness } from '../../domain/clock';
import type { Order } from '../../domain/order';
import type { Journal, OfOwner } from '../../journal/journal';
import { firstNumberAt } from '../../journal/order-life';
import { TELLING_MS, UNMARKED_MS, type ToldStore } from '../../journal/told-sales';
import { keepBy, type KnownOrders } from './kept-repeats';

const OWNERS_MAX = 10_000;
/** The journal is looked through at most this often for one key. */
export const LOOK_EVERY_MS = 1_000;
/** The whole window is read once in this time. The other looks read only orders of the last two such spans. */
const LOOK_WHOLE_EVERY_MS = 60_000;
/** How many orders are read at once. */
const LOOK_PAGE = 500;

/** An order that another process has sold was opened at most so long before its end. */
const OPEN_MS = 30_000;
/** An earlier look has seen all orders that were opened this long before it: writing takes time, and clocks differ. */
const LATE_MARGIN_MS = CLOCKS_MS + 5_000;

/** One look at the orders of a key. Times are by `clock.elapsed()`. */
interface Look {
  readonly atMs: number;
  /** When the last successful look began. */
  readonly readAtMs: number;
  /** When the last successful look at the whole window began. */
  readonly wholeAtMs: number;
  readonly reading: Promise<void>;
}
const NO_LOOK: Look = { atMs: -Infinity, readAtMs: -Infinity, wholeAtMs: -Infinity, reading: Promise.resolve() };

export interface LookParts {
  readonly journal: Pick<Journal, 'listUnsettled' | 'listUntold' | 'listOfOwner'>;
  readonly clock: Clock;
  readonly steadiness: Pick<Steadiness, 'agoMs' | 'before' | 'steadyForMs'>;
  /** Undefined while no other process sells from the same journal. */
  readonly toldSales?: (() => ToldStore | undefined) | undefined;
  /** Within how many ms of its death the orders of another process may not be marked as untold; `UNMARKED_MS` unless given. */
  readonly unmarkedMs?: (() => number) | undefined;
}

/**
 * The returned function adds the orders that it finds to those that are known. Calls within `LOOK_EVERY_MS` share one look, and its failure,
 * unless one `isDue` at once. `isRefundedPending`: the first such look of a key, and of a clock that was set, adds its newest orders of the whole window, ended or not, because its
 * scripts refund what they heard as pending, and v1 may have sold it since.
 */
export function createLook(
  { journal, clock, steadiness, toldSales, unmarkedMs = () => UNMARKED_MS }: LookParts,
  known: KnownOrders,
): (owner: string, windowMs: number, how?: { readonly isDue?: boolean; readonly isRefundedPending?: boolean }) => Promise<void> {
  const looks = createLru<string, Look>(OWNERS_MAX);
  const newestAtMs = createLru<string, number>(OWNERS_MAX);
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
      const orders = await journal[list]({ owner, fromMs, limit: LOOK_PAGE, onUnreadable: () => undefined });
      for (const order of orders) addBy('addUnheard', order, windowMs);
      const nextMs = orders.at(-1)?.openedAtMs ?? fromMs;
      // A full page may come back shorter: orders that have ended in the meantime are left out.
      isMore = orders.length > LOOK_PAGE / 2 && nextMs > fromMs;
      fromMs = nextMs;
    }
  };
  const addNewest = async (owner: string, backMs: number, windowMs: number): Promise<void> => {
    const range = { owner, fromMs: Math.max(0, steadiness.before(backMs)) };
    const newest = await newestOf(range, clock.now() + CLOCKS_MS, journal);
    // The newest are added last, so that a full table keeps them: they are the likeliest to be repeated.
    for (const order of newest.reverse()) addBy('add', order, windowMs);
  };
  const readUnheard = async (owner: string, backMs: number, windowMs: number, newestMs: number | undefined): Promise<void> => {
    const fromMs = Math.max(0, steadiness.before(backMs));
    await Promise.all([
      addAll('listUnsettled', owner, fromMs, windowMs),
      addAll('listUntold', owner, fromMs, windowMs),
      newestMs === undefined ? undefined : addNewest(owner, newestMs, windowMs),
    ]);
  };
  return (owner, windowMs, { isDue = false, isRefundedPending = false } = {}) => {
    const atMs = clock.elapsed();
    const { atMs: lastMs, readAtMs, wholeAtMs, reading } = looks.get(owner) ?? NO_LOOK;
    // A look by another clock may have left orders out.
    const byThisClock = (readMs = -Infinity): number => (readMs < atMs - steadiness.steadyForMs() ? -Infinity : readMs);
    const isOfNewest = isRefundedPending && byThisClock(newestAtMs.get(owner)) === -Infinity;
    if (!isDue && !isOfNewest && atMs - byThisClock(lastMs) < LOOK_EVERY_MS) return reading;
    const isWhole = atMs - byThisClock(wholeAtMs) >= LOOK_WHOLE_EVERY_MS;
    const backMs = isWhole ? windowMs : Math.min(windowMs, 2 * LOOK_WHOLE_EVERY_MS);
    // Orders that were opened and sold between two looks were never in the list of open orders.
    const longestMs = TELLING_MS + unmarkedMs() + OPEN_MS;
    const lateMs = toldSales?.() === undefined ? undefined : Math.min(longestMs, atMs - byThisClock(readAtMs) + LATE_MARGIN_MS);
    const now: Look = {
      atMs,
      readAtMs,
      wholeAtMs,
      reading: readUnheard(owner, backMs, windowMs, isOfNewest ? windowMs : lateMs),
    };
    looks.set(owner, now);
    now.reading.then(
      () => {
        const latest = looks.get(owner) ?? now;
        looks.set(owner, { ...latest, readAtMs: atMs, wholeAtMs: isWhole ? atMs : latest.wholeAtMs });
        if (isOfNewest) newestAtMs.set(owner, atMs);
      },
      () => undefined,
    );
    return now.reading;
  };
}

/**
 * The newest orders of this range. Those that were opened while the clock was ahead stay the newest until that time comes: behind them come the newest
 * ones that were opened until `presentMs`, which are first here.
 */
async function newestOf(
  range: Pick<OfOwner, 'owner' | 'fromMs'>,
  presentMs: number,
  journal: LookParts['journal'],
): Promise<Order[]> {
  const read = async (page: Pick<OfOwner, 'beforeNumber'>): Promise<Order[]> => {
    const found: Order[] = [];
    const newest = { ...range, ...page, newestFirst: true, limit: LOOK_PAGE, onUnreadable: () => undefined };
    for await (const order of journal.listOfOwner(newest)) found.push(order);
    return found;
  };
  const late = await read({});
  const beforeNumber = firstNumberAt(presentMs);
  return (late[0]?.number ?? 0) < beforeNumber ? late : [...(await read({ beforeNumber })), ...late];
}
