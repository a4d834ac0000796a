import { kobo, ZERO_KOBO } from '../../domain/amount';
import { priceFor } from '../catalog/catalog';
import { Refusal } from '../refusal';
import { endpointOf, integerOf } from './check-fields';
import type { PurchaseService } from './purchase-service';
import { quantityOf } from './rules';

const QUANTITY_MAX = 5;

/** POST /data-card. The plan ids are those of POST /data. */
export const dataCard: PurchaseService = {
  category: 'data_card',
  endpoint: endpointOf('POST', '/data-card'),
  quote(body, catalog, tier) {
    const plan = catalog.dataPlan(integerOf(body, 'plan_id'));
    if (plan === undefined) throw new Refusal('invalid_field', 'plan_id', 'is not a data plan of the catalog');
    const quantity = quantityOf(body, QUANTITY_MAX);
    const total = kobo(priceFor(plan.price, tier) * quantity);
    return {
      category: 'data_card',
      number: '',
      network: plan.network,
      description: `${quantity} ${plan.network} ${plan.size} data card${quantity === 1 ? '' : 's'}`,
      amount: total,
      charge: total,
      fee: ZERO_KOBO,
      cashback: ZERO_KOBO,
      identity: `${plan.id} ${quantity}`,
      cards: quantity,
      hasToken: false,
      successMessage: `${quantity} data card${quantity === 1 ? ' is' : 's are'} ready.`,
      meta: { plan_id: plan.id, quantity },
    };
  },
  result: (order) => ({ pins: order.pins }),
};
