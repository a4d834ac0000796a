/**
 * When a process is killed, it is not known which of its last replies reached a script. The next start, or a neighbour, marks these orders as
 * untold: a repeat of a marked order is told its success, however late it comes (decision 0024).
 */
import { type Clock, pause, systemClock } from '../domain/clock';
import { NOT_TOLD, type Order } from '../domain/order';
import type { Journal } from '../journal/journal';
import { isUnsettled, isUntold } from '../journal/order-life';
import { isMissing, readTold, TELLING_MS, type ToldStore, UNMARKED_MAX_MS, UNMARKED_MS, WRITTEN_MS } from '../journal/told-sales';
import { createProofOfLife } from './proof-of-life';
import {
  KNOWN_DEAD_AFTER_MS,
  type OnAllMarked,
  readLivingSigns,
  readSigns,
  SIGN_EVERY_MS,
  startSharedSigns,
  startSigns,
} from './signs-of-life';

/** The longest time from an order's opening to its settling while its script waits: `check` warns of a patience above ten minutes. */
const HOLD_MS = 10 * 60_000;
/** How long a process may have sold after its last sign where orders have no holder: longer than the interval of signs, because it may have stood still. */
const SOLD_AFTER_SIGN_MS = 4 * SIGN_EVERY_MS;
/** A living process has told an order soon after its settling, or when a receipt was read for it. */
const LOOKS_AFTER_MS = [2_000, TELLING_MS];
const LOOKBACK_MAX_MS = 2 ** 27;
const UNSETTLED_MAX = 50_000;
/** Orders marked together share flushes, and a start waits for all marks. A sale beside them may wait for so many, by estimate 20 ms. */
const MARKED_AT_ONCE = 1_000;

interface UntoldParts {
  readonly dataDir: string;
  readonly journal: Journal;
  readonly toldSales: ToldStore;
  readonly clock: Clock;
  readonly onMarked: (count: number) => void;
  /** Whether other processes may sell from the same journal; told again whenever it may have changed. */
  readonly onNeighbours: (hasNeighbours: boolean) => void;
  readonly onTrouble: (what: string, error: unknown) => void;
}

interface UntoldWatch {
  readonly endSigns: (isClean: boolean) => void | Promise<void>;
  /** Within how many ms of its death the orders of another process may not be marked yet: longer than ever while nothing could be written. */
  readonly unmarkedMs: () => number;
  /** See `createProofOfLife`. */
  readonly haveAllSigned: (sinceMs: number) => boolean;
}

/**
 * Marks the orders that dead processes left untold, then gives signs of life, and later marks the orders of any neighbour that falls silent. To be
 * awaited before the first request.
 */
export async function watchUntold({
  dataDir,
  journal,
  toldSales,
  clock,
  onMarked,
  onNeighbours,
  onTrouble,
}: UntoldParts): Promise<UntoldWatch> {
  const mark = async (signsMs: readonly number[], holder?: string): Promise<void> => {
    const count = await markUntold(journal, signsMs, { holder, toldSales, clock });
    if (count > 0) onMarked(count);
  };
  const { onAllMarked, unmarkedMs } = sinceAllMarked(clock);
  const { processes } = journal;
  if (processes !== undefined) {
    onNeighbours(true);
    const onDead = (id: string, signMs: number): Promise<void> => mark([signMs], id);
    const endRow = await startSharedSigns({ processes, clock, journal, onDead, onAllMarked, onTrouble });
    const endFile = startFile(dataDir);
    const endSigns = (isClean: boolean): Promise<void> => {
      endFile(true);
      return endRow(isClean);
    };
    return { endSigns, unmarkedMs, haveAllSigned: createProofOfLife(clock, () => processes.list()) };
  }
  const atMs = clock.elapsed();
  const signsMs = readSigns(dataDir, clock.now());
  if (signsMs.length > 0) await mark([...signsMs, await findEnd(journal, clock.now())]);
  if (journal.isWritable()) onAllMarked(atMs);
  const onSilent = (signMs: number, gapEndMs: number): Promise<void> => mark([signMs, Math.max(signMs, gapEndMs)]);
  const endSigns = startSigns({ dataDir, clock, journal, onSilent, onAllMarked, onNeighbours, onTrouble });
  return { endSigns, unmarkedMs, haveAllSigned: createProofOfLife(clock, () => readLivingSigns(dataDir, clock.now())) };
}

