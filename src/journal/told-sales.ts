/** The sales that processes have told: of what one of them leaves as it dies, all else may have reached nobody. (Decision 0024.) */
import { isEndUntold, type Order } from '../domain/order';

/** Where processes write down which sales they have told, a line for each. */
export interface ToldStore {
  /** Whole lines, told by this process until `atMs` (ms since the epoch). Forgets what is too old to be asked for. */
  append(lines: string, atMs: number): Promise<void>;
  /** Texts of lines of all processes, among them all that were appended from `fromMs` on. */
  read(fromMs: number): Promise<readonly string[]>;
}

/** So long it may take until the neighbours of a process that died have marked what it had told nobody. */
const UNMARKED_MS = 30_000;
/** By how much the clocks of two machines may differ, each five seconds from the database's. */
export const CLOCKS_MS = 10_000;

export type ToldSale = Pick<Order, 'owner' | 'number'>;

export function lineOfTold({ owner, number }: ToldSale): string {
  return `${owner} ${number}\n`;
}

/** The sales that are known to have been told, among them all that were told from `fromMs` on. Rejects when the store cannot be read. */
export async function readTold(store: ToldStore, fromMs: number): Promise<(sale: ToldSale) => boolean> {
  // The last line may be cut short, where its process died.
  const told = new Set((await store.read(fromMs)).flatMap((text) => text.split('\n').slice(0, -1)));
  return (sale) => told.has(lineOfTold(sale).trimEnd());
}

/** What a process sold, and had told nobody as it died, has no mark before its neighbours notice. Rejects when the store cannot be read. */
export async function isPerhapsUntold(order: Order, store: ToldStore | undefined, nowMs: number): Promise<boolean> {
  const { outcome, settledAtMs = 0, toldAtMs } = order;
  if (store === undefined || outcome?.kind !== 'succeeded' || toldAtMs !== undefined) return false;
  const isMarked = nowMs - settledAtMs > UNMARKED_MS;
  return !isMarked && !(await readTold(store, settledAtMs - CLOCKS_MS))(order);
}

/** Whether a script is known to have heard of this sale. Rejects when the store cannot be read. */
export async function wasTold(order: Order | undefined, store: ToldStore): Promise<boolean> {
  if (order?.outcome?.kind !== 'succeeded' || isEndUntold(order)) return false;
  return order.toldAtMs !== undefined || (await readTold(store, order.openedAtMs - CLOCKS_MS))(order);
}
