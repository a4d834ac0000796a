import { kobo } from '../../../src/domain/amount';
import type { JsonObject } from '../../../src/domain/json';
import {
  compareReceipt,
  identifyReceipt,
  isExactly,
  type OrderTraits,
  rulesOut,
  traitsOf,
} from '../../../src/gateway/proof/compare-receipt';
import { shippedMapping } from '../../mapping/mapping-set';

const AIRTIME: OrderTraits = {
  numbers: [{ kind: 'phone', text: '08031234567' }],
  faceValue: kobo(100_00),
  categories: ['airtime'],
  isTraceless: false,
  quantity: undefined,
};
const METER: OrderTraits = {
  numbers: [
    { kind: 'identifier', text: '0045' },
    { kind: 'phone', text: '08031234567' },
  ],
  faceValue: kobo(5_000_00),
  mayBeCharged: true,
  categories: ['electricity'],
  isTraceless: false,
  quantity: undefined,
};
const DATA: OrderTraits = { ...AIRTIME, faceValue: kobo(580_00), isListed: true, categories: ['data'] };
const CARD = traitsOf(shippedMapping().operations.get('buy_recharge_cards')!, { network: 'MTN', denomination: 100, quantity: 1 });
const MESSAGE = traitsOf(shippedMapping().operations.get('send_sms')!, {
  sender: 'Shop',
  message: 'Hi',
  recipients: ['08031234567'],
});
const OPENED = Date.UTC(2026, 5, 1, 9);
const KNOWN = { openedAtMs: OPENED + 500, nowMs: OPENED + 20_000 };
const receipt = (data: JsonObject): JsonObject => ({ status: 'success', data });

const SPELLED = { phone: '2348031234567', amount: '100.00', category: 'airtime' };
const CHARGED = { phone: '0045', amount: 5_100, category: 'Electricity bill' };
const OTHER_CARD = { phone: '', amount: 192, category: 'recharge_card' };

test.each<[string, JsonObject, OrderTraits, string]>([
  ['all agrees', { phone: '08031234567', amount: 98, category: 'Airtime' }, AIRTIME, 'agrees agrees agrees'],
  ['another spelling of the phone', SPELLED, AIRTIME, 'agrees agrees agrees'],
  ['the phone as a JSON number', { ...SPELLED, phone: 8031234567 }, AIRTIME, 'agrees agrees agrees'],
  ['another phone as a JSON number', { ...SPELLED, phone: 2348031234568 }, AIRTIME, 'differs agrees agrees'],
  ['nothing is shown', {}, AIRTIME, 'absent absent absent'],
  ['nothing is readable', { phone: null, amount: 'free', category: '' }, AIRTIME, 'absent absent absent'],
  ['all differs', { phone: '08031234568', amount: 500, category: 'data' }, AIRTIME, 'differs differs differs'],
  ['a service charge on top', CHARGED, METER, 'agrees agrees agrees'],
  [
    'the service charge of the price list',
    { ...CHARGED, amount: 5_600 },
    { ...METER, charge: kobo(600_00) },
    'agrees agrees agrees',
  ],
  ['a data plan of 100 naira more', { phone: '08031234567', amount: 680, category: 'data' }, DATA, 'agrees differs agrees'],
  ['a card of 200 naira where one of 100 was ordered', OTHER_CARD, CARD, 'absent differs agrees'],
])('%s: number, price and category', (_title, data, traits, expected) => {
  const { number, price, category } = compareReceipt(receipt(data), traits);
  expect(`${number} ${price} ${category}`).toBe(expected);
});

test.each<[string, JsonObject, OrderTraits, string]>([
  ['the same phone and a plausible price', { phone: '08031234567', amount: 98, category: 'airtime' }, AIRTIME, 'same'],
  ['the same phone without a price', { phone: '08031234567' }, AIRTIME, 'same'],
  ['the same phone at an amount with something on top', { phone: '08031234567', amount: 150 }, AIRTIME, 'unclear'],
  ['the same phone at another price', { phone: '08031234567', amount: 500 }, AIRTIME, 'unclear'],
  ['the same phone and price of another service', { phone: '08031234567', amount: 98, category: 'data' }, AIRTIME, 'unclear'],
  ['another phone that was served', { phone: '08031234568', amount: 98 }, AIRTIME, 'other'],
  ['a phone whose mask would fit', { phone: '0803****567', amount: 98, category: 'airtime' }, AIRTIME, 'contradicted'],
  ['a phone whose mask would not fit', { phone: '0802****777', amount: 98 }, AIRTIME, 'contradicted'],
  ['another meter at the same price', { phone: '45005207777', amount: 5_000 }, METER, 'contradicted'],
  ['no phone shown', { amount: 98 }, AIRTIME, 'unclear'],
  ['another number where a meter is served', { phone: '08099999999', amount: 5_000 }, METER, 'unclear'],
  [
    'another number and service where a meter is served',
    { phone: '08099999999', amount: 5_000, category: 'data' },
    METER,
    'contradicted',
  ],
  [
    'a phone and an unknown service where a message was ordered',
    { phone: '08099999999', category: 'top' },
    MESSAGE,
    'contradicted',
  ],
  ['an unknown service where a message was ordered', { phone: '', category: 'text' }, MESSAGE, 'unclear'],
  ['another number and price where a meter is served', { phone: '08099999999', amount: 50 }, METER, 'contradicted'],
  ['the meter', { phone: '0045', amount: 5_000 }, METER, 'same'],
  ['no receipt at all', {}, METER, 'unclear'],
])('%s is %s', (_title, data, traits, expected) => {
  expect(identifyReceipt(receipt(data), traits, KNOWN)).toBe(expected);
});

