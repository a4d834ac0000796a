import { ZERO_KOBO } from '../../domain/amount';
import { cashbackOf, priceFor } from '../catalog/catalog';
import { Refusal } from '../refusal';
import { endpointOf, integerOf } from '../field/check-fields';
import type { PurchaseService } from './purchase-service';
import { earnings } from './results';
import { checkPrefix, phoneOf } from '../field/rules';

/** POST /data. The plan decides the network; a `network` in the request is ignored. */
export const data: PurchaseService = {
  category: 'data',
  endpoint: endpointOf('POST', '/data'),
  quote(body, catalog, tier) {
    const plan = catalog.dataPlan(integerOf(body, 'plan_id'));
    if (plan === undefined) throw new Refusal('invalid_field', 'plan_id', 'is not a data plan of the catalog');
    const phone = phoneOf(body);
    checkPrefix(catalog, phone, plan.network, body);
    const price = priceFor(plan.price, tier);
    return {
      category: 'data',
      number: phone,
      network: plan.network,
      amount: price,
      charge: price,
      fee: ZERO_KOBO,
      cashback: cashbackOf(plan.cashback, price),
      identity: String(plan.id),
      cards: 0,
      hasToken: false,
      meta: { plan_id: plan.id, size: plan.size, data_type: plan.type },
    };
  },
  describe: ({ network, meta, number }) => `${network} ${meta['size']} ${meta['data_type']} for ${number}`,
  congratulate: ({ network, meta, number }) => `${network} ${meta['size']} was sent to ${number}.`,
  result: earnings,
};
