import { kobo } from '../../../src/domain/amount';
import type { JsonObject } from '../../../src/domain/json';
import type { OrderTraits } from '../../../src/gateway/proof/compare-receipt';
import { rulesOut } from '../../../src/gateway/proof/rules-out';

const NONE = { isTraceless: false, quantity: undefined, numbers: [], faceValue: undefined };
const AIRTIME: OrderTraits = {
  ...NONE,
  numbers: [{ kind: 'phone', text: '08031234567' }],
  faceValue: kobo(100_00),
  categories: ['airtime', 'topup'],
};
const METER: OrderTraits = {
  ...NONE,
  numbers: [{ kind: 'identifier', text: '0045021234' }],
  faceValue: kobo(5_000_00),
  categories: ['electric', 'bill'],
};
const CARDS: OrderTraits = { ...NONE, faceValue: kobo(500_00), quantity: 5, categories: ['recharge', 'card'] };
const OTHERS = ['airtime', 'data', 'cable', 'electric', 'exam', 'sms'];

test.each<[string, OrderTraits, JsonObject, boolean]>([
  ['nothing', AIRTIME, {}, false],
  ['another phone', AIRTIME, { phone: '2348031234568' }, true],
  ['the same phone', AIRTIME, { phone: '+234 803 123 4567' }, false],
  ['a masked phone', AIRTIME, { phone: '0803****568' }, false],
  ['no text for a phone', AIRTIME, { phone: 8031234568 }, false],
  ['half its price', AIRTIME, { amount: 50 }, true],
  ['a discount of a third', AIRTIME, { amount: 66 }, false],
  ['a debit with a minus', AIRTIME, { amount: '-98.00' }, false],
  ['five times its price', AIRTIME, { amount: 500 }, true],
  ['a deposit', AIRTIME, { type: 'deposit' }, true],
  ['a refund', AIRTIME, { type: 'Refund' }, true],
  ['a debit', AIRTIME, { type: 'debit' }, false],
  ['another service', AIRTIME, { category: 'Data bundle' }, true],
  ['its service in other words', AIRTIME, { category: 'VTU' }, false],
  ['no text for a service', AIRTIME, { category: 7 }, false],
  ['another meter', METER, { phone: '45021235' }, true],
  ['the meter without its zeros', METER, { phone: '45021234' }, false],
  ["the customer's phone", METER, { phone: '08031234568' }, false],
  ['a masked meter', METER, { phone: '4502****' }, false],
  ['a service charge of 250', METER, { amount: 5_250 }, false],
  ['the price of one card', CARDS, { amount: 98 }, false],
  ['less than one card', CARDS, { amount: 50 }, true],
])('a record that shows %s', (_title, traits, data, isOut) => {
  expect(
    rulesOut(
      { data },
      traits,
      OTHERS.filter((word) => !traits.categories.includes(word)),
    ),
  ).toBe(isOut);
});
