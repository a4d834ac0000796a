import { compileFields, compileRowTest, compileValue, ROOTS, type ValueContext } from '../../src/mapping/compile-value';
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

test.each<[ValueSource, unknown]>([
  ['plain', 'plain'],
  [7, 7],
  [true, true],
  [null, null],
  [
    ['a', '$text'],
    ['a', 'Done'],
  ],
  [{ deep: { text: '$text' } }, { deep: { text: 'Done' } }],
  ['$phone', '08050000001'],
  ['$type', null],
  ['$amount | naira', 980.5],
  ['$amount | naira_text', '980.50'],
  ['$network | id', 2],
  ['$network | number', 3],
  ['$network | lower | upper', 'GLO'],
  ['$type | naira', null],
  ['$bought.name', '1GB'],
  ['$bought.name.length', null],
  ['$v1.data.name', 'ADA'],
  ['$v1.data.constructor', null],
  ['$v1.data.toString', 'own'],
  ['$v1.nothing.at.all', null],
  ['$refusal.code', null],
  ['$order.pins | pins', '1'],
])('%j is %j', (source, expected) => {
  expect(made(source)).toEqual(expected);
});

test('`first` gives the first value that is known and not empty', () => {
  expect(made({ first: ['$type', '$bought.empty', '$bought.name', '$text'] })).toBe('1GB');
  expect(made({ first: ['$type', '$order.token'] })).toBeNull();
  expect(made({ first: ['$order.token', 0] })).toBe(0);
  expect(made({ first: [false, 1] })).toBe(false);
});

test.each<[ValueSource, unknown]>([
  [{ when: { $http: 401 }, value: '$text' }, 'Done'],
  [{ when: { $http: 400 }, value: '$text' }, undefined],
  [{ when: { $http: '401' }, value: 1 }, undefined],
  [{ when: { $http: 400 }, value: 1, else: 2 }, 2],
  [{ when: { $http: 400 }, value: 1, else: null }, null],
  [{ when: { '$order.token': 'present' }, value: 1 }, undefined],
  [{ when: { '$order.token': 'absent' }, value: 1 }, 1],
  [{ when: { '$order.pins': 'present', $http: 401 }, value: 1 }, 1],
  [{ when: { '$order.pins': 'present', $http: 400 }, value: 1 }, undefined],
  [{ when: { '$network | number': 3 }, value: 1 }, 1],
  [{ when: {}, value: 1 }, 1],
  [{ when: { $http: 401 } }, null],
])('%j is %j', (source, expected) => {
  expect(made(source)).toEqual(expected);
});

test('a value whose condition does not hold has no key, and an unknown value is null', () => {
  expect(made({ a: { when: { $http: 1 }, value: 2 }, b: '$type' })).toEqual({ b: null });
});

test('a list has null for a value whose condition does not hold', () => {
  expect(made([{ when: { $http: 1 }, value: 2 }, 3])).toEqual([null, 3]);
});

test.each<[Record<string, ValueSource>, number[]]>([
  [{}, [1, 2, 3]],
  [{ where: { network: 'mtn' } }, [1, 2]],
  [{ where: { network: '$network' } }, [3]],
  [{ where: { network: 'MTN', data_type: 'SME' } }, [1]],
  [{ where: { network: 'MTN', data_type: ['SME', 'GIFTING'] } }, [1, 2]],
  [{ where: { data_type: '$type' } }, [1, 2, 3]],
  [{ where: { id: 2 } }, [2]],
  [{ where: { id: '2' } }, [2]],
  [{ where: { nothing: 'x' } }, []],
  [{ where_any: [{ network: 'GLO' }, { data_type: 'SME' }] }, [1, 3]],
  [{ where_any: [{ network: 'GLO' }, { network: '$type' }] }, [1, 2, 3]],
])('`each` with %j gives the rows %j', (conditions, ids) => {
  expect(made({ each: '$catalog.data_plans', row: 'plan', ...conditions })).toEqual(ids.map((id) => ({ id })));
});

test('`only: first` gives the first row instead of a list, or null', () => {
  const source = { each: '$catalog.data_plans', row: 'plan', only: 'first' };
  expect(made({ ...source, where: { network: 'GLO' } })).toEqual({ id: 3 });
  expect(made({ ...source, where: { network: 'none' } })).toBeNull();
});

test('`each` over a price list that is not available gives null and not an empty list', () => {
  const value = compileValue({ each: '$catalog.data_plans', row: 'plan' }, [], contextFor([]));
  expect(value({ ...scope, roots: { text: 'Done' } })).toBeNull();
});

test('`each` over a value that is no list gives an empty list', () => {
  expect(made({ each: '$catalog.exams', row: 'plan' })).toEqual([]);
  expect(made({ each: '$text', row: 'plan' })).toEqual([]);
});

test('"*" adds the fields of its value to the object, and no field for null', () => {
  expect(made({ a: 1, '*': '$order.echo', b: 2 })).toEqual({ a: 1, ref: 7, 'request-id': '7', b: 2 });
  expect(made({ a: 1, '*': '$order.token' })).toEqual({ a: 1 });
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

test('a condition on rows ignores case and punctuation of words', () => {
  const row = compileRowTest({ name: 'Abuja Electric' }, [], contextFor([]));
  expect(row({ name: 'abuja-electric' }, scope)).toBe(true);
  expect(row({ name: 'Ikeja' }, scope)).toBe(false);
  expect(row({}, scope)).toBe(false);
});

test('every root has a description of one sentence', () => {
  for (const sentence of Object.values(ROOTS)) expect(sentence).toMatch(/^[A-Z\\"v].*\.$/);
});
