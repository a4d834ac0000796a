import { z } from 'zod';
import { readYaml, type YamlPath } from '../../src/mapping/read-yaml';
import { marked } from './mapping-set';
import { formatFileSchema, sharedFileSchema } from '../../src/mapping/language/schema';

const schema = z.strictObject({
  format: z.string().optional(),
  numbers: z.record(z.string().regex(/^\d+$/, 'expected a whole number'), z.string()).optional(),
  fields: z.record(z.string(), z.strictObject({ from: z.array(z.string()), required: z.boolean().optional() })).optional(),
  list: z.array(z.strictObject({ transform: z.string() })).optional(),
  any: z.unknown().optional(),
});

// The mark § is where the problem is reported.
test.each<[what: string, text: string, code: string, message: RegExp, hint?: string]>([
  ['an unknown key at the top', '§formt: a', 'unknown-key', /^unknown key `formt`$/, 'did you mean `format`?'],
  [
    'an unknown key in a list',
    'list:\n  - transform: a\n  - §transfrom: b\n    transform: c',
    'unknown-key',
    /at list\.1/,
    'did you mean `transform`?',
  ],
  ['an unknown key that is near nothing', '§zzzzzzzz: 1', 'unknown-key', /`zzzzzzzz`/],
  [
    'bytes',
    'any: !!binary §eA==',
    'yaml-syntax',
    /^`!!binary` is a tag that mappings do not have$/,
    'write a text, a number, a list or fields',
  ],
  ['a set', 'any: !!set §{ a }', 'yaml-syntax', /^`!!set` is a tag/, 'write a text, a number, a list or fields'],
  ['a number where text belongs', 'numbers:\n  1: MTN\n  2: §3', 'schema', /at numbers\.2/, 'put it in quotes'],
  ['a key with a wrong form', 'numbers:\n  1: MTN\n  §two: GLO', 'schema', /unusable key: expected a whole number/],
  [
    'a missing value',
    'fields:\n  phone: §{ required: true }',
    'schema',
    /^this is missing: expected a list such as \[a, b\] \(at fields\.phone\.from\)$/,
  ],
  [
    'an empty value',
    'fields:\n  phone:\n    from: §null',
    'schema',
    /at fields\.phone\.from/,
    'there is no value after the colon: write one, or delete the key',
  ],
  [
    'a value behind an alias',
    'any: &shared { from: §1 }\nfields:\n  phone: *shared',
    'schema',
    /at fields\.phone\.from/,
    'put brackets around it',
  ],
  ['a list at the top', '§- 1', 'schema', /^expected keys and values, not a list$/],
  ['an unclosed bracket', 'format: [1\n§', 'yaml-syntax', /^the bracket `\[` is not closed$/, 'put `]` where the list ends'],
  [
    'an unclosed quote',
    "format: 'a§",
    'yaml-syntax',
    /^a text in quotes is not closed$/,
    'add the missing quote; write a quote inside quotes twice',
  ],
  ['an alias inside what it names', 'any: &shared { from: [a], more: §*shared }', 'yaml-syntax', /is inside the value/],
  ['an alias to nothing', 'format: §*nowhere', 'yaml-syntax', /alias/i],
  ['a text after a multi-byte sign', '# ₦ and 𝒳\nformat: §1', 'schema', /expected a text, not a number/, 'put it in quotes'],
])('%s is reported at its line and column', (_what, text, code, message, ...[hint]) => {
  // Not an optional parameter: in the place of a column that a row lacks, jest passes a callback.
  const { text: plain, line, column } = marked(text);
  const { value, problems } = readYaml('a.yaml', plain, schema);
  expect(value).toBeUndefined();
  const place = { file: 'a.yaml', line, column };
  expect(problems[0]).toMatchObject({ ...place, code, severity: 'error', message: expect.stringMatching(message) });
  expect(problems[0]!.hint).toBe(hint);
});

test('every problem of a file is reported, not only the first', () => {
  const { problems } = readYaml('a.yaml', 'one: 1\ntwo: 2\nformat: 3\n', schema);
  expect(problems.map(({ line }) => line).sort()).toEqual([1, 2, 3]);
});

test('an empty file is an empty section', () => {
  expect(readYaml('a.yaml', '# nothing yet\n', schema)).toMatchObject({ value: {}, problems: [] });
});

