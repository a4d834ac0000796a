import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parse } from 'yaml';
import { caseFileShape, caseShape, longSendShape } from '../../../src/operator/case/case-schema';
import { readCases } from '../../../src/operator/case/cases';
import { breakFiles, fieldsOf } from '../../mapping/break-files';
import { caseJsonSchema, readForEditors, shareDefinitions, type JsonSchema } from '../../mapping/json-schema';
import { MAPPINGS } from '../../mapping/mapping-set';

const ROOT = resolve(__dirname, '..', '..', '..');
const SCHEMA = readForEditors(shareDefinitions(caseJsonSchema()));
const files = readdirSync(join(MAPPINGS, 'cases')).map((name) => {
  const file = join(MAPPINGS, 'cases', name);
  return { file, text: readFileSync(file, 'utf8') };
});

test.each(files.map(({ file, text }) => [relative(ROOT, file), file, text]))(
  '%s fits the JSON schema that its first line names',
  (_name, file, text) => {
    expect(SCHEMA.safeParse(parse(text)).error).toBeUndefined();
    const named = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1] ?? 'none';
    expect(relative(ROOT, resolve(file, '..', named))).toBe(join('schema', 'case.json'));
  },
);

const inCase = (lines: string): string => `cases:\n  - name: a case\n    http: 200\n    ${lines.replaceAll('\n', '\n    ')}\n`;
const SEND = 'send: GET /api/user';

// The loader, which plays the cases, and the schema, which an editor uses, must agree.
test.each([
  ['an address alone', inCase(SEND), true],
  ['an address with its fields', inCase('send: { POST /api/topup/: { network: 1 } }'), true],
  ['an address with no fields', inCase('send: { POST /api/topup/: {} }'), true],
  ['the long form', inCase('send: { to: POST /api/topup/, form: { a: 1 }, query: { b: 2 } }'), true],
  ['a raw body', inCase("send: { to: POST /api/topup/, raw: '{' }"), true],
  ['an expectation of no v1 call', inCase(`${SEND}\nexpect_call: none`), true],
  ['a case with rows', inCase('each: [{ at: /api/user }]\nsend: GET $at'), true],
  ['a row that is the whole request', inCase('each: [GET /api/user]\nsend: $value'), true],
  ['a status filled in from a row', 'cases:\n  - { name: n, each: [200], send: GET /api/user, http: $value }\n', true],
  ['several answers of v1', inCase(`${SEND}\nupstream: [lost, { status: success }]`), true],
  ['a case without a request', inCase('headers: {}'), false],
  ['a misspelt key of a case', inCase(`${SEND}\nexpect_cal: none`), false],
  ['a misspelt key of a step before', inCase(`${SEND}\nbefore: [{ sned: GET /api/user }]`), false],
  ['a misspelt key of the file', `case: []\n${inCase(SEND)}`, false],
  ['a misspelt key of the long form', inCase('send: { to: POST /api/topup/, feilds: {} }'), false],
  ['a status that is no number', 'cases:\n  - { name: n, send: GET /api/user, http: ok }\n', false],
  ['a caller that is no fingerprint', inCase(`${SEND}\ncaller: shop`), false],
  ['a time without a unit', inCase(`${SEND}\nlater: 5`), false],
  ['an unknown answer of v1', inCase(`${SEND}\nupstream: lots`), false],
  ['an address without a method', inCase('send: /api/user'), false],
  ['an empty list of rows', inCase(`${SEND}\neach: []`), false],
  ['a case without a name', `cases:\n  - { ${SEND}, http: 200 }\n`, false],
])('the schema and the loader agree on %s', (_what, text, isRight) => {
  expect(SCHEMA.safeParse(parse(text)).success).toBe(isRight);
  expect(readCases([{ file: 'a.yaml', text }]).problems.length === 0).toBe(isRight);
});

test('the loader reports a problem in every damaged case file that the schema refuses', () => {
  let refused = 0;
  for (let seed = 1; seed <= 150; seed += 1) {
    const { files: broken, broken: hit, accident } = breakFiles(files, seed);
    const { text } = broken.find(({ file }) => file === hit)!;
    const value = fieldsOf(text);
    if (value === undefined) continue;
    const { problems } = readCases([{ file: hit, text }]);
    const isFitting = SCHEMA.safeParse(value).success;
    if (!isFitting) refused += 1;
    if (!isFitting) expect({ seed, accident, hit, problems: problems.length }).not.toMatchObject({ problems: 0 });
    if (problems.some(({ code }) => code === 'unknown-key'))
      expect({ seed, accident, hit, isFitting }).toMatchObject({ isFitting: false });
  }
  expect(refused).toBeGreaterThan(5);
});

test('schema, loader and docs/cases.md have the same keys, and the schema describes each key', () => {
  const page = readFileSync(join(ROOT, 'docs', 'cases.md'), 'utf8');
  const whole = caseJsonSchema();
  const own = (whole.properties!['cases'] as { items: JsonSchema }).items.properties!;
  const send = (own['send'] as { anyOf: readonly JsonSchema[] }).anyOf.find(({ properties }) => properties !== undefined)!;
  for (const [schema, shape] of [
    [whole.properties!, caseFileShape],
    [own, { ...caseShape, each: caseFileShape.cases }],
    [send.properties!, longSendShape],
  ] as const) {
    expect(Object.keys(schema).sort()).toEqual(Object.keys(shape).sort());
    for (const [key, { description = '' }] of Object.entries(schema)) {
      expect({ key, hasWords: description !== '' }).toEqual({ key, hasWords: true });
      expect({ key, isShown: new RegExp(`\\b${key}\\b`).test(page) }).toEqual({ key, isShown: true });
    }
  }
});
