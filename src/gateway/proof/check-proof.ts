/**
 * Checks v1's history and receipts by what v1 is known to have sold, before they prove that v1 never had an order: they may be out of date,
 * or v1 may mean another thing by a field than the gateway reads in it.
 */
import { CLOCK_ERROR_MS } from '../../domain/clock';
import type { JsonObject } from '../../domain/json';
import { lastAttemptAt, type Order } from '../../domain/order';
import { referenceOf } from '../../domain/outcome';
import type { Journal, OfOwner } from '../../journal/journal';
import type { CallContext, Upstream } from '../../upstream/upstream';
import { askForReceipt } from './find-receipt';
import { type History, type HistoryRow, latestTimeOf, PAGES_MAX, type PagesQuestion, readPages, ROWS_MAX } from './read-history';

/** What this process has seen itself; times by `clock.elapsed()`, which nobody can set. */
export interface SeenHere {
  /** When this process opened the order; undefined where another process or an earlier run opened it. */
  openedMs(order: Pick<Order, 'owner' | 'requestId'>): number | undefined;
  /** The first sale that v1 confirmed to the key while this process ran, and when that was known at the latest. */
  firstSale(owner: string): { readonly reference: string; readonly atMs: number } | undefined;
}

interface CheckParts {
  readonly journal: Pick<Journal, 'listOfOwner'>;
  readonly upstream: Pick<Upstream, 'find'>;
  readonly here: Pick<SeenHere, 'firstSale'>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Among how many of the key's newest orders that sale is searched. A script in a loop is refused tens of times a minute. */
const SOLD_AMONG_MAX = 5_000;
/**
 * To prove an order absent, the history must reach back further than its opening, by as much as this machine's clock may have been wrong then.
 * This margin is enough where the clock is right now and has not been set since this process opened the order. Otherwise it is `CLOCK_ERROR_MS`,
 * more than a day, and one look reads no more than a day of a key that sells two orders a minute.
 */
const SURE_MARGIN_MS = 30 * 60_000;
const SAME_CLOCK_MS = 2_000;
/** How much earlier than the order a sale must have been confirmed, so that v1 has certainly listed it as the older one: its servers' clocks differ. */
const OLDER_BY_MS = 2 * 60_000;
/** The sale by which the history is checked may be this much older than the lost orders. */
const SOLD_BEFORE_MS = 6 * 3_600_000;

export interface SoldSpan {
  readonly owner: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

interface Checked {
  readonly history: History;
  readonly sold: SoldSpan;
  readonly context: CallContext;
  readonly isOther: IsOther;
  /** The open orders of the key. */
  readonly open: readonly Order[];
}

/** Whether the receipt is certainly not that of this sale. */
export type IsOther = (sale: Order, receipt: JsonObject) => boolean;

/** Whether the history and v1's receipts may prove an order absent. Each question is asked once in a look. */
export function createCheck(
  { history, sold, context, isOther, open }: Checked,
  parts: CheckParts,
): (order: Order) => Promise<boolean> {
  let isUpToDate: Promise<boolean> | undefined;
  const areReadRightly = new Map<string, Promise<boolean>>();

  /**
   * Whether v1's history has the last confirmed sale of the same operation, and neither its row nor its receipt is taken for another sale's.
   * Otherwise v1 does not list this service, or means something else by a field (say, the phone of the account), and the row of the order would be
   * missing, or taken for another sale, as well. A history in which all rows have their order or are another's needs no receipt.
   */
  const isReadRightly = async (operation: string): Promise<boolean> => {
    const { owner, untilMs } = sold;
    const { sale, others, sold: soldSince } = await findSold({ owner, untilMs }, parts, (order) => order.operation === operation);
    // Behind more sales than the history is read back, the row of an older sale is beyond it.
    if (sale === undefined) return others < SOLD_AMONG_MAX || soldSince >= ROWS_MAX;
    const reference = referenceOf(sale.outcome)!;
    const row = history.shown.get(reference) ?? (await findRow(sale, { context }, parts));
    if (row === 'beyond') return true;
    let isRight = row !== undefined && !isOther(sale, row.row);
    if (isRight && history.unclaimed.length > 0) {
      const finding = await askForReceipt(reference, context, parts.upstream);
      if (finding.kind !== 'found') return false;
      isRight = !isOther(sale, finding.body);
    }
    if (!isRight)
      parts.onTrouble(
        'reconcile',
        new Error(`v1's history or receipt does not show a sale (${operation}); none can be proven absent.`),
      );
    return isRight;
  };

  // A v1 may list a sale only once it has its end: then a lost order that waits for its provider is missing as well.
  const isPendingMissing = open.some((order) => {
    const reference = referenceOf(order.outcome);
    const isDue = order.openedAtMs >= sold.fromMs && lastAttemptAt(order) <= sold.untilMs;
    return reference !== undefined && isDue && !history.shown.has(reference);
  });

  return async ({ operation }) => {
    if (isPendingMissing) return false;
    if (!(await (isUpToDate ??= showsWhatWasSold(history, sold, parts)))) return false;
    const reading = areReadRightly.get(operation) ?? isReadRightly(operation);
    areReadRightly.set(operation, reading);
    return reading;
  };
}

/** The row of a sale that the history does not show as far as it was read, as some services are sold once a week. `beyond`: v1 shows none of that time. */
async function findRow(
  { openedAtMs, outcome }: Order,
  { context }: Pick<Checked, 'context'>,
  { upstream }: CheckParts,
): Promise<HistoryRow | 'beyond' | undefined> {
  const question: PagesQuestion = { sinceMs: openedAtMs - CLOCK_ERROR_MS, pagesMax: PAGES_MAX, wants: () => false };
  const { shown, wholeSinceMs } = await readPages(question, (call) => upstream.find(call, context));
  const oldestMs = Math.min(...[...shown.values()].flatMap(({ timesMs }) => timesMs));
  return shown.get(referenceOf(outcome)!) ?? (wholeSinceMs < Infinity && oldestMs > openedAtMs ? 'beyond' : undefined);
}

/**
 * False if the history lacks the key's last confirmed sale, or that sale is not among the newest orders. A history that lacks a sale comes
 * from a lagging replica, a cache, or a v1 that has lost its accounts for a moment. It may lack lost orders as well, so it proves no absence.
 */
async function showsWhatWasSold({ shown }: History, span: SoldSpan, parts: CheckParts): Promise<boolean> {
  const { sale, others } = await findSold(span, parts);
  return sale === undefined ? others < SOLD_AMONG_MAX : shown.has(referenceOf(sale.outcome)!);
}

/** How far back a history is whole. */
interface Reach {
  /** By its own rows: ms since the epoch. */
  readonly wholeSinceMs: number;
  /** The whole list has a sale that was confirmed at this time, so also all that v1 sold later; by `clock.elapsed()`, Infinity without such a sale. */
  readonly soldHereMs: number;
}

/**
 * Since when the history is whole. v1's last page ends what v1 shows, which may be less than it has sold: the rows of today, the newest
 * hundred. So the end of the list proves nothing of the time before its oldest row, unless v1 shows none, and has confirmed no sale to the key.
 */
export async function wholeSince(
  { shown, wholeSinceMs }: History,
  span: Omit<SoldSpan, 'fromMs'>,
  parts: CheckParts,
): Promise<Reach> {
  if (wholeSinceMs !== -Infinity) return { wholeSinceMs, soldHereMs: Infinity };
  const first = parts.here.firstSale(span.owner);
  const soldHereMs = first !== undefined && shown.has(first.reference) ? first.atMs : Infinity;
  if (shown.size > 0) return { wholeSinceMs: Math.min(...[...shown.values()].map(latestTimeOf)) + 1, soldHereMs };
  const { sale } = await findSold(span, parts);
  return { wholeSinceMs: sale === undefined ? -Infinity : Infinity, soldHereMs };
}

/**
 * Whether the history is whole since long enough before the opening of the order. That a key without rows has sold nothing is known by the journal, which
 * may have deleted its sales where the order is not of the time for which ended orders are kept.
 */
export function reachesBack(
  order: Order,
  { serverAtMs, wholeSinceMs, soldHereMs }: History & Reach,
  { isKept, offsetMs }: { readonly isKept: boolean; readonly offsetMs: number },
  here: Pick<SeenHere, 'openedMs'>,
): boolean {
  const openedMs = here.openedMs(order) ?? -Infinity;
  if (soldHereMs <= openedMs - OLDER_BY_MS) return true;
  const setByMs = order.openedAtMs - openedMs - offsetMs;
  // Only v1's time shows whether this machine's clock is right.
  const isRight = serverAtMs !== undefined;
  const marginMs = isRight && Math.abs(setByMs) <= SAME_CLOCK_MS ? SURE_MARGIN_MS : CLOCK_ERROR_MS;
  return wholeSinceMs <= order.openedAtMs - marginMs && (isKept || wholeSinceMs > -Infinity);
}

/** One of so many confirmed sales must show that v1's times are read rightly: some may have been opened by a wrong clock. */
const TIMED_AMONG = 10;
const TIMED_WITHIN_MS = 30 * 60_000;

/**
 * False if v1's times are of a zone that `parseTimes` does not read: none of the key's last confirmed sales has a row of about its time, or there is no such
 * sale and rows lie in the future by each reading. By such times a sale would be given to the order of another hour, or proven absent.
 */
export async function areTimesKnown(
  { shown, aheadMs = 0, readings }: History,
  { fromMs, ...span }: SoldSpan,
  parts: Pick<CheckParts, 'journal' | 'onTrouble'>,
): Promise<boolean> {
  let [timed, isTimely] = [0, false];
  const isEnough = (order: Order): boolean => {
    const row = shown.get(referenceOf(order.outcome)!);
    if (row === undefined) return false;
    timed += 1;
    const [earliestMs, latestMs] = [order.openedAtMs - TIMED_WITHIN_MS, lastAttemptAt(order) + TIMED_WITHIN_MS];
    isTimely = row.timesMs.some((time) => time + aheadMs >= earliestMs && time + aheadMs <= latestMs);
    return isTimely || timed === TIMED_AMONG;
  };
  await findSold({ ...span, fromMs: fromMs - SOLD_BEFORE_MS }, parts, isEnough);
  const areKnown = timed === 0 ? readings > 0 : isTimely;
  if (!areKnown)
    parts.onTrouble(
      'clock',
      new Error("v1's times are neither in West Africa Time nor in UTC; no open order can be looked for."),
    );
  return areKnown;
}

/** Since when the sales are searched by which the history is checked. */
export function soldSince(sinceMs: number, { wholeSinceMs }: Pick<History, 'wholeSinceMs'>): number {
  return Math.max(sinceMs + CLOCK_ERROR_MS - SOLD_BEFORE_MS, wholeSinceMs + SURE_MARGIN_MS / 2);
}

/** The key's last confirmed sale of the wanted ones, how many other orders come before it, and how many of those are sold. */
async function findSold(
  { untilMs, ...range }: Pick<SoldSpan, 'owner' | 'untilMs'> & Pick<OfOwner, 'fromMs'>,
  { journal }: Pick<CheckParts, 'journal'>,
  isWanted: (order: Order) => boolean = () => true,
): Promise<{ readonly sale?: Order; readonly others: number; readonly sold: number }> {
  const listed = journal.listOfOwner({ newestFirst: true, ...range, limit: SOLD_AMONG_MAX, onUnreadable: () => undefined });
  let [others, sold] = [0, 0];
  for await (const order of listed) {
    const { outcome, settledAtMs = 0 } = order;
    const isSold = outcome?.kind === 'succeeded' && outcome.reference !== undefined && settledAtMs <= untilMs;
    if (isSold && isWanted(order)) return { sale: order, others, sold };
    others += 1;
    if (isSold) sold += 1;
  }
  return { others, sold };
}
