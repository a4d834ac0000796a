import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { readYaml } from '../../src/mapping/read-yaml';
import { saySyntax, SYNTAX } from '../../src/mapping/say-syntax';
import { sharedFileSchema } from '../../src/mapping/language/schema';

/** As the library declares them: a type has no list to walk. */
const CODES = [
  ...readFileSync(require.resolve('yaml').replace(/index\.js$/, 'errors.d.ts'), 'utf8')
    .split('\n')
    .find((line) => line.includes('type ErrorCode'))!
    .matchAll(/'([A-Z_0-9]+)'/g),
].map(([, code]) => code!);

test('every code of the YAML library has a sentence and a hint of ours', () => {
  expect(CODES.length).toBeGreaterThan(20);
  expect(Object.keys(SYNTAX).sort()).toEqual([...CODES].sort());
  for (const { message, hint } of Object.values(SYNTAX)) {
    expect(message).toMatch(/^[a-z`“].*[^.]$/);
    expect(hint.length).toBeGreaterThan(5);
  }
});

const TEXTS: readonly (readonly [string, string, RegExp])[] = [
  ['BAD_INDENT', 'texts:\n  found: a\n pending: b', /^this line is indented/],
  ['BAD_INDENT', 'request_id: [a\ntexts: {}', /^the bracket `\[` is not closed/],
  ['BAD_INDENT', 'texts: { found: a\nrows: {}', /^the bracket `\{` is not closed|inside brackets/],
  ['BLOCK_IN_FLOW', 'texts: { found: a pending: b }', /without a comma/],
  ['MISSING_CHAR', "texts: { found: 'a }\n", /^a text in quotes is not closed/],
  ['BAD_DQ_ESCAPE', 'texts: { found: "a\\q" }', /backslash/],
  ['BLOCK_AS_IMPLICIT_KEY', 'texts:\n  found: a: b', /second `key:`/],
  ['MULTILINE_IMPLICIT_KEY', 'texts\nrows: {}', /^this line is no `key: value`/],
  ['BAD_SCALAR_START', 'texts:\n  found: @home', /cannot begin with this sign/],
  ['TAG_RESOLVE_FAILED', 'texts:\n  found: !now', /tag/],
  ['UNEXPECTED_TOKEN', 'request_id: [a,,b]', /comma too many/],
  ['UNEXPECTED_TOKEN', "texts: { found: 'don't' }", /does not belong here|comma/],
  ['UNEXPECTED_TOKEN', 'texts: {}}', /closes nothing/],
  ['BAD_ALIAS', 'request_id: *', /anchor|alias/],
  ['MULTIPLE_ANCHORS', 'texts: &a &b {}', /anchor/],
  ['MULTIPLE_TAGS', 'texts: !a !b {}', /tag/],
  ['BAD_DIRECTIVE', '%YAML 9.9\n---\ntexts: {}', /begins with `%`/],
  ['MULTIPLE_DOCS', 'texts: {}\n---\nrows: {}', /second document/],
  ['TAB_AS_INDENT', 'texts:\n\tfound: a', /^a tab/],
];

test.each(TEXTS)('%s: %j', (code, text, sentence) => {
  const { errors, warnings } = parseDocument(text, { prettyErrors: false, logLevel: 'error' });
  const all = [...errors, ...warnings];
  expect(all.map((error) => error.code)).toContain(code);
  const { problems } = readYaml('a.yaml', text, sharedFileSchema);
  expect(problems[0]).toMatchObject({ message: expect.stringMatching(sentence), hint: expect.stringMatching(/./) });
  // Nothing that the library says comes through.
  const said = problems.map(({ message, hint = '' }) => `${message} ${hint}`).join('\n');
  expect(all.filter(({ message }) => said.includes(message.split('\n')[0]!))).toEqual([]);
  expect(said).not.toMatch(/flow (?:map|sequence)|implicit|block (?:map|collection|sequence)|scalar|token|YAML\.parse|node/i);
});

test('a sentence of the library that nobody knows falls back on its code', () => {
  expect(saySyntax({ code: 'UNEXPECTED_TOKEN', message: 'Something quite new' })).toBe(SYNTAX.UNEXPECTED_TOKEN);
});
