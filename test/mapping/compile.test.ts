import { mappingWith, shippedMapping } from './mapping-set';

const mapping = shippedMapping();

test('formats A and B number networks 2 and 3 differently, and exams alike', () => {
  const network = mapping.tables.get('network')!;
  expect([...mapping.numberingOf('a', network).values()]).toEqual(['MTN', 'AIRTEL', 'GLO', '9MOBILE']);
  expect([...mapping.numberingOf('b', network).values()]).toEqual(['MTN', 'GLO', 'AIRTEL', '9MOBILE']);
  const exam = mapping.tables.get('exam')!;
  expect(mapping.numberingOf('a', exam)).toBe(mapping.numberingOf('b', exam));
});

test('only lookups are served without a key', () => {
  const open = [...mapping.operations.values()].filter((operation) => operation.withoutKey);
  expect(open.map(({ kind }) => kind)).toEqual(['lookup', 'lookup']);
});

test('the known fields of an operation are the spellings of its fields in any format and those of the request id', () => {
  const { known } = mapping.operations.get('buy_airtime')!;
  for (const name of ['mobile_number', 'bypass', 'Ported_number', 'request-id', 'ref', 'airtime_type'])
    expect(known).toContain(name);
  expect(known).not.toContain('pin');
  expect(mapping.operations.get('check_balance')!.known).not.toContain('request-id');
});

test('a call sends fields with a value and leaves out others', () => {
  const { call } = mapping.operations.get('buy_cable')!;
  const scope = { joins: {}, roots: {}, numberOf: () => undefined };
  expect(call!.send({ ...scope, fields: { plan: 5, smartcard: '0123' } })).toEqual({ plan_id: 5, smartcard: '0123' });
});

test('a field that only a condition or a nested value of the call mentions is marked as sent', () => {
  const operations = mappingWith(`
operations:
  buy:
    title: Airtime
    kind: purchase
    fields:
      network: { from: [network], as: network }
      deep: { from: [deep], as: network }
      echoed: { from: [echoed], as: network }
    call:
      to: POST /airtime
      send: { network: { when: { $network: MTN }, value: 1 }, phone: { first: [$deep] }, amount: 1 }
    reply: { always: { x: $echoed } }
`).operations;
  const sent = operations.get('buy')!.fields.filter((field) => field.isSent);
  expect(sent.map(({ name }) => name)).toEqual(['network', 'deep']);
});
