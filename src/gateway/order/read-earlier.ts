/** Reads an earlier order that a request may repeat, and says whether a script may not have heard its end. */
import { CLOCKS_MS } from '../../domain/clock';
import type { Line } from '../../domain/legacy';
import { type NewOrder, type Order, TOLD_PENDING, type Trail } from '../../domain/order';
import type { Journal } from '../../journal/journal';
import { byTime, isUnsettled, isUntold } from '../../journal/order-life';
import { isPerhapsTold, isPerhapsUntold, readTold, TELLING_MS, type ToldStore, UNMARKED_MS } from '../../journal/told-sales';
import type { Mapping } from '../../mapping/mapping';
import { type SetOf, takesPendingOf } from '../read/earlier-set';
import type { LookParts } from './look-for-unheard';
import { mayBeAwaited, type Pursuits } from './pursuits';
import type { Tellings } from './tellings';

/** Stands for an earlier order that cannot be read now. It may be charged. */
export const UNREAD = 'unread' as const;
export type EarlierOrder = Order | typeof UNREAD;

/** v1 refuses a sale that is identical to one of the last 5 s (specification, section 7), less the second that a search of the journal may be late. */
export const REFUSED_AS_IDENTICAL_MS = 4_000;

export interface ReadParts extends Pick<LookParts, 'clock' | 'steadiness' | 'toldSales' | 'unmarkedMs'> {
  readonly journal: Pick<Journal, 'find' | 'isWritable'>;
  readonly pursuits: Pick<Pursuits, 'find'>;
  readonly tellings: Pick<Tellings, 'heardUnder' | 'isUnderWay'>;
  readonly mapping: () => Mapping;
  readonly setOf?: SetOf | undefined;
  /** Whether every other process has certainly lived since this time, by `clock.elapsed()`; to be asked again while it does not. Without it no other process sells. */
  readonly haveAllSigned?: ((sinceMs: number) => boolean) | undefined;
}

/** A living process marks within this time that a script has hung up. */
const HANG_UP_MS = 1_000;
const LIST_MS = 250;

/** The words of a request, and the mapping that reads them now. */
export type SentWords = Pick<NewOrder, 'owner' | 'wordsHash'> & {
  readonly trail?: Pick<Trail, 'mapping'>;
  readonly headerId?: string | undefined;
  readonly isNamed?: boolean;
  readonly cameAt?: number | undefined;
  readonly isRefundedPending?: boolean;
  /** Of PINs: when the request came, by `clock.elapsed()`. */
  readonly pinsCameAt?: number | undefined;
};
export type RepeatedOf = (words: SentWords, requestId: string) => Promise<EarlierOrder | undefined>;

