/** Which orders are told by the set that read them. With real scripts: test/flows/renamed.test.ts. */
import { earlierSetOf, setOfOrder } from '../../../src/gateway/read/earlier-set';
import type { JsonObject } from '../../../src/domain/json';
import { shippedMapping } from '../../mapping/mapping-set';

const running = shippedMapping();
/** A set with the words of each family, and its own. */
const was = { ...running, hash: 'before' };
const family = (id: string) => running.families.get(id)!.mapping();

const DATA = { network: 'MTN', phone: '08031234567', plan: '7' };
const order = (operation: string, format: string, id?: string, fields: JsonObject = DATA) => ({
  ...{ operation, format, fields },
  trail: { mapping: 'before', reason: '', spellings: {}, ...(id === undefined ? {} : { family: { id, reason: '' } }) },
});
const without = (id: string) => ({ ...running, families: new Map([...running.families].filter(([name]) => name !== id)) });

test.each([
  ['of known names', order('buy_data', 'b', 'guzzle-b'), running, undefined],
  ['of an operation that is gone', order('buy_what_was', 'b'), running, was],
  ['of a format that is gone', order('buy_data', 'z'), running, was],
  ['of a format that is gone, with a family', order('buy_data', 'z', 'guzzle-b'), running, family('guzzle-b')],
  [
    'with a field that has another name now',
    order('buy_data', 'b', undefined, { phone: '08031234567', bundle: '7' }),
    running,
    was,
  ],
  ['of a proven family that is gone', order('buy_data', 'b', 'guzzle-b'), without('guzzle-b'), family('guzzle-b')],
  ['of a family that only callers.yaml named', order('buy_data', 'b', 'django-201'), without('django-201'), undefined],
  ['of an earlier build', { operation: 'buy_what_was', format: 'b', fields: DATA }, running, undefined],
])('an order %s', (_what, asked, mapping, expected) => {
  expect(earlierSetOf(asked, mapping, false, () => was)).toBe(expected);
});

test('a family that the script shows now has its running words', () => {
  expect(earlierSetOf(order('buy_data', 'b', 'guzzle-b'), without('guzzle-b'), true, () => was)).toBeUndefined();
});

test('without the earlier set the running one is used', () => {
  expect(earlierSetOf(order('buy_what_was', 'b'), running, false, () => undefined)).toBeUndefined();
});

test.each([
  ['of known names', order('buy_data', 'b', 'guzzle-b'), running, running],
  ['of an operation that is gone', order('buy_what_was', 'b'), running, was],
  [
    'with a field that has another name now',
    order('buy_data', 'b', undefined, { phone: '08031234567', bundle: '7' }),
    running,
    was,
  ],
  ['of a family that is gone', order('buy_data', 'b', 'guzzle-b'), without('guzzle-b'), was],
])('the fields of an order %s are read by the right set', (_what, asked, mapping, expected) => {
  expect(setOfOrder(asked, { mapping, setOf: () => was })).toBe(expected);
});

test('without the earlier set the fields are read by the running one', () => {
  expect(setOfOrder(order('buy_what_was', 'b'), { mapping: running, setOf: () => undefined })).toBe(running);
});
