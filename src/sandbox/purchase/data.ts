import { nairaText, ZERO_KOBO } from '../../domain/amount';
import { cashbackOf, priceFor } from '../catalog/catalog';
import { Refusal } from '../refusal';
import { endpointOf, integerOf } from './check-fields';
import type { PurchaseService } from './purchase-service';
import { earnings } from './results';
import { checkPrefix, phoneOf } from './rules';

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
    const what = `${plan.network} ${plan.size} ${plan.type}`;
    return {
      category: 'data',
      number: phone,
      network: plan.network,
      description: `${what} data for ${phone}`,
      amount: price,
      charge: price,
      fee: ZERO_KOBO,
      cashback: cashbackOf(plan.cashback, price),
      identity: String(plan.id),
      cards: 0,
      hasToken: false,
      successMessage: `${what} data was sent to ${phone} for ${nairaText(price)} naira.`,
      meta: { plan_id: plan.id },
    };
  },
  result: earnings,
};
