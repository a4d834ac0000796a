import fc from 'fast-check';
import { isExpression, parseExpression, rootsIn } from '../../src/mapping/expression';

test.each([
  ['$phone', { root: 'phone', path: [], transforms: [] }],
  ['$order.token', { root: 'order', path: ['token'], transforms: [] }],
  ['$v1.data.name', { root: 'v1', path: ['data', 'name'], transforms: [] }],
  ['$amount | naira', { root: 'amount', path: [], transforms: ['naira'] }],
  ['$a.B_c|text  |  upper', { root: 'a', path: ['B_c'], transforms: ['text', 'upper'] }],
])('%s is read as a path with transforms', (text, expression) => {
  expect(isExpression(text)).toBe(true);
  expect(parseExpression(text)).toEqual(expression);
});

test.each(['$', '$.a', '$a.', '$a..b', '$a |', '$a | Upper', '$a || b', '$a[0]', '$a + 1', '$a-b', ' $a', '$a ', '$a\n'])(
  '%j is not a valid expression',
  (text) => {
    expect(parseExpression(text)).toBeUndefined();
  },
);

test.each(['phone', '', '*347*119*PIN#', 'a $b'])('%j is a constant', (text) => {
  expect(isExpression(text)).toBe(false);
});

test('the parser never throws, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'$ab.|_ 1') }), (text) => {
      const expression = parseExpression(text);
      return expression === undefined || expression.root !== '';
    }),
  );
});

test('the first names of expressions are found at any depth, in conditions too, and not inside other texts', () => {
  const value = { a: '$plan.id | text', b: ['$phone', { when: { $kind: 'VTU' }, value: 'for $nobody' }], c: null, d: 1 };
  expect([...rootsIn(value)]).toEqual(['plan', 'phone', 'kind']);
  expect([...rootsIn(undefined)]).toEqual([]);
});
