import { compileFields, compileValue, ROOTS, type ValueContext } from '../../src/mapping/compile-value';
import type { Scope } from '../../src/mapping/mapping';
import type { ValueSource } from '../../src/mapping/language/schema';
import { createTable, type Table } from '../../src/mapping/table';

const network = createTable('network', { title: 'network', values: { MTN: { id: 1, words: [] }, GLO: { id: 2, words: [] } } });

function contextFor(complaints: string[], extra: Partial<ValueContext> = {}): ValueContext {
  return {
    report: (_path, code) => void complaints.push(code),
    fieldTables: new Map<string, Table | undefined>([
      ['network', network],
      ['phone', undefined],
      ['amount', undefined],
      ['type', undefined],
    ]),
    joins: new Set(['bought']),
    rows: new Map([['plan', (scope: Scope) => ({ id: (scope.roots['row'] as { id: number }).id })]]),
    tables: new Map([['network', network]]),
    allowRow: false,
    ...extra,
  };
}

const PLANS = [
  { id: 1, network: 'MTN', data_type: 'SME' },
  { id: 2, network: 'MTN', data_type: 'GIFTING' },
  { id: 3, network: 'GLO', data_type: null },
];

const scope: Scope = {
  fields: { network: 'GLO', phone: '08050000001', amount: 98050, type: undefined },
  joins: { bought: { name: '1GB', empty: '' } },
  roots: {
    text: 'Done',
    http: 401,
    order: { token: null, pins: [{ pin: '1', serial: '2' }], echo: { ref: 7, 'request-id': '7' }, message: 'has-own' },
    catalog: { data_plans: PLANS },
    v1: { data: { name: 'ADA', toString: 'own' } },
  },
  numberOf: (table, value) => (table === 'network' && value === 'GLO' ? 3 : undefined),
};

function made(source: ValueSource): unknown {
  const complaints: string[] = [];
  const value = compileValue(source, [], contextFor(complaints));
  expect(complaints).toEqual([]);
  return value(scope);
}

// What the shipped files use is held by every reply of test/gateway/reply-table and by the examples of docs/rules.
test.each<[ValueSource, unknown]>([
  ['$type', null],
  ['$network | lower | upper', 'GLO'],
  ['$type | naira', null],
  ['$bought.name.length', null],
  ['$v1.data.constructor', null],
  ['$v1.data.toString', 'own'],
  ['$v1.nothing.at.all', null],
  ['$refusal.code', null],
  [{ first: ['$type', '$order.token'] }, null],
  [{ first: ['$order.token', 0] }, 0],
  [{ first: [false, 1] }, false],
  [{ when: { $http: '401' }, value: 1 }, undefined],
  [{ when: { '$order.pins': 'present', $http: 400 }, value: 1 }, undefined],
  [{ when: {}, value: 1 }, 1],
  [{ when: { $http: 401 } }, null],
  [
    [{ when: { $http: 1 }, value: 2 }, 3],
    [null, 3],
  ],
  [{ each: '$catalog.exams', row: 'plan' }, []],
  [{ each: '$text', row: 'plan' }, []],
  [{ a: 1, '*': '$order.token' }, { a: 1 }],
])('%j is %j', (source, expected) => {
  expect(made(source)).toEqual(expected);
});

test.each<[Record<string, ValueSource>, number[]]>([
  [{ where: { network: 'mtn' } }, [1, 2]],
  [{ where: { id: '2' } }, [2]],
  [{ where: { nothing: 'x' } }, []],
  [{ where_any: [{ network: 'GLO' }, { network: '$type' }] }, [1, 2, 3]],
])('`each` with %j gives the rows %j', (conditions, ids) => {
  expect(made({ each: '$catalog.data_plans', row: 'plan', ...conditions })).toEqual(ids.map((id) => ({ id })));
});

test('`each` over a price list that is not available gives null and not an empty list', () => {
  const value = compileValue({ each: '$catalog.data_plans', row: 'plan' }, [], contextFor([]));
  expect(value({ ...scope, roots: { text: 'Done' } })).toBeNull();
});

test('$row is known only inside the shape of a row', () => {
  const complaints: string[] = [];
  compileValue('$row.id', [], contextFor(complaints));
  expect(complaints).toEqual(['unknown-source']);
  const build = compileFields({ id: '$row.id' }, [], contextFor([], { allowRow: true }));
  expect(build({ ...scope, roots: { row: { id: 5 } } })).toEqual({ id: 5 });
});

test('a name is searched among fields, then joins, then roots', () => {
  const build = compileValue('$text', [], contextFor([], { fieldTables: new Map([['text', undefined]]) }));
  expect(build({ ...scope, fields: { text: 'field' } })).toBe('field');
});

test('the networks of a format, and their numbers, need the table `network`', () => {
  for (const value of ['$networks', '$row.network | number']) {
    const complaints: string[] = [];
    compileValue(value, [], contextFor(complaints, { allowRow: true, tables: new Map([['networks', network]]) }));
    expect(complaints).toEqual(['unknown-table']);
  }
});

test('every root has a description of one sentence', () => {
  for (const sentence of Object.values(ROOTS)) expect(sentence).toMatch(/^[A-Z\\"v].*\.$/);
});
