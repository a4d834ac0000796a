import { GatewayError } from '../../../src/domain/errors';
import type { LegacyValue } from '../../../src/domain/legacy';
import { guardNumbering } from '../../../src/gateway/read/guard-numbering';
import type { Mapping } from '../../../src/mapping/mapping';
import { buyAirtime, mappingWith, shippedMapping } from '../../mapping/mapping-set';
import { detect, intentOf } from '../pure-steps';
import { legacyRequest } from '../legacy-request';
import { findSignals } from '../../../src/gateway/read/detect-format';

type Fields = Readonly<Record<string, LegacyValue>>;
const TOPUP = '/api/topup/';
// Enough for a sale, and nothing that only one format would say: an address both share, spellings neither owns.
const PLAIN: Fields = { network: '2', phone_number: '07990000001', amount: '100' };

describe('what is certain decides, whatever the fields say', () => {
  const b: Fields = { mobile_number: '08031234567', Ported_number: true, network: 2 };
  const a: Fields = { phone: '08031234567', bypass: true, network: 2 };

  test('the mark of the AccessToken', () => {
    expect(detect({ body: b }, { markedByToken: 'a' })).toMatchObject({
      format: 'a',
      reason: 'the AccessToken carries its mark',
    });
  });
  test('the key that an operator pinned, before the mark', () => {
    expect(detect({ body: a }, { pinnedByCaller: 'b', markedByToken: 'a' })).toMatchObject({
      format: 'b',
      reason: 'the key is pinned to it',
    });
  });
  test('the prefix of the address, before all', () => {
    expect(detect({ path: '/a/api/topup/', body: b }, { pinnedByCaller: 'b', markedByToken: 'b' })).toMatchObject({
      format: 'a',
      reason: 'the address pins it',
    });
    expect(detect({ path: '/b/api/topup', body: a })).toMatchObject({ format: 'b' });
  });
  test('a pin to a format that is no more counts for nothing', () => {
    expect(detect({ body: a }, { pinnedByCaller: 'gone', markedByToken: 'gone' })).toMatchObject({ format: 'a' });
  });
});

// Facts, section 8.
describe('one strong signal decides', () => {
  test.each<[string, string, Fields]>([
    ['a', '/api/airtime', { ...PLAIN, phone: '07990000001' }],
    ['a', '/api/airtime', { ...PLAIN, bypass: 'false' }],
    ['a', '/api/airtime', { ...PLAIN, plan_type: 'VTU' }],
    ['a', '/api/airtime', { ...PLAIN, plan_type: 'share and sell' }],
    ['a', '/api/data/', { data_plan: '1', phone_number: '1' }],
    ['a', '/api/cable/', { iuc: '1' }],
    ['a', '/api/cable/', { cable: '1' }],
    ['a', '/api/cable/', { cable_plan: '1' }],
    ['a', '/api/bill/', { disco: '1' }],
    ['a', '/api/bill/', { meter_type: 'prepaid' }],
    ['a', '/api/exam/', { exam: '1' }],
    ['a', '/api/recharge_card/', { ...PLAIN, card_name: 'Ada' }],
    ['b', TOPUP, { ...PLAIN, mobile_number: '07990000001' }],
    ['b', TOPUP, { ...PLAIN, Ported_number: 'true' }],
    ['b', TOPUP, { ...PLAIN, airtime_type: 'VTU' }],
    ['b', '/api/cable/', { cablename: '1' }],
    ['b', '/api/cable/', { cableplan: '1' }],
    ['b', '/api/cable/', { smart_card_number: '1' }],
    ['b', '/api/bill/', { disco_name: '1' }],
    ['b', '/api/bill/', { MeterType: '1' }],
    ['b', '/api/exam/', { exam_name: 'WAEC' }],
    ['b', '/api/recharge_card/', { ...PLAIN, network_amount: '1' }],
    ['b', '/api/cablesub/', {}],
    ['b', '/api/billpayment', {}],
    ['b', '/api/epin/', {}],
    ['b', '/api/rechargepin/', { network: 2 }],
    ['b', '/api/validateiuc', {}],
    ['b', '/api/validatemeter/', {}],
  ])('format %s by %s with %j', (format, path, body) => {
    expect(detect({ path, body }).format).toBe(format);
  });
});