test.each<[string, JsonObject, OrderTraits, boolean]>([
  ['the amount that was ordered', { amount: 100 }, AIRTIME, true],
  ['it with a minus', { amount: '-100.00' }, AIRTIME, true],
  ['a little less, as after a discount', { amount: 98 }, AIRTIME, false],
  ['a little more', { amount: 104 }, AIRTIME, false],
  ['the amount and the service charge of the price list', { amount: 5_600 }, { ...METER, charge: kobo(600_00) }, true],
  ['the amount and another charge', { amount: 5_100 }, { ...METER, charge: kobo(600_00) }, false],
  ['the amount and some charge, without a price list', { amount: 5_100 }, METER, false],
  ['a price, without a price list', { amount: 300 }, { ...AIRTIME, faceValue: undefined }, false],
  ['no price', {}, AIRTIME, false],
  ['no price, and a time after the opening', { created_at: '2026-06-01 10:00:03' }, AIRTIME, true],
  ['another price, and a time in the second of the opening', { amount: 98, created_at: '2026-06-01 10:00:00' }, AIRTIME, true],
  ['another price, and a time before the opening', { amount: 98, created_at: '2026-06-01 09:59:59' }, AIRTIME, false],
])('a receipt that shows %s', (_title, data, traits, expected) => {
  expect(isExactly(receipt(data), traits, KNOWN)).toBe(expected);
});

test('a body that is no receipt is unclear', () => {
  expect(identifyReceipt({}, AIRTIME, KNOWN)).toBe('unclear');
});

test.each([
  [
    'buy_airtime',
    { phone: '08031234567', amount: 100_00, network: 'MTN' },
    { numbers: AIRTIME.numbers, faceValue: 100_00, mayBeCharged: false },
  ],
  [
    'buy_electricity',
    { meter: '0045', phone: '08031234567', amount: 5_000_00 },
    { numbers: METER.numbers, faceValue: 5_000_00, mayBeCharged: true },
  ],
  ['buy_exam', { exam: 'WAEC', quantity: 1 }, { numbers: [], faceValue: undefined, mayBeCharged: false }],
])('the traits of %s come from the call to v1', (name, values, traits) => {
  expect(traitsOf(shippedMapping().operations.get(name)!, values)).toMatchObject(traits);
});

test.each([
  [{}, 1],
  [{ quantity: 2 }, 2],
])('a call for cards that says %j asks v1 for %d, whatever fields the mapping has', (said, quantity) => {
  const cards = shippedMapping().operations.get('buy_recharge_cards')!;
  const operation = { ...cards, call: { ...cards.call!, send: () => said } };
  expect(traitsOf(operation, { network: 'MTN', denomination: 100 })).toMatchObject({ quantity, faceValue: quantity * 100_00 });
});

describe('a sale of PINs, which has no number, under an id that v1 already has', () => {
  const EXAM: OrderTraits = traitsOf(shippedMapping().operations.get('buy_exam')!, { exam: 'WAEC', quantity: 2 });
  const pins = [
    { pin: '1', serial: 'a' },
    { pin: '2', serial: 'b' },
  ];
  const exam = { category: 'exam', amount: 7_000, pins, created_at: '2026-06-01 10:00:03' };

  test.each<[string, JsonObject, string]>([
    ['written down after we took it, in West Africa Time', {}, 'same'],
    ['written down after we took it, in UTC', { created_at: '2026-06-01 09:00:03' }, 'same'],
    ['in the very second, at its very price', { created_at: '2026-06-01 10:00:00' }, 'same'],
    ['in the very second, at a price that is merely near', { created_at: '2026-06-01 10:00:00', amount: 6_900 }, 'unclear'],
    ['in the very second, without its PINs', { created_at: '2026-06-01 10:00:00', pins: [] }, 'unclear'],
    ['since then, before its PINs are there', { pins: [] }, 'same'],
    ['a second before we took it', { created_at: '2026-06-01 09:59:59' }, 'unclear'],
    ['long before we took it', { created_at: '2026-05-31 23:00:00' }, 'contradicted'],
    ['later than now', { created_at: '2026-06-01 10:05:00' }, 'unclear'],
    ['at no time that can be read', { created_at: 'today' }, 'unclear'],
    ['with another number of PINs', { pins: pins.slice(1) }, 'unclear'],
    ['of another service', { category: 'airtime' }, 'unclear'],
    ['at a price that the list does not have', { amount: 1_000 }, 'unclear'],
  ])('%s is %s', (_title, change, expected) => {
    expect(identifyReceipt(receipt({ ...exam, ...change }), EXAM, { ...KNOWN, listPrice: kobo(7_000_00) })).toBe(expected);
  });
});

