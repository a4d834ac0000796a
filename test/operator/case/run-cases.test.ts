import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonValue } from '../../../src/domain/json';
import { readWrittenRequest } from '../../../src/http/read-written-request';
import { loadSource } from '../../../src/mapping/load';
import { loadCases, readCases, type Case } from '../../../src/operator/case/cases';
import { measureCoverage } from '../../../src/operator/case/coverage';
import { runCases, compareSubset, compareWhole, type CaseResult } from '../../../src/operator/case/run-cases';
import { MAPPINGS, shippedMapping } from '../../mapping/mapping-set';

const mapping = shippedMapping();
const shipped = loadCases(MAPPINGS);

/** Runs cases with the v1 answers of the shipped ones. */
const playAll = (cases: readonly Case[]): Promise<CaseResult[]> =>
  runCases(cases, { mapping, fixtures: shipped.fixtures, read: readWrittenRequest });

/** Runs cases written in a test. */
async function play(text: string): Promise<CaseResult[]> {
  const { cases, problems } = readCases([{ file: 'a.yaml', text: `cases:\n${text}` }]);
  expect(problems).toEqual([]);
  return playAll(cases);
}

const differencesOf = (results: readonly CaseResult[]): string[] =>
  results.flatMap(({ differences }) => differences.map((one) => `${one.place}: ${one.expected} / ${one.found}`));

test('a case whose key_family does not exist fails and names that family', async () => {
  const differences = differencesOf(await play('  - name: x\n    send: GET /api/user/\n    http: 200\n    key_family: nobody'));
  expect(differences).toEqual([expect.stringContaining('there is no family `nobody`')]);
});

describe('the shipped cases', () => {
  let results: CaseResult[];
  beforeAll(async () => {
    results = await playAll(shipped.cases);
  });

  test('are read without problems', () => {
    expect(shipped.problems).toEqual([]);
  });

  test('all pass', () => {
    const failed = results.filter(({ differences }) => differences.length > 0);
    expect(failed.map(({ played, differences }) => ({ name: played.name, row: played.row, differences }))).toEqual([]);
  });

  test('cover every route, spelling, table row, outcome, reply field and signal of the mappings', () => {
    const { missing } = measureCoverage(results, { source: loadSource(MAPPINGS).source!, mapping });
    expect(missing.map(({ kind, words }) => `${kind}: ${words}`)).toEqual([]);
  });

  test('pass in reverse order as well, so no case affects another', async () => {
    const turned = await playAll([...shipped.cases].reverse());
    expect(turned.filter(({ differences }) => differences.length > 0).map(({ played }) => played.name)).toEqual([]);
  });
});

