/**
 * Writes into the journal that a script has not heard how its order ended: it hung up, or was told "pending". An ordinary sale is
 * told when it is settled, so nothing is written for it. (Decision 0024.)
 */
import { CLOCKS_MS, pause, within, type Clock } from '../../domain/clock';
import type { Line } from '../../domain/legacy';
import { createLru } from '../../domain/lru';
import { deliveryOf, isSafeToRefund } from '../../domain/outcome';
import { isEndUntold, isStandIn, isToldLater, NOT_TOLD, TOLD_PENDING, type Order } from '../../domain/order';
import { type IsTellingDue, type Journal, keyText } from '../../journal/journal';
import { readTold, TELLING_MS, TOLD_KEPT_MS, UNMARKED_MS, WRITTEN_MS, type Told, type ToldStore } from '../../journal/told-sales';
import type { ReplyOutcome } from '../../mapping/mapping';

const UNWRITTEN_MAX = 10_000;

/**
 * By `keyText`: the orders whose end a script is told, or was, by this process while that is not on disk: its write is under way or has failed. The value is
 * the time that was to be written.
 */
export type UnwrittenTellings = ReturnType<typeof createUnwrittenTellings>;
export const createUnwrittenTellings = () => createLru<string, number>(UNWRITTEN_MAX);

interface MarkToldParts {
  readonly journal: Pick<Journal, 'tell' | 'isWritable' | 'find'>;
  readonly clock: Clock;
  readonly onTrouble: (what: string, error: unknown) => void;
  /** Called when a success or "pending" was told and the whole reply has left. The journal records a success only where it had noted the order as not told. */
  readonly onTold?: ((order: Order, told: Told) => void) | undefined;
  readonly unwrittenTellings: UnwrittenTellings;
  /** Which orders a script has heard from this process. */
  readonly repeats?: { readonly heardUnder: (owner: string, requestId: string) => string | undefined };
  /** The sales that all processes have told; undefined while no other process sells from the same journal. */
  readonly toldSales?: (() => ToldStore | undefined) | undefined;
}

/** The pauses before each look whether another process has told the sale: it may have done so long ago, just now, or be telling it. */
const LOOKS_AFTER_MS = [0, WRITTEN_MS, 2_000];
/** A process that stands still for so long may be taken for dead by others. */
const TOLD_AFTER_MS = 15_000;
/** A request has opened its order so long after it came, by clocks that differ by milliseconds; an order that is older is another request's. */
const OPENED_MS = 500;
/** How long a reply waits for a slow journal, at most. */
const WRITE_MS = 1_000;

/**
 * Marks the order as not told when its script hangs up. Call it when the outcome is known and before v1 is asked for further parts of the reply:
 * a script that hangs up in between repeats its sale at once, and without the mark the success would count as heard.
 */
export function watchHangUp(order: Order, line: Line, parts: MarkToldParts): void {
  if (isStandIn(order) || order.toldAtMs === NOT_TOLD || (order.outcome !== undefined && isSafeToRefund(order.outcome))) return;
  line.onEnd((isWhole) => {
    if (!isWhole) void markNotTold(order, line, parts);
  });
}

/**
 * Marks the order as not told, unless another process has told it since this request came: the script has sent its sale again, while this
 * process stood still or its journal was slow. If that is found out after the mark is written, the mark is taken back. Never rejects.
 */
async function markNotTold(order: Taken, line: Line, parts: MarkToldParts): Promise<void> {
  const { journal, clock, toldSales, onTrouble } = parts;
  const { owner, requestId, attempts, openedAtMs, settledAtMs = Infinity, takenAtMs } = order;
  const isOwnMark = takenAtMs === settledAtMs;
  // The same script has heard the end on another connection.
  if (isOwnMark && parts.repeats?.heardUnder(owner, requestId) !== undefined) return;
  const cameAtMs = clock.now() - line.ageMs;
  // The journal asks again at the write: a slow database may write the mark after a later request has been told the end, or has opened the order anew.
  const isMine = ({ attempts: latest, toldAtMs = NOT_TOLD }: Order): boolean =>
    latest === attempts && (toldAtMs <= cameAtMs || toldAtMs === takenAtMs);
  const isDue: IsTellingDue = Object.assign(isMine, { takesBackMs: takenAtMs });
  if (!isDue(order)) return;
  // A sale that had ended before this request came was told to an earlier one, whose script may not have got the reply.
  const store = settledAtMs >= cameAtMs ? toldSales?.() : undefined;
  const isInList = async (list: ToldStore, sold: Order): Promise<boolean> => (await readTold(list, openedAtMs - CLOCKS_MS))(sold);
  // A request that waited unread while another one opened the order: until such a mark is taken back, the next sale of the same would be told this one.
  if (store !== undefined && openedAtMs > cameAtMs + OPENED_MS && (await isInList(store, order).catch(() => false))) return;
  const hasHeard = async (list: ToldStore, afterMs: number): Promise<boolean> => {
    if (afterMs > 0) await pause(clock, afterMs);
    const now = await journal.find(owner, requestId);
    return now?.outcome?.kind === 'succeeded' && now.toldAtMs === NOT_TOLD && isInList(list, now);
  };
  try {
    await journal.tell(owner, requestId, NOT_TOLD, isDue, attempts);
    // If the told sales cannot be read, the mark stays.
    for (const afterMs of store === undefined ? [] : LOOKS_AFTER_MS)
      // With another time than that of the settling, PINs would count as taken by another script.
      if (await hasHeard(store!, afterMs).catch(() => false))
        return await journal.tell(owner, requestId, isOwnMark ? settledAtMs : clock.now());
  } catch (error) {
    onTrouble('tell', error);
  }
}

