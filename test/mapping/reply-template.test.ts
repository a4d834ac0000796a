import type { JsonObject } from '../../src/domain/json';
import { buildObject, compilePlacedFields, type ValueContext } from '../../src/mapping/compile-value';
import type { ValueSource } from '../../src/mapping/language/schema';
import { createTemplate } from '../../src/mapping/reply-template';

const CONTEXT: ValueContext = {
  report: () => undefined,
  fieldTables: new Map([['phone', undefined]]),
  joins: new Set(),
  rows: new Map(),
  tables: new Map(),
  allowRow: false,
};

function write(source: Readonly<Record<string, ValueSource>>, order: JsonObject = {}) {
  const placed = Object.entries(source).map(([field, value]) => ({ field, value, path: [field] }));
  const fields = compilePlacedFields(placed, CONTEXT);
  const scope = { fields: { phone: '0803"1' }, joins: {}, roots: { order }, numberOf: () => undefined };
  return { text: createTemplate(fields)(scope), body: buildObject(fields)(scope) };
}

const WHEN = { when: { '$order.token': 'present' }, value: '$order.token' };

test.each<[string, Readonly<Record<string, ValueSource>>, JsonObject]>([
  ['nothing', {}, {}],
  ['constants of every type', { a: 1, b: true, c: null, d: 'x "y" \u2028', e: [1, { f: null }] }, {}],
  [
    'one value under several names',
    { old: '$order.before | naira', now: '$order.after', old_balance: '$order.before | naira' },
    { before: 5, after: 6 },
  ],
  ['values that are not known', { a: '$order.nothing', b: '$phone' }, {}],
  ['a first field that is left out', { token: WHEN, b: 1 }, {}],
  ['a last field that is left out', { a: '$phone', token: WHEN }, {}],
  ['every field left out', { token: WHEN, purchased: WHEN }, {}],
  ['a field that is there', { token: WHEN, b: 1 }, { token: '12-34' }],
  ['a spread of what is not known', { a: 1, '*': '$order.echo', b: 2 }, {}],
  ['a spread of nothing', { a: 1, '*': '$order.echo', b: 2 }, { echo: {} }],
  ['a spread of names of its own', { '*': '$order.echo', b: 2 }, { echo: { 'request-id': 'x', ident: 7 } }],
])('the text is the body: %s', (_what, source, order) => {
  const { text, body } = write(source, order);
  expect(text).toBe(JSON.stringify(body));
});

test('what a spread brings stands where its name stood before', () => {
  const { text, body } = write({ id: '$phone', a: 1, '*': '$order.echo', b: '$phone' }, { echo: { id: 7, ident: 8 } });
  expect(text).toBe('{"id":7,"a":1,"ident":8,"b":"0803\\"1"}');
  expect(text).toBe(JSON.stringify(body));
});

test.each<[string, Readonly<Record<string, ValueSource>>]>([
  ['brings the name of a constant', { id: 1, '*': '$order.echo' }],
  ['brings a name that stands after it', { '*': '$order.echo', id: '$phone' }],
  ['brings a number as its name', { a: 1, '*': '$order.numbered' }],
])('there is no text where a spread %s: JavaScript places such a name elsewhere', (_what, source) => {
  const order = { echo: { id: 2 }, numbered: { 7: 'x' } };
  expect(write(source, order).text).toBeUndefined();
});
