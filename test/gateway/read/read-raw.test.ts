import { textOf, type JsonValue } from '../../../src/domain/json';
import type { Field } from '../../../src/mapping/mapping';
import { readRaw, readSpellings } from '../../../src/gateway/read/read-raw';
import { legacyRequest } from '../legacy-request';

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
