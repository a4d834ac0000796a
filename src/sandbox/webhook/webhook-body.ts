import { createHmac } from 'node:crypto';
import { nairaNumber } from '../../domain/amount';
import type { Account, Mode } from '../account/account';
import type { Order } from '../order/order';
import { describeOrder } from '../service/purchase-services';
import { watIso } from '../wat-time';
import type { Delivery } from './delivery';

/** The body fields of section 6. `timestamp` is the time of sending, so every attempt has its own body and signature. */
export function webhookBody(delivery: Delivery, order: Order, mode: Mode, now: number): string {
  const isFailed = delivery.event === 'transaction.failed';
  return JSON.stringify({
    event: delivery.event,
    reference: order.reference,
    status: isFailed ? 'failed' : 'success',
    service: order.category,
    amount: nairaNumber(order.amount),
    description: describeOrder(order),
    phone: order.number,
    network: order.network,
    refunded: isFailed,
    balance_after: nairaNumber(delivery.balanceAfter),
    sandbox: mode === 'sandbox',
    created_at: watIso(order.createdAt),
    timestamp: watIso(now),
    ...(order.token === null ? {} : { token: order.token }),
    ...(isFailed ? { message: 'Transaction failed. Your wallet has been refunded.' } : {}),
  });
}

/** Section 6: hex HMAC-SHA256 of the raw bytes, with the live key, or the sandbox key of an account that has no live key. */
export function webhookSignature(body: string, account: Account): string {
  return createHmac('sha256', account.keys.live ?? account.keys.sandbox ?? '')
    .update(body)
    .digest('hex');
}
