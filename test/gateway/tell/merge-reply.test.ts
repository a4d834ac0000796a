import fc from 'fast-check';
import { kobo } from '../../../src/domain/amount';
import type { Order } from '../../../src/domain/order';
import type { Delivery, Outcome } from '../../../src/domain/outcome';
import { mergeReply, orderRoot, questionParts, outcomeParts } from '../../../src/gateway/tell/merge-reply';
import { catalogListsOf } from '../../../src/gateway/read/catalog-lists';
import { readCatalog } from '../../../src/price-lists/price-lists';
import { editedFiles, mappingOf, shippedMapping } from '../../mapping/mapping-set';
import { dataPlan } from '../../price-lists/data-plan';

const mapping = shippedMapping();
const PURCHASES = [...mapping.operations.values()].filter(({ kind }) => kind === 'purchase');
const SECRET = '4455667788990011';

const order = (change: Partial<Order> = {}): Order => ({
  owner: 'f'.repeat(32),
  requestId: 'r-1',
  operation: 'buy_airtime',
  format: 'a',
  fields: {},
  echo: { 'request-id': 'r-1' },
  contentHash: 'c',
  openedAtMs: 1_767_225_600_000,
  number: 42,
  attempts: 1,
  ...change,
});

const amount = fc.integer({ min: 0, max: 1e10 }).map(kobo);
const delivery: fc.Arbitrary<Delivery> = fc
  .record(
    {
      balanceBefore: amount,
      balanceAfter: amount,
      charged: amount,
      cashback: amount,
      token: fc.constantFrom(SECRET, null),
      pins: fc.array(fc.constant({ pin: SECRET, serial: 'S1' }), { maxLength: 3 }),
      goodsMissing: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  .map((value) => value);
const message = fc.constantFrom('', 'Done', 'Insufficient wallet balance', '<b>no</b>');
const told = fc.record({ message, reference: fc.constantFrom('V1REF', 'V2REF'), delivery }, { requiredKeys: [] });
const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  told.map((rest): Outcome => ({ kind: 'succeeded', ...rest })),
  told.map((rest): Outcome => ({ kind: 'pending', ...rest })),
  told.map((rest): Outcome => ({ kind: 'declined', ...rest })),
  fc.record({ httpStatus: fc.integer({ min: 400, max: 499 }), message }).map((rest): Outcome => ({ kind: 'rejected', ...rest })),
  fc.constant<Outcome>({ kind: 'not_sent', reason: 'ECONNREFUSED 10.0.0.1' }),
  fc.constant<Outcome>({ kind: 'unknown', reason: 'HTTP 500' }),
);
const values = fc.dictionary(
  fc.constantFrom(...'network phone amount plan quantity smartcard meter meter_type exam recipients denomination'.split(' ')),
  fc.oneof(fc.constantFrom('MTN', '08031234567', 'prepaid', 'WAEC'), fc.integer({ min: 1, max: 1e6 })),
);

interface Reply {
  readonly outcome: Outcome;
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const replies: fc.Arbitrary<Reply> = fc
  .record({ operation: fc.constantFrom(...PURCHASES), format: fc.constantFrom('a', 'b'), outcome, values })
  .map(({ operation, format, outcome: what, values: fields }) => {
    const { status, body } = mergeReply({
      ...outcomeParts(what, mapping),
      mapping,
      operation,
      format,
      values: fields,
      roots: { order: orderRoot(order({ operation: operation.name, format }), what) },
    });
    return { outcome: what, status, body: body as Reply['body'] };
  });
const check = (property: (reply: Reply) => void): void => fc.assert(fc.property(replies, property), { numRuns: 200 });

const isFailure = ({ outcome: { kind } }: Reply): boolean => kind === 'declined' || kind === 'rejected' || kind === 'not_sent';
const isSuccess = ({ outcome: what }: Reply): boolean => what.kind === 'succeeded' && what.delivery?.goodsMissing !== true;

test('the words are those of what became of it, and only a proven end is a failure or a success', () => {
  check((reply) => {
    const word = isFailure(reply) ? 'failure' : isSuccess(reply) ? 'success' : 'pending';
    expect([reply.body['status'], reply.body['Status']]).toEqual([mapping.words[word].status, mapping.words[word].Status]);
  });
});

test('a failure carries nothing that a script takes for a sale', () => {
  check((reply) => {
    if (!isFailure(reply)) return;
    expect(reply.body['success'] ?? false).toBe(false);
    for (const name of ['id', 'ident', 'transid', 'reference', 'transaction_ref'])
      expect([name, reply.body[name] ?? null]).toEqual([name, null]);
    for (const name of ['name', 'token', 'pin', 'pins', 'serial', 'meter_token', 'purchased_code', 'data_pin', 'data_pins'])
      expect(reply.body).not.toHaveProperty([name]);
    expect(reply.body['error']).toEqual([reply.body['message']]);
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.status).toBeLessThan(500);
  });
});

test('what is not a failure carries no error, and what is pending no success', () => {
  check((reply) => {
    if (isFailure(reply)) return;
    expect(reply.status).toBe(200);
    for (const name of ['error', 'detail']) expect(reply.body).not.toHaveProperty([name]);
    if (!isSuccess(reply)) expect(reply.body).not.toHaveProperty('success');
  });
});

test('goods leave only with a success', () => {
  check((reply) => {
    if (!isSuccess(reply)) expect(JSON.stringify(reply.body)).not.toContain(SECRET);
  });
});

test('texts are never empty and always plain strings, PINs are strings or null', () => {
  check(({ body }) => {
    for (const name of ['message', 'msg', 'api_response', 'response'])
      expect([name, typeof body[name], body[name]]).toEqual([name, 'string', expect.stringMatching(/./)]);
    for (const name of ['pin', 'serial', 'token', 'pins'])
      if (name in body) expect(['string', 'object']).toContain(body[name] === null ? 'object' : typeof body[name]);
    for (const name of ['pin', 'serial']) expect(Array.isArray(body[name])).toBe(false);
  });
});

test('reasons of ours are not told: they name hosts and codes', () => {
  check(({ body }) => expect(JSON.stringify(body)).not.toMatch(/ECONNREFUSED|10\.0\.0\.1|HTTP 500/));
});

test('a reply is JSON that reads back as itself', () => {
  check(({ body }) => expect(JSON.parse(JSON.stringify(body))).toEqual(body));
});

test('v1 says how long to wait, and so do we', () => {
  const limited = outcomeParts({ kind: 'rejected', httpStatus: 429, retryAfterSeconds: 7 }, mapping);
  expect(mergeReply({ ...limited, mapping, format: 'a' })).toMatchObject({ status: 429, retryAfterSeconds: 7 });
});

test('a sale has the HTTP status by which the script of a family knows one, and nothing else has it', () => {
  const own = { ...mapping, saleWords: { ...mapping.words.success, http: 201 } };
  expect(outcomeParts({ kind: 'succeeded', reference: 'V1' }, own).http).toBe(201);
  expect(questionParts({ kind: 'pending', reference: 'V1' }, own).http).toBe(200);
});

// One family looks for "successful" within the text of whatever it has no word for, a failure among it (facts 3.1).
describe('no text of v1 makes a sale of what is none', () => {
  const told = (kind: 'declined' | 'rejected' | 'pending' | 'succeeded', message: string) => {
    const outcome: Outcome = kind === 'rejected' ? { kind, httpStatus: 400, message } : { kind, reference: 'V1', message };
    return outcomeParts(outcome, mapping).text;
  };

  test.each([
    ['Transaction unsuccessful. Your wallet has been refunded.', 'Transaction failed. Your wallet has been refunded.'],
    ['Your purchase was not successful: invalid number.', 'Your purchase failed: invalid number.'],
    ['UNSUCCESSFUL', 'Failed'],
    ['Insufficient balance. Please top up your wallet.', 'Insufficient balance. Please top up your wallet.'],
  ])('of a failure “%s” is told as “%s”', (message, text) => {
    expect([told('declined', message), told('rejected', message)]).toEqual([text, text]);
  });

  test.each([
    ['declined', 'It could not be completed successfully.'],
    ['rejected', 'The request was received successfully and refused.'],
    ['pending', 'Your order was submitted successfully.'],
  ] as const)('what cannot be said of a %s order without the word is told in our own words', (kind, message) => {
    expect(told(kind, message)).toBe(mapping.texts[kind]);
  });

  test('a success is told as v1 says it', () => {
    expect(told('succeeded', 'Airtime sent successfully.')).toBe('Airtime sent successfully.');
  });
});

const catalogs = [400, 500].map((price) => {
  const data_plans = ['MTN', 'GLO', 'AIRTEL', '9MOBILE'].map((network, index) =>
    dataPlan(index + 1, { network, selling_price: String(price + index), validity: '' }),
  );
  const cable_plans = [
    { id: 1, provider: 'GOTV', cable_id: '1', plan_name: 'Max', display_name: '', selling_price: String(price) },
  ];
  return catalogListsOf(readCatalog({ data: { data_plans, cable_plans, exam_prices: { WAEC: price } } })!, mapping);
});
const NUMBERS = 'numbers: { data_plan: { 7: 1, 8: 2 }, network: { 1: GLO, 2: MTN } }, unlisted: { data_plan: pass }';
const named = mappingOf(editedFiles('callers.yaml', '  keys: {}', `  keys: { ${'f'.repeat(32)}: { ${NUMBERS} } }`));

const LISTED = [...mapping.operations.values()].filter(({ kind, wantsCatalog }) => kind === 'list' || wantsCatalog);

test('the lists of these tests have rows', () => {
  for (const { lists } of catalogs) expect([lists['data_plans']!.length, lists['cable_plans']!.length]).toEqual([4, 1]);
});

test('the text of a reply with lists is that of its body, whoever was told what of these lists before', () => {
  const told = fc.record({
    operation: fc.constantFrom(...LISTED.map(({ name }) => name)),
    format: fc.constantFrom(...mapping.formats.keys()),
    family: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, fc.constantFrom(...mapping.families.values())),
    catalog: fc.constantFrom(...catalogs, undefined),
    callerKey: fc.constantFrom(undefined, undefined, ...named.callerKeys.values()),
    service: fc.constantFrom('data', 'datapin', 'network', 'airtime', 'cable', undefined),
    balance: fc.integer({ min: 0, max: 9 }),
  });
  type Told = typeof told extends fc.Arbitrary<infer T> ? T : never;
  const tell = ({ operation: name, family, service, balance, ...rest }: Told): void => {
    const own = family?.mapping() ?? mapping;
    const roots = { v1: { data: { wallet_balance: balance } }, networks: [], login: { username: `u${balance}` } };
    const values = service === undefined ? {} : { service };
    const operation = own.operations.get(name)!;
    const { text, body } = mergeReply({ ...rest, roots, mapping: own, operation, outcome: 'success', text: 'ok', values });
    expect(text).toBe(JSON.stringify(body));
  };
  fc.assert(fc.property(told, tell), { numRuns: 3_000 });
});
