import {
  shapeAt,
  v1Shape,
  V1_REPLIES,
  kindOfField,
  kindOfValue,
  TRANSFORM_KINDS,
  ROOT_SHAPES,
  ROW_SHAPES,
  type Surroundings,
  type Kind,
} from '../../src/mapping/shapes';
import { V1_ENDPOINTS } from '../../src/upstream/v1';
import type { JsonObject } from '../../src/domain/json';
import { INPUT_TRANSFORMS } from '../../src/mapping/input-transforms';
import { systemClock } from '../../src/domain/clock';
import { createPriceLists } from '../../src/price-lists/price-lists';
import { catalogListsOf } from '../../src/gateway/read/catalog-lists';
import { orderRoot } from '../../src/gateway/tell/merge-reply';
import { ROOTS } from '../../src/mapping/compile-value';
import { OUTPUT_TRANSFORMS, TABLE_TRANSFORMS } from '../../src/mapping/output-transforms';
import { CATALOG_LISTS } from '../../src/mapping/language/schema';
import { loadCases } from '../../src/operator/case/cases';
import { createVirtualClock } from '../domain/virtual-clock';
import { CREDENTIALS, createScriptedUpstream } from '../gateway/scripted-upstream';
import { newOrder } from '../journal/new-order';
import { MAPPINGS, shippedMapping } from './mapping-set';

/** Whether a value really has the kind that the checker assumes. */
const isOfKind: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  any: () => true,
  text: (value) => typeof value === 'string',
  word: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  kobo: (value) => Number.isSafeInteger(value),
  time: (value) => Number.isSafeInteger(value),
  flag: (value) => typeof value === 'boolean',
  list: Array.isArray,
  cards: Array.isArray,
  rows: Array.isArray,
  object: (value) => typeof value === 'object',
};

test('a path leads to a kind of value, to a list of known parts, or to an unknown value', () => {
  expect(shapeAt(v1Shape('GET /balance'), ['data', 'wallet_balance'])).toEqual({ shape: 'number' });
  expect(shapeAt(v1Shape('GET /balance'), ['data', 'wallet'])).toMatchObject({
    parts: expect.arrayContaining(['wallet_balance']),
  });
  expect(shapeAt('text', ['length'])).toEqual({ parts: [] });
  expect(shapeAt(v1Shape('GET /catalog'), ['whatever'])).toEqual({ shape: 'any' });
});

test('every known shape of a reply belongs to an endpoint of the specification', () => {
  const calls = V1_ENDPOINTS.map(({ method, path }) => `${method} ${path}`);
  expect(Object.keys(V1_REPLIES).filter((call) => !calls.includes(call))).toEqual([]);
});

test('a shape has the parts of its schema, nested and optional ones too, with the kinds of their values', () => {
  expect(V1_REPLIES['POST /validate-meter']).toEqual({
    status: 'text',
    message: 'text',
    data: { name: 'text', address: 'text' },
  });
  expect(V1_REPLIES['GET /receipt']).toMatchObject({ data: { status: 'text', amount: 'number', pins: 'rows' } });
  expect(V1_REPLIES['GET /balance']).toMatchObject({ data: { sandbox: 'flag' } });
});

test('each transform of a field gives a value of the kind that the checker assumes', () => {
  const samples: Readonly<Record<string, string>> = {
    phone: '08030000001',
    phone_list: '08030000001',
    flag: 'true',
    order_id: 'x',
  };
  for (const [name, transform] of Object.entries(INPUT_TRANSFORMS)) {
    const read = transform.read(samples[name] ?? '100');
    const kind = kindOfField({ from: [name], as: name }, {});
    expect({ name, kind, fits: 'value' in read && isOfKind[kind](read.value) }).toMatchObject({ fits: true });
  }
});

test('a value has the kind that its last transform gives', () => {
  const around: Surroundings = {
    fields: { sum: { from: ['sum'], as: 'naira' } },
    tables: {},
    joins: { plan: 'data_plans' },
    endpoint: undefined,
    list: undefined,
  };
  expect(kindOfValue('$sum', around)).toBe('kobo');
  expect(kindOfValue('$sum | naira', around)).toBe('number');
  expect(kindOfValue('$plan.price | naira_text', around)).toBe('text');
  expect(kindOfValue('$order.pins', around)).toBe('cards');
  expect(kindOfValue(null, around)).toBe('any');
  expect(kindOfValue([1], around)).toBe('list');
});

test('the price lists have the columns and kinds that the checker assumes', async () => {
  const body = { status: 'success', data: loadCases(MAPPINGS).fixtures.catalog! } as const;
  const upstream = createScriptedUpstream(createVirtualClock(), [], () => ({ kind: 'found', body }));
  const catalog = await createPriceLists({ upstream, clock: systemClock }).get({
    credentials: CREDENTIALS,
    clientAddress: '192.0.2.7',
    timeoutMs: 1_000,
  });
  const { lists } = catalogListsOf(catalog!, shippedMapping());
  expect(Object.keys(lists).sort()).toEqual([...CATALOG_LISTS].sort());
  for (const [list, [row]] of Object.entries(lists)) {
    const columns = ROW_SHAPES[`catalog.${list}`]!;
    expect({ list, columns: Object.keys(row!).sort() }).toEqual({ list, columns: Object.keys(columns).sort() });
    for (const [column, kind] of Object.entries(columns))
      expect({ list, column, fits: isOfKind[kind as Kind](row![column]) }).toMatchObject({ fits: true });
  }
});

test('an order has the parts and kinds that the checker assumes', () => {
  const delivery = {
    charged: 100,
    balanceBefore: 900,
    balanceAfter: 800,
    cashback: 1,
    token: 't',
    pins: [{ pin: '1', serial: '2' }],
  };
  const root = orderRoot({ ...newOrder(), number: 1, attempts: 1 }, { kind: 'succeeded', reference: 'v1-1', delivery } as never);
  expect(Object.keys((root['pins'] as JsonObject[])[0]!)).toEqual(Object.keys(ROW_SHAPES['order.pins']!));
  const shape = ROOT_SHAPES['order'] as Readonly<Record<string, Kind>>;
  expect(Object.keys(root).sort()).toEqual(Object.keys(shape).sort());
  for (const [part, kind] of Object.entries(shape))
    expect({ part, kind, fits: isOfKind[kind](root[part]) }).toMatchObject({ fits: true });
});

test('every source of values has a shape, and every transform has a kind for its input and its result', () => {
  expect([...Object.keys(ROOT_SHAPES), 'v1', 'row'].sort()).toEqual(Object.keys(ROOTS).sort());
  expect(Object.keys(TRANSFORM_KINDS).sort()).toEqual(
    [...Object.keys(OUTPUT_TRANSFORMS), ...Object.keys(TABLE_TRANSFORMS)].sort(),
  );
});
