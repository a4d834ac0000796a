import { INPUT_TRANSFORMS } from '../../src/mapping/input-transforms';
import { checkFolder } from '../../src/mapping/check';
import { checkWith, MAPPINGS, marked } from './mapping-set';

test('the base set of these tests has no problems', () => {
  expect(checkWith()).toMatchObject({ problems: [], mapping: expect.any(Object) });
});

test('the shipped mappings have no problems, not even warnings', () => {
  expect(checkFolder(MAPPINGS).problems).toEqual([]);
});

const OPERATION = (lines: string, kind = 'read'): string => `
operations:
  buy:
    title: Airtime
    kind: ${kind}
    routes: [POST /api/buy]
${lines
  .trim()
  .split('\n')
  .map((line) => `    ${line}`)
  .join('\n')}
`;
const CALL = 'call: { to: GET /balance }';
const reply = (value: string): string => OPERATION(`${CALL}\nreply: { always: { x: ${value} } }`);
const field = (lines: string): string => OPERATION(`fields:\n  ${lines}\n${CALL}`);
const list = (value: string): string => `
rows: { plan: { id: $row.id } }
${OPERATION(`reply: { success: ${value} }`, 'list')}`;
const format = (lines: string): string => `format: x\ntitle: Format X\n${lines}`;

/** Problems that the examples of docs/rules do not show: other places and other hints. The mark § is where the problem is reported. */
test.each<[code: string, message: string, text: string, hint?: string]>([
  // Values
  ['bad-expression', '`$` is not of the form $path or $path | transform', reply('[1, §$]')],
  ['unknown-key', 'unknown key `last` beside `first`', reply('{ first: [1], §last: 2 }'), 'allowed: first'],
  ['bad-expression', '`http` is not of the form $path or $path | transform', reply('{ when: { http: §401 }, value: 2 }')],
  ['unknown-key', 'unknown key `valu` beside `when`', reply('{ when: { $http: 401 }, §valu: 2 }'), 'allowed: when, value, else'],
  [
    'bad-where',
    'a condition on rows is a map such as { network: MTN }',
    list('{ each: $catalog.discos, where_any: [{ id: 1 }, §MTN], row: plan }'),
  ],
  [
    'unknown-key',
    'unknown key `were` beside `each`',
    list('{ each: $catalog.discos, §were: { id: 1 }, row: plan }'),
    'allowed: each, where, where_any, row, only',
  ],
  // Replies
  [
    'block-cycle',
    'block `one` includes itself',
    'blocks:\n  refusal: { include: [one] }\n  one: { include: [two] }\n  two: { include: [§one] }',
  ],
  // Fields
  [
    'unknown-transform',
    'there is no transform or table `fhone`',
    field('phone: { from: [phone], as: §fhone }'),
    'did you mean `phone`?',
  ],
  [
    'unknown-transform',
    'there is no transform or table `zzzzzz`',
    field('phone: { from: [phone], as: §zzzzzz }'),
    `known: ${[...Object.keys(INPUT_TRANSFORMS), 'network'].join(', ')}`,
  ],
  [
    'spelling-shared',
    '`number` is already a spelling of `phone`',
    field('phone: { from: [phone, number], as: phone }\n  meter: { from: [meter], otherwise: [m, §number], as: text }'),
    'it is also at 1.yaml:8:30',
  ],
  [
    'bad-default',
    'the default of `net` is not a valid value: expected a network such as MTN, GLO',
    field('net: { from: [n], as: network, default: §MNT }'),
  ],
  // Formats
  [
    'spelling-shared',
    '`amount` is already a spelling of `amount`',
    format('operations: { buy: { fields: { phone: { from: [p, §amount] } } } }'),
    'it is also at base-operations.yaml:9:24',
  ],
  // Tables
  [
    'unknown-value',
    'network `MNT` is not in the table',
    'tables: { network: { title: network, values: { MTN: { words: [] }, GLO: { words: [] } }, numbers: { 1: §MNT } } }',
    'known: MTN, GLO',
  ],
  [
    'unknown-table',
    'there is no table `netwrk`',
    'other_numberings: [{ title: old, table: §netwrk, numbers: { 1: MTN } }]',
    'did you mean `network`?',
  ],
  [
    'unknown-value',
    'network `MNT` is not in the table',
    'other_numberings: [{ title: old, table: network, numbers: { 1: §MNT } }]',
    'known: MTN, GLO',
  ],
])('%s: %s', (code, message, text, ...[hint]) => {
  // Not an optional parameter: in the place of a column that a row lacks, jest passes a callback.
  const { text: plain, line, column } = marked(text);
  const { mapping, problems } = checkWith(plain);
  expect(mapping).toBeUndefined();
  expect(problems).toContainEqual(
    expect.objectContaining({ file: '1.yaml', line, column, code, severity: 'error', message, hint }),
  );
});

test('a set without a block for refusals has a problem, although no line of a file causes it', () => {
  const { problems } = checkWith('blocks: { other: {} }');
  expect(problems).toEqual([expect.objectContaining({ code: 'unknown-block', message: 'there is no block `refusal`' })]);
});

test('a set with several problems reports all of them', () => {
  const { problems } = checkWith(reply('{ a: $nothing1, b: $nothing2 }'), format('numbers: { nowhere: { 1: MTN } }'));
  expect(problems.map(({ file, code }) => `${file} ${code}`)).toEqual(
    expect.arrayContaining(['1.yaml unknown-source', '1.yaml unknown-source', '2.yaml unknown-table']),
  );
  expect(problems.length).toBeGreaterThanOrEqual(3);
});

test('a problem of a shared line is reported once, however many formats compile it', () => {
  const { problems } = checkWith(reply('$nothing1'), 'format: y\ntitle: Format Y', format(''));
  expect(problems.filter(({ code }) => code === 'unknown-source')).toHaveLength(1);
});