/** Reads of one order. `unread` where the journal, or the list of told sales, cannot be read now. */
export function readersOf(parts: ReadParts) {
  const { journal, pursuits, tellings, clock, steadiness, toldSales } = parts;
  const { unmarkedMs = () => UNMARKED_MS, haveAllSigned = () => true } = parts;
  const current = async (owner: string, requestId: string): Promise<Order | undefined> => {
    const own = (await pursuits.find(owner, requestId))?.current();
    if (own === undefined) return journal.find(owner, requestId);
    if (!isUnsettled(own) || toldSales?.() === undefined) return own;
    // Another process may have sold the order, and told that, while the attempt of this one waits for v1.
    const written = await journal.find(owner, requestId).catch(() => undefined);
    return written?.outcome?.kind === 'succeeded' ? written : own;
  };
  /** An order that this process remembers and the journal does not have was lost with its database, whose successor was behind: it may be charged. */
  const remembered = (owner: string, requestId: string): Promise<EarlierOrder> =>
    current(owner, requestId).then(
      (order) => order ?? UNREAD,
      () => UNREAD,
    );
  /**
   * Another process has told the success of this order, and the journal does not show that: it could not write the end yet, or a slow database wrote
   * "pending" behind it.
   */
  const wasToldUnwritten = async (order: Order): Promise<boolean> => {
    const store = isUnsettled(order) || isSoldAfterPending(order) ? toldSales?.() : undefined;
    const reading = store && readTold(store, order.openedAtMs - CLOCKS_MS);
    return reading === undefined ? false : reading.then((isTold) => isTold(order)).catch(() => false);
  };
  const { unlessSoldOnPending, wasRefundedAndSold } = afterPending(parts);
  const ifUnheard = async (order: Order, isRefundedPending = false): Promise<EarlierOrder | undefined> => {
    // While this process stood still, another one may have marked as untold what this one had just told.
    if (tellings.heardUnder(order.owner, order.requestId) !== undefined) return undefined;
    // While this cannot be written, another process may have told the end without a trace.
    const mayBeTold = toldSales?.() !== undefined && order.outcome?.kind === 'succeeded' && !journal.isWritable();
    const untold = mayBeTold ? UNREAD : order;
    if (await wasToldUnwritten(order)) return undefined;
    const unsold = await unlessSoldOnPending(order);
    if (unsold !== order) return unsold;
    if (isRefundedPending && wasRefundedAndSold(order)) return untold;
    const at = { nowMs: clock.now(), unmarkedMs: unmarkedMs() };
    // 0: a time in the future by every clock that this process has seen.
    const agoMsOf = (atMs = 0): number | undefined => steadiness.agoMs(atMs) || undefined;
    if (await isPerhapsTold(order, toldSales?.(), at, agoMsOf(order.toldAtMs)).catch(() => true)) return UNREAD;
    const isYet =
      isUnheard(order) || (await isPerhapsUntold(order, toldSales?.(), at, agoMsOf(order.settledAtMs)).catch(() => UNREAD));
    return isYet === true ? untold : isYet === UNREAD ? UNREAD : undefined;
  };
  const mayBeUntold = untoldPins(parts);
  /**
   * As `ifUnheard`, for PINs: they name no customer, so an order that a script waits for, or is being told, is another one's. At another process that is not
   * known before each has signed since the request came: it may be the order of this script, whose process has died or stands still.
   */
  const ifUnheardPins = async (order: Order, cameAt: number, isRefundedPending = false): Promise<EarlierOrder | undefined> => {
    if (tellings.isUnderWay(order)) return undefined;
    if (!(await mayBeAwaited(order, pursuits))) return ifUnheard(order, isRefundedPending);
    const isElsewhere = (await pursuits.find(order.owner, order.requestId)) === undefined;
    return isElsewhere && (await mayBeUntold(order)) && !haveAllSigned(cameAt + HANG_UP_MS) ? UNREAD : undefined;
  };
  const repeatedOf: RepeatedOf = async (words, requestId) => {
    const order = await remembered(words.owner, requestId);
    if (order === UNREAD || wasNamed(order, words)) return order;
    if (order.headerId !== undefined && order.headerId === words.headerId) return order;
    // That mapping may not have read this id.
    if (words.isNamed === true && order.trail?.mapping === words.trail?.mapping) return undefined;
    if (words.pinsCameAt !== undefined) return ifUnheardPins(order, words.pinsCameAt, words.isRefundedPending);
    // 0: no end, or a time in the future.
    const endedMs = order.settledAtMs === undefined ? 0 : steadiness.agoMs(order.settledAtMs);
    const isSame = order.wordsHash === words.wordsHash && endedMs > 0 && clock.elapsed() - endedMs > (words.cameAt ?? Infinity);
    return isSame ? unlessSoldOnPending(order) : ifUnheard(order, words.isRefundedPending);
  };
  return { current, remembered, ifUnheard, ifUnheardPins, unlessSoldOnPending, repeatedOf, ...sinceThen(parts) };
}

/**
 * Whether another process may have told nobody these PINs, where it has marked nothing. Many orders of PINs are alike, so one read of the list of told sales
 * serves all that are judged within `LIST_MS`: what it lacks yet is judged again.
 */
function untoldPins({ clock, steadiness, toldSales, unmarkedMs = () => UNMARKED_MS, tellings }: ReadParts) {
  let read: { readonly atMs: number; readonly isTold: ReturnType<typeof readTold> } | undefined;
  const readList = (store: ToldStore): ReturnType<typeof readTold> => {
    if (read === undefined || clock.elapsed() - read.atMs > LIST_MS) {
      const fromMs = clock.now() - TELLING_MS - unmarkedMs() - CLOCKS_MS;
      read = { atMs: clock.elapsed(), isTold: readTold(store, fromMs) };
    }
    return read.isTold;
  };
  return async (order: Order): Promise<boolean> => {
    if (order.outcome?.kind !== 'succeeded') return isUnsettled(order);
    const store = toldSales?.();
    const isMarked = steadiness.agoMs(order.settledAtMs ?? 0) > TELLING_MS + unmarkedMs();
    if (store === undefined || isMarked || tellings.heardUnder(order.owner, order.requestId) !== undefined) return false;
    return readList(store).then(
      (isTold) => !isTold(order),
      () => true,
    );
  };
}

