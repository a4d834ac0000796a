/** The money of orders: what was asked for, what v1 took, what is at risk, and what is lost where the script heard otherwise than it ended. */
import { kobo, type AmountMinor } from '../domain/amount';
import { TOLD_PENDING, type Order } from '../domain/order';
import { isSafeToRefund } from '../domain/outcome';
import { traitsOf } from '../gateway/proof/compare-receipt';
import type { Journal } from '../journal/journal';
import type { Mapping } from '../mapping/mapping';

export interface OpenOrders {
  readonly orders: readonly Order[];
  readonly overdue: readonly Order[];
  /** Sum of what is known of their prices. */
  readonly atRisk: AmountMinor;
  /** Orders whose price is not known, because only v1's catalog has it. */
  readonly withoutPrice: number;
  /** What was said of each order that this build cannot read: it may be open as well. */
  readonly unreadable: readonly Error[];
}

/** Of open orders as many as this are read, the oldest. */
export const OPEN_ORDERS_MAX = 10_000;

export async function readOpenOrders(
  journal: Pick<Journal, 'listUnsettled'>,
  mapping: Mapping,
  nowMs: number,
): Promise<OpenOrders> {
  const unreadable: Error[] = [];
  const open = await journal.listUnsettled({ limit: OPEN_ORDERS_MAX, onUnreadable: (error) => unreadable.push(error) });
  const orders = open.filter((order) => !isInSandbox(order, mapping));
  const prices = orders.map((order) => moneyOf(order, mapping).atRisk);
  return {
    orders,
    unreadable,
    overdue: orders.filter((order) => nowMs - order.openedAtMs >= mapping.timing.overdue),
    atRisk: kobo(prices.reduce<number>((sum, price) => sum + (price ?? 0), 0)),
    withoutPrice: prices.filter((price) => price === undefined).length,
  };
}

/** Of a key that is sent to the sandbox: no money can be lost there. */
export function isInSandbox({ owner }: Pick<Order, 'owner'>, mapping: Pick<Mapping, 'callerKeys'>): boolean {
  return mapping.callerKeys.get(owner)?.sandboxOf !== undefined;
}

/** The three meanings of an order's money. Absent means nothing, or not known. */
export interface OrderMoney {
  /** The face value that the script ordered; absent where only v1's catalog has the price. */
  readonly askedFor?: AmountMinor;
  /** What v1 took for a success and kept. */
  readonly charged?: AmountMinor;
  /** What may have been taken by an order without a final outcome: v1's own word, else the face value. */
  readonly atRisk?: AmountMinor;
}

export function moneyOf(order: Order, mapping: Mapping): OrderMoney {
  const { outcome } = order;
  const [askedFor, charged] = [faceValueOf(order, mapping), chargedBy(order)];
  const isOpen = outcome === undefined || outcome.kind === 'pending' || outcome.kind === 'unknown';
  const atRisk = isOpen ? (charged ?? askedFor) : undefined;
  return {
    ...(askedFor === undefined ? {} : { askedFor }),
    ...(charged === undefined || outcome?.kind !== 'succeeded' ? {} : { charged }),
    ...(atRisk === undefined ? {} : { atRisk }),
  };
}

/** The customer has goods that v1 did not sell, or has the goods and the money back. */
export type ContraryEnd = 'delivered_not_sold' | 'sold_and_refunded';

/** Undefined while the order is open, when its script has heard the end, or when nobody knows what it makes of "pending". */
export function contraryEndOf({ outcome, operation, toldAtMs, trail }: Order, mapping: Mapping): ContraryEnd | undefined {
  if (toldAtMs !== TOLD_PENDING || outcome === undefined) return undefined;
  const takesPending = mapping.families
    .get(trail?.family?.id ?? '')
    ?.mapping()
    .operations.get(operation)?.takesPending;
  if (takesPending === 'sells' && isSafeToRefund(outcome)) return 'delivered_not_sold';
  if (takesPending === 'refunds' && outcome.kind === 'succeeded') return 'sold_and_refunded';
  return undefined;
}

/** What is lost by it: what v1 charged, else the face value. Absent where only v1's catalog has the price. */
export function lossOf(order: Order, mapping: Mapping): AmountMinor | undefined {
  const charged = order.outcome?.kind === 'succeeded' ? chargedBy(order) : undefined;
  return charged ?? faceValueOf(order, mapping);
}

function faceValueOf({ operation: name, fields }: Order, mapping: Mapping): AmountMinor | undefined {
  const operation = mapping.operations.get(name);
  return operation === undefined ? undefined : traitsOf(operation, fields).faceValue;
}

function chargedBy({ outcome }: Order): AmountMinor | undefined {
  return outcome !== undefined && 'delivery' in outcome ? outcome.delivery?.charged : undefined;
}

export const CONTRARY_WORDS: Readonly<Record<ContraryEnd, string>> = {
  delivered_not_sold: 'delivered by the script, not sold by v1',
  sold_and_refunded: 'sold by v1, refunded by the script',
};
