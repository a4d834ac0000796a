import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadCases, readCases, describeRow, fillIn, toRow, readShortForms } from '../../../src/operator/case/cases';
import { marked } from '../../mapping/mapping-set';
import { newFolder } from '../../new-folder';

const read = (text: string) => readCases([{ file: 'a.yaml', text }]);

const place = (text: string) => {
  const { text: plain, line, column } = marked(text);
  return { ...read(plain), expected: { file: 'a.yaml', line, column } };
};

test('both short forms and the long form of send give the same request', () => {
  const forms = [
    'send: POST /api/topup/ { network: 1 }',
    'send: { POST /api/topup/: { network: 1 } }',
    'send: { to: POST /api/topup/, fields: { network: 1 } }',
  ];
  for (const form of forms) {
    const { cases, problems } = read(`cases:\n  - name: a case\n    ${form}\n    http: 200\n`);
    expect(problems).toEqual([]);
    expect(cases[0]!.send).toEqual({ to: 'POST /api/topup/', fields: { network: 1 } });
  }
});

test('fields of the short form may be written over several lines', () => {
  const { cases } = read('cases:\n  - name: a case\n    send: POST /api/topup/ {\n      network: 1,\n    }\n    http: 200\n');
  expect(cases[0]!.send).toEqual({ to: 'POST /api/topup/', fields: { network: 1 } });
});

test('the steps under before may use the short form as well', () => {
  const { cases } = read(`cases:
  - name: a case
    before:
      - send: POST /api/topup/ { request-id: r1 }
      - send: { POST /api/data/: {} }
    send: GET /api/transaction/r1
    http: 200
`);
  expect(cases[0]!.before!.map(({ send }) => send)).toEqual([
    { to: 'POST /api/topup/', fields: { 'request-id': 'r1' } },
    { to: 'POST /api/data/', fields: {} },
  ]);
});

test('a case with rows becomes one case per row, each with the place of its row', () => {
  const { cases, problems } = read(`cases:
  - name: the number $number is $network
    each:
      - { number: 1, network: MTN }
      - { number: 2, network: GLO }
    send: POST /api/topup/ { network: $number }
    expect_call: POST /airtime { network: $network }
`);
  expect(problems).toEqual([]);
  expect(cases.map(({ name, title, row, place }) => ({ name, title, row, line: place.line }))).toEqual([
    { name: 'the number 1 is MTN', title: 'the number $number is $network', row: 'number: 1, network: MTN', line: 4 },
    { name: 'the number 2 is GLO', title: 'the number $number is $network', row: 'number: 2, network: GLO', line: 5 },
  ]);
  expect(cases[1]!.expect_call).toEqual({ to: 'POST /airtime', fields: { network: 'GLO' } });
});

test('a misspelt key is a problem with its place and a hint', () => {
  const { problems, expected } = place('cases:\n  - name: a case\n    send: GET /api/user/\n    §expect_replay: {}\n');
  expect(problems).toEqual([expect.objectContaining({ ...expected, code: 'unknown-key', hint: 'did you mean `expect_reply`?' })]);
});

test('a pattern that is no regular expression is a problem at its place', () => {
  const { problems, expected } = place(
    "cases:\n  - name: a case\n    send: GET /api/user/\n    §expect_reply: { ref: { $matches: '(' } }\n",
  );
  expect(problems).toMatchObject([{ ...expected, message: '`$matches` is no regular expression (at cases.0.expect_reply)' }]);
});

test('a bad value is a problem at its place, and the problem names the row that filled it in', () => {
  const { problems, expected } = place(`cases:
  - name: a case
    each: [1, many]
    send: GET /api/user/
    http: §$value
`);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatchObject({ ...expected, code: 'bad-case' });
  expect(problems[0]!.message).toContain('with value: many');
});

test('a case that expects nothing is a problem', () => {
  const { problems, expected } = place('cases:\n  - §name: a case\n    send: GET /api/user/\n');
  expect(problems).toMatchObject([{ ...expected, code: 'case-expects-nothing' }]);
});

test.each(['family: none', 'unknown_fields: [color]', 'format: a', 'http: 200'])('a case may expect only %s', (expected) => {
  expect(
    readCases([{ file: 'x.yaml', text: `cases: [{ name: a case, send: GET /api/user/, ${expected} }]\n` }]).problems,
  ).toEqual([]);
});