describe('when no signal decides, the prefix of the phone number does, where exactly one reading fits', () => {
  const both: Fields = { mobile_number: '', Ported_number: true, bypass: true, amount: '100' };
  test.each<[string, LegacyValue, string]>([
    ['a', 2, '08021234567'],
    ['a', '3', '08051234567'],
    ['b', 2, '08051234567'],
    ['b', '03', '08021234567'],
  ])('format %s for number %p and phone %s', (format, network, phone) => {
    expect(detect({ body: { network, amount: 100, phone_number: phone } })).toMatchObject({
      format,
      reason: expect.stringMatching(/^only here does [23] mean (AIRTEL|GLO), the network of the phone number$/),
    });
    expect(detect({ body: { ...both, network, phone_number: phone } }).format).toBe(format);
  });
});

describe('a purchase that needs the number is refused when nothing decides', () => {
  test.each<[string, string, Fields]>([
    ['no signal and an unknown prefix', TOPUP, PLAIN],
    ['no signal and a prefix that fits neither reading', TOPUP, { ...PLAIN, phone_number: '08031234567' }],
    ['no signal and no phone', TOPUP, { network: 3, amount: 100 }],
    ['strong signals of both', TOPUP, { ...PLAIN, phone: '07990000001', mobile_number: '07990000001' }],
    ['recharge cards by number without a signal', '/api/recharge_card/', { network: 2, amount: 100, quantity: 1 }],
    ['recharge cards with signals of both', '/api/recharge_card/', { network: 3, card_name: 'A', network_amount: 100 }],
  ])('%s', (_title, path, body) => {
    const refused = (): unknown => detect({ path, body });
    expect(refused).toThrow(GatewayError);
    expect(refused).toThrow(expect.objectContaining({ code: 'ambiguous_format', status: 400, field: 'network' }));
  });

  test('the refusal says what the number could mean and how to pin the format', () => {
    expect(() => detect({ body: PLAIN })).toThrow(
      /network 2 means AIRTEL in format A and GLO in format B.*Nothing was charged.*name of the mobile network instead of the number.*put \/a or \/b at the end of the address.*key pinned/,
    );
  });
});

describe('what does not depend on the number goes ahead', () => {
  test.each<[string, string, Fields]>([
    ['a number that all formats read alike', TOPUP, { ...PLAIN, network: 1 }],
    ['number 4', TOPUP, { ...PLAIN, network: '4' }],
    ['a network by name', TOPUP, { ...PLAIN, network: 'glo' }],
    ['recharge cards with number 1', '/api/recharge_card/', { network: 1, amount: 100 }],
    ['recharge cards by name', '/api/recharge_card/', { network: 'AIRTEL', amount: 100 }],
    ['data, where the plan decides', '/api/data/', { network: 2, plan: 5, phone_number: '1' }],
    ['data cards, where the plan decides', '/api/data_card/', { network: 2, plan: 5 }],
    ['exam PINs by any spelling', '/api/exam/', { exam: 1, exam_name: 'WAEC' }],
    ['a number that no format knows, which is refused later by name', TOPUP, { ...PLAIN, network: 9 }],
  ])('%s', (_title, path, body) => {
    expect(['a', 'b']).toContain(detect({ path, body }).format);
  });

  test('the answer is in the format whose signals weigh most, else in the one that the operation names', () => {
    expect(detect({ path: '/api/data', body: { phone: '1', plan: 5, mobile_number: '2' } }).format).toBe('a');
    expect(detect({ method: 'GET', path: '/api/user' }).format).toBe('b');
    expect(detect({ method: 'GET', path: '/api/user', headers: { authorization: 'Basic abc' } }).format).toBe('a');
    expect(detect({ method: 'GET', path: '/api/get-networks' }).format).toBe('a');
  });
});

describe('medium signals', () => {
  const hyb = { path: '/api/airtime', body: { network: 2, mobile_number: '08021234567', amount: 100 } };
  test('contest a single strong one of another format: then the prefix decides, or nothing', () => {
    expect(detect(hyb).format).toBe('a');
    const foreign = { ...hyb, body: { ...hyb.body, mobile_number: '07990000001' } };
    expect(() => detect(foreign)).toThrow(
      /^What a number means.*: network 2 means AIRTEL in format A and GLO in format B, and this request has signs of each: address \/api\/airtime \(A\), field mobile_number \(B\)\. Nothing was charged\. .*\/a or \/b at the end of the address.*key pinned/,
    );
  });
  test('do not contest two strong ones', () => {
    const adex: Fields = { network: 2, phone: '07990000001', bypass: true, plan_type: 'VTU', amount: 100 };
    expect(detect({ path: TOPUP, body: adex })).toMatchObject({ format: 'a', reason: 'field phone' });
  });
});

