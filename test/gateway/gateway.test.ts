import fc from 'fast-check';
import { Secret } from '../../src/domain/credentials';
import { GatewayError } from '../../src/domain/errors';
import { createLearntPatience } from '../../src/gateway/order/learnt-patience';
import type { Outcome } from '../../src/domain/outcome';
import { shippedMapping } from '../mapping/mapping-set';
import { legacyRequest, type LegacyRequestParts } from './legacy-request';
import { legacyValue } from './legacy-value';
import { openLine } from './open-line';
import { AXIOS, openWalkHouse, type WalkHouse, type WalkHouseOptions } from './walk-house';

const SUCCESS: Outcome = { kind: 'succeeded', reference: 'V1' };
const SALE = { network: '1', phone: '08031234567', amount: '100', bypass: true, 'request-id': 'r-1' };
const house = (options: WalkHouseOptions = {}): WalkHouse => openWalkHouse({ answers: [{ outcome: SUCCESS }], ...options });

async function ask({ gateway, clock }: WalkHouse, parts: LegacyRequestParts) {
  const served = gateway.handle(legacyRequest({ headers: AXIOS, ...parts }));
  await clock.advance(5_000);
  return served;
}

test('a served request is reported to the operator with names, never values', async () => {
  const served = await ask(house(), { body: { ...SALE, webhook: 'http://secret.example' } });
  expect(served).toMatchObject({
    operation: 'buy_airtime',
    format: 'a',
    reason: 'field phone',
    outcome: 'succeeded',
    refusal: undefined,
    fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
    unknownFields: ['webhook'],
  });
});

test.each<[string, LegacyRequestParts, number, string]>([
  ['an address that is not ours', { path: '/nowhere' }, 404, 'unknown_path'],
  ['a wrong method', { method: 'DELETE', path: '/api/topup/' }, 405, 'wrong_method'],
  ['no key', { headers: {}, body: SALE }, 401, 'missing_credentials'],
  [
    'no key on a verify, when the operator has none either',
    { method: 'GET', path: '/api/validateiuc', headers: {} },
    401,
    'missing_credentials',
  ],
  ['a broken key', { headers: { authorization: 'Token a b' }, body: SALE }, 401, 'bad_credentials'],
  ['a number in doubt', { body: { network: 2, phone_number: '07990000001', amount: 1 } }, 400, 'ambiguous_format'],
  ['a doubtful network', { body: { ...SALE, network: 2, phone: '08051234567' } }, 400, 'network_number_doubtful'],
  ['a missing field', { body: { ...SALE, amount: '' } }, 400, 'missing_field'],
  ['an unusable value', { body: { ...SALE, amount: 'much' } }, 400, 'invalid_field'],
  ['a contradiction', { body: { ...SALE, mobile_number: '08060000000' } }, 400, 'conflicting_fields'],
  [
    'a name without a catalog',
    { method: 'GET', path: '/api/validatemeter', query: { meternumber: '1', mtype: '1', disconame: 'Abuja' } },
    503,
    'catalog_unavailable',
  ],
])('%s is refused in the words of a script, and v1 gets no call', async (_title, parts, status, code) => {
  const it = house();
  const { reply, refusal, outcome } = await ask(it, parts);
  expect([reply.status, refusal?.code, outcome]).toEqual([status, code, 'refused']);
  expect(reply.body).toMatchObject({ status: 'fail', Status: 'failed', error: [refusal!.detail], message: refusal!.detail });
  expect('detail' in reply.body).toBe(status === 401);
  expect(it.upstream.sent).toEqual([]);
});

test('an unreadable request is refused in the words of its address', () => {
  const { gateway } = house();
  const error = new GatewayError('unreadable_body', 'The body is not JSON.');
  expect(gateway.refuse(error, { path: '/api/validateiuc' })).toMatchObject({
    status: 400,
    body: { status: 'fail', invalid: true },
  });
  expect(gateway.refuse(error, { path: '/nowhere' })).toMatchObject({
    status: 400,
    body: { status: 'fail', error: ['The body is not JSON.'] },
  });
  expect(gateway.refuse(error)).toMatchObject({ status: 400, body: { status: 'fail' } });
});

test('an unreadable status query is told as not answered, an unreadable sale at the same address as refused', () => {
  const { gateway } = house();
  const error = new GatewayError('overloaded');
  const path = '/api/data/77';
  expect(gateway.refuse(error, { method: 'GET', path })).toMatchObject({
    status: 202,
    body: { status: 'pending', Status: 'processing' },
  });
  expect(gateway.refuse(error, { method: 'POST', path })).toMatchObject({ status: 503, body: { status: 'fail' } });
});