/** Call it before the reply is sent. The promise resolves when "pending" is marked on disk; undefined where there is nothing to wait for. */
export function markTold(order: Taken, told: ReplyOutcome, line: Line, parts: MarkToldParts): Promise<unknown> | undefined {
  if (isStandIn(order)) return undefined;
  const cameAtMs = parts.clock.now() - line.ageMs;
  const write = (toldAtMs: number): Promise<void> => {
    if (toldAtMs === NOT_TOLD) return markNotTold(order, line, parts);
    const { owner, requestId, attempts } = order;
    // A slow database may write "pending" after a later request has been told the end.
    const isDue = (now: Order): boolean =>
      now.attempts === attempts && (toldAtMs !== TOLD_PENDING || (now.toldAtMs ?? NOT_TOLD) <= cameAtMs);
    const writing = parts.journal.tell(owner, requestId, toldAtMs, isDue, attempts);
    return writing.catch((error: unknown) => {
      if (toldAtMs > TOLD_PENDING) parts.unwrittenTellings.set(keyText(order), toldAtMs);
      parts.onTrouble('tell', error);
    });
  };
  /** The process that opened the order may have died, and another one have marked it since it was read here. */
  const wasOpenedBefore = (): boolean => order.openedAtMs < cameAtMs - OPENED_MS && parts.toldSales?.() !== undefined;
  const watchEnd = (before?: Promise<void>): void =>
    line.onEnd((isWhole) => {
      // While the journal is away, or this process stands still, another gateway may take it for dead and mark its orders as not told: the time is written
      // once more.
      const mayBeMarked = (): boolean => !parts.journal.isWritable() || isToldLate(order, cameAtMs, parts.clock);
      if (isWhole && told !== 'pending' && (isEndUntold(order) || mayBeMarked()))
        void write(order.takenAtMs ?? parts.clock.now());
      else if (isWhole && told === 'success' && wasOpenedBefore()) void takeBackMark(order, parts);
      if (isWhole && told !== 'failure') parts.onTold?.(order, told);
      if (!isWhole && told !== 'failure' && order.toldAtMs !== NOT_TOLD)
        void (before === undefined ? write(NOT_TOLD) : before.then(() => write(NOT_TOLD)));
    });
  const mark = line.hasHungUp ? NOT_TOLD : TOLD_PENDING;
  if (told === 'pending' && (!isEndUntold(order) || mark < order.toldAtMs!)) {
    const writing = write(mark);
    // A slow database may write "pending" later than the mark of a hang-up, so the mark is written once more behind it.
    return within(parts.clock, WRITE_MS, writing).then(() => watchEnd(writing));
  }
  watchEnd();
  return undefined;
}

/**
 * Takes back the mark that no script has heard of this sale, where another process has set it meanwhile. A process without its journal may set it once it
 * has that back, when the lists of told sales no longer have the sale: so the time is also written where a mark may be to come. Not of goods: where a time
 * is written, PINs count as taken by the script that was told them then. Never rejects.
 */
export async function takeBackMark(
  { owner, requestId, attempts }: Pick<Order, 'owner' | 'requestId' | 'attempts'>,
  { journal, clock, onTrouble }: Pick<MarkToldParts, 'clock' | 'onTrouble'> & { readonly journal: Pick<Journal, 'tell'> },
): Promise<void> {
  const mayBeMarked = ({ toldAtMs, outcome, settledAtMs = -Infinity }: Order): boolean =>
    toldAtMs === undefined && clock.now() - settledAtMs < TELLING_MS + UNMARKED_MS && deliveryOf(outcome).goodsMissing !== true;
  const isDue = (now: Order): boolean => now.attempts === attempts && (now.toldAtMs === NOT_TOLD || mayBeMarked(now));
  const writing = journal.tell(owner, requestId, clock.now(), isDue, attempts);
  await writing.catch((error: unknown) => onTrouble('tell', error));
}

/** Whether the order ended while its script waited, and so long ago that this process may have stood still since. */
function isToldLate({ settledAtMs = -Infinity }: Order, cameAtMs: number, clock: Pick<Clock, 'now'>): boolean {
  return settledAtMs >= cameAtMs && clock.now() - settledAtMs > TOLD_AFTER_MS;
}

