/**
 * How much a key has bought in the last minute and since midnight, by the journal: the same for all processes that share it, and across
 * restarts. What took no money counts no money. An order belongs to the day of its first attempt.
 */
import type { LRUCache } from 'lru-cache';
import { createLru } from '../../domain/lru';
import { type AmountMinor, kobo } from '../../domain/amount';
import type { Clock } from '../../domain/clock';
import type { NewOrder, Order } from '../../domain/order';
import { isOver, isSafeToRefund } from '../../domain/outcome';
import type { Journal } from '../../journal/journal';
import { firstNumberAt } from '../../journal/order-life';
import type { Mapping } from '../../mapping/mapping';
import type { CatalogLists } from '../read/catalog-lists';
import { traitsOf } from '../proof/compare-receipt';

export interface Usage {
  /** Request ids and times of the orders that were first tried in the last minute, oldest first. */
  readonly lastMinute: readonly Pick<Order, 'requestId' | 'openedAtMs'>[];
  readonly today: Spent;
}

interface Spent {
  /** Those that took money, or may have. */
  readonly orders: number;
  /** What v1 charged, else the price as it was asked for. */
  readonly amount: AmountMinor;
}

export interface CallerUsage {
  /** `without` is the request id of an order that does not count: one that is about to be tried. */
  read(owner: string, without?: string): Promise<Usage>;
  /** The order was opened again: what was counted of it may be wrong. */
  forget(owner: string): void;
}

export interface UsageParts {
  readonly journal: Pick<Journal, 'listOfOwner' | 'find'>;
  readonly mapping: () => Mapping;
  readonly clock: Pick<Clock, 'now'>;
  /** The last midnight before a time. */
  readonly dayOf: (atMs: number) => number;
  /** v1's price list of a key, where it is kept. */
  readonly catalogOf?: (owner: string) => CatalogLists | undefined;
}

/** Orders of this last time are read anew each time: their outcomes change, and other processes may add some that are a little older. */
const WINDOW_MS = 60_000;
/** What other processes have done to older orders is seen within this time. */
const LOOK_AGAIN_MS = 5_000;
/** A refusal may be tried again under its id; after this time only a count from the beginning sees it. */
const RECOUNT_MS = 10 * 60_000;
const OWNERS_MAX = 1_000;
const ORDERS_PER_TURN = 500;

/** What is known of a key's orders before the window. */
interface Counted {
  readonly dayMs: number;
  readonly begunAtMs: number;
  /** Everything older is in `over`, or in `open`. */
  untilMs: number;
  over: Spent;
  /** Orders that may still change, by request id. */
  readonly open: Map<string, AmountMinor>;
  lookedAtMs: number;
}

const NOTHING: Spent = { orders: 0, amount: kobo(0) };

export function createCallerUsage(parts: UsageParts): CallerUsage {
  const known = createLru<string, Counted>(OWNERS_MAX);
  const turns = new Map<string, Promise<unknown>>();
  return {
    // One at a time of each owner: two would count the same orders twice.
    read(owner, without) {
      const reading = (turns.get(owner) ?? Promise.resolve()).then(() => readUsage(owner, without, known, parts));
      const turn = reading.catch(() => undefined).then(() => void (turns.get(owner) === turn && turns.delete(owner)));
      turns.set(owner, turn);
      return reading;
    },
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
  // What fails half-way is counted anew.
  known.delete(owner);
  await lookAgain(owner, counted, now, parts);
  await countOlder(owner, counted, Math.max(dayMs, now - WINDOW_MS), parts);
  known.set(owner, counted);
  const recent: Order[] = [];
  for await (const order of parts.journal.listOfOwner({ owner, fromMs: now - WINDOW_MS, limit: Infinity }))
    if (order.requestId !== without) recent.push(order);
  const firstOfDay = firstNumberAt(counted.untilMs);
  const spent = recent.filter(({ number }) => number >= firstOfDay).map((order) => spentBy(order, parts));
  const older = [...counted.open].filter(([id]) => id !== without).map(([, amount]) => ({ orders: amount > 0 ? 1 : 0, amount }));
  // Orders of a time that a clock set back comes to later; the clock of another machine may be a little ahead.
  const beyondNow = firstNumberAt(now + WINDOW_MS);
  const lastMinute = recent.filter(({ number }) => number < beyondNow);
  return { lastMinute, today: [...spent, ...older].reduce(add, counted.over) };
}

/** Moves what has left the window into what is counted. */
async function countOlder(owner: string, counted: Counted, untilMs: number, parts: UsageParts): Promise<void> {
  if (untilMs <= counted.untilMs) return;
  const range = { owner, fromMs: counted.untilMs, beforeNumber: firstNumberAt(untilMs), limit: Infinity };
  let count = 0;
  for await (const order of parts.journal.listOfOwner(range)) {
    place(order, counted, parts);
    // A whole day of a big shop is read once after a start: others have their turns in between.
    if (++count % ORDERS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  counted.untilMs = untilMs;
}

async function lookAgain(owner: string, counted: Counted, now: number, parts: UsageParts): Promise<void> {
  if (now - counted.lookedAtMs < LOOK_AGAIN_MS) return;
  counted.lookedAtMs = now;
  // A copy: an order that is still open comes back to the end of the map, where the loop would meet it again without an end.
  for (const requestId of [...counted.open.keys()]) {
    const order = await parts.journal.find(owner, requestId);
    counted.open.delete(requestId);
    if (order !== undefined) place(order, counted, parts);
  }
}

function place(order: Order, counted: Counted, parts: UsageParts): void {
  const spent = spentBy(order, parts);
  // A refusal is not looked at again: a shop whose wallet is empty has thousands, and each would be read before each purchase.
  const isEnded = order.outcome !== undefined && (isOver(order.outcome) || isSafeToRefund(order.outcome));
  if (isEnded) counted.over = add(counted.over, spent);
  else counted.open.set(order.requestId, spent.amount);
}

function spentBy(order: Order, parts: UsageParts): Spent {
  if (order.outcome !== undefined && isSafeToRefund(order.outcome)) return NOTHING;
  return { orders: 1, amount: chargedBy(order) ?? priceOf(order, parts) ?? kobo(0) };
}

function chargedBy({ outcome }: Order): AmountMinor | undefined {
  return outcome !== undefined && 'delivery' in outcome ? outcome.delivery?.charged : undefined;
}

/** What an order asks for: its amount, or the price of its plan where v1's list is known. */
export function priceOf(
  { owner, operation: name, fields }: Pick<NewOrder, 'owner' | 'operation' | 'fields'>,
  { mapping, catalogOf }: Pick<UsageParts, 'mapping' | 'catalogOf'>,
): AmountMinor | undefined {
  const operation = mapping().operations.get(name);
  return operation === undefined ? undefined : traitsOf(operation, fields, catalogOf?.(owner)).faceValue;
}

function add(sum: Spent, { orders, amount }: Spent): Spent {
  return { orders: sum.orders + orders, amount: kobo(sum.amount + amount) };
}
