import type { ReplyOutcome } from '../../src/mapping/mapping';
import { mappingWith } from './mapping-set';
import type { JsonObject } from '../../src/domain/json';
import { buildObject, compilePlacedFields, type ValueContext } from '../../src/mapping/compile-value';
import type { ValueSource } from '../../src/mapping/language/schema';
import { createTemplate } from '../../src/mapping/compile-reply';

const BLOCKS = `
blocks:
  base:
    always: { from: base, base: 1 }
    success: { from: base-success, order: [1] }
    failure: { error: [$text] }
  middle:
    include: [base]
    always: { from: middle, middle: 1 }
  refusal: { include: [base], failure: { code: $refusal.code } }
`;
const operation = (reply: string, kind = 'read'): string => `
operations:
  ask:
    title: Balance
    kind: ${kind}
    ${kind === 'list' ? '' : 'call: { to: GET /balance }'}
    reply: ${reply}
`;
const scope = { fields: {}, joins: {}, roots: { text: 'No.', refusal: { code: 'x' } }, numberOf: () => undefined };

function replyOf(outcome: ReplyOutcome, reply: string, own?: string): unknown {
  const format = `format: x\ntitle: X\n${own === undefined ? '' : `operations: { ask: { reply: ${own} } }`}`;
  return mappingWith(BLOCKS, operation(reply), format).operations.get('ask')!.replies.get('x')![outcome](scope);
}

test('a field of an outcome overrides one of `always` in any layer; otherwise the operation overrides a block, and the format both', () => {
  const reply = '{ include: [middle], always: { from: always, always: 1 }, success: { from: success } }';
  expect(replyOf('pending', '{ include: [middle] }')).toEqual({ from: 'middle', base: 1, middle: 1 });
  expect(replyOf('success', '{ include: [base] }')).toEqual({ from: 'base-success', base: 1, order: [1] });
  expect(replyOf('pending', reply)).toEqual({ from: 'always', base: 1, middle: 1, always: 1 });
  expect(replyOf('success', reply)).toEqual({ from: 'success', base: 1, middle: 1, always: 1, order: [1] });
  expect(replyOf('success', reply, '{ always: { from: own } }')).toMatchObject({ from: 'success' });
  expect(replyOf('pending', reply, '{ always: { from: own } }')).toMatchObject({ from: 'own' });
  expect(replyOf('success', reply, '{ always: { from: own }, success: { from: own-success } }')).toMatchObject({
    from: 'own-success',
  });
});

test('an object around a list has the layers of every reply; a bare list has no further fields', () => {
  const listOf = (shared: string, own?: string): unknown => {
    const format = `format: x\ntitle: X\n${own === undefined ? '' : `operations: { ask: { reply: ${own} } }`}`;
    const mapping = mappingWith(
      `${BLOCKS}  words: { always: { told: 1 } }\nrows: { exam: { id: $row.id } }`,
      operation(shared, 'list'),
      format,
    );
    return mapping.operations
      .get('ask')!
      .replies.get('x')!
      .success({ ...scope, roots: { catalog: { exams: [{ id: 1 }] } } });
  };
  const rows = '{ each: $catalog.exams, row: exam }';
  const own = `{ include: [middle], always: { code: '000' }, success: { exams: ${rows}, middle: 2 } }`;
  const body = { from: 'base-success', base: 1, order: [1], middle: 2, code: '000', exams: [{ id: 1 }] };
  expect(listOf(`{ success: ${rows} }`, own)).toEqual(body);
  expect(listOf(own)).toEqual(body);
  expect(listOf(own, `{ success: ${rows} }`)).toEqual([{ id: 1 }]);
  expect(listOf(own, '{ always: { code: x } }')).toMatchObject({ code: 'x', middle: 2 });
  expect(listOf(`{ always: { code: x }, success: ${rows} }`, '{ always: { code: x } }')).toEqual([{ id: 1 }]);
});

test('a format has a list of its own in place of the shared one, and its reply to all operations changes no list', () => {
  const listOf = (shared: string, format: string): unknown =>
    mappingWith(`${BLOCKS}  words: {}`, operation(shared, 'list'), `format: x\ntitle: X\n${format}`)
      .operations.get('ask')!
      .replies.get('x')!
      .success(scope);
  const shared = '{ success: { shared: 1 } }';
  expect(listOf(shared, 'operations: { ask: { reply: { success: { own: 2 } } } }')).toEqual({ own: 2 });
  expect(listOf(shared, 'reply: { always: { code: x }, success: { own: 2 } }')).toEqual({ shared: 1 });
});

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
])('the text of the template equals the body as JSON: %s', (_what, source, order) => {
  const { text, body } = write(source, order);
  expect(text).toBe(JSON.stringify(body));
});

test('a spread field that replaces an earlier field keeps the place of that field', () => {
  const { text, body } = write({ id: '$phone', a: 1, '*': '$order.echo', b: '$phone' }, { echo: { id: 7, ident: 8 } });
  expect(text).toBe('{"id":7,"a":1,"ident":8,"b":"0803\\"1"}');
  expect(text).toBe(JSON.stringify(body));
});

test.each<[string, Readonly<Record<string, ValueSource>>]>([
  ['brings the name of a constant', { id: 1, '*': '$order.echo' }],
  ['brings a name that stands after it', { '*': '$order.echo', id: '$phone' }],
  ['brings a number as its name', { a: 1, '*': '$order.numbered' }],
])('the template gives no text where a spread %s, because the field would have another place in the body', (_what, source) => {
  const order = { echo: { id: 2 }, numbered: { 7: 'x' } };
  expect(write(source, order).text).toBeUndefined();
});
