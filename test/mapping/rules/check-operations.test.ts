import { buyAirtime, checkWith, marked } from '../mapping-set';

const GUARDED = (fields: string, guard: string): string =>
  buyAirtime('{ always: { status: $words.status }, failure: { error: [$text] } }', `numbering_guard: ${guard}`, fields);

test.each([
  ['moved: { from: [moved], as: text }', '{ number: network, phone: phone, ported: §moved }', 'guard-cannot-tell'],
  ['moved: { from: [moved], as: flag }', '{ number: network, phone: phone, ported: §mowed }', 'unknown-field'],
  ['moved: { from: [moved], as: flag }', '§{ number: network, phone: phone, ported: moved }', undefined],
])('with the field %s the guard %s is checked: %s', (field, guard, code) => {
  const { text, line, column } = marked(GUARDED(field, guard));
  const found = checkWith(text).problems.filter((one) => one.code === 'guard-cannot-tell' || one.code === 'unknown-field');
  expect(found.map((one) => ({ code: one.code, line: one.line, column: one.column }))).toEqual(
    code === undefined ? [] : [{ code, line, column }],
  );
});

test.each([
  ['Host', true],
  ['accept-language', true],
  ['X-Forwarded-For', true],
  ['X-Api-Key', true],
  ['Originator-Request-Id', false],
  ['Token-Request-Id', false],
  ['X-Request-Id', false],
])('whether the header %s is refused as a request id because its value repeats: %s', (header, isShared) => {
  const { problems } = checkWith(`request_id_headers: [${header}]`);
  expect(problems.map(({ code }) => code)).toEqual(isShared ? ['request-id-repeats'] : []);
});

test('a purchase needs the guard also where one format leaves its numbers to the table', () => {
  const { problems } = checkWith(
    "tables: { network: { title: network, values: { MTN: { id: 1, words: [], prefixes: ['0803'] }, GLO: { id: 2, words: [] } }, numbers: { 1: MTN, 2: GLO } } }",
    'format: x\ntitle: X\nlogin: basic',
    'format: y\ntitle: Y\nnumbers: { network: { 1: GLO, 2: MTN } }\nproof: [{ weight: strong, any_field: [plan] }]',
  );
  expect(problems.map(({ code }) => code)).toEqual(['purchase-without-guard']);
});
