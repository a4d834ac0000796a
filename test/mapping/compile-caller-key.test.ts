import { DEFAULT } from '../../src/mapping/compile-caller-key';
import type { CallerKey, Scope } from '../../src/mapping/mapping';
import { checkWith, marked } from './mapping-set';

const KEY = '0a'.repeat(16);
const callers = (says: string): string => `
callers:
  kinds:
    php: { user_agents: ['', 'PHP*'], patience: 40s }
    other: { patience: 4s }
  keys:
    ${KEY}:
${says.replace(/^/gm, '      ')}
`;

function compiled(says: string): CallerKey {
  const { mapping, problems } = checkWith(callers(says));
  expect(problems).toEqual([]);
  return mapping!.callerKeys.get(KEY)!;
}

test('patience is one for all, or by operation with a default', () => {
  expect([compiled('patience: 10s').patienceOf('buy'), compiled('guard: off').patienceOf('buy')]).toEqual([10_000, undefined]);
  const { patienceOf } = compiled('patience: { buy: 30s, default: 2s }');
  expect([patienceOf('buy'), patienceOf('list'), patienceOf('constructor')]).toEqual([30_000, 2_000, 2_000]);
  expect(compiled('patience: { buy: 30s }').patienceOf('list')).toBeUndefined();
});

test('the shape of a list is a value in which $list is the list', () => {
  const roots = { words: { status: 'success' }, text: 'Fine.' };
  const scope: Scope = { fields: {}, joins: {}, roots, numberOf: () => undefined };
  const { lists } = compiled(
    'lists: { default: { status: $words.status, nested: { n: $list | count, rows: [$list] }, maybe: { when: { $http: 1 }, value: 1 } } }',
  );
  const shape = lists.get(DEFAULT)!;
  expect(shape.build([1, 2], scope)).toEqual({ status: 'success', nested: { n: 2, rows: [[1, 2]] } });
  expect(shape.sources.map(({ field }) => field)).toEqual(['status', 'nested', 'maybe']);
});

test('a shape that holds only sometimes leaves the list as it is otherwise', () => {
  const { lists } = compiled('lists: { default: { when: { $text: Fine. }, value: { data: $list } } }');
  const build = (text: string): unknown =>
    lists.get(DEFAULT)!.build([1], { fields: {}, joins: {}, roots: { text }, numberOf: () => undefined });
  expect([build('Fine.'), build('Else.')]).toEqual([{ data: [1] }, [1]]);
});

// What is wrong stands at §, with the rule that says so.
test.each([
  ['unknown-table', 'numbers: { §netwrk: { 1: MTN } }'],
  ['unknown-value', 'numbers: { network: { 1: §VODAFONE } }'],
  ['number-repeated', "numbers: { network: { 1: MTN, §'01': GLO } }"],
  ['unlisted-without-numbers', 'unlisted: { §network: pass }'],
  ['unknown-operation', 'patience: { §by: 10s }'],
  ['unknown-operation', 'lists: { §status: { data: $list } }'],
  ['unknown-format', 'format: §y'],
  ['unknown-source', 'lists: { default: { data: $list, more: §$lst } }'],
  ['source-not-available', 'lists: { default: { data: $list, more: §$order.number } }'],
  ['unknown-path', 'lists: { default: { data: $list, more: §$words.statuss } }'],
  ['shape-without-list', 'lists: { §default: { n: $list | count } }'],
  ['patience-too-long', 'patience: { buy: §60s }'],
  ['unknown-key', '§gard: off'],
  ['unknown-choice', 'unlisted: { network: §perhaps }'],
])('%s: %s', (code, says) => {
  const { text, line, column } = marked(callers(says));
  expect(checkWith(text).problems).toContainEqual(expect.objectContaining({ code, line, column }));
});

test('$list means nothing anywhere else', () => {
  const { problems } = checkWith('texts: { found: Found., not_found: None. }', 'rows: { one: { all: $list } }');
  expect(problems).toContainEqual(expect.objectContaining({ code: 'unknown-source', message: 'nothing here is called `$list`' }));
});

test.each([
  ['unknown-list', '§data_pans.id'],
  ['unknown-column', '§data_plans.idd'],
  ['schema', '§data_plans'],
])('%s: a table is shown in %s', (code, place) => {
  const { text, line, column } = marked(
    `tables:\n  network: { title: network, values: { MTN: { words: [MTN] }, GLO: { words: [GLO] } }, shown_in: [${place}] }\n`,
  );
  expect(checkWith(text).problems).toContainEqual(expect.objectContaining({ code, line, column }));
});
