import type { Answer } from '../answer';
import type { Order } from '../order/order';
import type { PurchaseService } from '../service/purchase-service';

/** The reply to a purchase from the order as it now is (section 7, the first three of the four ways to end). */
export function purchaseReply(service: PurchaseService, order: Order, isDuplicate: boolean): Answer {
  const duplicate = isDuplicate ? { duplicate: true } : {};
  if (order.status === 'failed') {
    return {
      status: 400,
      isAboutOrder: true,
      body: {
        status: 'error',
        success: false,
        message: 'Transaction failed. Your wallet has been refunded.',
        refunded: true,
        reference: order.reference,
        ...duplicate,
      },
    };
  }
  const isPending = order.status === 'pending';
  return {
    status: 200,
    isAboutOrder: true,
    body: {
      status: order.status,
      ...service.extra?.(order),
      ...(isPending ? { success: true, pending: true } : {}),
      message: isPending ? 'The order is being processed. Do not retry it.' : service.congratulate(order),
      ...duplicate,
      data: { reference: order.reference, ...service.result(order) },
    },
  };
}
