import fc from 'fast-check';
import { GatewayError } from '../../../src/domain/errors';
import { InexactNumber } from '../../../src/domain/json';
import type { LegacyValue } from '../../../src/domain/legacy';
import { canonicalise } from '../../../src/gateway/read/canonicalise';
import { plainCallerKey } from '../../../src/mapping/compile-callers';
import { buyAirtime, mappingWith, shippedMapping } from '../../mapping/mapping-set';
import { legacyValue } from '../legacy-value';
import { matchRequest, intentOf } from '../pure-steps';

const AIRTIME = { network: '1', phone: '0803 123 4567', amount: '1,000', 'request-id': 'r-1' };

test('the fields of a script become canonical words, amounts in kobo', () => {
  expect(intentOf({ body: { ...AIRTIME, bypass: '' } }, 'a')).toMatchObject({
    values: { network: 'MTN', phone: '08031234567', amount: 100_000, ported: false, kind: 'VTU' },
    spellings: { network: 'network', phone: 'phone', amount: 'amount', ported: 'bypass' },
    requestId: { id: 'r-1' },
    unknownFields: [],
  });
});

test('both formats mean the same by their own words', () => {
  const b = { network: 1, mobile_number: '+2348031234567', amount: 1000, Ported_number: 'true', airtime_type: 'VTU' };
  expect(intentOf({ body: b }, 'b').values).toEqual({
    network: 'MTN',
    phone: '08031234567',
    amount: 100_000,
    ported: true,
    kind: 'VTU',
  });
});

test.each([
  ['a', 2, 'AIRTEL'],
  ['a', '3', 'GLO'],
  ['b', 2, 'GLO'],
  ['b', '03', 'AIRTEL'],
  ['b', 'airtel', 'AIRTEL'],
])('in format %s the number %p is %s', (format, network, name) => {
  expect(intentOf({ body: { ...AIRTIME, network } }, format).values['network']).toBe(name);
});

test('two spellings with equal values are fine, in whatever way they are written', () => {
  const body = { ...AIRTIME, mobile_number: '+2348031234567', phone_number: 8031234567 };
  expect(intentOf({ body, query: { amount: '1000.00' } }, 'a').values).toMatchObject({ phone: '08031234567', amount: 100_000 });
});

const refused: readonly (readonly [string, Readonly<Record<string, LegacyValue>>, string, RegExp])[] = [
  [
    'two spellings with different values',
    { mobile_number: '08060000000' },
    'conflicting_fields',
    /^phone and mobile_number mean the same/,
  ],
  [
    'a required field that is missing',
    { phone: '' },
    'missing_field',
    /^phone is required \(also accepted as mobile_number, phone_number\)\.$/,
  ],
  ['an amount below its bound', { amount: '0.99' }, 'invalid_field', /^amount: expected at least 1\.00 naira\.$/],
  ['an amount of fractions', { amount: '100.005' }, 'invalid_field', /^amount: expected an amount in naira/],
  ['a negative amount', { amount: -5 }, 'invalid_field', /at least 1\.00 naira/],
  ['a network that is none', { network: 'VODAFONE' }, 'invalid_field', /^network: expected a mobile network such as MTN, GLO/],
  ['a network number that is none', { network: 7 }, 'invalid_field', /the number 7 means none/],
  ['a number too large for a phone', { phone: new InexactNumber('80312345670000000000') }, 'invalid_field', /^phone: expected/],
  ['a list in the place of a text', { phone: ['08031234567'] }, 'invalid_field', /^phone: expected/],
];

test.each(refused)('%s is refused with the name that the script knows', (_title, change, code, detail) => {
  const read = (): unknown => intentOf({ body: { ...AIRTIME, ...change } }, 'a');
  expect(read).toThrow(GatewayError);
  expect(read).toThrow(expect.objectContaining({ code, detail: expect.stringMatching(detail) }));
});

test('a contradiction between body and query is a contradiction', () => {
  expect(() => intentOf({ body: AIRTIME, query: { amount: '50' } }, 'a')).toThrow(
    expect.objectContaining({ code: 'conflicting_fields' }),
  );
});

