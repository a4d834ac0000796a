import { isSameIntent, lastAttemptAt, type NewOrder } from '../../src/domain/order';
import { newOrder } from '../journal/new-order';
import type { JsonObject } from '../../src/domain/json';

test('the time of an attempt is the latest time written about it', () => {
  const order = { ...newOrder({ openedAtMs: 5 }), number: 1, attempts: 1 };
  expect(lastAttemptAt(order)).toBe(5);
  expect(lastAttemptAt({ ...order, settledAtMs: 9 })).toBe(9);
});

function order(fields: JsonObject, ownNumbers?: Readonly<Record<string, number>>, operation = 'buy_data'): NewOrder {
  const trail = { mapping: 'm', reason: 'r', spellings: {} };
  return newOrder({
    operation,
    fields,
    contentHash: JSON.stringify(fields),
    trail: ownNumbers === undefined ? trail : { ...trail, ownNumbers },
  });
}

test('an order is the same when v1 would get the same call, or when the script sent the same words', () => {
  const order = newOrder({ contentHash: 'c1', wordsHash: 'a1' });
  expect(isSameIntent(order, newOrder({ contentHash: 'c1', wordsHash: 'a2' }))).toBe(true);
  expect(isSameIntent(order, newOrder({ contentHash: 'c2', wordsHash: 'a1' }))).toBe(true);
  expect(isSameIntent(order, newOrder({ contentHash: 'c2', wordsHash: 'a2' }))).toBe(false);
});

test("the script's words are no evidence for an order that did not keep them", () => {
  expect(isSameIntent(newOrder({ contentHash: 'c1' }), newOrder({ contentHash: 'c2' }))).toBe(false);
});

const PHONE = '08031234567';
/** By the caller's own number 7, which means plan 57. */
const MEANT = order({ plan: 57, phone: PHONE }, { plan: 7 });

test.each<[string, NewOrder, NewOrder, boolean]>([
  ['its number has another meaning', MEANT, order({ phone: PHONE, plan: 58 }, { plan: 7 }), true],
  ['its number has got a meaning', order({ plan: 7, phone: PHONE }), MEANT, true],
  ['its number has lost its meaning', MEANT, order({ plan: 7, phone: PHONE }), true],
  ['it sent another number', MEANT, order({ plan: 58, phone: PHONE }, { plan: 8 }), false],
  ['it sent another phone', MEANT, order({ plan: 58, phone: '0805' }, { plan: 7 }), false],
  ['a field is missing', MEANT, order({ plan: 58 }, { plan: 7 }), false],
  ['nothing is numbered in its own way', order({ plan: 57 }), order({ plan: 58 }), false],
  ['another operation', order({ plan: 57 }, { plan: 7 }), order({ plan: 58 }, { plan: 7 }, 'buy_cable'), false],
])('%s: %#', (_what, earlier, now, expected) => {
  expect(isSameIntent(earlier, now)).toBe(expected);
});

test.each<[string, string, boolean]>([
  ['in another spelling is', 'ab12345', true],
  ['with other letters is not', 'cd12345', false],
])('beside an own number of the script, the same smartcard %s the same sale', (_what, smartcard, expected) => {
  const now = order({ smartcard, plan: 58, name: 'Ada' }, { plan: 7 });
  const earlier = order({ smartcard: 'AB12345', plan: 57, name: 'Ada' }, { plan: 7 });
  expect(isSameIntent(earlier, { ...now, identifiers: ['smartcard'] })).toBe(expected);
  const otherText = { ...now, fields: { ...now.fields, name: 'ada' }, contentHash: 'other', identifiers: ['smartcard'] };
  expect(isSameIntent(earlier, otherText)).toBe(false);
});

test.each<[string, JsonObject, JsonObject, boolean]>([
  ['in another case', { smartcard: 'AB12345', plan: 5 }, { smartcard: 'ab12345', plan: 5 }, true],
  ['without its zeros', { plan: 5, smartcard: '0077012345' }, { smartcard: '77012345', plan: 5 }, true],
  ['with other letters', { smartcard: 'AB12345', plan: 5 }, { smartcard: 'CD12345', plan: 5 }, false],
  ['for another plan', { smartcard: 'AB12345', plan: 5 }, { smartcard: 'ab12345', plan: 6 }, false],
  ["with another customer's phone", { smartcard: 'AB12345', plan: 5, phone: PHONE }, { smartcard: 'AB12345', plan: 5 }, true],
  ['that was not sent before', { plan: 5 }, { smartcard: 'ab12345', plan: 5 }, false],
  ['without the plan', { smartcard: 'AB12345', plan: 5 }, { smartcard: 'AB12345' }, false],
])('a sale for a smartcard number %s', (_what, earlier, now, expected) => {
  const read = { identifiers: ['smartcard'], essentials: ['smartcard', 'plan'] };
  expect(isSameIntent(order(earlier), { ...order(now), ...read })).toBe(expected);
  expect(isSameIntent(order(earlier, undefined, 'buy_power'), { ...order(now), ...read })).toBe(false);
});

test('a sale without a number is the same only if v1 would get the same call', () => {
  const cards = { denomination: 100, quantity: 1 };
  const named = { ...order({ ...cards, name_on_card: 'Ada' }), essentials: [] };
  expect(isSameIntent(order(cards), named)).toBe(false);
});
