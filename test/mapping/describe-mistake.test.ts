import { dirname, join } from 'node:path';
import { z } from 'zod';
import { checkWith } from './mapping-set';
import {
  hintForIssue,
  ISSUES,
  intendedChoice,
  describeMistake,
  describeSyntaxError,
  SYNTAX,
} from '../../src/mapping/describe-mistake';
import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { readYaml } from '../../src/mapping/read-yaml';
import { duration } from '../../src/mapping/language/parts';
import { sharedFileSchema } from '../../src/mapping/language/schema';

/** The codes of issues in zod's declarations: a type cannot be listed at run time. */
const CODES = [
  ...readFileSync(join(dirname(require.resolve('zod')), 'v4', 'core', 'errors.d.ts'), 'utf8').matchAll(
    /readonly code: "([a-z_]+)";/g,
  ),
].map(([, code]) => code!);

test('every issue code of zod has a message of the gateway', () => {
  expect(CODES.length).toBeGreaterThan(9);
  expect(Object.keys(ISSUES).sort()).toEqual([...new Set(CODES)].sort());
});

const number = z.record(z.string().regex(/^\d+$/), z.number());
const ISSUED: readonly (readonly [string, z.ZodType, unknown, string])[] = [
  ['invalid_type', z.string(), 5, 'expected a text, not a number'],
  ['invalid_type', z.string(), null, 'expected a text, not nothing'],
  ['invalid_type', z.array(z.string()), 'a', 'expected a list such as [a, b], not a text'],
  ['invalid_type', z.strictObject({ a: z.boolean() }), {}, 'this is missing: expected `true` or `false`'],
  ['invalid_type', z.boolean(), 'yes', 'expected `true` or `false`, not a text'],
  ['invalid_type', z.strictObject({}), [], 'expected keys and values, not a list'],
  ['invalid_type', z.number(), Infinity, 'expected a number, not `Infinity`'],
  ['invalid_type', z.number().int(), 1.5, 'expected a whole number, not a number'],
  ['invalid_type', z.date(), 'x', 'expected another kind of value, not a text'],
  ['too_big', z.number().max(499), 500, 'expected at most 499'],
  ['too_big', z.number().lt(5), 5, 'expected less than 5'],
  ['too_small', z.number().positive(), 0, 'expected more than 0'],
  ['too_small', z.array(z.string()).min(1), [], 'expected at least 1'],
  ['too_small', z.string().min(2), 'a', 'expected at least 2 characters'],
  ['invalid_format', z.string().regex(/^x$/), 'a', 'this text has the wrong form'],
  ['invalid_format', z.string().startsWith('/'), 'a', 'expected a text that begins with `/`'],
  ['not_multiple_of', z.number().multipleOf(5), 3, 'expected a multiple of 5'],
  ['unrecognized_keys', z.strictObject({}), { a: 1 }, 'unknown key `a`'],
  ['invalid_union', z.union([z.string(), z.number()]), true, 'expected a text or a number, not `true`'],
  ['invalid_key', number, { x: 1 }, 'this text has the wrong form'],
  ['invalid_element', z.map(z.object({}), z.string()), new Map([[{}, 1]]), 'expected a text, not a number'],
  ['invalid_value', z.enum(['on', 'off']), 'no', 'expected one of `on`, `off`'],
  ['invalid_value', z.literal('basic'), 'x', 'expected `basic`'],
  ['custom', z.string().refine(() => false), 'a', 'this value is not valid here'],
];

test.each(ISSUED)('an issue %s (row %#) has its message', (code, schema, input, sentence) => {
  const [issue] = schema.safeParse(input, { error: describeMistake }).error!.issues;
  expect(issue).toMatchObject({ code, message: sentence });
});

test('the rows of this suite have every issue code', () => {
  expect([...new Set(ISSUED.map(([code]) => code))].sort()).toEqual(Object.keys(ISSUES).sort());
});

test('a message in the schema takes precedence', () => {
  const schema = z.string('expected a duration');
  expect(schema.safeParse(5, { error: describeMistake }).error!.issues[0]!.message).toBe('expected a duration');
});

test.each([
  [['on', 'off'], ['no', 'No', 'false', false, 0, 'n', 'disabled'], 'off'],
  [['on', 'off'], ['yes', 'YES', 'true', true, 1, 'y', 'enabled'], 'on'],
  [['on', 'off'], ['of', 'offf'], 'off'],
  [['lookup_key'], ['yes', true, 'on', 'lookup-key'], 'lookup_key'],
  [['lookup_key'], ['no', false, 'off'], undefined],
  [['refuse', 'pass'], ['no', 'yes', 'maybe'], undefined],
  [['refuse', 'pass'], ['refused'], 'refuse'],
])('of the choices %j, the inputs %j most likely mean %j', (choices, inputs, meant) => {
  for (const input of inputs) expect([input, intendedChoice(input, choices)]).toEqual([input, meant]);
});

const hintOf = (schema: z.ZodType, input: unknown): string | undefined =>
  hintForIssue(schema.safeParse(input, { reportInput: true }).error!.issues[0]!);

