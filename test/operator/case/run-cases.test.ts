import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readWrittenRequest } from '../../../src/http/read-written-request';
import { loadSource } from '../../../src/mapping/load';
import { loadCases, readCases } from '../../../src/operator/case/cases';
import { measureCoverage } from '../../../src/operator/case/coverage';
import { runCases, compareSubset, compareWhole, type CaseResult } from '../../../src/operator/case/run-cases';
import { MAPPINGS, shippedMapping } from '../../mapping/mapping-set';

const mapping = shippedMapping();
const shipped = loadCases(MAPPINGS);

/** Cases of a test, with the v1 of the shipped ones. */
async function play(text: string): Promise<CaseResult[]> {
  const { cases, problems } = readCases([{ file: 'a.yaml', text: `cases:\n${text}` }]);
  expect(problems).toEqual([]);
  return runCases(cases, { mapping, fixtures: shipped.fixtures, read: readWrittenRequest });
}

const tell = (results: readonly CaseResult[]): string[] =>
  results.flatMap(({ differences }) => differences.map((one) => `${one.place}: ${one.expected} / ${one.found}`));

test('a family of the key that is not there is a failed case', async () => {
  const told = tell(await play('  - name: x\n    send: GET /api/user/\n    http: 200\n    key_family: nobody'));
  expect(told).toEqual([expect.stringContaining('there is no family `nobody`')]);
});

describe('the shipped cases', () => {
  let results: CaseResult[];
  beforeAll(async () => {
    results = await runCases(shipped.cases, { mapping, fixtures: shipped.fixtures, read: readWrittenRequest });
  });

  test('have no problems', () => {
    expect(shipped.problems).toEqual([]);
  });

  test('are all as expected', () => {
    const failed = results.filter(({ differences }) => differences.length > 0);
    expect(failed.map(({ played, differences }) => ({ name: played.name, row: played.row, differences }))).toEqual([]);
  });

  test('show every route, spelling, table row, outcome, reply field and signal', () => {
    const { missing } = measureCoverage(results, { source: loadSource(MAPPINGS).source!, mapping });
    expect(missing.map(({ kind, words }) => `${kind}: ${words}`)).toEqual([]);
  });

  test('are the same in any order', async () => {
    const turned = await runCases([...shipped.cases].reverse(), {
      mapping,
      fixtures: shipped.fixtures,
      read: readWrittenRequest,
    });
    expect(turned.filter(({ differences }) => differences.length > 0).map(({ played }) => played.name)).toEqual([]);
  });
});