/** Signs in the data folder that mark no order, also while the journal is away: `restore` sees there that a gateway of this machine runs. */
function startFile(dataDir: string): (isClean: boolean) => void {
  const ignore = (): void => undefined;
  const ignored = { onSilent: async () => undefined, onAllMarked: ignore, onNeighbours: ignore, onTrouble: ignore };
  return startSigns({ dataDir, clock: systemClock, journal: { isWritable: () => true }, ...ignored });
}

/** Tells for how long it is not known that the orders of all dead processes are marked. */
export function sinceAllMarked(
  clock: Pick<Clock, 'elapsed'>,
): Pick<UntoldWatch, 'unmarkedMs'> & { readonly onAllMarked: OnAllMarked } {
  let markedAtMs = -Infinity;
  return {
    onAllMarked: (atMs) => void (markedAtMs = atMs),
    unmarkedMs: () => Math.min(UNMARKED_MAX_MS, Math.max(UNMARKED_MS, clock.elapsed() - markedAtMs + KNOWN_DEAD_AFTER_MS)),
  };
}

interface Marking {
  /** Only orders of this process are marked, where the journal records which process holds an order. */
  readonly holder?: string | undefined;
  /** Which sales are known to have been told. */
  readonly toldSales?: ToldStore;
  /** Without `holder`: with it, sales that a living process tells at this moment are waited for, and orders from the future are marked. */
  readonly clock?: Clock;
}

/** Marks the orders whose end a process that died after one of these signs (ms since the epoch) may not have told. Returns their number. */
export async function markUntold(
  journal: Journal,
  signsMs: readonly number[],
  { holder, toldSales, clock }: Marking = {},
): Promise<number> {
  if (signsMs.length === 0) return 0;
  const marked = new Map<string, Order>();
  const add = (order: Order): void => void marked.set(`${order.owner} ${order.requestId}`, order);
  const latestMs = Math.max(...signsMs) + SOLD_AFTER_SIGN_MS;
  // An order from the future was opened before the clock was set back.
  const nowMs = clock?.now() ?? Infinity;
  const ofIt = holder === undefined ? {} : { holder };
  for (const order of await journal.listUnsettled({ limit: UNSETTLED_MAX, onUnreadable, ...ofIt }))
    if (holder !== undefined || order.openedAtMs <= latestMs || order.openedAtMs > nowMs) add(order);
  let readUntilMs = 0;
  // From the earliest sign on: an order that two signs may concern is examined by the earlier one, which marks more.
  for (const signMs of signsMs.toSorted((one, other) => one - other)) {
    // Orders that are known to be its own are examined up to the last: its later signs may have failed.
    const untilMs = holder === undefined ? signMs + SOLD_AFTER_SIGN_MS : Infinity;
    for await (const order of openedBetween(journal, Math.max(signMs - HOLD_MS, readUntilMs), untilMs, ofIt))
      // Of open orders the search above may have found only the oldest.
      if (isUnsettled(order) || lastNews(order) >= signMs - TELLING_MS) add(order);
    readUntilMs = untilMs;
  }
  if (marked.size === 0) return 0;
  if (holder === undefined && clock !== undefined) await pause(clock, WRITTEN_MS);
  const toldFromMs = Math.min(...signsMs) - TELLING_MS;
  const isTold = toldSales === undefined ? () => false : await readTold(toldSales, toldFromMs);
  const isUntoldOpen = (order: Order): boolean => order.toldAtMs === undefined || isMissing(order, isTold, toldFromMs);
  const untold = [...marked.values()].filter((order) =>
    isUnsettled(order) ? isUntoldOpen(order) : order.outcome?.kind === 'succeeded' && isMissing(order, isTold, toldFromMs),
  );
  const done: Order[] = [];
  const markOne = async (order: Order): Promise<void> => {
    let wasDue = false;
    // What has changed since it was listed, a living process has marked, ended or told. Without `by` the mark could not be written, and is judged again when it is.
    const isStillIts = (now: Order, by = holder): boolean => {
      const isDue =
        now.toldAtMs === order.toldAtMs && (holder === undefined ? isUnsettled(now) === isUnsettled(order) : by === holder);
      wasDue ||= isDue;
      return isDue;
    };
    await journal.tell(order.owner, order.requestId, NOT_TOLD, isStillIts);
    if (wasDue) done.push(order);
  };
  for (let from = 0; from < untold.length; from += MARKED_AT_ONCE)
    await Promise.all(untold.slice(from, from + MARKED_AT_ONCE).map(markOne));
  if (toldSales !== undefined && clock !== undefined && done.length > 0) {
    for (const afterMs of LOOKS_AFTER_MS)
      clock.after(afterMs, () => void unmarkTold(journal, done, { toldSales, clock }, toldFromMs).catch(() => undefined));
  }
  return done.length;
}

