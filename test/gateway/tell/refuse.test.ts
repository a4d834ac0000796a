import type { Outcome } from '../../../src/domain/outcome';
import type { Finding } from '../../../src/upstream/upstream';
import { unansweredParts, withWait } from '../../../src/gateway/tell/refuse';
import { shippedMapping } from '../../mapping/mapping-set';
import { legacyRequest } from '../legacy-request';
import { AIRTIME, AXIOS, openWalkHouse } from '../walk-house';

const LIMITED: Outcome = { kind: 'rejected', httpStatus: 429, message: 'Too many requests.' };
const told = (retryAfterSeconds?: number) =>
  ({
    outcome: 'failure',
    http: 429,
    text: 'Too many requests.',
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }) as const;
const SALE = { ...AIRTIME, 'request-id': 'r-1' };

/** A script with a short patience. */
async function replyTo(answer: Outcome, path: string, body: Readonly<Record<string, unknown>>) {
  const finding: Finding = { kind: 'refused', httpStatus: 429, body: {}, message: 'Too many requests.' };
  const house = openWalkHouse({ answers: [{ outcome: answer }], find: () => finding });
  const parsed = house.gateway.handle(legacyRequest({ path, body: body as never, headers: AXIOS }));
  await house.clock.advance(10_000);
  return (await parsed).reply;
}

test.each([
  ['/airtime', 60, '60 seconds'],
  ['/bulk_sms', 3_600, '60 minutes'],
  ['/validate-meter', 300, '5 minutes'],
  ['/validate-cable', 300, '5 minutes'],
])('a limit of %s without a time names that of its window: %d seconds', (path, seconds, words) => {
  expect(withWait(told(), path)).toEqual({ ...told(seconds), text: `Too many requests. Try again in ${words}.` });
});

test.each([
  [7, 7, '7 seconds'],
  [0, 1, '1 second'],
  [121, 121, '3 minutes'],
])("v1's own time of %d seconds is told", (asked, seconds, words) => {
  expect(withWait(told(asked), '/airtime')).toMatchObject({
    retryAfterSeconds: seconds,
    text: `Too many requests. Try again in ${words}.`,
  });
});

test.each([
  ['Invalid API key', 'Invalid API key. '],
  ['Invalid API key.', 'Invalid API key. '],
  ['Invalid API key!', 'Invalid API key! '],
  ['', ''],
])('an unanswered question says two sentences: %s', (said, first) => {
  const mapping = shippedMapping();
  expect(unansweredParts(said, mapping).text).toBe(`${first}${mapping.texts['unanswered']}`);
});

test('words of v1 that end without a full stop get one before the time to wait', () => {
  expect(withWait({ ...told(7), text: 'Too many requests' }, '/airtime').text).toBe('Too many requests. Try again in 7 seconds.');
});

test('nothing else is made to wait', () => {
  const rejected = { outcome: 'failure', http: 400, text: 'Insufficient balance.' } as const;
  expect(withWait(rejected, '/airtime')).toBe(rejected);
});

test('a purchase that v1 still limits at the end of its patience is told when to come back', async () => {
  expect(await replyTo(LIMITED, '/api/topup', SALE)).toMatchObject({
    status: 429,
    retryAfterSeconds: 60,
    body: { status: 'fail', msg: 'Too many requests. Try again in 60 seconds.' },
  });
});

test('a meter lookup that v1 limits is told so too', async () => {
  const meter = { disco_name: '1', MeterType: '1', meter_number: '0101150253478' };
  const { status, retryAfterSeconds, body } = await replyTo(LIMITED, '/api/validatemeter', meter);
  expect([status, retryAfterSeconds]).toEqual([429, 300]);
  // v1 may limit without a word of its own; the customer's number is not to blame for that.
  expect(body).toMatchObject({ status: 'fail', message: 'Too many requests. Nothing was checked. Try again in 5 minutes.' });
});

test.each([
  ['a purchase', { body: { 'request-id': 'a'.repeat(513) } }],
  ['a question', { method: 'GET', path: `/api/transaction/${'a'.repeat(513)}` }],
])('the refusal of %s repeats no id that is longer than an id may be', async (_, parts) => {
  const { reply } = await openWalkHouse().gateway.handle(legacyRequest({ ...parts, headers: { sent: {} } }));
  expect(JSON.stringify(reply.body)).not.toContain('aaaa');
});
