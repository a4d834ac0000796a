/**
 * After a process that was killed nobody knows which of its last words reached a script. At the next start such orders are
 * marked: a repeat of one is told its success, however late. After a stop that let every order and reply come to an end,
 * which leaves its word in the data folder, there is nothing to mark. (Decision 0024.)
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NOT_TOLD, type Order } from './domain/order';
import type { Journal } from './journal/journal';
import { isUnsettled } from './journal/settle-order';

const FILE = 'stopped-cleanly';
/** From an order's settling to its reply: at most one read of a receipt, which has ten seconds. */
const TELLING_MS = 15_000;
/** An order is settled so long after it was opened while its script waits. */
const HOLD_MS = 60_000;
const LOOKBACK_MAX_MS = 2 ** 27;
const ORDERS_MAX = 50_000;

/** Gives how many were marked. To be called before the first request comes in. */
export async function markUntold(journal: Journal, dataDir: string, nowMs: number): Promise<number> {
  if (takeCleanStop(dataDir)) return 0;
  const onUnreadable = (): void => undefined;
  const marked = new Map<string, Order>();
  const add = (order: Order): void => void marked.set(`${order.owner} ${order.requestId}`, order);
  for (const order of await journal.listUnsettled({ limit: ORDERS_MAX, onUnreadable })) add(order);
  const last = await findLastOpening(journal, nowMs);
  const recent: Order[] = [];
  if (last !== undefined)
    for await (const order of journal.list({ fromMs: last - HOLD_MS, untilMs: nowMs + 1, limit: ORDERS_MAX, onUnreadable }))
      recent.push(order);
  const endedAtMs = recent.reduce((latest, { openedAtMs, settledAtMs }) => Math.max(latest, openedAtMs, settledAtMs ?? 0), 0);
  for (const order of recent) if ((order.settledAtMs ?? 0) >= endedAtMs - TELLING_MS) add(order);
  const untold = [...marked.values()].filter(
    (order) => order.toldAtMs === undefined && (isUnsettled(order) || order.outcome?.kind === 'succeeded'),
  );
  for (const { owner, requestId } of untold) await journal.tell(owner, requestId, NOT_TOLD);
  return untold.length;
}

/** The time of the newest opening, to the second and never later than it: a journal lists from the oldest on. */
async function findLastOpening(journal: Journal, nowMs: number): Promise<number | undefined> {
  const hasSince = async (backMs: number): Promise<boolean> => {
    const some = journal.list({ fromMs: nowMs - backMs, untilMs: nowMs + 1, limit: 1, onUnreadable: () => undefined });
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

/** To be called when every order and every reply has come to its end. */
export function noteCleanStop(dataDir: string): void {
  writeFileSync(join(dataDir, FILE), '', { mode: 0o600 });
}

function takeCleanStop(dataDir: string): boolean {
  try {
    rmSync(join(dataDir, FILE));
    return true;
  } catch {
    return false;
  }
}
