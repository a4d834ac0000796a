/** The money of orders: what was ordered, charged and is at risk, and the loss where the script acted on "pending" and the order ended otherwise. */
import { addKobo, ZERO_KOBO, type AmountMinor } from '../domain/amount';
import { TOLD_PENDING, type Order } from '../domain/order';
import { deliveryOf, isSafeToRefund } from '../domain/outcome';
import { traitsOf } from '../gateway/proof/compare-receipt';
import { setOfOrder, takesPendingOf, type Sets } from '../gateway/read/earlier-set';
import type { Journal } from '../journal/journal';
import type { Mapping } from '../mapping/mapping';

export interface OpenOrders {
  readonly orders: readonly Order[];
  /** False if the limit may have left out newer ones. */
  readonly areAll: boolean;
  readonly overdue: readonly Order[];
  /** The sum of the known prices, in kobo. */
  readonly atRisk: AmountMinor;
  /** How many orders have no known price, because only v1's catalog has it. */
  readonly withoutPrice: number;
  /** One error for each order that this build cannot read: it may be open as well. */
  readonly unreadable: readonly Error[];
}

/** How many open orders a gateway that sells reads at most, every minute: the oldest. */
export const OPEN_ORDERS_MAX = 10_000;

/** Orders of the sandbox are left out. They must not hide younger ones with real money, so more are listed until `limit` others are found. */
export async function readOpenOrders(
  journal: Pick<Journal, 'listUnsettled'>,
  sets: Sets,
  nowMs: number,
  limit = OPEN_ORDERS_MAX,
  listed = limit,
): Promise<OpenOrders> {
  const { mapping } = sets;
  const unreadable: Error[] = [];
  const open = await journal.listUnsettled({ limit: listed, onUnreadable: (error) => unreadable.push(error) });
  const orders = open.filter((order) => !isInSandbox(order, mapping));
  const areAll = open.length + unreadable.length < listed;
  if (!areAll && orders.length < limit && listed < OPEN_ORDERS_MAX)
    return readOpenOrders(journal, sets, nowMs, limit, 10 * listed);
  const prices = orders.map((order) => moneyOf(order, sets).atRisk);
  return {
    ...{ orders, unreadable, areAll },
    overdue: orders.filter((order) => nowMs - order.openedAtMs >= mapping.timing.overdue),
    atRisk: prices.reduce<AmountMinor>((sum, price) => addKobo(sum, price ?? ZERO_KOBO), ZERO_KOBO),
    withoutPrice: prices.filter((price) => price === undefined).length,
  };
}

/**
 * Whether the order was placed in the sandbox: it has no real money. For orders of earlier builds only callers.yaml tells it, as long as the key has its
 * entry there.
 */
export function isInSandbox({ owner, trail }: Order, { callerKeys }: Pick<Mapping, 'callerKeys'>): boolean {
  return trail?.sandbox === true || callerKeys.get(owner)?.sandboxOf !== undefined;
}

/** The three amounts of an order, in kobo. An absent one is zero or not known. */
export interface OrderMoney {
  /** The face value that the script ordered; absent where only v1's catalog has the price. */
  readonly askedFor?: AmountMinor;
  /** What v1 charged for a succeeded order. */
  readonly charged?: AmountMinor;
  /** What v1 may have charged for an open order: the charge that v1 reported, else the face value. */
  readonly atRisk?: AmountMinor;
}

export function moneyOf(order: Order, sets: Sets): OrderMoney {
  const { outcome } = order;
  const [askedFor, charged] = [faceValueOf(order, sets), deliveryOf(outcome).charged];
  const isOpen = outcome === undefined || outcome.kind === 'pending' || outcome.kind === 'unknown';
  const atRisk = isOpen ? (charged ?? askedFor) : undefined;
  return {
    ...(askedFor === undefined ? {} : { askedFor }),
    ...(charged === undefined || outcome?.kind !== 'succeeded' ? {} : { charged }),
    ...(atRisk === undefined ? {} : { atRisk }),
  };
}

/** How the script's action on "pending" contradicts the order's end: it delivered goods that v1 did not sell, or refunded goods that v1 sold. */
export type ContraryEnd = 'delivered_not_sold' | 'sold_and_refunded';

/** Undefined unless the order has its end and its script has heard only "pending", or if the mapping does not say what the script does on "pending". */
export function contraryEndOf(order: Order, sets: Sets): ContraryEnd | undefined {
  const { outcome, toldAtMs } = order;
  if (toldAtMs !== TOLD_PENDING || outcome === undefined) return undefined;
  const takesPending = takesPendingOf(order, sets);
  if (takesPending === 'sells' && isSafeToRefund(outcome)) return 'delivered_not_sold';
  if (takesPending === 'refunds' && outcome.kind === 'succeeded') return 'sold_and_refunded';
  return undefined;
}

/** The loss by a contrary end, in kobo: what v1 charged, else the face value. Undefined where only v1's catalog has the price. */
export function lossOf(order: Order, sets: Sets): AmountMinor | undefined {
  const charged = order.outcome?.kind === 'succeeded' ? deliveryOf(order.outcome).charged : undefined;
  return charged ?? faceValueOf(order, sets);
}

function faceValueOf(order: Order, sets: Sets): AmountMinor | undefined {
  const operation = setOfOrder(order, sets).operations.get(order.operation);
  return operation === undefined ? undefined : traitsOf(operation, order.fields).faceValue;
}

export const CONTRARY_WORDS: Readonly<Record<ContraryEnd, string>> = {
  delivered_not_sold: 'delivered by the script, not sold by v1',
  sold_and_refunded: 'sold by v1, refunded by the script',
};