/** An order whose end this request may have taken. */
interface Taken extends Order {
  /** The time that `takeEnd` has written: if the script hangs up before the reply has left, nobody was told at that time. */
  readonly takenAtMs?: number;
}

/** Whether other processes sell, and would tell a repeat the end of this order until they read that it was told. */
function isUntoldElsewhere(order: Order, { toldSales }: Pick<MarkToldParts, 'toldSales'>): boolean {
  return isEndUntold(order) && toldSales?.() !== undefined;
}

/** How the end of an order is to be told. */
interface Telling {
  readonly told: ReplyOutcome;
  /** Another script may be told the same PINs. */
  readonly isContested: boolean;
  /** The request's own id or header shows which sale it is. */
  readonly isNamed: boolean;
  /** The request itself has opened the order, or has waited for it under the header that opened it. */
  readonly isOwn?: boolean;
  readonly line: Line;
}

/**
 * Takes the end of a sold order for a request without an id: writes, before the reply is sent, that it was told. `taken` if another such request has taken
 * the PINs, at this process or another; `unwritten` where that cannot be written and other processes would tell it again; else the order as it is while the
 * reply has not left.
 */
export async function takeEnd(
  order: Order,
  { told, isContested, isNamed, isOwn, line }: Telling,
  parts: MarkToldParts,
): Promise<Taken | 'taken' | 'unwritten'> {
  const isShared = isContested || (!isNamed && isUntoldElsewhere(order, parts));
  // A script that has hung up takes nothing: its mark could come after that of another script, which is told the end.
  if (told !== 'success' || !isShared || line.hasHungUp) return order;
  // Nobody else is told the end of an order that was opened just now: its process could write then, and is not taken for dead so soon.
  const isSafe = isOwn === true && order.toldAtMs === undefined && parts.clock.now() - order.openedAtMs <= TOLD_AFTER_MS;
  // The time of the settling shows that no other request has taken the end: a repeat under the order's own header is told it again.
  const { settledAtMs = 0 } = order;
  const takenAtMs = isOwn === true ? settledAtMs : Math.max(parts.clock.now(), settledAtMs + 1);
  const taken = await writeTaken({ ...order, toldAtMs: TOLD_PENDING, takenAtMs }, isSafe, line, parts);
  return taken === 'taken' && !isContested ? order : taken;
}

async function writeTaken(
  taken: Taken,
  isSafe: boolean,
  line: Line,
  parts: MarkToldParts,
): Promise<Taken | 'taken' | 'unwritten'> {
  const { journal, unwrittenTellings, onTrouble } = parts;
  const { owner, requestId, attempts, takenAtMs, settledAtMs } = taken;
  const key = keyText(taken);
  let isFree: boolean | undefined;
  /** Written by this request, or by another one under the order's own header, whose script is the same: it is told the end each time. */
  const isOwnMark = (atMs: number | undefined): boolean => atMs === takenAtMs && (isFree === true || takenAtMs === settledAtMs);
  if (unwrittenTellings.has(key) && !isOwnMark(unwrittenTellings.get(key))) return 'taken';
  unwrittenTellings.set(key, takenAtMs);
  let isWriting = true;
  line.onEnd((isWhole) => {
    if (isWhole) return;
    unwrittenTellings.delete(key);
    // At once: a repeat may come while a slow journal writes that the end was told. It is marked once more behind that.
    if (isWriting) void markNotTold(taken, line, parts);
  });
  // Called more than once if another process writes meanwhile, or the order is read while this is written: then it may show this very mark.
  const isDue = (now: Order): boolean => {
    isFree = isOwnMark(now.toldAtMs) || !isToldLater(now);
    return !isToldLater(now);
  };
  const writing = journal.tell(owner, requestId, takenAtMs!, isDue, attempts);
  await writing.then(
    () => unwrittenTellings.delete(key),
    (error: unknown) => onTrouble('tell', error),
  );
  isWriting = false;
  if (!isSafe && isUntoldElsewhere(taken, parts) && !journal.isWritable()) {
    unwrittenTellings.delete(key);
    await markNotTold(taken, line, parts);
    return 'unwritten';
  }
  return isFree === false ? 'taken' : taken;
}

/**
 * As `markTold`, for a question about an order: only an end that was not told before is noted. Where other processes sell, the end of a sale of the last
 * minutes is listed as told: its own process may have died, or lost the journal, before it could tell or list it.
 */
export async function markToldWhenAsked(order: Order, told: ReplyOutcome, line: Line, parts: MarkToldParts): Promise<void> {
  if (told === 'pending') return;
  if (isEndUntold(order)) await markTold(order, told, line, parts);
  else if (told === 'success' && parts.toldSales?.() !== undefined && parts.clock.now() - order.settledAtMs! < TOLD_KEPT_MS)
    line.onEnd((isWhole) => void (isWhole && parts.onTold?.(order, told)));
}