test('a value of the wrong kind has a hint how to write it', () => {
  expect(hintOf(z.boolean(), 'yes')).toBe('write `true`');
  expect(hintOf(z.boolean(), 'off')).toBe('write `false`');
  expect(hintOf(z.boolean(), 'perhaps')).toBeUndefined();
  expect(hintOf(z.string(), 5)).toBe('put it in quotes');
  expect(hintOf(z.union([z.string(), z.number()]), true)).toBe('put it in quotes');
  expect(hintOf(z.array(z.string()), 'a')).toBe('put brackets around it');
  expect(hintOf(z.string(), null)).toMatch(/^there is no value after the colon/);
  expect(hintOf(duration, 8)).toBe('write `8s` for seconds');
  expect(hintOf(z.literal('basic'), false)).toBe('leave the key out');
});

test.each(['no', 'false', '0'])('the most likely choice is the hint of a problem: %s', (said) => {
  const key = `0123456789abcdef0123456789abcdef: { guard: ${said} }`;
  expect(checkWith(`callers: { kinds: { other: { patience: 4s } }, keys: { ${key} } }`).problems).toMatchObject([
    { code: 'unknown-choice', message: expect.stringContaining('expected one of `on`, `off`'), hint: 'did you mean `off`?' },
  ]);
});

test.each(['no', '"false"', 'off', '"yes"'])('a key is not paused with the text %s, which means something else', (said) => {
  const key = `0123456789abcdef0123456789abcdef: { paused: ${said} }`;
  expect(checkWith(`callers: { kinds: { other: { patience: 4s } }, keys: { ${key} } }`).problems).toMatchObject([
    { code: 'schema', message: expect.stringContaining('this word is no text of a refusal: write `true` or `false`') },
  ]);
});

/** The error codes in the declarations of the YAML library: a type cannot be listed at run time. */
const YAML_CODES = [
  ...readFileSync(require.resolve('yaml').replace(/index\.js$/, 'errors.d.ts'), 'utf8')
    .split('\n')
    .find((line) => line.includes('type ErrorCode'))!
    .matchAll(/'([A-Z_0-9]+)'/g),
].map(([, code]) => code!);

test('every error code of the YAML library has a message and a hint of the gateway', () => {
  expect(YAML_CODES.length).toBeGreaterThan(20);
  expect(Object.keys(SYNTAX).sort()).toEqual([...YAML_CODES].sort());
  for (const { message, hint } of Object.values(SYNTAX)) {
    expect(message).toMatch(/^[a-z`“].*[^.]$/);
    expect(hint.length).toBeGreaterThan(5);
  }
});

const TEXTS: readonly (readonly [string, string, RegExp])[] = [
  ['BAD_INDENT', 'texts:\n  found: a\n pending: b', /^this line has neither the indentation/],
  ['BAD_INDENT', 'request_id: [a\ntexts: {}', /^the bracket `\[` is not closed/],
  ['BAD_INDENT', 'texts: { found: a\nrows: {}', /^the bracket `\{` is not closed|inside brackets/],
  ['BLOCK_IN_FLOW', 'texts: { found: a pending: b }', /without a comma/],
  ['MISSING_CHAR', "texts: { found: 'a }\n", /^a text in quotes is not closed/],
  ['BAD_DQ_ESCAPE', 'texts: { found: "a\\q" }', /backslash/],
  ['BLOCK_AS_IMPLICIT_KEY', 'texts:\n  found: a: b', /second `key:`/],
  ['MULTILINE_IMPLICIT_KEY', 'texts\nrows: {}', /^this line is not a `key: value`/],
  ['BAD_SCALAR_START', 'texts:\n  found: @home', /cannot begin with this character/],
  ['TAG_RESOLVE_FAILED', 'texts:\n  found: !now', /tag/],
  ['UNEXPECTED_TOKEN', 'request_id: [a,,b]', /comma is one too many/],
  ['UNEXPECTED_TOKEN', "texts: { found: 'don't' }", /does not belong here|comma/],
  ['UNEXPECTED_TOKEN', 'texts: {}}', /closes nothing/],
  ['BAD_ALIAS', 'request_id: *', /anchor|alias/],
  ['MULTIPLE_ANCHORS', 'texts: &a &b {}', /anchor/],
  ['MULTIPLE_TAGS', 'texts: !a !b {}', /tag/],
  ['BAD_DIRECTIVE', '%YAML 9.9\n---\ntexts: {}', /begins with `%`/],
  ['MULTIPLE_DOCS', 'texts: {}\n---\nrows: {}', /second document/],
  ['TAB_AS_INDENT', 'texts:\n\tfound: a', /^a tab/],
];

test.each(TEXTS)('a YAML error %s has a message and a hint of the gateway: %j', (code, text, sentence) => {
  const { errors, warnings } = parseDocument(text, { prettyErrors: false, logLevel: 'error' });
  const all = [...errors, ...warnings];
  expect(all.map((error) => error.code)).toContain(code);
  const { problems } = readYaml('a.yaml', text, sharedFileSchema);
  expect(problems[0]).toMatchObject({ message: expect.stringMatching(sentence), hint: expect.stringMatching(/./) });
  // No text of the library is shown.
  const said = problems.map(({ message, hint = '' }) => `${message} ${hint}`).join('\n');
  expect(all.filter(({ message }) => said.includes(message.split('\n')[0]!))).toEqual([]);
  expect(said).not.toMatch(/flow (?:map|sequence)|implicit|block (?:map|collection|sequence)|scalar|token|YAML\.parse|node/i);
});

test('an unknown message of the YAML library gets the message of its code', () => {
  expect(describeSyntaxError({ code: 'UNEXPECTED_TOKEN', message: 'Something quite new' })).toBe(SYNTAX.UNEXPECTED_TOKEN);
});