test('two cases with the same name are a problem at the second one', () => {
  const one = 'name: a case\n    send: GET /api/user/\n    http: 200\n';
  const { problems, expected } = place(`cases:\n  - ${one}  - §${one}`);
  expect(problems).toMatchObject([{ ...expected, code: 'case-twice' }]);
});

test('a file of broken YAML is a problem, and the other files are still read', () => {
  const { cases, problems } = readCases([
    { file: 'a.yaml', text: 'cases: [' },
    { file: 'b.yaml', text: 'cases:\n  - name: a case\n    send: GET /api/user/\n    http: 200\n' },
  ]);
  expect(problems).toMatchObject([{ file: 'a.yaml', code: 'yaml-syntax' }]);
  expect(cases).toHaveLength(1);
});

test('the price list and the answers of v1 are collected from all files', () => {
  const { fixtures } = readCases([
    { file: 'a.yaml', text: 'answers: { GET /balance: { status: success } }\n' },
    { file: 'b.yaml', text: 'catalog: { data_plans: [] }\nanswers: { POST /data: lost }\n' },
  ]);
  expect(fixtures).toEqual({
    catalog: { data_plans: [] },
    answers: { 'GET /balance': { status: 'success' }, 'POST /data': 'lost' },
  });
});

test('cases are read from the folder named cases, and a mapping set without this folder has no cases', () => {
  const folder = newFolder();
  expect(loadCases(folder)).toEqual({ cases: [], fixtures: { catalog: undefined, answers: {} }, problems: [] });
  mkdirSync(join(folder, 'cases'));
  writeFileSync(join(folder, 'cases', 'a.yaml'), 'cases:\n  - name: a case\n    send: GET /api/user/\n    http: 200\n');
  expect(loadCases(folder).cases.map(({ name }) => name)).toEqual(['a case']);
});

test('a text that is only a $name becomes the value of the row, and a $name inside a text becomes text', () => {
  const row = { number: 2, rows: [{ id: 1 }] };
  expect(fillIn({ whole: '$number', inside: 'number $number of $rows', deep: ['$rows'] }, row)).toEqual({
    whole: 2,
    inside: 'number 2 of [{"id":1}]',
    deep: [[{ id: 1 }]],
  });
});

test('a $name in a field name is filled in, and of two fields that then share a name the last one counts', () => {
  expect(fillIn({ amount: 100, $field: '$bad' }, { field: 'amount', bad: 'many' })).toEqual({ amount: 'many' });
});

test('a $name ends at the first character that is no letter, and an unknown $name stays unchanged', () => {
  expect(fillIn('$prefix1234567 $order.id $reply.id', { prefix: '0803' })).toBe('08031234567 $order.id $reply.id');
});

test('a row that is a plain value is filled in for $value', () => {
  expect(toRow('phone')).toEqual({ value: 'phone' });
  expect(toRow({ a: 1 })).toEqual({ a: 1 });
});

test('a row is described so that a number and the same digits as text look different', () => {
  expect(describeRow({ said: 1, word: 'MTN' })).toBe('said: 1, word: MTN');
  expect(describeRow({ said: '1', word: '' })).toBe("said: '1', word: ''");
});

test('the address of a short form is taken out of the text, and all other places stay the same', () => {
  const text = '  - send: POST /api/topup/ { network: 1 }\n    expect_call: POST /airtime { network: MTN }\n';
  const { text: plain, addresses } = readShortForms(text);
  expect(plain).toBe('  - send:                  { network: 1 }\n    expect_call:               { network: MTN }\n');
  expect([...addresses]).toEqual([
    [1, 'POST /api/topup/'],
    [2, 'POST /airtime'],
  ]);
});

test('the method of a short form may be a $name that a row fills in', () => {
  const { addresses } = readShortForms('  send: $value /api/x { a: 1 }\n');
  expect([...addresses]).toEqual([[1, '$value /api/x']]);
});

test('an address without fields stays unchanged, because it is valid YAML', () => {
  const text = 'send: GET /api/user/\n# send: POST /api/topup/ { network: 1 }\nname: send: POST\n';
  expect(readShortForms(text)).toEqual({ text, addresses: new Map() });
});
