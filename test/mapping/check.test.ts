import { INPUT_TRANSFORMS } from '../../src/mapping/input-transforms';
import { checkFolder } from '../../src/mapping/check';
import { checkWith, MAPPINGS, marked } from './mapping-set';

test('the base set of these tests has no problems', () => {
  expect(checkWith()).toMatchObject({ problems: [], mapping: expect.any(Object) });
});

test('the shipped mappings have no problems, not even warnings', () => {
  expect(checkFolder(MAPPINGS).problems).toEqual([]);
});

const OPERATION = (lines: string, kind = 'purchase'): string => `
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
const reply = (value: string): string => OPERATION(`${CALL}\nreply: { always: { x: ${value} } }`, 'read');
const field = (lines: string): string => OPERATION(`fields:\n  ${lines}\n${CALL}`, 'read');
const list = (value: string): string => `
rows: { plan: { id: $row.id } }
${OPERATION(`reply: { success: ${value} }`, 'list')}`;
const format = (lines: string): string => `format: x\ntitle: Format X\n${lines}`;
const call = (send: string): string => OPERATION(`fields: { phone: { from: [phone], as: phone } }\ncall: ${send}`);

/** Problems that the examples of docs/rules do not show: other places and other hints. The mark § is where the problem is reported. */
const fixtures: readonly (readonly [string, string, string, string?])[] = [
  // Values
  ['bad-expression', '`$a b` is not of the form $path or $path | transform', reply('§$a b')],
  ['bad-expression', '`$` is not of the form $path or $path | transform', reply('[1, §$]')],
  ['unknown-source', 'there is no `$row`', reply('§$row.id')],
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
  ['unknown-source', 'there is no `$txt`', 'rows:\n  plan:\n    id: §$txt\n', 'did you mean `$text`?'],
  [
    'unknown-choice',
    'expected one of `data_plans`, `cable_plans`, `cable_providers`, `discos`, `exams`, `recharge_cards` (at operations.buy.join.bought.list)',
    OPERATION(`join: { bought: { list: §disco, where: { id: 1 } } }\n${CALL}`, 'read'),
    'did you mean `discos`?',
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
    'the default of `ported` is not a valid value: expected true or false',
    field('ported: { from: [p], as: flag, default: §maybe }'),
  ],
  [
    'bad-default',
    'the default of `net` is not a valid value: expected a network such as MTN, GLO',
    field('net: { from: [n], as: network, default: §MNT }'),
  ],
  // Operations
  [
    'unknown-v1-field',
    'POST /airtime has no field `fhone`',
    call('{ to: POST /airtime, send: { network: MTN, amount: 1, phone: $phone, §fhone: 1 } }'),
    'did you mean `phone`?',
  ],
  ['unknown-format', 'there is no format `z`', OPERATION(`undecided: §z\n${CALL}`, 'read')],
  [
    'unknown-field',
    'this operation has no field `fhone`',
    OPERATION(
      `fields: { network: { from: [network], as: network } }\nnumbering_guard: { number: network, phone: §fhone }\n${CALL}`,
      'read',
    ),
  ],
  [
    'route-shadowed',
    'POST /api/buy already means `buy`',
    `${OPERATION(CALL, 'read')}  other:\n    title: Other\n    kind: read\n    routes: [§POST /api/buy/]\n    ${CALL}\n`,
  ],
  [
    'value-not-of-v1',
    'v1 takes MTN, GLO, AIRTEL, 9MOBILE as `network`, not `GLOBACOM`',
    'tables: { network: { title: network, values: { MTN: { id: 1 }, GLO: { id: 2 }, §GLOBACOM: { words: [GLOBACOM] } } } }',
  ],
  // Formats
  ['unknown-table', 'there is no table `netwrk`', format('numbers: { §netwrk: { 1: MTN } }'), 'did you mean `network`?'],
  ['unknown-value', 'network `MNT` is not in the table', format('numbers: { network: { 1: MTN, 2: §MNT } }'), 'known: MTN, GLO'],
  ['unknown-operation', 'there is no operation `by`', format('operations: { §by: {} }'), 'did you mean `buy`?'],
  [
    'unknown-field',
    '`buy` has no field `fhone`',
    format('operations: { buy: { fields: { §fhone: { from: [fhone] } } } }'),
    'did you mean `phone`?',
  ],
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
    'word-shared',
    '`mtn` is already a word of `MTN`',
    'tables:\n  network:\n    title: network\n    values:\n      MTN: { words: [] }\n      GLO: { words: [§mtn] }',
    'it is also at 1.yaml:5:7',
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
];

test.each(fixtures.map(([code, message, text, hint]) => [code, message, text, hint] as const))(
  '%s: %s',
  (code, message, text, hint) => {
    const { text: plain, line, column } = marked(text);
    const { mapping, problems } = checkWith(plain);
    expect(mapping).toBeUndefined();
    const found = problems.filter((problem) => problem.code === code && problem.message === message);
    expect(found.length === 0 ? problems : found).toEqual([
      expect.objectContaining({ file: '1.yaml', line, column, code, severity: 'error', message }),
    ]);
    expect(found[0]!.hint).toBe(hint);
  },
);

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