const NONE = { isTraceless: false, quantity: undefined, numbers: [], faceValue: undefined };
const PHONE_SALE: OrderTraits = {
  ...NONE,
  numbers: [{ kind: 'phone', text: '08031234567' }],
  faceValue: kobo(100_00),
  categories: ['airtime', 'topup'],
};
const METER_SALE: OrderTraits = {
  ...NONE,
  numbers: [{ kind: 'identifier', text: '0045021234' }],
  faceValue: kobo(5_000_00),
  categories: ['electric', 'bill'],
};
const CARDS: OrderTraits = { ...NONE, faceValue: kobo(500_00), quantity: 5, categories: ['recharge', 'card'] };
const OTHERS = ['airtime', 'data', 'cable', 'electric', 'exam', 'sms'];

test.each<[string, OrderTraits, JsonObject, boolean]>([
  ['nothing', PHONE_SALE, {}, false],
  ['another phone', PHONE_SALE, { phone: '2348031234568' }, true],
  ['the same phone', PHONE_SALE, { phone: '+234 803 123 4567' }, false],
  ['a masked phone', PHONE_SALE, { phone: '0803****568' }, false],
  ['another phone as a JSON number', PHONE_SALE, { phone: 8031234568 }, true],
  ['the same phone as a JSON number', PHONE_SALE, { phone: 8031234567 }, false],
  ['no phone', PHONE_SALE, { phone: null }, false],
  ['half its price', PHONE_SALE, { amount: 50 }, true],
  ['a discount of a third', PHONE_SALE, { amount: 66 }, false],
  ['a debit with a minus', PHONE_SALE, { amount: '-98.00' }, false],
  ['five times its price', PHONE_SALE, { amount: 500 }, true],
  ['a deposit', PHONE_SALE, { type: 'deposit' }, true],
  ['a refund', PHONE_SALE, { type: 'Refund' }, true],
  ['a debit', PHONE_SALE, { type: 'debit' }, false],
  ['a deposit by its category alone', PHONE_SALE, { category: 'wallet_funding' }, true],
  ['a word for airtime that is also one for a deposit', PHONE_SALE, { category: 'credit' }, false],
  ['a debit under the category of a refund', PHONE_SALE, { type: 'debit', category: 'refunded' }, false],
  ['the funding of a bet', { ...PHONE_SALE, categories: ['Betting'] }, { category: 'betting_funding' }, false],
  ['another service', PHONE_SALE, { category: 'Data bundle' }, true],
  ['its service in other words', PHONE_SALE, { category: 'VTU' }, false],
  ['no text for a service', PHONE_SALE, { category: 7 }, false],
  ['another meter', METER_SALE, { phone: '45021235' }, true],
  ['a meter as a JSON number of more digits than are exact', METER_SALE, { phone: 45021234567890123456 }, false],
  ['the meter without its zeros', METER_SALE, { phone: '45021234' }, false],
  ["the customer's phone", METER_SALE, { phone: '08031234568' }, false],
  ['a masked meter', METER_SALE, { phone: '4502****' }, false],
  ['a service charge of 250', METER_SALE, { amount: 5_250 }, false],
  ['a charge that is not known', { ...METER_SALE, mayBeCharged: true }, { amount: 9_000 }, false],
  [
    'more than the charge of the price list',
    { ...METER_SALE, mayBeCharged: true, charge: kobo(600_00) },
    { amount: 9_000 },
    false,
  ],
  ['card PINs', PHONE_SALE, { pins: [{ pin: '1', serial: '2' }] }, true],
  ['card PINs where a meter may get its token so', METER_SALE, { pins: [{ pin: '1', serial: '2' }] }, false],
  ['its PINs', CARDS, { pins: [{ pin: '1', serial: '2' }] }, false],
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
