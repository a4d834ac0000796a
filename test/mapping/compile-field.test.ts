import type { Field } from '../../src/mapping/mapping';
import { mappingWith } from './mapping-set';

function fieldsOf(fields: string, ...more: string[]): ReadonlyMap<string, Field> {
  const operation = `
operations:
  buy:
    title: Airtime
    kind: purchase
    fields:
${fields.replace(/^/gm, '      ')}
    call: { to: POST /airtime, send: { network: MTN, phone: $phone, amount: 1 } }
`;
  return new Map(
    mappingWith(operation, ...more)
      .operations.get('buy')!
      .fields.map((field) => [field.name, field]),
  );
}

test('the spellings of every format are added to the shared ones, without duplicates', () => {
  const fields = fieldsOf(
    'phone: { from: [phone, number], as: phone }',
    'format: x\ntitle: X\noperations: { buy: { fields: { phone: { from: [mobile_number, phone] } } } }',
    'format: y\ntitle: Y\noperations: { buy: { fields: { phone: { from: [msisdn] } } } }',
  );
  expect(fields.get('phone')!.from).toEqual(['phone', 'number', 'mobile_number', 'msisdn']);
});

test('bounds and defaults of amounts are in naira in the file and in kobo in the mapping', () => {
  const fields = fieldsOf(
    'phone: { from: [phone], as: phone }\nsum: { from: [sum], as: naira, min: 1.1, max: 0.29, default: 100 }\ncount: { from: [n], as: quantity, min: 1, max: 5, default: 2 }',
  );
  expect(fields.get('sum')).toMatchObject({ isAmount: true, min: 110, max: 29, fallback: 10_000 });
  expect(fields.get('count')).toMatchObject({ isAmount: false, min: 1, max: 5, fallback: 2 });
});

test('a default is read like a value from a script', () => {
  const fields = fieldsOf(
    "phone: { from: [phone], as: phone, default: '+2348030000001' }\nnet: { from: [n], as: network, default: globacom }\nported: { from: [p], as: flag, default: 'yes' }",
  );
  expect([fields.get('phone')!.fallback, fields.get('net')!.fallback, fields.get('ported')!.fallback]).toEqual([
    '08030000001',
    'GLO',
    true,
  ]);
});

test('a field is marked as sent when the call mentions it', () => {
  const fields = fieldsOf('phone: { from: [phone], as: phone }\nnet: { from: [n], as: network, lenient: true }');
  expect(fields.get('phone')!.isSent).toBe(true);
  expect(fields.get('net')!.isSent).toBe(false);
});

test('an empty text is a value for a flag, and not for a phone number', () => {
  const fields = fieldsOf('phone: { from: [phone], as: phone }\nported: { from: [p], as: flag }');
  expect([fields.get('phone')!.takesEmpty, fields.get('ported')!.takesEmpty]).toEqual([false, true]);
});
