import type { Intent } from '../../../src/gateway/read/canonicalise';
import { guardNumbering } from '../../../src/gateway/read/guard-numbering';
import type { CallerKey } from '../../../src/mapping/mapping';
import { mappingWith, shippedMapping } from '../../mapping/mapping-set';
import { matchRequest, intentOf } from '../pure-steps';

type Body = Record<string, string | number | boolean>;
const guard = (body: Body, format: string): void => {
  const { request } = matchRequest({ body });
  guardNumbering(intentOf({ body }, format), request, shippedMapping());
};
const PHONE = { MTN: '08031234567', GLO: '08051234567', AIRTEL: '08021234567', '9MOBILE': '08091234567', none: '07991234567' };

const ORIGINAL = 'the original MSORG numbering';
/** Numbers that only the original numbering explains: format, number, network of the phone. */
const ORIGINALS = [
  ['a', 3, '9MOBILE'],
  ['a', 4, 'AIRTEL'],
  ['b', 3, '9MOBILE'],
  ['b', 4, 'AIRTEL'],
] as const;
const UNPORTED: readonly Body[] = [{}, { bypass: false }, { Ported_number: '0' }, { ported_number: '', bypass: 'false' }];
const PORTED: readonly Body[] = [{ bypass: true }, { Ported_number: '1' }, { ported_number: 'true' }];

// The number as it means in its format, the network of the phone, and what other numbering explains the mismatch.
test.each([
  ['a', 2, 'GLO', 'format B', [...PORTED, ...UNPORTED]],
  ['a', 3, 'AIRTEL', 'format B', [...PORTED, ...UNPORTED]],
  ['b', 2, 'AIRTEL', 'format A', [...PORTED, ...UNPORTED]],
  ['b', 3, 'GLO', 'format A', [...PORTED, ...UNPORTED]],
  ...ORIGINALS.map((row) => [...row, ORIGINAL, PORTED] as const),
] as const)('format %s, number %i, a phone of %s: refused, for %s explains it', (format, network, phone, explanation, said) => {
  for (const fields of said) {
    const refused = (): void => guard({ network, phone: PHONE[phone], amount: 100, ...fields }, format);
    expect(refused).toThrow(expect.objectContaining({ code: 'network_number_doubtful', status: 400, field: 'network' }));
    expect(refused).toThrow(new RegExp(`${network} is ${phone} in ${explanation}.*Nothing was charged`));
  }
});

test.each([
  ['a', 1, 'GLO', 'a ported number: no numbering explains it'],
  ['a', 2, 'MTN', 'a ported number'],
  ['b', 4, 'MTN', 'a ported number'],
  ['b', 1, 'AIRTEL', 'a ported number'],
  ['a', 2, 'AIRTEL', 'no mismatch'],
  ['b', 3, 'AIRTEL', 'no mismatch'],
  ['a', 3, 'none', 'a prefix that nobody knows'],
  ['a', 'GLO', 'AIRTEL', 'a network by name'],
  ['b', 'airtel', 'GLO', 'a network by name'],
] as const)('format %s, number %p, a phone of %s: passes (%s)', (format, network, phone, why) => {
  expect(why).not.toBe('');
  expect(() => guard({ network, phone: PHONE[phone], amount: 100, bypass: true }, format)).not.toThrow();
});

