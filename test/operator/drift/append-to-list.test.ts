import { parse } from 'yaml';
import { appendToList } from '../../../src/operator/drift/append-to-list';

const path = ['operations', 'buy', 'fields', 'phone', 'from'];

test.each<[string, string, readonly string[], string]>([
  [
    'a list in a line',
    'operations: { buy: { fields: { phone: { from: [a, b], as: phone } } } }\n',
    path,
    'operations: { buy: { fields: { phone: { from: [a, b, new], as: phone } } } }\n',
  ],
  [
    'a list in a line, with its comment',
    'operations:\n  buy:\n    fields:\n      phone: { from: [a,  b], as: phone } # who\n      # next\n      amount: { from: [x] }\n',
    path,
    'operations:\n  buy:\n    fields:\n      phone: { from: [a,  b, new], as: phone } # who\n      # next\n      amount: { from: [x] }\n',
  ],
  [
    'a list of lines',
    'operations:\n  buy:\n    fields:\n      phone:\n        from:\n          - a # one\n          - b # two\n        as: phone\n',
    path,
    'operations:\n  buy:\n    fields:\n      phone:\n        from:\n          - a # one\n          - b # two\n          - new\n        as: phone\n',
  ],
  [
    'a file without the operation',
    'format: a\nproof:\n  - { weight: weak } # last\n',
    path,
    'format: a\nproof:\n  - { weight: weak } # last\n\noperations:\n  buy:\n    fields:\n      phone: { from: [new] }\n',
  ],
  [
    'an operation without fields',
    'operations:\n  buy:\n    reply:\n      success:\n        pin: x\n\nrows:\n  one: { a: 1 }\n',
    path,
    'operations:\n  buy:\n    reply:\n      success:\n        pin: x\n    fields:\n      phone: { from: [new] }\n\nrows:\n  one: { a: 1 }\n',
  ],
  [
    'ignore, which stands behind the fields',
    'operations:\n  buy:\n    fields:\n      phone: { from: [a] } # p\n    # the call\n    call: { to: x }\n',
    ['operations', 'buy', 'ignore'],
    'operations:\n  buy:\n    fields:\n      phone: { from: [a] } # p\n    ignore: [new]\n    # the call\n    call: { to: x }\n',
  ],
  [
    'a map in a line',
    'operations: { buy: { title: x } }\n',
    ['operations', 'buy', 'ignore'],
    'operations: { buy: { title: x, ignore: [new] } }\n',
  ],
  ['line ends of Windows', 'ignore:\r\n  - a\r\nb: 1\r\n', ['ignore'], 'ignore:\r\n  - a\r\n  - new\r\nb: 1\r\n'],
  ['no line end at the end', 'ignore: [a]', ['ignore'], 'ignore: [a, new]'],
  [
    'a text of several lines before it',
    'a:\n  t: |\n    one\n    two\nb: 1\n',
    ['a', 'ignore'],
    'a:\n  t: |\n    one\n    two\n  ignore: [new]\nb: 1\n',
  ],
])('%s', (_title, before, at, after) => {
  expect(appendToList(before, at, 'new')).toBe(after);
});

test.each(['a, b', '12', 'null', "it's", 'a: b', '#x', ':value', 'yes', '{', ''])(
  'the item %j comes out as it went in',
  (item) => {
    expect(parse(appendToList('ignore: [a]\n', ['ignore'], item)!)).toEqual({ ignore: ['a', item] });
    expect(parse(appendToList('ignore:\n- a\n', ['ignore'], item)!)).toEqual({ ignore: ['a', item] });
  },
);

test.each([
  ['an alias', 'base: &b [a]\nignore: *b\n'],
  ['an anchored list, which is somebody else’s too', 'ignore: &b [a]\nother: *b\n'],
  ['a text where a list should be', 'ignore: a\n'],
  ['an empty list', 'ignore: []\n'],
])('%s is left alone', (_title, text) => {
  expect(appendToList(text, ['ignore'], 'new')).toBeUndefined();
});
