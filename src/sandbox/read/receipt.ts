import { nairaNumber } from '../../domain/amount';
import type { Caller } from '../account/account';
import type { Answer } from '../answer';
import { providerReference } from '../order/mint';
import { statusOf, type Order } from '../order/order';
import type { Fields } from '../field/check-fields';
import { describeOrder } from '../service/purchase-services';
import { Refusal } from '../refusal';
import { watText } from '../wat-time';
import type { World } from '../world';

/** GET /receipt. A pending order of more than two minutes is re-checked with the provider first. */
export function receipt(world: World, caller: Caller, query: Fields): Answer {
  const reference = query['reference'];
  if (reference === undefined || reference === '') throw new Refusal('missing_field', 'reference');
  const order = typeof reference === 'string' ? world.orders.findByReference(caller.walletId, reference) : undefined;
  if (order === undefined) throw new Refusal('unknown_reference');
  world.cashier.recheck(order);
  return { status: 200, isAboutOrder: true, body: { status: 'success', success: true, data: record(order) } };
}

/** Section 2.3. */
function record(order: Order): Record<string, unknown> {
  return {
    id: order.id,
    reference: order.reference,
    transaction_ref: order.reference,
    category: order.category,
    type: 'debit',
    amount: nairaNumber(order.amount),
    status: statusOf(order),
    description: describeOrder(order),
    phone: order.number,
    balance_before: nairaNumber(order.balanceBefore),
    balance_after: nairaNumber(order.balanceAfter),
    charge: nairaNumber(order.charge),
    provider_ref: order.status === 'pending' ? null : providerReference(order.reference),
    created_at: watText(order.createdAt),
    pins: order.pins,
    token: order.token,
    meta: order.meta,
    recharge_card:
      order.category === 'recharge_card'
        ? { network: order.network, denomination: order.meta['denomination'], name_on_card: order.meta['name_on_card'] }
        : null,
  };
}
