import { type Credentials, Secret } from '../../src/domain/credentials';
import type { JsonObject } from '../../src/domain/json';
import { type Known, walkIn } from '../../src/gateway/read/walk-in';
import type { Finding } from '../../src/upstream/upstream';
import { legacyRequest, type LegacyRequestParts } from './legacy-request';
import { editedFiles, mappingOf } from '../mapping/mapping-set';
import { openWalkHouse, PHP, WALK_KEY, type WalkHouse } from './walk-house';

const NAMED: Finding = { kind: 'found', body: { status: 'success', data: { name: 'ADA OBI' } } };
const NOBODY: Finding = { kind: 'refused', httpStatus: 400, body: { status: 'error', message: 'No such meter.' } };
const AWAY: Finding = { kind: 'unavailable', reason: 'HTTP 502' };

/** A house whose v1 gives these answers one after the other, and a function that looks up a meter there. */
function openHouse(findings: readonly Finding[]): WalkHouse {
  return openWalkHouse({
    find: (_call, nth) => findings[Math.min(nth, findings.length) - 1]!,
    parts: { lookupKey: new Secret('operators_own_key') },
  });
}

async function lookUp(house: WalkHouse, fields: LegacyRequestParts['body'] = {}) {
  const body = { meter_number: '04512345678', disco_name: '3', ...fields };
  const { reply } = await house.gateway.handle(legacyRequest({ path: '/api/billpayment/verify/', body }));
  return { http: reply.status, ...(reply.body as { status: string; meter_type: string | null; name?: string }) };
}

const typesAsked = ({ upstream }: WalkHouse) => upstream.asked.map(({ call }) => call.body?.['meter_type']);

test('a type that the script sent is the only one that v1 is asked with', async () => {
  const house = openHouse([NOBODY, NAMED]);
  expect(await lookUp(house, { MeterType: 'postpaid' })).toMatchObject({ status: 'fail', meter_type: 'postpaid' });
  expect(typesAsked(house)).toEqual(['postpaid']);
});

const ADA = { name: 'ADA OBI' };
/** Answers with HTTP 200 that name no customer, or deny him. */
const NAMELESS: readonly JsonObject[] = [
  { status: 'success', success: false, message: 'No such meter.' },
  ...[0, '0', 'false'].map((success) => ({ status: 'success', success, message: 'No such meter.', data: ADA })),
  { status: 'pending', message: 'No such meter.', data: ADA },
  ...[null, [], {}, { name: ' ' }, { name: null, customer_name: '' }].map((data) => ({ status: 'success', data })),
];
test.each(NAMELESS)('a meter is not told as found where v1 answers %j', async (body) => {
  const told = await lookUp(openHouse([{ kind: 'found', body }]), { MeterType: 'postpaid' });
  expect(told).toMatchObject({ http: 400, status: 'fail', invalid: true, message: body['message'] ?? 'Not found.' });
  expect(told).not.toHaveProperty('name');
  const second = openHouse([{ kind: 'found', body }, NAMED]);
  expect(await lookUp(second)).toMatchObject({ status: 'success', name: 'ADA OBI', meter_type: 'postpaid' });
});

test('a customer may be named by `customer_name` alone', async () => {
  const body = { status: 'success', success: 1, data: { name: '', customer_name: 'ADA OBI' } };
  expect(await lookUp(openHouse([{ kind: 'found', body }]))).toMatchObject({ status: 'success', customer_name: 'ADA OBI' });
});

test('the text beside a customer who was not found does not read as a success', async () => {
  const body = { status: 'success', message: 'Successful.', data: null };
  expect(await lookUp(openHouse([{ kind: 'found', body }]))).toMatchObject({ status: 'fail', message: 'Not found.' });
});

test('a finding that v1 denies is not remembered for a lookup without a key', async () => {
  const house = openHouse([{ kind: 'found', body: { status: 'success', data: [] } }, NAMED]);
  const query = { iuc: '1234567890', cable: '1' };
  const ask = () => house.gateway.handle(legacyRequest({ method: 'GET', path: '/api/cable/cable-validation', query }));
  expect((await ask()).reply.body).toMatchObject({ status: 'fail', invalid: true });
  expect((await ask()).reply.body).toMatchObject({ status: 'success', name: 'ADA OBI' });
});

test('a balance that v1 denies is no success', async () => {
  const body = { status: 'success', success: 0, message: 'No wallet.' };
  expect(await askFor('/api/user', { kind: 'found', body })).toMatchObject({ body: { status: 'fail', message: 'No wallet.' } });
});

test('without a type the possible ones are tried in turn until v1 finds the meter', async () => {
  const found = openHouse([NAMED]);
  expect(await lookUp(found)).toMatchObject({ status: 'success', name: 'ADA OBI', meter_type: 'prepaid' });
  expect(typesAsked(found)).toEqual(['prepaid']);
  const second = openHouse([NOBODY, NAMED]);
  expect(await lookUp(second)).toMatchObject({ status: 'success', name: 'ADA OBI', meter_type: 'postpaid' });
  expect(typesAsked(second)).toEqual(['prepaid', 'postpaid']);
});

