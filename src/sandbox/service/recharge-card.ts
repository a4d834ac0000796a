import { kobo, ZERO_KOBO } from '../../domain/amount';
import { priceFor } from '../catalog/catalog';
import { Refusal } from '../refusal';
import { endpointOf, integerOf } from '../field/check-fields';
import type { PurchaseService } from './purchase-service';
import { lengthAtMost, quantityOf } from '../field/rules';
import { counted } from './counted';

const QUANTITY_MAX = 50;
const NAME_CHARACTERS_MAX = 30;

/** POST /recharge-card. */
export const rechargeCard: PurchaseService = {
  category: 'recharge_card',
  endpoint: endpointOf('POST', '/recharge-card'),
  quote(body, catalog, tier) {
    const network = catalog.networkById(integerOf(body, 'network_id'));
    const prices = network === undefined ? undefined : catalog.file.recharge_cards[network.name];
    if (network === undefined || prices === undefined) {
      throw new Refusal('invalid_field', 'network_id', 'must be 1 (MTN), 2 (GLO), 3 (AIRTEL) or 4 (9MOBILE)');
    }
    const denomination = integerOf(body, 'denomination');
    const price = prices[String(denomination)];
    if (price === undefined)
      throw new Refusal('invalid_field', 'denomination', `must be one of ${Object.keys(prices).join(', ')}`);
    const quantity = quantityOf(body, QUANTITY_MAX);
    const name = lengthAtMost(body, 'name_on_card', NAME_CHARACTERS_MAX);
    const total = kobo(priceFor(price, tier) * quantity);
    return {
      category: 'recharge_card',
      number: '',
      network: network.name,
      amount: total,
      charge: total,
      fee: ZERO_KOBO,
      cashback: ZERO_KOBO,
      identity: `${network.id} ${denomination} ${quantity}`,
      cards: quantity,
      hasToken: false,
      meta: { denomination, quantity, name_on_card: name === '' ? null : name },
    };
  },
  describe: ({ network, meta, cards }) => `${counted(cards, `${network} recharge card`)} of ${meta['denomination']} naira`,
  congratulate: ({ cards }) => `${counted(cards, 'card')} ready.`,
  result: (order) => ({ pins: order.pins }),
};