test('the examples of the documentation are as expected', async () => {
  const page = readFileSync(join(MAPPINGS, '..', 'docs', 'cases.md'), 'utf8');
  const blocks = [...page.matchAll(/```yaml\n(?:cases:\n)?( *(?:#|- name)[^`]*)```/g)].map(([, text = '']) => text);
  expect(blocks).toHaveLength(2);
  for (const block of blocks) expect(tell(await play(block))).toEqual([]);
});

test('of a case that fails only what differs is told', async () => {
  const results = await play(`
  - name: a case
    send: POST /api/topup/ { network: 1, phone: '08031234567', amount: 100 }
    expect_call: POST /airtime { network: GLO, phone: '08031234567', amount: 100 }
    http: 201
    format: b because field phone
    absent: [status]
    expect_reply: { status: success, network: GLO }
`);
  expect(tell(results)).toEqual([
    'v1 call.network: "GLO" / "MTN"',
    'v1 call.ported: nothing / false',
    'http: 201 / 200',
    'format: "b" / "a because its signals weigh most"',
    'reply.network: "GLO" / "MTN"',
    'reply.status: nothing / "success"',
  ]);
});

test('a refusal that nobody expected is told with its reason', async () => {
  const results = await play(`
  - name: a case
    send: POST /api/topup/ { network: 1, amount: 100 }
    expect_call: POST /airtime { network: MTN }
`);
  expect(tell(results)).toEqual([
    expect.stringMatching(/^refusal: none \/ missing_field: phone is required/),
    'v1 call: POST /airtime / v1 was not asked',
  ]);
});

test('a refusal that does not come is told with the call that was made instead', async () => {
  const results = await play(`
  - name: a case
    send: POST /api/topup/ { network: 1, phone: '08031234567', amount: 100 }
    expect_refusal: missing_field
`);
  expect(tell(results)).toEqual(['refusal: missing_field / none', 'v1 call: none / POST /airtime']);
});

test('a misspelt field of a case is told, because nothing reads it', async () => {
  const results = await play(`
  - name: a case
    send: POST /api/topup/ { network: 1, phone: '08031234567', amount: 100, bypas: true }
    http: 200
`);
  expect(tell(results)).toEqual(['unknown fields: [] / ["bypas"]']);
});

test('no case knows of another: the same request id sells in each', async () => {
  const one = (name: string, phone: string) => `
  - name: ${name}
    send: POST /api/topup/ { network: MTN, phone: '${phone}', amount: 100, request-id: r1 }
    expect_call: POST /airtime { network: MTN, phone: '${phone}', amount: 100, ported: false }
`;
  expect(tell(await play(`${one('a case', '08031234567')}${one('another', '08061234567')}`))).toEqual([]);
});

test('a case knows nothing of how long another waited: after it an id that was told is used up as soon', async () => {
  const waiting = shipped.cases.find(({ name }) => name === 'an airtime order that is pending says neither success nor error')!;
  const used = shipped.cases.find(({ name }) => name.startsWith('a sale of forbill-ai whose success it has heard'))!;
  const results = await runCases([waiting, used], { mapping, fixtures: shipped.fixtures, read: readWrittenRequest });
  expect(tell(results)).toEqual([]);
});

test('answers come one after another, and time goes by without waiting', async () => {
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
  expect(tell(results)).toEqual([]);
});

test('a caller that callers.yaml knows may be played', async () => {
  const results = await play(`
  - name: a case
    send: GET /api/user/
    caller: 0123456789abcdef0123456789abcdef
    expect_reply: { username: api-01234567 }
`);
  expect(tell(results)).toEqual([]);
});

test('fields that are not named do not matter', () => {
  expect(compareSubset({ a: 1 }, { a: 1, b: 2 }, 'reply')).toEqual([]);
});

test('only what differs is told, with its place', () => {
  expect(compareSubset({ a: 1, b: { c: 'x', d: true } }, { a: 1, b: { c: 'y', d: true } }, 'reply')).toEqual([
    { place: 'reply.b.c', expected: '"x"', found: '"y"' },
  ]);
});

test('a field that is missing is not null', () => {
  expect(compareSubset({ a: null }, {}, 'reply')).toEqual([{ place: 'reply.a', expected: 'null', found: 'nothing' }]);
  expect(compareSubset({ a: null }, { a: null }, 'reply')).toEqual([]);
});

test('several names have one value', () => {
  expect(compareSubset({ 'a, b': 1 }, { a: 1, b: 2 }, 'reply')).toEqual([{ place: 'reply.b', expected: '1', found: '2' }]);
});

test('a number is not its text', () => {
  expect(compareSubset({ a: 1 }, { a: '1' }, 'reply')).toHaveLength(1);
});

test('a list has as many rows as are expected, and each is compared by the fields that are named', () => {
  expect(compareSubset([{ id: 1 }, { id: 2 }], [{ id: 1, name: 'x' }, { id: 3 }], 'reply')).toEqual([
    { place: 'reply[1].id', expected: '2', found: '3' },
  ]);
  expect(compareSubset([{ id: 1 }], [], 'reply')).toEqual([{ place: 'reply, rows', expected: '1', found: '0' }]);
});

test('a text may be held against a pattern', () => {
  expect(compareSubset({ a: { $matches: '^CG' } }, { a: 'CG1' }, 'reply')).toEqual([]);
  expect(compareSubset({ a: { $matches: '^CG' } }, { a: 1 }, 'reply')).toHaveLength(1);
});

test('a call is compared whole, but for what may be left out', () => {
  expect(compareWhole({ a: 1 }, { a: 1, pin: '1234' }, 'call', ['pin'])).toEqual([]);
  expect(compareWhole({ a: 1 }, { a: 1, b: 2 }, 'call', ['pin'])).toEqual([{ place: 'call.b', expected: 'nothing', found: '2' }]);
});
