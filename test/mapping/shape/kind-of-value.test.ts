import { INPUT_TRANSFORMS } from '../../../src/mapping/input-transforms';
import { kindOfField, kindOfValue, type Surroundings } from '../../../src/mapping/shape/kind-of-value';
import { isOfKind } from './is-of-kind';

test('a field is of the kind that its transform really gives', () => {
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

test('a value is of the kind of its last transform', () => {
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