/**
 * Takes back the marks of orders that a living process has told since: it was about to when they were marked, as one that had stood still. Where the list
 * cannot be read the marks stay.
 */
async function unmarkTold(
  journal: Journal,
  orders: readonly Order[],
  { toldSales, clock }: Required<Pick<Marking, 'toldSales' | 'clock'>>,
  fromMs: number,
): Promise<void> {
  const isTold = await readTold(toldSales, fromMs);
  for (const order of orders.filter((one) => isTold(one)))
    await journal.tell(order.owner, order.requestId, clock.now(), (now) => isUntold(now) && now.outcome?.kind === 'succeeded');
}

/** When the order was last settled or told. */
function lastNews({ settledAtMs = 0, toldAtMs = 0 }: Order): number {
  return Math.max(settledAtMs, toldAtMs);
}

const onUnreadable = (): void => undefined;

function openedBetween(journal: Journal, fromMs: number, untilMs: number, ofIt: { holder?: string } = {}): AsyncIterable<Order> {
  return journal.list({ fromMs: Math.max(0, fromMs), untilMs, limit: Infinity, onUnreadable, ...ofIt });
}

/**
 * When the last order was opened or settled by any process (ms since the epoch), 0 for a journal without orders. This counts as a sign of life
 * too: a machine that lost its power may have lost the signs of its processes, but not the end of its journal.
 */
export async function findEnd(journal: Journal, nowMs: number): Promise<number> {
  const last = await findLastOpening(journal, nowMs);
  let end = 0;
  if (last !== undefined)
    for await (const { openedAtMs, settledAtMs = 0 } of openedBetween(journal, last - HOLD_MS, nowMs + 1))
      end = Math.max(end, openedAtMs, settledAtMs);
  return end;
}

/** The time of the newest opening, at most a second too early. Found by bisection, because a journal lists the oldest orders first. */
async function findLastOpening(journal: Journal, nowMs: number): Promise<number | undefined> {
  const hasSince = async (backMs: number): Promise<boolean> => {
    const some = journal.list({ fromMs: nowMs - backMs, untilMs: nowMs + 1, limit: 1, onUnreadable });
    return (await some[Symbol.asyncIterator]().next()).done !== true;
  };
  let far = 1_000;
  while (!(await hasSince(far))) {
    if (far >= LOOKBACK_MAX_MS) return undefined;
    far *= 2;
  }
  let near = far / 2;
  while (far - near > 1_000) {
    const middle = Math.floor((near + far) / 2);
    if (await hasSince(middle)) far = middle;
    else near = middle;
  }
  return nowMs - far;
}
