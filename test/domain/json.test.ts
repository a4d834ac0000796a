import { InexactNumber, isList, textOf, type JsonValue } from '../../src/domain/json';

test.each<[JsonValue | undefined, string]>([
  ['text', 'text'],
  ['', ''],
  [7, '7'],
  [1.5, '1.5'],
  [true, 'true'],
  [null, 'null'],
  [undefined, 'null'],
  [['a', 1], '["a",1]'],
  [{ a: 1 }, '{"a":1}'],
])('the text of %p is %s', (value, text) => {
  expect(textOf(value)).toBe(text);
});

test('a list is a list, and nothing else is', () => {
  expect([[], {}, 'a', null, undefined].map((value) => isList(value))).toEqual([true, false, false, false, false]);
});

test('a number that a double cannot hold keeps its digits', () => {
  expect(new InexactNumber('12345678901234567890').text).toBe('12345678901234567890');
});
