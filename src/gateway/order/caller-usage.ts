/**
 * Counts how much a key has bought in the last minute and since midnight. The journal is read for it, so the count is the same for all
 * processes that share the journal, and across restarts. Orders that took no money add none. An order belongs to the day of its first attempt.
 * A record that this build cannot read is reported and adds nothing: if it stopped the count, the key could buy nothing until midnight.
 */
import type { LRUCache } from 'lru-cache';
import { createLru } from '../../domain/lru';
import { addKobo, type AmountMinor, ZERO_KOBO } from '../../domain/amount';
import type { Clock } from '../../domain/clock';
import type { NewOrder, Order } from '../../domain/order';
import { deliveryOf, isOver, isSafeToRefund } from '../../domain/outcome';
import { oneByOnePerName } from '../../domain/steps';
import type { Journal, OfOwner } from '../../journal/journal';
import { firstNumberAt } from '../../journal/order-life';
import type { Mapping } from '../../mapping/mapping';
import type { CatalogLists } from '../read/catalog-lists';
import { setOfOrder, type SetOf } from '../read/earlier-set';
import { traitsOf } from '../proof/compare-receipt';

export interface Usage {
  /** Request ids and times of the orders whose first attempt began in the last minute, oldest first. */
  readonly lastMinute: readonly Pick<Order, 'requestId' | 'openedAtMs'>[];
  readonly today: Spent;
}

interface Spent {
  /** How many orders took money, or may have. */
  readonly orders: number;
  /** The sum of the amounts that v1 charged; where v1 did not show it, the order's own amount or list price. */
  readonly amount: AmountMinor;
}

export interface CallerUsage {
  /** `without` is the request id of an order that is about to be opened and must not count. */
  read(owner: string, without?: string): Promise<Usage>;
  /** Call it when an order of this key was reopened: the count of older orders may then be wrong. */
  forget(owner: string): void;
}

