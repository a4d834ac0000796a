/** Orders of which their scripts may have heard nothing, and that this process has not opened itself: of others, or from before a restart. */
import { createLru } from '../../domain/lru';
import type { Clock } from '../../domain/clock';
import type { Order } from '../../domain/order';
import type { Journal } from '../../journal/journal';
import { CLOCKS_MS, type ToldStore } from '../../journal/told-sales';
import { type Contents, keptOf, keyOf, wordingOf } from './kept-repeats';

const OWNERS_MAX = 10_000;
/** What other processes have opened, or this one before a restart, is looked for no more often than this. */
const LOOK_EVERY_MS = 1_000;
/** All such orders in the window are looked through as seldom as this, and each time those of the last two such spans. */
const LOOK_WHOLE_EVERY_MS = 60_000;
/** Orders that are read at once. */
const LOOK_PAGE = 500;

/** Orders that were opened so lately are looked through for those that a neighbour sold and has told nobody. */
const LATE_MS = 60_000;
/** An earlier look has seen what was opened so long before it: it takes time to be written, and clocks differ. */
const LATE_MARGIN_MS = CLOCKS_MS + 5_000;

/** One look at the orders of a key. Times are those of the clock that nobody can set. */
interface Look {
  readonly atMs: number;
  /** When the last look began that succeeded. */
  readonly readAtMs: number;
  /** When the last one began that succeeded and went through the whole window. */
  readonly wholeAtMs: number;
  readonly reading: Promise<void>;
}
const NO_LOOK: Look = { atMs: -Infinity, readAtMs: -Infinity, wholeAtMs: -Infinity, reading: Promise.resolve() };

export interface LookParts {
  readonly journal: Pick<Journal, 'listUnsettled' | 'listUntold' | 'listOfOwner'>;
  readonly clock: Clock;
  /** Where several processes sell from one journal. */
  readonly told?: ToldStore | undefined;
}

/** Takes in what other processes have opened, or this one before a restart. Whoever asks within the same moment has the same look, and its failure. */
export function createLook(
  { journal, clock, told }: LookParts,
  { contents, wordings }: { readonly contents: Contents; readonly wordings: Contents },
): (owner: string, windowMs: number) => Promise<void> {
  const looks = createLru<string, Look>(OWNERS_MAX);
  const add = (order: Order, windowMs: number): void => {
    contents.add(keyOf(order.owner, order.contentHash), keptOf(order), windowMs);
    wordings.add(wordingOf(order), keptOf(order), windowMs);
  };
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
      for (const order of orders) add(order, windowMs);
      const nextMs = orders.at(-1)?.openedAtMs ?? fromMs;
      // Of those that were read some may have ended before they were given.
      isMore = orders.length > LOOK_PAGE / 2 && nextMs > fromMs;
      fromMs = nextMs;
    }
  };
  /** Sold between two looks, and never seen open here. */
  const addLate = async (owner: string, sinceMs: number, windowMs: number): Promise<void> => {
    const backMs = Math.min(LATE_MS, sinceMs + LATE_MARGIN_MS);
    const span = { fromMs: Math.max(0, clock.now() - backMs), newestFirst: true, limit: LOOK_PAGE };
    for await (const order of journal.listOfOwner({ owner, ...span, onUnreadable: () => undefined })) add(order, windowMs);
  };
  const readUnheard = async (owner: string, sinceMs: number, backMs: number, windowMs: number): Promise<void> => {
    const fromMs = Math.max(0, clock.now() - backMs);
    await Promise.all([
      addAll('listUnsettled', owner, fromMs, windowMs),
      addAll('listUntold', owner, fromMs, windowMs),
      told === undefined ? undefined : addLate(owner, sinceMs, windowMs),
    ]);
  };
  return (owner, windowMs) => {
    const atMs = clock.elapsed();
    const { atMs: lastMs, readAtMs, wholeAtMs, reading } = looks.get(owner) ?? NO_LOOK;
    if (atMs - lastMs < LOOK_EVERY_MS) return reading;
    const isWhole = atMs - wholeAtMs >= LOOK_WHOLE_EVERY_MS;
    const backMs = isWhole ? windowMs : Math.min(windowMs, 2 * LOOK_WHOLE_EVERY_MS);
    const now: Look = { atMs, readAtMs, wholeAtMs, reading: readUnheard(owner, atMs - readAtMs, backMs, windowMs) };
    looks.set(owner, now);
    now.reading.then(
      () => {
        const latest = looks.get(owner) ?? now;
        looks.set(owner, { ...latest, readAtMs: atMs, wholeAtMs: isWhole ? atMs : latest.wholeAtMs });
      },
      () => undefined,
    );
    return now.reading;
  };
}