describe('a number that only the original MSORG numbering explains', () => {
  const sold = (body: Body, format: string, mapping = shippedMapping()): Intent => {
    const parts = { body: { amount: 100, ...body } };
    return guardNumbering(intentOf(parts, format, undefined, mapping), matchRequest(parts, mapping).request, mapping);
  };
  test.each(ORIGINALS)('format %s, number %i: buys %s where nothing says that it is ported', (format, network, meant) => {
    for (const said of UNPORTED) {
      const intent = sold({ network, phone: PHONE[meant], ...said }, format);
      expect(intent).toMatchObject({ values: { network: meant, ported: false }, ownNumbers: { network } });
      expect(intent.numberedBy).toMatchObject({ field: 'network', title: expect.stringMatching(/original MSORG/) });
    }
  });

  test.each(ORIGINALS)('format %s, number %i: refuses %s with a name beside it', (format, network, meant) => {
    const own = shippedMapping().formats.get(format)!.numberings.get('network')!.get(network)!;
    expect(() => sold({ network, network_id: own, phone: PHONE[meant] }, format)).toThrow(/Nothing was charged/);
  });

  test('is refused where callers.yaml says whose numbers the key sends', () => {
    const body = { network: 4, phone: PHONE.AIRTEL, amount: 100 };
    const { request, mapping } = matchRequest({ body });
    const held = (key: Partial<CallerKey>): Intent =>
      guardNumbering(intentOf({ body }, 'b'), request, mapping, { numbers: new Map(), ...key } as CallerKey);
    expect(held({}).values['network']).toBe('AIRTEL');
    expect(() => held({ format: 'b' })).toThrow(/Nothing was charged/);
    const numbers = new Map([['network', { meanings: new Map(), passesUnlisted: true, numberOf: () => undefined }]]);
    expect(() => held({ numbers })).toThrow(/Nothing was charged/);
  });

  test('is refused where its numbering does not sell, and where no field, or one that is partly unreadable, says what is ported', () => {
    const body = { network: 4, phone: PHONE.AIRTEL, amount: 100 };
    const mapping = shippedMapping();
    const otherNumberings = mapping.otherNumberings.map((one) => ({ ...one, sellsUnported: false }));
    expect(() => sold(body, 'b', { ...mapping, otherNumberings })).toThrow(/Nothing was charged/);
    const intent = intentOf({ body }, 'b');
    const guard = { ...intent.operation.guard!, ported: undefined };
    const silent = { ...intent, operation: { ...intent.operation, guard } };
    expect(() => guardNumbering(silent, matchRequest({ body }).request, mapping)).toThrow(/Nothing was charged/);
    // A lenient field ignores the word that it cannot read.
    const { request } = matchRequest({ body: { ...body, bypass: 'maybe', Ported_number: '0' } });
    expect(() => guardNumbering(intent, request, mapping)).toThrow(/Nothing was charged/);
  });
});

test('the guard knows the other numberings of its own table, whatever the table is called, and of no other table', () => {
  const numbering = (table: string): string =>
    `other_numberings: [{ title: another server, table: ${table}, numbers: { 1: GLO } }]`;
  const set = `
tables:
  carrier:
    title: carrier
    values:
      MTN: { words: [MTN], prefixes: ['0803'] }
      GLO: { words: [GLO], prefixes: ['0805'] }
  gift: { title: gift, values: { GLO: { words: [GLO] } } }
operations:
  buy:
    title: Airtime
    kind: purchase
    routes: [POST /api/buy]
    fields:
      network: { from: [network], as: carrier, required: true }
      phone: { from: [phone], as: phone, required: true }
    call: { to: POST /airtime, send: { network: $network, phone: $phone } }
    numbering_guard: { number: network, phone: phone }
    reply: { always: { status: $words.status }, failure: { error: [$text] } }`;
  const format = 'format: x\ntitle: X\nnumbers: { carrier: { 1: MTN, 2: GLO } }';
  const parts = { path: '/api/buy', body: { network: 1, phone: PHONE.GLO } };
  const sold = (table: string): Intent => {
    const mapping = mappingWith(set, format, numbering(table));
    return guardNumbering(intentOf(parts, 'x', undefined, mapping), matchRequest(parts, mapping).request, mapping);
  };
  expect(() => sold('carrier')).toThrow(/1 is GLO in another server.*Nothing was charged/);
  expect(sold('gift').values['network']).toBe('MTN');
});

test('an operation without a phone to hold the number against is not guarded', () => {
  const body = { network: 3, amount: 100, quantity: 1 };
  const { request } = matchRequest({ path: '/api/recharge_card', body });
  expect(() => guardNumbering(intentOf({ path: '/api/recharge_card', body }, 'a'), request, shippedMapping())).not.toThrow();
});