test('a text beyond its length is refused', () => {
  const body = { sender: 's'.repeat(101), number: '08031234567', message: 'hi' };
  expect(() => intentOf({ path: '/api/bulksms', body }, 'a')).toThrow(/at most 100 characters/);
  expect(intentOf({ path: '/api/bulksms', body: { ...body, sender: 'Shop' } }, 'a').values).toMatchObject({ sender: 'Shop' });
});

test('a number above its bound is refused', () => {
  const mapping = mappingWith(buyAirtime('{}', '', 'kind: { from: [kind], as: quantity, max: 5 }'));
  const kindOf = (kind: number) =>
    intentOf({ path: '/api/buy/', body: { network: 1, phone: '08031234567', amount: 5, kind } }, 'x', undefined, mapping).values;
  expect(kindOf(5)).toMatchObject({ kind: 5 });
  expect(() => kindOf(6)).toThrow(/kind: expected at most 5\.$/);
});

describe('a key with numbers of its own', () => {
  const read = (network: number, passesUnlisted: boolean) => {
    const own = { meanings: new Map([[7, 'GLO']]), passesUnlisted, numberOf: () => undefined };
    const callerKey = { ...plainCallerKey('f'), numbers: new Map([['network', own]]) };
    return canonicalise({ ...matchRequest({ body: { ...AIRTIME, network } }), format: 'a', callerKey, lookUpWord: undefined });
  };

  test.each([
    ['them', 7, false, 'GLO', { network: 7 }],
    ['the numbers of everybody, where it has only a few of its own', 1, true, 'MTN', {}],
  ] as const)('buys by %s', (_title, number, passesUnlisted, network, ownNumbers) => {
    expect(read(number, passesUnlisted)).toMatchObject({ intent: { values: { network }, ownNumbers } });
  });

  test('does not buy by any other number, which here would buy something else', () => {
    expect(() => read(1, false)).toThrow(expect.objectContaining({ code: 'number_unlisted' }));
  });
});

test('a field that is merely echoed is left out when it cannot be read', () => {
  const body = { cable_plan: '5', iuc: '0012345678', phone: 'none', cable: 'NETFLIX' };
  const { values } = intentOf({ path: '/api/cable/', body }, 'a');
  expect(values).toEqual({ plan: 5, smartcard: '0012345678' });
});

test('of two readings of a lenient field the readable one counts', () => {
  const body = { cable_plan: '5', iuc: '1', phone: 'none', Customer_Phone: '08031234567' };
  expect(intentOf({ path: '/api/cable/', body }, 'a').values['phone']).toBe('08031234567');
});

test('of a slug and an id the id is meant, and a slug alone is looked up in the catalog', () => {
  const query = { meternumber: '1', mtype: 'prepaid', disconame: 'abuja-electric' };
  const path = '/api/validatemeter';
  expect(intentOf({ method: 'GET', path, query: { ...query, disco: '3' } }, 'b').values['disco']).toBe(3);
  const { request, operation, parameters } = matchRequest({ method: 'GET', path, query });
  const work = { request, operation, parameters, format: 'b', mapping: shippedMapping() };
  expect(canonicalise({ ...work, lookUpWord: undefined })).toEqual({ kind: 'needs_catalog' });
  expect(
    intentOf({ method: 'GET', path, query }, 'b', (_field, word) => (word === 'abuja-electric' ? 8 : undefined)).values['disco'],
  ).toBe(8);
  expect(() => intentOf({ method: 'GET', path, query }, 'b', () => undefined)).toThrow(
    /disconame: expected a number or name of the list/,
  );
});

test('leading zeros of a meter survive as text, and a number beyond a double is refused', () => {
  const body = { disco: '1', meter_number: '00123456789012345678', meter_type: '1', amount: 1000 };
  expect(intentOf({ path: '/api/bill/', body }, 'a').values).toMatchObject({
    meter: '00123456789012345678',
    meter_type: 'prepaid',
  });
  expect(() =>
    intentOf({ path: '/api/bill/', body: { ...body, meter_number: new InexactNumber('123456789012345678901') } }, 'a'),
  ).toThrow(/meter_number: expected a number sent as text/);
});