test.each([
  [
    'a billion laughs',
    `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 8 }, (_, i) => `${'bcdefghi'[i]}: &${'bcdefghi'[i]} [${`*${'abcdefgh'[i]},`.repeat(9)}]`).join('\n')}`,
  ],
  ['ten thousand brackets', `any: ${'['.repeat(10_000)}`],
  ['ten thousand closed brackets', `any: ${'['.repeat(10_000)}${']'.repeat(10_000)}`],
  ['bytes that are no text', '\u0000\u0001\uFFFF\uD800'],
  ['two documents', 'format: a\n---\nformat: b\n'],
])('%s is a problem, not a crash', (_title, text) => {
  const { value, problems } = readYaml('a.yaml', text, schema);
  expect(value).toBeUndefined();
  expect(problems.length).toBeGreaterThan(0);
});

test.each<[YamlPath, 'key' | 'value', number, number]>([
  [['numbers', '2'], 'value', 4, 6],
  [['numbers', '2'], 'key', 4, 3],
  [['fields', 'phone', 'from', 1], 'value', 7, 15],
  [['fields', 'phone', 'nowhere'], 'value', 7, 5],
  [['fields', 'phone', 'from', 9], 'value', 7, 11],
  [['nowhere', 'at', 'all'], 'value', 1, 1],
  [[], 'value', 1, 1],
])('the path %j (its %s) is located at %i:%i', (path, what, line, column) => {
  const text = 'format: a\nnumbers:\n  1: MTN\n  2: GLO\nfields:\n  phone:\n    from: [a, b]\n';
  expect(readYaml('a.yaml', text, schema).locate(path, what)).toEqual({ line, column });
});

test('a shared section in the file of a format and a merge key are reported with a hint', () => {
  const hintOf = (text: string): string | undefined => readYaml('x.yaml', text, formatFileSchema).problems[0]?.hint;
  const head = 'format: x\ntitle: X\n';
  for (const section of ['words', 'blocks', 'texts', 'tables'])
    expect(hintOf(`${head}${section}: {}`)).toBe(`\`${section}\` belongs in a shared file, not in the file of a format`);
  expect(hintOf(`${head}operations:\n  buy:\n    <<: { reply: {} }`)).toMatch(/^merge keys are not read: use `include`/);
});

test('a duration without a unit and a prefix without quotes are reported with the right spelling', () => {
  const messageOf = (text: string): string | undefined => readYaml('x.yaml', text, sharedFileSchema).problems[0]?.message;
  expect(messageOf('callers: { kinds: { other: { patience: 40 } } }')).toMatch(/^expected a duration with its unit, such as/);
  expect(messageOf('tables: { t: { title: T, values: { A: { words: [], prefixes: [0705] } } } }')).toMatch(
    /^expected a prefix in quotes, such as "0803"/,
  );
});

test.each([
  ["{ 2: GLO, §'2': AIRTEL }", '2'],
  ['{ "2": GLO, §2: AIRTEL }', '2'],
  ['{ 2: GLO, §2.0: AIRTEL }', '2'],
  ['{ 2: GLO, §0x2: AIRTEL }', '2'],
  ['{ 2: GLO, §02: AIRTEL }', '2'],
  ['{ 9007199254740993: GLO, §9007199254740992: AIRTEL }', '9007199254740992'],
  ['{ a: GLO, §"a": AIRTEL }', 'a'],
  ["{ true: GLO, §'true': AIRTEL }", 'true'],
])('the same key in two spellings is a duplicate, reported with both places: %s', (map, name) => {
  const { text, line, column } = marked(`numbers: ${map}`);
  const { value, problems } = readYaml('a.yaml', text, z.strictObject({ numbers: z.record(z.string(), z.string()) }));
  expect(value).toBeUndefined();
  const message = `\`${name}\` is here for the second time`;
  expect(problems).toMatchObject([{ line, column, code: 'duplicate-key', message, hint: 'it is also at a.yaml:1:12' }]);
});

test('keys are compared in a time that grows with their number, also where each is there twice', () => {
  const keys = Array.from({ length: 5_000 }, (_, index) => `  ${index}: MTN\n`).join('');
  const before = process.cpuUsage();
  expect(readYaml('a.yaml', `numbers:\n${keys}`, schema).problems).toEqual([]);
  expect(readYaml('a.yaml', `numbers:\n${keys}${keys}`, schema).problems).toHaveLength(5_000);
  // A comparison of each key with every other takes many times as long.
  expect(process.cpuUsage(before).user).toBeLessThan(8_000_000);
});

test('a duplicate key in a list has the path of its map', () => {
  const { text, line, column } = marked('list: [{ transform: a }, { transform: b, §transform: c }]');
  const { problems, rest } = readYaml('a.yaml', text, schema);
  expect(problems).toMatchObject([{ line, column, code: 'duplicate-key', hint: 'it is also at a.yaml:1:28' }]);
  expect(rest?.holes).toEqual([{ path: ['list', 1, 'transform'], kind: 'part' }]);
});
