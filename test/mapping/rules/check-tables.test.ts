import { checkWith, marked } from '../mapping-set';

test('a value may repeat its own word, and a longer prefix may begin with a shorter one', () => {
  const { problems } = checkWith(`
tables:
  network:
    title: network
    values:
      MTN: { words: [MTN, mtn, 'M-T-N'], prefixes: ['0803', '0803'] }
      GLO: { words: [GLO], prefixes: ['08031'] }
`);
  expect(problems).toEqual([]);
});

const FORMAT = (numbers: string): string => `format: x\ntitle: Format X\nnumbers: { network: ${numbers} }`;
const TABLE = (numbers: string): string => `
tables:
  network:
    title: network
    values:
      MTN: { id: 1, words: [MTN] }
      GLO: { id: 2, words: [GLO] }
    numbers: ${numbers}`;
const OTHERS = (numbers: string): string => `other_numberings: [{ title: Another server, table: network, numbers: ${numbers} }]`;
const CALLER = (numbers: string): string => `
callers:
  kinds: { other: { patience: 4s } }
  keys: { 0123456789abcdef0123456789abcdef: { numbers: { network: ${numbers} } } }`;

describe.each([
  ['a format', FORMAT],
  ['a table', TABLE],
  ['another numbering', OTHERS],
  ['a caller', CALLER],
])('a duplicate number in the numbers of %s', (_title, textWith) => {
  test.each([
    ["{ 2: GLO, §'2': MTN }", 'duplicate-key'],
    ["{ '2': GLO, §2: MTN }", 'duplicate-key'],
    ["{ 2: GLO, §'02': MTN }", 'number-repeated'],
    ["{ '002': GLO, §'02': MTN }", 'number-repeated'],
  ])('%s is an error that names both places', (numbers, code) => {
    const { text, line, column } = marked(textWith(numbers));
    const first = marked(textWith(numbers.replace('§', '').replace('{ ', '{ §')));
    const { problems } = checkWith(text);
    expect(problems.filter((problem) => problem.code === code)).toEqual([
      expect.objectContaining({
        line,
        column,
        severity: 'error',
        hint: expect.stringContaining(` 1.yaml:${first.line}:${first.column}`),
      }),
    ]);
  });
});
