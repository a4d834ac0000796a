import { Secret } from '../../src/domain/credentials';
import type { Finding } from '../../src/upstream/upstream';
import { legacyRequest, type LegacyRequestParts } from './legacy-request';
import { openWalkHouse, type WalkHouse } from './walk-house';

const NAMED: Finding = { kind: 'found', body: { status: 'success', data: { name: 'ADA OBI' } } };
const NOBODY: Finding = { kind: 'refused', httpStatus: 400, body: { status: 'error', message: 'No such meter.' } };
const AWAY: Finding = { kind: 'unavailable', reason: 'HTTP 502' };

/** A house whose v1 answers one question after the other, and a meter lookup there. */
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

test('a value that was sent is the only one that is asked with', async () => {
  const house = openHouse([NOBODY, NAMED]);
  expect(await lookUp(house, { MeterType: 'postpaid' })).toMatchObject({ status: 'fail', meter_type: 'postpaid' });
  expect(typesAsked(house)).toEqual(['postpaid']);
});

test('"no such meter" with HTTP 200 is not told as found', async () => {
  const house = openHouse([{ kind: 'found', body: { status: 'success', success: false, message: 'No such meter.' } }]);
  expect(await lookUp(house, { MeterType: 'postpaid' })).toMatchObject({ status: 'fail' });
});

test('without one the values are tried in turn until v1 finds something', async () => {
  const found = openHouse([NAMED]);
  expect(await lookUp(found)).toMatchObject({ status: 'success', name: 'ADA OBI', meter_type: 'prepaid' });
  expect(typesAsked(found)).toEqual(['prepaid']);
  const second = openHouse([NOBODY, NAMED]);
  expect(await lookUp(second)).toMatchObject({ status: 'success', name: 'ADA OBI', meter_type: 'postpaid' });
  expect(typesAsked(second)).toEqual(['prepaid', 'postpaid']);
});

test('a meter that v1 does not know as either has no type', async () => {
  const house = openHouse([NOBODY]);
  expect(await lookUp(house)).toMatchObject({ http: 400, status: 'fail', meter_type: null });
  expect(typesAsked(house)).toEqual(['prepaid', 'postpaid']);
});

test.each<[string, Finding]>([
  ['is away', AWAY],
  ['refuses the key', { ...NOBODY, httpStatus: 401 }],
  ['has had enough', { ...NOBODY, httpStatus: 429 }],
])('nothing more is tried where v1 %s', async (_title, finding) => {
  const house = openHouse([finding, NAMED]);
  expect(await lookUp(house)).toMatchObject({ status: 'fail', meter_type: null });
  expect(typesAsked(house)).toEqual(['prepaid']);
});
