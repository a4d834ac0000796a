import { buyAirtime, checkWith, marked } from '../mapping-set';

const GUARDED = (fields: string, guard: string): string =>
  buyAirtime('{ always: { status: $words.status } }', `numbering_guard: ${guard}`, fields);

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
