import { compareSubset, compareWhole } from '../../../src/operator/case/compare';

test('fields that are not named do not matter', () => {
  expect(compareSubset({ a: 1 }, { a: 1, b: 2 }, 'reply')).toEqual([]);
});

test('only what differs is told, with its place', () => {
  expect(compareSubset({ a: 1, b: { c: 'x', d: true } }, { a: 1, b: { c: 'y', d: true } }, 'reply')).toEqual([
    { place: 'reply.b.c', expected: '"x"', found: '"y"' },
  ]);
});

test('a field that is missing is not null', () => {
  expect(compareSubset({ a: null }, {}, 'reply')).toEqual([{ place: 'reply.a', expected: 'null', found: 'nothing' }]);
  expect(compareSubset({ a: null }, { a: null }, 'reply')).toEqual([]);
});

test('several names have one value', () => {
  expect(compareSubset({ 'a, b': 1 }, { a: 1, b: 2 }, 'reply')).toEqual([{ place: 'reply.b', expected: '1', found: '2' }]);
});

test('a number is not its text', () => {
  expect(compareSubset({ a: 1 }, { a: '1' }, 'reply')).toHaveLength(1);
});

test('a list has as many rows as are expected, and each is compared by the fields that are named', () => {
  expect(compareSubset([{ id: 1 }, { id: 2 }], [{ id: 1, name: 'x' }, { id: 3 }], 'reply')).toEqual([
    { place: 'reply[1].id', expected: '2', found: '3' },
  ]);
  expect(compareSubset([{ id: 1 }], [], 'reply')).toEqual([{ place: 'reply, rows', expected: '1', found: '0' }]);
});

test('a text may be held against a pattern', () => {
  expect(compareSubset({ a: { $matches: '^CG' } }, { a: 'CG1' }, 'reply')).toEqual([]);
  expect(compareSubset({ a: { $matches: '^CG' } }, { a: 1 }, 'reply')).toHaveLength(1);
});

test('a call is compared whole, but for what may be left out', () => {
  expect(compareWhole({ a: 1 }, { a: 1, pin: '1234' }, 'call', ['pin'])).toEqual([]);
  expect(compareWhole({ a: 1 }, { a: 1, b: 2 }, 'call', ['pin'])).toEqual([{ place: 'call.b', expected: 'nothing', found: '2' }]);
});
