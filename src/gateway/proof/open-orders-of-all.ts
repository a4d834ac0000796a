/**
 * The open orders of all keys that have no reference, for the looks at lost orders: any of them may have made a row of v1's history. When v1 is back after
 * minutes, many keys look at once, and ten thousand orders are open. Looks share one listing, and a row is compared only with orders that may fit it.
 */
import { type Clock, pause } from '../../domain/clock';
import type { Order } from '../../domain/order';
import { referenceOf } from '../../domain/outcome';
import type { Journal } from '../../journal/journal';

export interface OpenOrders {
  readonly all: readonly Order[];
  /** The orders for phones alone, by each of their numbers (`identityOf`). A record with another phone is none of theirs. */
  readonly byPhone: ReadonlyMap<string, readonly Order[]>;
  /** All others. */
  readonly withoutPhone: readonly Order[];
}

/** The numbers of an order for phones alone; undefined for any other. */
export type PhonesOf = (order: Order) => readonly string[] | undefined;

/** The orders that were opened from `fromMs` on, perhaps with earlier ones, listed after the call. Undefined where there are too many; rejects where they cannot be read. */
export type ListOpen = (fromMs: number, phonesOf: PhonesOf) => Promise<OpenOrders | undefined>;

/** If there are more, a rival might be missing, and no row is given to an order. */
const OPEN_MAX = 50_000;
/** After so many orders other requests come in between. */
const SORTED_AT_ONCE = 1_000;
/** The journal rests for so many times as long as a listing took. */
const RESTS = 4;

interface Listing {
  fromMs: number;
  readonly orders: Promise<OpenOrders | undefined>;
}

interface OpenOrdersParts {
  readonly journal: Pick<Journal, 'listUnsettled'>;
  readonly clock: Clock;
}

export function createOpenOrders({ journal, clock }: OpenOrdersParts): ListOpen {
  let latest: Promise<unknown> = Promise.resolve();
  let restsUntilMs = -Infinity;
  /** The listing that begins after the present one, for all that wait for it. */
  let next: Listing | undefined;
  const list = async (phonesOf: PhonesOf): Promise<OpenOrders | undefined> => {
    await latest.catch(() => undefined);
    const waitMs = restsUntilMs - clock.elapsed();
    if (waitMs > 0) await pause(clock, waitMs);
    const { fromMs, orders } = next!;
    [latest, next] = [orders, undefined];
    const begunAt = clock.elapsed();
    try {
      const open = await journal.listUnsettled({ fromMs, limit: OPEN_MAX });
      return open.length === OPEN_MAX ? undefined : await sort(open, phonesOf, clock);
    } finally {
      restsUntilMs = clock.elapsed() + RESTS * (clock.elapsed() - begunAt);
    }
  };
  return (fromMs, phonesOf) => {
    next ??= { fromMs, orders: list(phonesOf) };
    next.fromMs = Math.min(next.fromMs, fromMs);
    return next.orders;
  };
}

async function sort(open: readonly Order[], phonesOf: PhonesOf, clock: Clock): Promise<OpenOrders> {
  // An open order with a reference (pending at the provider) has a row of its own.
  const all = open.filter(({ outcome }) => referenceOf(outcome) === undefined);
  const byPhone = new Map<string, Order[]>();
  const withoutPhone: Order[] = [];
  for (const [index, order] of all.entries()) {
    if (index % SORTED_AT_ONCE === SORTED_AT_ONCE - 1) await pause(clock, 0);
    const phones = phonesOf(order);
    if (phones === undefined) withoutPhone.push(order);
    for (const phone of phones ?? []) {
      const orders = byPhone.get(phone);
      if (orders === undefined) byPhone.set(phone, [order]);
      else orders.push(order);
    }
  }
  return { all, byPhone, withoutPhone };
}
