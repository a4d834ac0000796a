import { checkFiles } from '../../../src/mapping/check';
import { checkWith, editedFiles, marked } from '../mapping-set';

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

// Keys that YAML itself takes for the same are reported for every file: test/mapping/read-yaml.test.ts.
test.each([
  ['a format', FORMAT],
  ['a table', TABLE],
  ['another numbering', OTHERS],
  ['a caller', CALLER],
])('a number that is twice in the numbers of %s is an error that names both places', (_title, textWith) => {
  for (const numbers of ["{ 2: GLO, §'02': MTN }", "{ '002': GLO, §'02': MTN }"]) {
    const { text, line, column } = marked(textWith(numbers));
    const first = marked(textWith(numbers.replace('§', '').replace('{ ', '{ §')));
    const { problems } = checkWith(text);
    const hint = expect.stringContaining(` 1.yaml:${first.line}:${first.column}`) as string;
    expect(problems.filter(({ code }) => code === 'number-repeated')).toMatchObject([{ line, column, severity: 'error', hint }]);
  }
});

test('a numbering of another server for a table without prefixes is an error: the guard would never ask it', () => {
  const { problems } = checkFiles(
    editedFiles('networks.yaml', /table: network\n.*numbers: .*/, 'table: meter_type\n    numbers: { 1: postpaid }'),
  );
  expect(problems).toMatchObject([
    { code: 'guard-cannot-tell', message: 'the table `meter_type` has no prefixes', line: 30, column: 12 },
  ]);
});

test.each([
  ['1: 100', '1: 1OO', 'unknown-value `1OO` cannot be read as `denomination`'],
  ['4: 1000', '4: 500', 'numbering-not-one-to-one 4 and 3 both mean 500'],
  ['4: 1000', "4: 1000, '04': 2000", 'number-repeated 4 and 04 are the same number'],
])('in the numbers of a field `%s` for `%s` is an error', (from, to, problem) => {
  const { problems } = checkFiles(editedFiles('format-c.yaml', from, to));
  expect(problems.map(({ code, message }) => `${code} ${message}`)).toEqual([problem]);
});
