import fc from 'fast-check';
import { InexactNumber, type JsonValue, textOf } from '../../../src/domain/json';
import type { Field } from '../../../src/mapping/mapping';
import { generateRequestId, readRaw, readRequestId, readSpellings, shortenRequestId } from '../../../src/gateway/read/read-raw';
import { legacyRequest } from '../legacy-request';
import { GatewayError } from '../../../src/domain/errors';

const found = (...args: Parameters<typeof readSpellings>): string[] =>
  readSpellings(...args).map(({ spelling, value }) => `${spelling}=${textOf(value as JsonValue)}`);

test('on a POST body and query both count, the body first', () => {
  const request = legacyRequest({ body: { phone: '1' }, query: { phone: '2', mobile_number: '3' } });
  expect(found(request, ['mobile_number', 'phone'])).toEqual(['phone=1', 'mobile_number=3', 'phone=2']);
});

test('on a GET the query is the request, and an unrelated body with it says nothing', () => {
  const request = legacyRequest({ method: 'GET', query: { meternumber: '1' }, body: { meter_number: '2', amount: '1000' } });
  expect(found(request, ['meter_number', 'meternumber'])).toEqual(['meternumber=1']);
  expect(found(request, ['amount'])).toEqual(['amount=1000']);
});

test('an empty text and a null are absent, unless emptiness means something', () => {
  const request = legacyRequest({ body: { a: '', b: ' ', c: null, d: 0, e: false } });
  expect(found(request, ['a', 'b', 'c', 'd', 'e'])).toEqual(['d=0', 'e=false']);
  expect(found(request, ['a', 'b', 'c'], true)).toEqual(['a=', 'b= ', 'c=null']);
});

test('on a GET an empty text in the query lets the body speak', () => {
  expect(found(legacyRequest({ method: 'GET', query: { a: '' }, body: { a: '1' } }), ['a'])).toEqual(['a=1']);
});

test('a spelling for want of better counts only when no better one is there', () => {
  const field = { from: ['disco'], otherwise: ['disconame'], takesEmpty: false } as unknown as Field;
  const both = legacyRequest({ body: { disco: '3', disconame: 'abuja-electric' } });
  expect(readRaw(both, field)).toEqual([{ spelling: 'disco', value: '3' }]);
  const empty = legacyRequest({ body: { disco: '', disconame: 'abuja-electric' } });
  expect(readRaw(empty, field)).toEqual([{ spelling: 'disconame', value: 'abuja-electric' }]);
  expect(readRaw(legacyRequest(), field)).toEqual([]);
});

const PLACES = {
  requestIdSpellings: ['request-id', 'request_id', 'ref'],
  requestIdHeaders: ['Idempotency-Key', 'X-Request-Id'],
};
const UUID = '123e4567-e89b-12d3-a456-426614174000';

// Facts 7: 17 and 41 characters, pipes, dots, bare numbers, the current second.
test.each([
  ['6581c02d9f1a41234', '6581c02d9f1a41234'],
  ['DATA_6581c02d9f1a4', 'DATA_6581c02d9f1a4'],
  [`AIRTIMEPIN|${UUID}`, `AIRTIMEPIN|${UUID}`],
  ['x'.repeat(40) + '.', 'x'.repeat(40) + '.'],
  ['x'.repeat(64), 'x'.repeat(64)],
  [20260101123, '20260101123'],
  ['REF-1767225600', 'REF-1767225600'],
])('%p goes to v1 as %s', (value, id) => {
  const read = readRequestId(legacyRequest({ body: { 'request-id': value } }), {}, PLACES);
  expect(read).toEqual({ id, echo: { 'request-id': value }, sent: value });
});

test.each([['x'.repeat(65)], ['x'.repeat(512)], ['ünïcode'], ['日本'], ['tab\there'], ['nul\u0000']])(
  '%j is shortened to at most 64 printable characters, always the same',
  (sent) => {
    const id = shortenRequestId(sent);
    expect(id).toMatch(/^[\x21-\x7e]{40,64}$/);
    expect(shortenRequestId(sent)).toBe(id);
    expect(shortenRequestId(id)).toBe(id);
  },
);

test('two long ids that begin alike stay two', () => {
  expect(shortenRequestId(`${'x'.repeat(80)}1`)).not.toBe(shortenRequestId(`${'x'.repeat(80)}2`));
});

test('whatever is sent, what goes to v1 is short and printable', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'binary' }), (sent) => /^[\x20-\x7e]{1,64}$/.test(shortenRequestId(sent))),
    { numRuns: 500 },
  );
});

test('equal ids under several spellings are one, and each is echoed as it was sent', () => {
  const read = readRequestId(legacyRequest({ body: { ref: '7', 'request-id': 7 } }), {}, PLACES);
  expect(read).toEqual({ id: '7', echo: { 'request-id': 7, ref: '7' }, sent: 7 });
});