test('the example cases of docs/cases.md pass', async () => {
  const page = readFileSync(join(MAPPINGS, '..', 'docs', 'cases.md'), 'utf8');
  const blocks = [...page.matchAll(/```yaml\n(?:cases:\n)?( *(?:#|- name)[^`]*)```/g)].map(([, text = '']) => text);
  expect(blocks).toHaveLength(2);
  for (const block of blocks) expect(differencesOf(await play(block))).toEqual([]);
});

test('a failing case reports only the differing parts', async () => {
  const results = await play(`
  - name: a case
    send: POST /api/topup/ { network: 1, phone: '08031234567', amount: 100 }
    expect_call: POST /airtime { network: GLO, phone: '08031234567', amount: 100 }
    http: 201
    format: b because field phone
    absent: [status]
    expect_reply: { status: success, network: GLO }
`);
  expect(differencesOf(results)).toEqual([
    'v1 call.network: "GLO" / "MTN"',
    'v1 call.ported: nothing / false',
    'http: 201 / 200',
    'format: "b" / "a because its signals weigh most"',
    'reply.network: "GLO" / "MTN"',
    'reply.status: nothing / "success"',
  ]);
});

test('an unexpected refusal is reported with its code and detail', async () => {
  const results = await play(`
  - name: a case
    send: POST /api/topup/ { network: 1, amount: 100 }
    expect_call: POST /airtime { network: MTN }
`);
  expect(differencesOf(results)).toEqual([
    expect.stringMatching(/^refusal: none \/ missing_field: phone is required/),
    'v1 call: POST /airtime / v1 was not asked',
  ]);
});

test('an expected refusal that does not happen is reported with the v1 call that was made instead', async () => {
  const results = await play(`
  - name: a case
    send: POST /api/topup/ { network: 1, phone: '08031234567', amount: 100 }
    expect_refusal: missing_field
`);
  expect(differencesOf(results)).toEqual(['refusal: missing_field / none', 'v1 call: none / POST /airtime']);
});

test('a misspelt request field of a case is reported as an unknown field', async () => {
  const results = await play(`
  - name: a case
    send: POST /api/topup/ { network: 1, phone: '08031234567', amount: 100, bypas: true }
    http: 200
`);
  expect(differencesOf(results)).toEqual(['unknown fields: [] / ["bypas"]']);
});

test('the clock of one case does not affect the next: a sold request id is used up just as soon', async () => {
  const waiting = shipped.cases.find(({ name }) => name === 'an airtime order that is pending says neither success nor error')!;
  const used = shipped.cases.find(({ name }) => name.startsWith('a sale of forbill-ai whose success it has heard'))!;
  expect(differencesOf(await playAll([waiting, used]))).toEqual([]);
});

test('a case gets its v1 answers in order, and hours pass in it without real waiting', async () => {
  const results = await play(`
  - name: a case
    before:
      - send: POST /api/topup/ { network: MTN, phone: '08031234567', amount: 100, request-id: r1 }
        upstream: lost
    later: 2h
    send: POST /api/topup/ { network: MTN, phone: '08031234567', amount: 100, request-id: r1 }
    upstream: [lost, unreachable, { status: success, data: { reference: V1-9 } }]
    expect_reply: { status: success, ident: V1-9 }
`);
  expect(differencesOf(results)).toEqual([]);
});

test('a case may be played as a caller given by its key fingerprint', async () => {
  const results = await play(`
  - name: a case
    send: GET /api/user/
    caller: 0123456789abcdef0123456789abcdef
    expect_reply: { username: api-01234567 }
`);
  expect(differencesOf(results)).toEqual([]);
});

const PATTERN = { a: { $matches: '^CG' } };
test.each<[title: string, expected: JsonValue, found: JsonValue, ...differences: string[]]>([
  ['fields that the case does not name are not compared', { a: 1 }, { a: 1, b: 2 }],
  ['the differing field is told with its place', { a: 1, b: { c: 'x' } }, { a: 1, b: { c: 'y' } }, 'reply.b.c: "x" / "y"'],
  ['null is expected and found', { a: null }, { a: null }],
  ['a missing field is no null', { a: null }, {}, 'reply.a: null / nothing'],
  ['a key of several names expects one value under each name', { 'a, b': 1 }, { a: 1, b: 2 }, 'reply.b: 1 / 2'],
  ['a number is not its digits as text', { a: 1 }, { a: '1' }, 'reply.a: 1 / "1"'],
  ['rows are compared by their named fields', [{ id: 1 }, { id: 2 }], [{ id: 1, b: 'x' }, { id: 3 }], 'reply[1].id: 2 / 3'],
  ['a list must have the expected number of rows', [{ id: 1 }], [], 'reply, rows: 1 / 0'],
  ['a text may be expected by a pattern', PATTERN, { a: 'CG1' }],
  ['which a number never matches', PATTERN, { a: 1 }, 'reply.a: a text that matches ^CG / 1'],
])('of a reply: %s', (_title, expected, found, ...differences) => {
  const told = compareSubset(expected, found, 'reply');
  expect(told.map((one) => `${one.place}: ${one.expected} / ${one.found}`)).toEqual(differences);
});

test('a v1 call is compared with all its fields, except those that a case may leave out', () => {
  expect(compareWhole({ a: 1 }, { a: 1, pin: '1234' }, 'call', ['pin'])).toEqual([]);
  expect(compareWhole({ a: 1 }, { a: 1, b: 2 }, 'call', ['pin'])).toEqual([{ place: 'call.b', expected: 'nothing', found: '2' }]);
});
