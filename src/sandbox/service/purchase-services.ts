import type { Category } from '../catalog/catalog-file';
import { airtime } from './airtime';
import { bulkSms } from './bulk-sms';
import { cabletv } from './cabletv';
import { data } from './data';
import { dataCard } from './data-card';
import { electricity } from './electricity';
import { examPin } from './exam-pin';
import type { Order } from '../order/order';
import type { PurchaseService } from './purchase-service';
import { rechargeCard } from './recharge-card';

/** Everything that is sold, by category. */
export const PURCHASE_SERVICES: Readonly<Record<Category, PurchaseService>> = {
  data,
  airtime,
  cabletv,
  electricity,
  exam_pin: examPin,
  recharge_card: rechargeCard,
  data_card: dataCard,
  bulk_sms: bulkSms,
};

/** One line for people. */
export function describeOrder(order: Order): string {
  return PURCHASE_SERVICES[order.category].describe(order);
}
