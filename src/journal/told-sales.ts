/** The sales that processes are known to have told. When a process dies, its other recent sales may have reached no script. (Decision 0024.) */
import { CLOCKS_MS } from '../domain/clock';
import { isEndUntold, type Order, TOLD_PENDING } from '../domain/order';

/** Where processes write the sales that they have told, one line each. */
export interface ToldStore {
  /** Adds whole lines, told by this process until `atMs` (ms since the epoch). Deletes lines that are too old to be read. */
  append(lines: string, atMs: number): Promise<void>;
  /** Texts of lines of all processes; they include all lines appended from `fromMs` on. */
  read(fromMs: number): Promise<readonly string[]>;
}

/**
 * The longest time from an order's settling to its reply. Another process may settle it by v1's history while the attempt still waits for v1, a
 * minute (`timing.try`); then a receipt is read, which may take ten seconds.
 */
export const TELLING_MS = 75_000;
/** How long it takes at most until other processes have marked the untold sales of a process that died, while they can write. */
export const UNMARKED_MS = 60_000;
/** The same where they could not write, or stood still: as long as a sale may be repeated. The lists of told sales reach further back. */
export const UNMARKED_MAX_MS = 10 * 60_000;
/** The told sales of this time are always in the list. */
export const TOLD_KEPT_MS = UNMARKED_MAX_MS + 5 * 60_000;
/** Within this time after the reply a sale of a living process is in its list of told sales. */
export const WRITTEN_MS = 100;

type ToldSale = Pick<Order, 'owner' | 'number'>;

/** What a script was told of a sale. */
export type Told = 'success' | 'pending';

export function toldLine({ owner, number }: ToldSale, told: Told = 'success'): string {
  return told === 'success' ? `${owner} ${number}\n` : `${owner} ${number} ${told}\n`;
}

/** Reads which sales are known to have been told, at least those told from `fromMs` on. Rejects when the store cannot be read. */
export async function readTold(store: ToldStore, fromMs: number): Promise<(sale: ToldSale, as?: Told) => boolean> {
  // The last line may be cut short by the death of its process.
  const lines = new Set((await store.read(fromMs)).flatMap((text) => text.split('\n').slice(0, -1)));
  return (sale, as) => lines.has(toldLine(sale, as).trimEnd());
}

/** Whether the list, read from `fromMs` on, shows that no script has heard of this order what its process was to tell. A list too young shows nothing. */
export function isMissing(order: Order, isTold: (sale: ToldSale, as?: Told) => boolean, fromMs: number): boolean {
  const { toldAtMs = Infinity } = order;
  // "Pending" is marked before the reply leaves, and so is the end that a repeat takes.
  if (toldAtMs === TOLD_PENDING) return order.openedAtMs >= fromMs && !isTold(order, 'pending');
  return toldAtMs >= fromMs && !isTold(order);
}

/** When a list of told sales is read, and since when it is not known that the orders of all dead processes are marked. */
interface ReadingTime {
  readonly nowMs: number;
  readonly unmarkedMs: number;
}

/**
 * Whether a sale whose end is not marked as told may be untold. If its process died before telling it, the other processes mark it only within
 * `unmarkedMs` of that. `agoMs`: how long ago it was settled, where the clock was set since and that is known. Rejects when the store cannot be read.
 */
export async function isPerhapsUntold(
  order: Order,
  store: ToldStore | undefined,
  { nowMs, unmarkedMs }: ReadingTime,
  agoMs?: number,
): Promise<boolean> {
  const { outcome, settledAtMs = 0, toldAtMs = TOLD_PENDING } = order;
  if (store === undefined || outcome?.kind !== 'succeeded' || toldAtMs !== TOLD_PENDING) return false;
  // A time in the future was written before the clock was set back: until it comes, the list would have lost the sale.
  const isMarked = (agoMs ?? Math.abs(nowMs - settledAtMs)) > TELLING_MS + unmarkedMs;
  // If the clock was set back between its settling and its telling, the line is older than the settling.
  const fromMs = Math.min(settledAtMs, nowMs - TELLING_MS - unmarkedMs) - CLOCKS_MS;
  return !isMarked && isMissing(order, await readTold(store, fromMs), fromMs + CLOCKS_MS);
}

/**
 * Whether the end of this sale was marked as told of late and no reply with it is known to have left: its process may be telling it, or has died or lost
 * the journal since. `agoMs`: how long ago it was marked, as for `isPerhapsUntold`. Rejects when the store cannot be read.
 */
export async function isPerhapsTold(
  order: Order,
  store: ToldStore | undefined,
  { nowMs, unmarkedMs }: ReadingTime,
  agoMs?: number,
): Promise<boolean> {
  const { outcome, toldAtMs = 0 } = order;
  if (store === undefined || outcome?.kind !== 'succeeded' || (agoMs ?? Math.abs(nowMs - toldAtMs)) > unmarkedMs) return false;
  const fromMs = toldAtMs - CLOCKS_MS;
  return isMissing(order, await readTold(store, fromMs), fromMs);
}

/** Whether a script is known to have been told this sale. Rejects when the store cannot be read. */
export async function wasTold(order: Order | undefined, store: ToldStore): Promise<boolean> {
  if (order?.outcome?.kind !== 'succeeded' || isEndUntold(order)) return false;
  return order.toldAtMs !== undefined || (await readTold(store, order.openedAtMs - CLOCKS_MS))(order);
}
