import { kobo, ZERO_KOBO } from '../../domain/amount';
import { priceFor } from '../catalog/catalog';
import { Refusal } from '../refusal';
import { endpointOf, textOf } from '../field/check-fields';
import type { PurchaseService } from './purchase-service';
import { balances } from './results';
import { quantityOf } from '../field/rules';
import { counted } from './counted';

const QUANTITY_MAX = 5;

/** POST /exam_pin. */
export const examPin: PurchaseService = {
  category: 'exam_pin',
  endpoint: endpointOf('POST', '/exam_pin'),
  quote(body, catalog, tier) {
    const exam = textOf(body, 'exam_name');
    const price = Object.hasOwn(catalog.file.exams, exam) ? catalog.file.exams[exam] : undefined;
    if (price === undefined) throw new Refusal('invalid_field', 'exam_name', 'is not an exam of the catalog');
    const quantity = quantityOf(body, QUANTITY_MAX);
    const total = kobo(priceFor(price, tier) * quantity);
    return {
      category: 'exam_pin',
      number: '',
      network: null,
      amount: total,
      charge: total,
      fee: ZERO_KOBO,
      cashback: ZERO_KOBO,
      identity: `${exam} ${quantity}`,
      cards: quantity,
      hasToken: false,
      meta: { exam_name: exam, quantity },
    };
  },
  describe: ({ meta, cards }) => counted(cards, `${meta['exam_name']} PIN`),
  congratulate: ({ meta, cards }) => `${counted(cards, `${meta['exam_name']} PIN`)} ready.`,
  result: (order) => ({ pins: order.pins, ...balances(order) }),
};
