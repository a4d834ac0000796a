import { sharedFileSchema } from '../../../src/mapping/language/schema';
import { readYaml } from '../../../src/mapping/read-yaml';
import { marked } from '../mapping-set';

const blocksOf = (text: string): unknown =>
  readYaml('x.yaml', `blocks:\n  shown:\n    always: ${text}`, sharedFileSchema).value?.blocks?.['shown']?.always;

test('a key with several names gives each name the value, at every depth and in order', () => {
  expect(blocksOf('{ "a, b": $text, c: { "d , e": [1] }, f: [{ "g,h": 2 }] }')).toEqual({
    a: '$text',
    b: '$text',
    c: { d: [1], e: [1] },
    f: [{ g: 2, h: 2 }],
  });
  expect(Object.keys(blocksOf('{ z: 1, "b, a": 2 }') as object)).toEqual(['z', 'b', 'a']);
});

test('`group_by` gives one list for each group, with the condition of the group added', () => {
  const list = (where: object): object => ({ each: '$catalog.data_plans', where, row: 'plan' });
  expect(
    blocksOf(
      '{ each: $catalog.data_plans, where: { network: MTN }, group_by: data_type, groups: { SME: SME, "CG, CORPORATE": [CG, CORPORATE], ALL: null }, row: plan }',
    ),
  ).toEqual({
    SME: list({ network: 'MTN', data_type: 'SME' }),
    CG: list({ network: 'MTN', data_type: ['CG', 'CORPORATE'] }),
    CORPORATE: list({ network: 'MTN', data_type: ['CG', 'CORPORATE'] }),
    ALL: list({ network: 'MTN' }),
  });
  expect(blocksOf('{ each: $networks, group_by: name, groups: [MTN, 9], row: n }')).toEqual({
    9: { each: '$networks', where: { name: 9 }, row: 'n' },
    MTN: { each: '$networks', where: { name: 'MTN' }, row: 'n' },
  });
  expect(blocksOf('{ each: $networks, group_by: name, groups: { all: null }, row: n }')).toEqual({
    all: { each: '$networks', row: 'n' },
  });
});

// The mark § is where the problem is reported.
test.each([
  ['{ "a, b": 1, §"c, a": 2 }', 'duplicate-key', '`a` is here for the second time'],
  ['{ deep: { §"a, a": 2 } }', 'duplicate-key', '`a` is here for the second time'],
  ['{ a: 1, §<<: { b: 2 } }', 'schema', 'merge keys are not read: use `include`'],
  ['{ deep: { §<<: [{ b: 2 }] } }', 'schema', 'merge keys are not read'],
  ['{ §"a,": 1 }', 'schema', 'a name is missing beside a comma of `a,`'],
  ['{ each: $networks, groups: { "x, y": a, §"z, y": b }, group_by: name, row: n }', 'duplicate-key', '`y` is here'],
  ['{ each: $networks, §group_by: [name], groups: { x: a }, row: n }', 'schema', 'expected the name of a column'],
  ['{ §group_by: name, groups: { x: a } }', 'schema', '`group_by` needs the list that it groups: add `each`'],
  ['§{ each: $networks, group_by: name, row: n }', 'schema', 'expected the values of the column, or groups'],
  ['{ each: $networks, §where: name, group_by: name, groups: { x: a }, row: n }', 'schema', 'expected conditions'],
])('%s', (value, code, message) => {
  const { text, line, column } = marked(`blocks:\n  shown:\n    always: ${value}`);
  const { problems } = readYaml('x.yaml', text, sharedFileSchema);
  expect(problems).toEqual([expect.objectContaining({ code, line, column, message: expect.stringContaining(message) })]);
});

test.each([
  ['one of several names', '{ "a, b": §$nothing }', ['b']],
  ['a group', '{ g: { each: $networks, group_by: name, groups: { "x, y": §z }, row: n } }', ['g', 'y', 'where', 'name']],
])('the place of %s is found', (_what, value, path) => {
  const { text, line, column } = marked(`blocks:\n  shown:\n    always: ${value}`);
  const { locate } = readYaml('x.yaml', text, sharedFileSchema);
  expect(locate(['blocks', 'shown', 'always', ...path])).toEqual({ line, column });
});
