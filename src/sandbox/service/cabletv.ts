import { ZERO_KOBO } from '../../domain/amount';
import { cashbackOf, priceFor } from '../catalog/catalog';
import { Refusal } from '../refusal';
import { endpointOf, integerOf } from '../field/check-fields';
import type { PurchaseService } from './purchase-service';
import { earnings } from './results';
import { customerNumberOf, passedOnPhone } from '../field/rules';

/** POST /cabletv. The package decides the provider. */
export const cabletv: PurchaseService = {
  category: 'cabletv',
  endpoint: endpointOf('POST', '/cabletv'),
  quote(body, catalog, tier) {
    const plan = catalog.cablePlan(integerOf(body, 'plan_id'));
    if (plan === undefined) throw new Refusal('invalid_field', 'plan_id', 'is not a cable plan of the catalog');
    const smartcard = customerNumberOf(body, 'smartcard');
    const price = priceFor(plan.price, tier);
    return {
      category: 'cabletv',
      number: smartcard,
      network: null,
      amount: price,
      charge: price,
      fee: ZERO_KOBO,
      cashback: cashbackOf(catalog.file.cashback.cabletv, price),
      identity: String(plan.id),
      cards: 0,
      hasToken: false,
      meta: { plan_id: plan.id, provider: plan.provider, plan_name: plan.name, phone: passedOnPhone(body) },
    };
  },
  describe: ({ meta, number }) => `${meta['provider']} ${meta['plan_name']} for ${number}`,
  congratulate: ({ meta, number }) => `${meta['provider']} ${meta['plan_name']} was paid for ${number}.`,
  result: earnings,
};