test('an id in the address counts', () => {
  expect(readRequestId(legacyRequest(), { request_id: 'r-1' }, PLACES)).toMatchObject({
    id: 'r-1',
    echo: { request_id: 'r-1' },
  });
});

test.each(['buy', 'index.php', 'null', '0'])('the end of the address %j is no id', (word) => {
  expect(readRequestId(legacyRequest(), { request_id: word }, PLACES)).toBeUndefined();
  expect(readRequestId(legacyRequest({ body: { ref: 'r-1' } }), { request_id: word }, PLACES)).toMatchObject({
    id: 'r-1',
    echo: { ref: 'r-1' },
  });
});

test.each([[{}], [{ 'request-id': '' }], [{ 'request-id': null }], [{ ref: '  ' }], [{ other: '1' }]])('%j has no id', (body) => {
  expect(readRequestId(legacyRequest({ body }), {}, PLACES)).toBeUndefined();
});

test.each([false, true, 0, '0', 'false', 'null', 'undefined', 'NaN', 'None', ' NULL '])(
  'what a script writes that has no id is none: %j',
  (value) => {
    expect(readRequestId(legacyRequest({ body: { 'request-id': value } }), {}, PLACES)).toBeUndefined();
    expect(readRequestId(legacyRequest({ headers: { sent: { 'idempotency-key': String(value) } } }), {}, PLACES)).toBeUndefined();
    const beside = readRequestId(legacyRequest({ body: { 'request-id': value, ref: 'r-0' } }), {}, PLACES);
    expect(beside).toEqual({ id: 'r-0', echo: { ref: 'r-0' }, sent: 'r-0' });
  },
);

test.each([
  ['two different ids', { 'request-id': '1', ref: '2' }, 'conflicting_fields'],
  ['a number that a double cannot hold', { ref: new InexactNumber('12345678901234567890') }, 'invalid_field'],
  ['a list', { ref: ['1'] }, 'invalid_field'],
  ['an object', { ref: { a: '1' } }, 'invalid_field'],
  ['513 characters', { ref: 'x'.repeat(513) }, 'invalid_field'],
])('%s are refused by name', (_title, body, code) => {
  const read = (): unknown => readRequestId(legacyRequest({ body }), {}, PLACES);
  expect(read).toThrow(GatewayError);
  expect(read).toThrow(expect.objectContaining({ code, field: 'ref' }));
});

test('an id that is made here is 28 characters, printable as it is, and sorts by time', () => {
  const ids = [1, 31, 32, 33, 1_767_225_600_000, 1_767_225_600_001, 4_102_444_800_000].map((time) => generateRequestId(time));
  for (const id of ids) expect(id).toMatch(/^CG[0-9A-HJKMNP-TV-Z]{26}$/);
  expect([...ids].sort()).toEqual(ids);
  expect(shortenRequestId(ids[0]!)).toBe(ids[0]);
});

test('a thousand ids of one millisecond are a thousand ids', () => {
  expect(new Set(Array.from({ length: 1_000 }, () => generateRequestId(1_767_225_600_000))).size).toBe(1_000);
});

test('the first of the headers that was sent is the id where nothing else is, and is not echoed as a field', () => {
  const sent = { 'x-request-id': ` ${UUID} ` };
  const header = { name: 'X-Request-Id', id: UUID, sent: UUID };
  expect(readRequestId(legacyRequest({ headers: { sent } }), {}, PLACES)).toEqual({ id: UUID, echo: {}, sent: UUID, header });
  const both = { ...sent, 'idempotency-key': 'k-1' };
  expect(readRequestId(legacyRequest({ headers: { sent: both } }), {}, PLACES)).toMatchObject({ id: 'k-1' });
});

test.each([
  ['body', legacyRequest({ body: { ref: 'r-1' }, headers: { sent: { 'x-request-id': 'h-1' } } }), {}],
  ['query', legacyRequest({ query: { ref: 'r-1' }, headers: { sent: { 'x-request-id': 'h-1' } } }), {}],
  ['path', legacyRequest({ headers: { sent: { 'x-request-id': 'h-1' } } }), { request_id: 'r-1' }],
])('an id in the %s goes before another one in a header, which is known beside it', (_place, request, parameters) => {
  expect(readRequestId(request, parameters, PLACES)).toMatchObject({ id: 'r-1', sent: 'r-1', header: { id: 'h-1' } });
});

test.each([
  ['', undefined],
  ['  ', undefined],
  ['x'.repeat(513), undefined],
])('the header %j is no id', (value, expected) => {
  expect(readRequestId(legacyRequest({ headers: { sent: { 'x-request-id': value } } }), {}, PLACES)).toBe(expected);
});
