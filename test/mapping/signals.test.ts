import { compilePattern, compileSignal } from '../../src/mapping/signals';
import type { SignalSource } from '../../src/mapping/language/schema';
import { legacyRequest } from '../gateway/legacy-request';

const find = (
  source: Omit<SignalSource, 'weight'>,
  request: Parameters<typeof legacyRequest>[0],
  path?: string,
): string | undefined => {
  const complaints: string[] = [];
  const signal = compileSignal({ weight: 'strong', ...source }, [], (_path, code) => void complaints.push(code));
  expect(complaints).toEqual([]);
  const made = legacyRequest(request);
  return signal.find(made, path ?? made.path);
};

test.each<[string, Omit<SignalSource, 'weight'>, Parameters<typeof legacyRequest>[0], string | undefined]>([
  ['a field of the body', { any_field: ['iuc', 'cable'] }, { body: { cable: 1 } }, 'field cable'],
  ['an empty field', { any_field: ['iuc'] }, { body: { iuc: '' } }, 'field iuc'],
  ['all fields', { all_fields: ['phone', 'plan'] }, { body: { phone: '1' }, query: { plan: '2' } }, 'fields phone and plan'],
  ['a word', { field: 'plan_type', is: ['VTU'] }, { body: { plan_type: ' vtu ' } }, 'plan_type is vtu'],
  ['a number that is the word', { field: 'kind', is: ['1'] }, { body: { kind: 1 } }, 'kind is 1'],
  ['a list in the place of a word', { field: 'plan_type', is: ['VTU'] }, { body: { plan_type: ['VTU'] } }, undefined],
  ['an address without its slash', { path: '/api/airtime/', spelled: 'exactly' }, { path: '/api/airtime' }, undefined],
  ['a scheme', { auth: 'basic' }, { headers: { authorization: ' BASIC  abc' } }, 'basic authorization'],
  ['another scheme', { auth: 'basic' }, { headers: { authorization: 'Basically x' } }, undefined],
  [
    'two conditions, both true',
    { path: '/x', auth: 'token' },
    { path: '/x', headers: { authorization: 'Token k' } },
    'address /x and token authorization',
  ],
  ['JSON without blanks', { layout: 'compact' }, { text: '{"a":1,"b":["x y",{"c":null}]}' }, 'body written without blanks'],
  [
    'a blank behind each mark',
    { layout: 'spaced' },
    { text: '{"a": 1, "b": ["x  y", {"c": "\\"q: "}]}' },
    'body written with blanks',
  ],
  ['a blank before a colon', { layout: 'by_hand' }, { text: '{"a" : 1, "b": 2}' }, 'body written by hand'],
  ['lines', { layout: 'by_hand' }, { text: '{\n  "a": 1\n}' }, 'body written by hand'],
  ['some blanks and some not', { layout: 'by_hand' }, { text: '{"a": 1,"b":2}' }, 'body written by hand'],
  ['blanks around the whole', { layout: 'compact' }, { text: ' {"a":1}\n' }, 'body written without blanks'],
  ['another layout', { layout: 'spaced' }, { text: '{"a":1}' }, undefined],
  ['a form', { layout: 'compact' }, { text: 'a=1' }, undefined],
  ['no body', { layout: 'compact' }, {}, undefined],
])('a signal is compared with the request: %s', (_title, source, request, found) => {
  expect(find(source, request)).toBe(found);
});

test('the layout of a body with 60,000 quotes and no end is read at once', () => {
  const beganMs = performance.now();
  expect(find({ layout: 'compact' }, { text: `{:"${'\\"'.repeat(60_000)}` })).toBe('body written without blanks');
  expect(performance.now() - beganMs).toBeLessThan(1_000);
});

test('a signal compares the address without its format prefix', () => {
  expect(find({ path: '/api/epin' }, { path: '/b/api/epin' }, '/api/epin')).toBe('address /api/epin');
});

test.each([
  ['axios', 'Axios', true],
  ['axios', 'axios/1', false],
  ['axios/*', 'AXIOS/1.2', true],
  ['axios/*', 'axios', false],
  ['*', 'anything', true],
  ['', '', true],
])('whether the pattern %j matches %j: %j', (pattern, value, fits) => {
  expect(compilePattern(pattern)(value.toLowerCase())).toBe(fits);
});