test('a meter that was found without a type is not remembered with the first type', async () => {
  const house = openHouse([NOBODY, NAMED, NOBODY]);
  expect(await lookUp(house)).toMatchObject({ status: 'success', meter_type: 'postpaid' });
  expect(await lookUp(house, { MeterType: 'prepaid' })).toMatchObject({ status: 'fail', meter_type: 'prepaid' });
  expect(await lookUp(house)).toMatchObject({ status: 'success', meter_type: 'postpaid' });
  expect(typesAsked(house)).toEqual(['prepaid', 'postpaid', 'prepaid']);
});

test('a meter that v1 does not know under either type has no type', async () => {
  const house = openHouse([NOBODY]);
  expect(await lookUp(house)).toMatchObject({ http: 400, status: 'fail', meter_type: null });
  expect(typesAsked(house)).toEqual(['prepaid', 'postpaid']);
});

test.each<[string, Finding]>([
  ['is away', AWAY],
  ['refuses the key', { ...NOBODY, httpStatus: 401 }],
  ['has had enough', { ...NOBODY, httpStatus: 429 }],
])('no further type is tried where v1 %s', async (_title, finding) => {
  const house = openHouse([finding, NAMED]);
  expect(await lookUp(house)).toMatchObject({ status: 'fail', meter_type: null });
  expect(typesAsked(house)).toEqual(['prepaid']);
});

const BUSY: Finding = { kind: 'unavailable', reason: 'no turn', retryAfterSeconds: 7 };
const READINGS = [
  ['a verify', '/api/cable/cable-validation', 503, 'fail'],
  ['a balance', '/api/user', 503, 'fail'],
  ['a list', '/api/data_plans', 503, 'fail'],
  // The order may be charged, whether or not v1 can be asked about it.
  ['an order that only v1 may know', '/api/transaction/VTU-1', 202, 'pending'],
  ['a history', '/api/transactions', 202, 'pending'],
] as const;

async function askFor(path: string, finding: Finding) {
  const query = path.endsWith('validation') ? { iuc: '1234567890', cable: '1' } : {};
  const house = openHouse([finding]);
  const served = house.gateway.handle(legacyRequest({ method: 'GET', path, query, headers: PHP }));
  // Questions about orders are asked again.
  await house.clock.advance(10_000);
  return (await served).reply;
}

test.each(READINGS)('%s that got no turn at v1 is told when to come back', async (_title, path, http, word) => {
  const reply = await askFor(path, BUSY);
  expect(reply).toMatchObject({ status: http, retryAfterSeconds: 7, body: { status: word } });
  const { message } = reply.body as { readonly message: string };
  if (http === 503) expect(message).toBe('There is too much to do right now. Nothing was checked. Try again in 7 seconds.');
  else expect(message).not.toMatch(/charged|checked/);
});

test('a lookup while v1 is away names no time to come back', async () => {
  const { status, retryAfterSeconds } = await askFor('/api/user', AWAY);
  expect([status, retryAfterSeconds]).toEqual([503, undefined]);
});

test('a balance without the price list has no empty list of plans, which importers would take for the whole offer', async () => {
  const balance: Finding = { kind: 'found', body: { status: 'success', data: { wallet_balance: 500 } } };
  const house = openWalkHouse({ find: ({ path }) => (path === '/balance' ? balance : AWAY) });
  const { reply } = await house.gateway.handle(
    legacyRequest({ method: 'GET', path: '/b/api/user/', headers: { authorization: `Token ${WALK_KEY}` } }),
  );
  expect(reply).toMatchObject({
    status: 200,
    body: {
      status: 'success',
      balance: 500,
      Dataplans: { GLO_PLAN: { ALL: null } },
      Cableplan: { GOTVPLAN: null, cablename: null },
    },
  });
});

test.each([
  ['as text', '48,980.20', 48_980.2],
  ['with the noise of a double', 902.0100000000001, 902.01],
  ['beyond 2^31 kobo and naira', 21_474_836_480.07, 21_474_836_480.07],
])('a balance that v1 gives %s is told as a number of whole kobo', async (_title, given, told) => {
  const balance: Finding = { kind: 'found', body: { status: 'success', data: { wallet_balance: given } } };
  const house = openWalkHouse({ find: ({ path }) => (path === '/balance' ? balance : AWAY) });
  const { reply } = await house.gateway.handle(
    legacyRequest({ method: 'GET', path: '/a/api/user', headers: { authorization: `Token ${WALK_KEY}` } }),
  );
  expect(reply.body).toMatchObject({ balance: told });
});

test('the numbers of the key with which a lookup without a key is asked are not those of the script', () => {
  const fingerprint = '0a'.repeat(16);
  const mapping = mappingOf(
    editedFiles('callers.yaml', 'keys: {}', `keys: { ${fingerprint}: { format: b, numbers: { disco: { 8: 3 } } } }`),
  );
  const query = { meter_number: '04512345678', disco_name: '8', MeterType: 'prepaid' };
  const routed = walkIn(legacyRequest({ method: 'GET', path: '/api/validatemeter', query }), mapping);
  if (routed.kind !== 'needs_caller') throw new Error(routed.kind);
  const asked = (key: Partial<Credentials>): Known => {
    const credentials = { apiKey: new Secret('key'), fingerprint, ...key };
    return routed.withCaller({ credentials, isBasic: false }).known;
  };
  expect(asked({}).call?.body).toMatchObject({ disco_id: 3 });
  expect(asked({ isLookupKey: true }).call?.body).toMatchObject({ disco_id: 8 });
  expect(asked({ isLookupKey: true, isSeller: true }).call?.body).toMatchObject({ disco_id: 8 });
});
