import { kobo, nairaText, ZERO_KOBO } from '../../domain/amount';
import { cashbackOf, percentOf } from '../catalog/catalog';
import { Refusal } from '../refusal';
import { endpointOf, textOf } from '../field/check-fields';
import type { PurchaseService } from './purchase-service';
import { earnings } from './results';
import { amountOf, checkPrefix, phoneOf } from '../field/rules';

/** POST /airtime. The account's discount is taken off the face value. */
export const airtime: PurchaseService = {
  category: 'airtime',
  endpoint: endpointOf('POST', '/airtime'),
  quote(body, catalog, tier) {
    const network = catalog.network(textOf(body, 'network'));
    const discounts = network?.airtime_discount;
    if (network === undefined || discounts === undefined) {
      throw new Refusal('invalid_field', 'network', 'must be MTN, GLO, AIRTEL or 9MOBILE');
    }
    const phone = phoneOf(body);
    const amount = amountOf(body, catalog.file.limits.airtime);
    checkPrefix(catalog, phone, network.name, body);
    const percent = typeof discounts === 'number' ? discounts : (discounts[tier] ?? 0);
    const charge = kobo(amount - percentOf(amount, percent));
    return {
      category: 'airtime',
      number: phone,
      network: network.name,
      amount,
      charge,
      fee: ZERO_KOBO,
      cashback: cashbackOf(catalog.file.cashback.airtime, charge),
      identity: String(amount),
      cards: 0,
      hasToken: false,
      meta: { discount_percent: percent },
    };
  },
  describe: ({ network, amount, number }) => `${network} airtime of ${nairaText(amount)} naira for ${number}`,
  congratulate: ({ network, amount, number }) => `${network} airtime of ${nairaText(amount)} naira was sent to ${number}.`,
  result: earnings,
};