test.each([
  ['PUT', '/api/transaction/q-1', 202],
  ['POST', '/api/epin/q-1', 202],
  ['POST', '/api/transactions', 202],
  ['PUT', '/api/data/77', 202],
  ['PUT', '/api/topup', 400],
  ['POST', '/api/network', 400],
])('an unreadable %s %s, which has no route by this method, gets HTTP %d', (method, path, status) => {
  expect(house().gateway.refuse(new GatewayError('unreadable_body'), { method, path })).toMatchObject({
    status,
    body: { status: status === 202 ? 'pending' : 'fail' },
  });
});

test('orders under way are counted, and a drain waits for them', async () => {
  const it = house({ answers: [{ outcome: SUCCESS, afterMs: 8_000 }] });
  const served = it.gateway.handle(legacyRequest({ headers: AXIOS, body: SALE }));
  await it.clock.advance(100);
  expect(it.gateway.inFlight).toBe(1);
  const drained = it.gateway.drain(20_000);
  await it.clock.advance(20_000);
  await expect(drained).resolves.toBe(true);
  expect(['success', 'pending']).toContain(((await served).reply.body as { status: string }).status);
  expect(it.gateway.inFlight).toBe(0);
});

test("the operator's key serves only lookups that bring no key", async () => {
  const it = house({
    parts: { lookupKey: new Secret('operators_own_key') },
    find: () => ({ kind: 'found', body: { status: 'success', data: { name: 'ADA OBI' } } }),
  });
  const verify = await ask(it, {
    method: 'GET',
    path: '/api/cable/cable-validation',
    query: { iuc: '1', cable: '1' },
    headers: {},
  });
  expect(verify.reply.body).toMatchObject({ status: 'success', name: 'ADA OBI', invalid: false });
  expect((await ask(it, { body: SALE, headers: {} })).reply.status).toBe(401);
  expect(JSON.stringify(verify)).not.toContain('operators_own_key');
});

const ROUTES = shippedMapping().routes.flatMap(({ methods, path, operation }) => {
  const isAboutOrders = ['status', 'history'].includes(shippedMapping().operations.get(operation)!.kind);
  return methods.map((method) => ({ method, path: path.replace(/:\w+/g, 'some-id'), isAboutOrders }));
});
const SPELLINGS = [...new Set([...shippedMapping().operations.values()].flatMap(({ known }) => [...known]))];
const fields = fc.dictionary(fc.constantFrom(...SPELLINGS), legacyValue, { maxKeys: 6 });
const outcomes = fc.constantFrom<Outcome>(
  SUCCESS,
  { kind: 'declined', reference: 'V1' },
  { kind: 'rejected', httpStatus: 422, message: 'No' },
  { kind: 'unknown', reason: 'HTTP 500' },
);

test("every request gets JSON in the script's words, and never a 5xx unless v1 or the price list is away", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...ROUTES),
      fields,
      fields,
      fc.boolean(),
      outcomes,
      async (route, body, query, hasKey, outcome) => {
        const it = house({ answers: [{ outcome }] });
        const served = it.gateway.handle(legacyRequest({ ...route, body, query, headers: hasKey ? AXIOS : {} }));
        await it.clock.advance(60_000);
        const { reply, refusal } = await served;
        // An unanswered question about orders is told as open.
        expect(reply.status === 202 ? route.isAboutOrders : reply.status !== 500 && reply.status !== 502).toBe(true);
        expect(reply.status === 200 || reply.status === 202 || (reply.status >= 400 && reply.status <= 503)).toBe(true);
        const { status: said } = reply.body as Record<string, unknown>;
        // Format C has another word for pending.
        const told = said === 'processing' ? 'pending' : said;
        expect(['success', 'pending', 'fail']).toContain(told);
        if (refusal !== undefined)
          expect([told, it.upstream.sent.length]).toEqual([reply.status === 202 ? 'pending' : 'fail', 0]);
        expect(reply.status >= 400).toBe(told === 'fail' && reply.status !== 200);
      },
    ),
    { numRuns: 150 },
  );
});

test.each<[string, Outcome, number]>([
  ['that v1 has accepted', SUCCESS, 1],
  ['that v1 does not accept', { kind: 'rejected', httpStatus: 401, message: 'Invalid API key' }, 0],
])('of a script that hangs up, its patience is learnt only with a key %s', async (_, outcome, learnt) => {
  const learntPatience = createLearntPatience();
  const { gateway, clock } = house({ answers: [{ outcome }], parts: { learntPatience } });
  const { line, end } = openLine();
  void gateway.handle(legacyRequest({ headers: AXIOS, body: SALE }), line);
  await clock.advance(5_000);
  end(false);
  expect(learntPatience.entries()).toHaveLength(learnt);
});