describe('a number that no format reads as the network of the phone, and the original MSORG numbering does', () => {
  const sent = (body: Fields = {}): { path: string; body: Fields } => ({
    path: '/api/airtime',
    body: { network: 3, mobile_number: '08091234567', amount: 100, ...body },
  });
  test('is read in the format that most speaks for, where it is not ported', () => {
    expect(detect(sent())).toMatchObject({ format: 'b', reason: expect.stringMatching(/^3 is 9MOBILE in the original MSORG/) });
    expect(detect(sent({ Ported_number: '' })).format).toBe('b');
  });
  test('is refused where it is ported, where its numbering does not sell, and where the guard is off', () => {
    const refusal = expect.objectContaining({ code: 'ambiguous_format' });
    expect(() => detect(sent({ ported_number: true }))).toThrow(refusal);
    expect(() => detect(sent(), { isGuarded: false })).toThrow(refusal);
    const own = { meanings: new Map([[1, 'MTN']]), passesUnlisted: true, numberOf: () => undefined };
    expect(() => detect(sent(), { ownNumbers: new Map([['network', own]]) })).toThrow(refusal);
    const mapping = shippedMapping();
    const otherNumberings = mapping.otherNumberings.map((one) => ({ ...one, sellsUnported: false }));
    expect(() => detect(sent(), {}, { ...mapping, otherNumberings })).toThrow(refusal);
  });
});

test('a third format that gives the number no meaning leaves it in doubt all the same', () => {
  const mapping = mappingWith(
    'format: x\ntitle: X\nnumbers: { network: { 1: MTN, 2: GLO } }',
    'format: y\ntitle: Y\nnumbers: { network: { 1: MTN } }',
  );
  expect(() => detect({ path: '/api/buy', body: { network: 2 } }, {}, mapping)).toThrow(
    expect.objectContaining({ code: 'ambiguous_format' }),
  );
  expect(detect({ path: '/api/buy', body: { network: 1 } }, {}, mapping).format).toBe('x');
});

test('a number that formats leave to the table is read by the table, and so casts no doubt', () => {
  const mapping = mappingWith(
    "tables: { network: { title: network, values: { MTN: { words: [], prefixes: ['0803'] }, GLO: { words: [] } }, numbers: { 1: MTN } } }",
    'format: x\ntitle: X\nnumbers: { network: { 1: MTN, 2: GLO } }',
    'format: y\ntitle: Y\nnumbers: { network: { 2: GLO } }',
    'format: z\ntitle: Z',
  );
  const buy = (network: number) => detect({ path: '/api/buy', body: { network } }, {}, mapping);
  expect(buy(1).format).toBe('x');
  expect(() => buy(2)).toThrow(expect.objectContaining({ code: 'ambiguous_format' }));
});

describe('a number that only one format gives another meaning, in a field without a table', () => {
  const card = (plan: string): { path: string; body: Fields } => {
    return { path: '/api/rechargepin/', body: { network: '1', quantity: '1', plan, businessname: 'X', ref: 'r1' } };
  };
  test('is refused with both meanings where signals of both formats were sent', () => {
    expect(() => detect(card('1'))).toThrow(
      /plan 1 means 1 in format B and 100 in format C, .*Nothing was charged\. Put \/a or \/b or \/c at the end of the address/,
    );
  });
  test('is no doubt where it means the same in both', () => {
    expect(detect(card('100'))).toEqual({ format: 'c', reason: 'its signals weigh most' });
  });
});

test('a reason says that only one format reads the number as the network of the phone where that is so', () => {
  const sent = { path: '/api/airtime/', body: { network: 2, phone: '08051234567', amount: 100, ref: 'r1' } };
  expect(detect(sent)).toMatchObject({ reason: '2 means GLO here, the network of the phone number' });
});

const GUARDED = buyAirtime(
  '{ always: { status: $words.status }, failure: { error: [$text] } }',
  'numbering_guard: { number: network, phone: phone }',
);

