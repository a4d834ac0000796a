import { kobo, ZERO_KOBO } from '../../domain/amount';
import { priceFor } from '../catalog/catalog';
import { Refusal } from '../refusal';
import { endpointOf, integerOf } from '../field/check-fields';
import type { PurchaseService } from './purchase-service';
import { quantityOf } from '../field/rules';
import { counted } from './counted';

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
      amount: total,
      charge: total,
      fee: ZERO_KOBO,
      cashback: ZERO_KOBO,
      identity: `${plan.id} ${quantity}`,
      cards: quantity,
      hasToken: false,
      meta: { plan_id: plan.id, size: plan.size, quantity },
    };
  },
  describe: ({ network, meta, cards }) => counted(cards, `${network} ${meta['size']} data card`),
  congratulate: ({ cards }) => `${counted(cards, 'data card')} ready.`,
  result: (order) => ({ pins: order.pins }),
};