/** What the script of an order did with it when it heard "pending", by the order's own family: that of its key may be another one by now. */
function afterPending({ journal, toldSales, mapping, setOf }: ReadParts) {
  const takesPendingBy = (order: Order) => takesPendingOf(order, { mapping: mapping(), setOf });
  /** Its script sold this order when it heard "pending", so it does not send it again: the next sale of the same is another one. */
  const wasSoldOnPending = async (order: Order): Promise<boolean> => {
    if (takesPendingBy(order) !== 'sells') return false;
    // A running pursuit does not show what was told since.
    const written = isUnsettled(order) ? await journal.find(order.owner, order.requestId) : order;
    if (written?.toldAtMs !== TOLD_PENDING) return false;
    // Its process may have died before that reply had left.
    const store = toldSales?.();
    return store === undefined || (await readTold(store, order.openedAtMs - CLOCKS_MS))(order, 'pending');
  };
  const unlessSoldOnPending = async (order: Order): Promise<EarlierOrder | undefined> => {
    const isSold = await wasSoldOnPending(order).catch(() => UNREAD);
    return isSold === UNREAD ? UNREAD : isSold ? undefined : order;
  };
  /** The money of this order was given back, so the next sale of the same is this order again. */
  const wasRefundedAndSold = (order: Order): boolean =>
    isSoldAfterPending(order) && (takesPendingBy(order) ?? 'refunds') === 'refunds';
  return { unlessSoldOnPending, wasRefundedAndSold };
}

/** What may have happened to an order of another process while this one did not look: while it searched, or stood still. */
function sinceThen({ steadiness, tellings }: Pick<ReadParts, 'steadiness' | 'tellings'>) {
  /** When the request came the sold order had no end, or one that nobody had heard; another process has settled or told it while this one searched. */
  const wasOpenAt = ({ outcome, settledAtMs = 0, toldAtMs = 0 }: Order, ageMs: number): boolean => {
    const agoMs = Math.min(...[settledAtMs, toldAtMs].map(steadiness.agoMs));
    // 0: a time in the future.
    return outcome?.kind === 'succeeded' && agoMs > 0 && agoMs < ageMs;
  };
  /** Perhaps the request waited unread when the order of another process had no end (v1 refuses what it sold just now): the customer pressed twice, or buys again. */
  const mayHaveWaited = (order: Order, { ageMs, heldUpMs = 0 }: Line): boolean =>
    wasOpenAt(order, ageMs + heldUpMs) &&
    steadiness.agoMs(order.openedAtMs) > REFUSED_AS_IDENTICAL_MS &&
    tellings.heardUnder(order.owner, order.requestId) === undefined;
  return { wasOpenAt, mayHaveWaited };
}

/**
 * Of orders of one sale that several processes have opened before one saw the other's: the one that was sold, else the first that is open. v1 refuses
 * the later ones as identical, and would sell them a few seconds later. One that was refused counts only if none is unread, which may be the sold one.
 */
export function likelyCharged(orders: readonly EarlierOrder[]): EarlierOrder | undefined {
  const rankOf = (order: Order): number => (order.outcome?.kind === 'succeeded' ? 0 : isUnsettled(order) ? 1 : 2);
  const read = orders.filter((one) => one !== UNREAD);
  const first = read.sort((one, other) => rankOf(one) - rankOf(other) || byTime(one, other))[0];
  const isRefused = first === undefined || rankOf(first) === 2;
  return isRefused && orders.includes(UNREAD) ? UNREAD : first;
}

/** A kept order that a request may repeat. */
export interface Candidate {
  readonly requestId: string;
  readonly earlier: EarlierOrder;
  readonly isSame?: boolean;
}

/**
 * The order that a request repeats by its header. Two processes, or two turns of one, may have opened an order each under one header, of which
 * one was sold and the other refused: the one that was told counts only if there is no other.
 */
export async function likeliest(
  same: readonly Candidate[],
  ifUnheard: (order: Order) => Promise<EarlierOrder | undefined>,
): Promise<Pick<Order, 'requestId'> | typeof UNREAD | undefined> {
  if (same.length < 2) return same[0];
  const unheard: EarlierOrder[] = [];
  for (const { earlier } of same) {
    const one = earlier === UNREAD ? UNREAD : await ifUnheard(earlier);
    if (one !== undefined) unheard.push(one);
  }
  return likelyCharged(unheard) ?? same[0];
}

/** Whether another mapping than this one read in these very words the id of the order: its script counts on that id, also when it heard the end. */
export function wasNamed(earlier: EarlierOrder, { wordsHash, trail }: Omit<SentWords, 'owner'>): boolean {
  if (earlier === UNREAD || earlier.wordsHash !== wordsHash || earlier.trail?.mapping === trail?.mapping) return false;
  return Object.keys(earlier.echo).length > 0;
}

/** Whether the order has no end, or its script has heard nothing. A script that heard "pending" may have sold the ended order: its next one is a new sale. */
function isUnheard(order: Order): boolean {
  return isUnsettled(order) || isUntold(order);
}

function isSoldAfterPending({ toldAtMs, outcome }: Order): boolean {
  return toldAtMs === TOLD_PENDING && outcome?.kind === 'succeeded';
}
