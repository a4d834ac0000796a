import { kobo, nairaText } from '../../domain/amount';
import { cashbackOf } from '../catalog/catalog';
import { Refusal } from '../refusal';
import { endpointOf, integerOf } from '../field/check-fields';
import type { PurchaseService } from './purchase-service';
import { balances, cashback } from './results';
import { amountOf, customerNumberOf, meterTypeOf, passedOnPhone } from '../field/rules';

/** POST /electricity. Prepaid meters get a token; the company's charge comes on top of the amount. */
export const electricity: PurchaseService = {
  category: 'electricity',
  endpoint: endpointOf('POST', '/electricity'),
  quote(body, catalog) {
    const disco = catalog.disco(integerOf(body, 'disco_id'));
    if (disco === undefined) throw new Refusal('invalid_field', 'disco_id', 'is not a company of the catalog');
    const meter = customerNumberOf(body, 'meter_number');
    const meterType = meterTypeOf(body);
    const amount = amountOf(body, catalog.file.limits.electricity);
    return {
      category: 'electricity',
      number: meter,
      network: null,
      amount,
      charge: kobo(amount + disco.charge),
      fee: disco.charge,
      cashback: cashbackOf(catalog.file.cashback.electricity, amount),
      identity: String(amount),
      cards: 0,
      hasToken: meterType === 'prepaid',
      meta: { disco_id: disco.id, disco_name: disco.name, meter_type: meterType, phone: passedOnPhone(body) },
    };
  },
  describe: ({ meta, amount, number }) =>
    `${meta['disco_name']} ${meta['meter_type']} payment of ${nairaText(amount)} naira for meter ${number}`,
  congratulate: ({ meta, amount, number }) =>
    `${meta['disco_name']} ${meta['meter_type']} payment of ${nairaText(amount)} naira for meter ${number} succeeded.`,
  result: (order) => ({ token: order.token, ...cashback(order), pending: order.status === 'pending', ...balances(order) }),
  extra: (order) => ({ success: true, pending: order.status === 'pending' }),
};