export interface UsageParts {
  readonly journal: Pick<Journal, 'listOfOwner' | 'listUnsettled' | 'find'>;
  readonly mapping: () => Mapping;
  readonly setOf?: SetOf | undefined;
  readonly clock: Pick<Clock, 'now'>;
  /** The last midnight before a time. */
  readonly dayOf: (atMs: number) => number;
  /** v1's price list of a key, if it is in memory. */
  readonly catalogOf?: (owner: string) => CatalogLists | undefined;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Orders of this last time are read at every purchase: their outcomes change, and other processes may add orders that are a little older. */
const WINDOW_MS = 60_000;
/** For how long the older open orders are not read again, which shows changes by other processes. */
const LOOK_AGAIN_MS = 5_000;
/** How many open orders are read at once. Those beyond it are read one by one. */
const LISTED_MAX = 10_000;
/** How often the day is counted anew. A refused order may be reopened by another process, and only a new count notices that. */
const RECOUNT_MS = 10 * 60_000;
const OWNERS_MAX = 1_000;
const ORDERS_PER_TURN = 500;

/** The count of a key's orders of this day that are older than the window. */
interface Counted {
  readonly dayMs: number;
  readonly begunAtMs: number;
  /** Orders older than this are counted in `over` or `open`. */
  untilMs: number;
  /** The sum of the orders that are over. */
  over: Spent;
  /** The amounts of the orders that may still change, by request id. */
  readonly open: Map<string, AmountMinor>;
  lookedAtMs: number;
}

const NOTHING: Spent = { orders: 0, amount: ZERO_KOBO };

export function createCallerUsage(parts: UsageParts): CallerUsage {
  const known = createLru<string, Counted>(OWNERS_MAX);
  const inTurn = oneByOnePerName();
  return {
    // One reading at a time per owner: two at once would count the same orders twice.
    read: (owner, without) => inTurn(owner, () => readUsage(owner, without, known, parts)),
    forget: (owner) => void known.delete(owner),
  };
}

async function readUsage(
  owner: string,
  without: string | undefined,
  known: LRUCache<string, Counted>,
  parts: UsageParts,
): Promise<Usage> {
  const now = parts.clock.now();
  const dayMs = parts.dayOf(now);
  const before = known.get(owner);
  const isFresh = before !== undefined && before.dayMs === dayMs && now >= before.untilMs && now - before.begunAtMs < RECOUNT_MS;
  const counted: Counted = isFresh
    ? before
    : { dayMs, begunAtMs: now, untilMs: dayMs, over: NOTHING, open: new Map(), lookedAtMs: now };
  // If reading fails half-way, the next purchase counts anew.
  known.delete(owner);
  await lookAgain(owner, counted, now, parts);
  await countOlder(owner, counted, Math.max(dayMs, now - WINDOW_MS), parts);
  known.set(owner, counted);
  const recent: Order[] = [];
  for await (const order of list({ owner, fromMs: now - WINDOW_MS }, parts)) if (order.requestId !== without) recent.push(order);
  const firstOfDay = firstNumberAt(counted.untilMs);
  const spent = recent.filter(({ number }) => number >= firstOfDay).map((order) => spentBy(order, parts));
  const older = [...counted.open].filter(([id]) => id !== without).map(([, amount]) => ({ orders: amount > 0 ? 1 : 0, amount }));
  // Leaves out orders of the future, from before the clock was set back. The clock of another machine may be a little ahead.
  const beyondNow = firstNumberAt(now + WINDOW_MS);
  const lastMinute = recent.filter(({ number }) => number < beyondNow);
  return { lastMinute, today: [...spent, ...older].reduce(add, counted.over) };
}

/** Adds the orders that have left the window to `counted`. */
async function countOlder(owner: string, counted: Counted, untilMs: number, parts: UsageParts): Promise<void> {
  if (untilMs <= counted.untilMs) return;
  for await (const order of list({ owner, fromMs: counted.untilMs, beforeNumber: firstNumberAt(untilMs) }, parts))
    place(order, counted, parts);
  counted.untilMs = untilMs;
}

/** Gives way to other work in between: after a start a whole day of a big shop is read once, and its last minute at each purchase. */
async function* list(range: Omit<OfOwner, 'limit'>, { journal, onTrouble }: UsageParts): AsyncIterable<Order> {
  const onUnreadable = (error: Error): void => onTrouble('caller_usage', error);
  let count = 0;
  for await (const order of journal.listOfOwner({ ...range, limit: Infinity, onUnreadable })) {
    yield order;
    if (++count % ORDERS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

async function lookAgain(owner: string, counted: Counted, now: number, parts: UsageParts): Promise<void> {
  if (counted.open.size === 0 || now - counted.lookedAtMs < LOOK_AGAIN_MS) return;
  // In one reading: the key's next purchase waits, and in a database each reading takes a way there and back. `list` has reported unreadable ones.
  const span = { owner, fromMs: counted.dayMs, limit: LISTED_MAX, onUnreadable: () => undefined };
  const unsettled = new Map((await parts.journal.listUnsettled(span)).map((order) => [order.requestId, order]));
  // A copy of the keys: an open order is put back at the end of the map, and a loop over the map itself would never end.
  for (const requestId of [...counted.open.keys()]) {
    const order = unsettled.get(requestId) ?? (await parts.journal.find(owner, requestId));
    counted.open.delete(requestId);
    if (order !== undefined) place(order, counted, parts);
  }
  counted.lookedAtMs = parts.clock.now();
}

function place(order: Order, counted: Counted, parts: UsageParts): void {
  const spent = spentBy(order, parts);
  // Refused orders are not read again: a shop with an empty wallet has thousands, and all would be read before each purchase.
  const isEnded = order.outcome !== undefined && (isOver(order.outcome) || isSafeToRefund(order.outcome));
  if (isEnded) counted.over = add(counted.over, spent);
  else counted.open.set(order.requestId, spent.amount);
}

function spentBy(order: Order, parts: UsageParts): Spent {
  if (order.outcome !== undefined && isSafeToRefund(order.outcome)) return NOTHING;
  return { orders: 1, amount: deliveryOf(order.outcome).charged ?? priceOf(order, parts) ?? ZERO_KOBO };
}

/** The order's amount, or the price of its plan if v1's price list is in memory. Kobo. */
export function priceOf(
  order: Pick<NewOrder, 'owner' | 'operation' | 'fields' | 'trail'>,
  { mapping, setOf, catalogOf }: Pick<UsageParts, 'mapping' | 'setOf' | 'catalogOf'>,
): AmountMinor | undefined {
  const operation = setOfOrder(order, { mapping: mapping(), setOf }).operations.get(order.operation);
  return operation === undefined ? undefined : traitsOf(operation, order.fields, catalogOf?.(order.owner)).faceValue;
}

function add(sum: Spent, { orders, amount }: Spent): Spent {
  return { orders: sum.orders + orders, amount: addKobo(sum.amount, amount) };
}