test('fields that mean nothing here are named once each, known ones are not', () => {
  const body = { ...AIRTIME, pin: '1234', webhook: 'x', airtime_type: 'VTU' };
  expect(intentOf({ body, query: { format: 'json' } }, 'a').unknownFields).toEqual(['pin', 'webhook', 'format']);
});

test('only purchases have a request id', () => {
  expect(intentOf({ method: 'GET', path: '/api/user/', query: { 'request-id': '1' } }, 'b').requestId).toBeUndefined();
});

test('a field in the address is read from there', () => {
  expect(intentOf({ method: 'GET', path: '/api/data/77' }, 'b').values).toEqual({ id: '77' });
});

const OPERATIONS = [...shippedMapping().operations.values()].filter(({ kind }) => kind === 'purchase');
const anyRequest = fc.constantFrom(...OPERATIONS).chain((operation) =>
  fc.record({
    operation: fc.constant(operation),
    format: fc.constantFrom('a', 'b'),
    body: fc.dictionary(fc.constantFrom(...operation.known), legacyValue, { maxKeys: 8 }),
  }),
);

test('any body gives an intent, a question to the catalog, or a refusal that names a field', () => {
  const mapping = shippedMapping();
  const route = (name: string): string => mapping.routes.find((one) => one.operation === name && !one.path.includes(':'))!.path;
  fc.assert(
    fc.property(anyRequest, ({ operation, format, body }) => {
      const { request } = matchRequest({ path: route(operation.name), body });
      try {
        canonicalise({ request, parameters: {}, operation, format, mapping, lookUpWord: undefined });
      } catch (error) {
        expect(error).toBeInstanceOf(GatewayError);
        expect([400]).toContain((error as GatewayError).status);
        expect(typeof (error as GatewayError).field).toBe('string');
      }
    }),
    { numRuns: 1_000 },
  );
});

test('canonical values spelled out again mean the same', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('MTN', 'GLO', 'AIRTEL', '9MOBILE'),
      fc.stringMatching(/^0[789][01]\d{8}$/),
      fc.integer({ min: 100, max: 1e9 }),
      fc.boolean(),
      fc.constantFrom('a', 'b'),
      (network, phone, kobo, ported, format) => {
        const body = { network, phone, amount: kobo / 100, bypass: ported };
        const { values } = intentOf({ body }, format);
        expect(values).toEqual({ network, phone, amount: kobo, ported, kind: 'VTU' });
        expect(intentOf({ body: { ...body, network: values['network']!, bypass: String(ported) } }, format).values).toEqual(
          values,
        );
      },
    ),
  );
});

test.each([
  ['at its address', 'path: /api/buy, ', true],
  ['nowhere else', 'path: /api/other, ', false],
  ['at every address, where none is named', '', true],
])('a field that a script needs for what it buys is asked for %s', (_where, path, isRefused) => {
  const kind = `kind: { from: [kind], as: text, default: VTU, required_if: { ${path}sent_empty: card, why: it is lost. } }`;
  const mapping = mappingWith(buyAirtime('{}', '', kind).replace('/api/buy]', '/api/buy|sell]'));
  const read = (body: Readonly<Record<string, LegacyValue>>) => () =>
    intentOf({ path: '/api/buy/', body: { network: 1, phone: '08031234567', amount: 5, ...body } }, 'x', undefined, mapping);
  if (isRefused) expect(read({ card: '' })).toThrow(/kind is required: it is lost\./);
  else expect(read({ card: '' })().values['kind']).toBe('VTU');
  for (const body of [{}, { card: '7' }]) expect(read(body)().values['kind']).toBe('VTU');
  expect(read({ card: '', kind: 'SNS' })().values['kind']).toBe('SNS');
});