describe('a third format that nothing in a request speaks for', () => {
  const format = (id: string, numbers: string, proof: string): string =>
    `format: ${id}\ntitle: ${id}\nnumbers: { network: ${numbers} }\nproof: [${proof}]`;
  const mapping = mappingWith(
    GUARDED,
    format('x', '{ 1: MTN, 2: GLO }', '{ weight: strong, any_field: [of_x] }'),
    format('y', '{ 1: MTN, 2: GLO }', '{ weight: strong, any_field: [of_y] }, { weight: medium, any_field: [perhaps_y] }'),
    format('z', '{ 1: GLO, 2: MTN }', '{ weight: strong, any_field: [of_z] }'),
  );
  const buy = (body: Fields) => detect({ path: '/api/buy', body: { network: 2, amount: 100, ...body } }, {}, mapping);

  test('casts no doubt on a number that the others read alike', () => {
    expect(buy({ of_x: 1, of_y: 1 }).format).toBe('x');
    expect(() => buy({ of_x: 1, of_z: 1 })).toThrow(/network 2 means GLO in format X and MTN in format Z, /);
  });

  test('does not take a request from the others because its reading fits the phone number', () => {
    expect(buy({ of_x: 1, perhaps_y: 1, phone: '08031234567' }).format).toBe('x');
    expect(buy({ of_x: 1, of_z: 1, phone: '08031234567' }).format).toBe('z');
  });

  test('is asked where nothing strong speaks for any', () => {
    expect(buy({ phone: '08031234567' }).format).toBe('z');
    expect(() => buy({ perhaps_y: 1 })).toThrow(expect.objectContaining({ code: 'ambiguous_format' }));
  });
});

test('every signal that was found is told, for the operator', () => {
  const request = legacyRequest({ path: TOPUP, body: { ...PLAIN, network: 1, mobile_number: '08031234567', bypass: true } });
  expect(findSignals(request, shippedMapping(), request.path)).toEqual([
    { format: 'a', weight: 'strong', words: 'field bypass' },
    { format: 'b', weight: 'strong', words: 'field mobile_number' },
    { format: 'b', weight: 'medium', words: 'address /api/topup' },
  ]);
});

describe('a format with addresses of its own and without proof', () => {
  const format = (id: string, numbers: string, rest: string): string =>
    `format: ${id}\ntitle: ${id}\nnumbers: { network: ${numbers} }\n${rest}`;
  const own = 'operations: { buy: { routes: [POST /quick] } }';
  const at = (path: string, mapping: Mapping): string => detect({ path, body: { network: 2 } }, {}, mapping).format;
  const x = format('x', '{ 1: MTN, 2: GLO }', 'proof: [{ weight: strong, any_field: [of_x] }]');

  test('has no say in what a number means at an address that others share, and all say at its own', () => {
    const mapping = mappingWith(GUARDED, x, format('z', '{ 1: GLO, 2: MTN }', own));
    expect(at('/api/buy', mapping)).toBe('x');
    expect(at('/quick', mapping)).toBe('z');
    expect(at('/z/api/buy', mapping)).toBe('z');
  });

  test('is asked where its scripts can only come to the shared address, or could be told there', () => {
    for (const rest of ['', `proof: [{ weight: strong, any_field: [of_z] }]\n${own}`, `login: basic\n${own}`]) {
      const mapping = mappingWith(GUARDED, x, format('z', '{ 1: GLO, 2: MTN }', rest));
      expect(() => at('/api/buy', mapping)).toThrow(expect.objectContaining({ code: 'ambiguous_format' }));
    }
  });

  test('is asked when no other format could have come there', () => {
    const mapping = mappingWith(GUARDED, format('z', '{ 1: GLO, 2: MTN }', own));
    expect(at('/api/buy', mapping)).toBe('z');
  });

  test('explains no number that contradicts the phone at an address that others share', () => {
    const body = { network: 2, phone: '08031234567', amount: 100 };
    const intent = (z: string): unknown => {
      const mapping = mappingWith(GUARDED, x, z);
      return guardNumbering(intentOf({ path: '/api/buy', body }, 'x', undefined, mapping), legacyRequest({ body }), mapping);
    };
    expect(() => intent(format('z', '{ 1: GLO, 2: MTN }', own))).not.toThrow();
    expect(() => intent(format('z', '{ 1: GLO, 2: MTN }', ''))).toThrow(/2 is MTN in format Z/);
  });
});
