import { nairaNumber, ZERO_KOBO } from '../../domain/amount';
import type { Order } from '../order/order';

/** Section 2.7: balances belong to success responses, never to pending ones. */
export function balances(order: Order): Record<string, unknown> {
  if (order.status !== 'success') return {};
  return { balance_before: nairaNumber(order.balanceBefore), balance_after: nairaNumber(order.balanceAfter) };
}

/** Nothing is earned until the order has succeeded. */
export function cashback(order: Order): Record<string, unknown> {
  return { cashback_earned: nairaNumber(order.status === 'success' ? order.cashback : ZERO_KOBO) };
}

export function earnings(order: Order): Record<string, unknown> {
  return { ...cashback(order), ...balances(order) };
}
