import { readRest } from '../../src/mapping/read-rest';
import { formatFileSchema, sharedFileSchema } from '../../src/mapping/language/schema';
import { readYaml } from '../../src/mapping/read-yaml';
import { buyAirtime, checkWith, marked } from './mapping-set';

const restOf = (text: string) => readYaml('a.yaml', text, sharedFileSchema).rest;

test('a file that is no YAML, or no map, has no valid rest', () => {
  expect(restOf('tables: [1')).toBeUndefined();
  expect(readRest([1], sharedFileSchema)).toBeUndefined();
});

test('a misspelt key is read under its most likely name, and its value keeps its place in the file', () => {
  const text = 'tabels:\n  network: { title: network, valeus: { MTN: { words: [M] } } }\n';
  const { value, holes, locate } = restOf(text)!;
  expect(value).toEqual({ tables: { network: { title: 'network', values: { MTN: { words: ['M'] } } } } });
  expect(holes).toEqual([]);
  expect(locate(['tables', 'network', 'values', 'MTN', 'words', 0])).toEqual({ line: 2, column: 55 });
});

test('a key is left out if it is like no known key, or if the file also has the right name', () => {
  const { value, holes } = restOf('zzzzzzzz: 1\ntexts: { found: a }\ntext: { found: b }\n')!;
  expect(value).toEqual({ texts: { found: 'a' } });
  expect(holes).toEqual([]);
});

test('a wrong optional value is left out, and a wrong required value is replaced by a stand-in', () => {
  const { value, holes } = restOf(
    'operations:\n  buy:\n    title: [a]\n    kind: 7\n    undecided: 7\n    fields: { phone: { as: [1], min: x } }\n',
  )!;
  expect(value.operations).toEqual({ buy: { title: '?', kind: 'list', fields: { phone: { from: ['?'], as: 'unreadable' } } } });
  expect(holes.map(({ path, kind }) => `${path.map(String).join('.')} ${kind}`).sort()).toEqual([
    'operations.buy.fields.phone.as guess',
    'operations.buy.fields.phone.from guess',
    'operations.buy.fields.phone.min gone',
    'operations.buy.kind gone',
    'operations.buy.title guess',
    'operations.buy.undecided gone',
  ]);
});

test('a wrong item of a list is left out, and later items keep their places in the file', () => {
  const text = 'operations:\n  buy: { title: a, kind: read, routes: [nowhere, GET /a, [1], GET /b] }\n';
  const { value, locate, holes } = restOf(text)!;
  const path = ['operations', 'buy', 'routes'];
  expect(value.operations!['buy']!.routes).toEqual(['GET /a', 'GET /b']);
  expect(locate([...path, 0])).toEqual({ line: 2, column: text.split('\n')[1]!.indexOf('GET /a') + 1 });
  expect(locate([...path, 1])).toEqual({ line: 2, column: text.split('\n')[1]!.indexOf('GET /b') + 1 });
  expect(holes).toEqual([
    { path, kind: 'part' },
    { path, kind: 'part' },
  ]);
});

test('mending one place does not change another that shares it by an alias', () => {
  const { value } = restOf(
    'texts: &t { found: a }\nblocks: { one: { always: *t }, two: { always: { x: 1 }, pending: [2] } }\nrows: { r: *t, s: 7 }\n',
  )!;
  expect(value).toEqual({
    texts: { found: 'a' },
    blocks: { one: { always: { found: 'a' } }, two: { always: { x: 1 } } },
    rows: { r: { found: 'a' } },
  });
});

test('a stand-in causes no further problem', () => {
  const { problems } = readYaml('a.yaml', 'operations:\n  buy: { title: a, kind: read, rute: 7 }\n', sharedFileSchema);
  expect(problems.map(({ code }) => code)).toEqual(['unknown-key']);
});

test('a wrong value below a misspelt key is reported at its place', () => {
  const { text, line, column } = marked(
    'operations:\n  buy: { title: a, kind: read, feilds: { phone: { from: [p], as: §7 } } }\n',
  );
  const { problems } = readYaml('a.yaml', text, sharedFileSchema);
  expect(problems.map(({ code }) => code)).toEqual(['unknown-key', 'schema']);
  expect(problems[1]).toMatchObject({ line, column });
});

test('a required key that is misspelt is not also reported as missing', () => {
  const { problems } = readYaml('a.yaml', 'format: x\ntitel: X\n', formatFileSchema);
  expect(problems.map(({ code, message }) => `${code} ${message}`)).toEqual(['unknown-key unknown key `titel`']);
});

/** The purchase of the base with these fields in the place of its phone. */
const OPERATION = (fields: string): string =>
  buyAirtime('{ always: { status: $words.status, phone: $phone }, failure: { error: [$text] } }').replace(
    /phone: \{ from.*/,
    fields,
  );

const problemsOf = (...texts: readonly string[]): string[] =>
  checkWith(...texts).problems.map(({ code, message }) => `${code} ${message}`);

test('an unknown key does not hide a wrong `as` beside it', () => {
  expect(problemsOf(OPERATION('phone: { from: [phone], as: fhone, requierd: true }'))).toEqual([
    'unknown-transform there is no transform or table `fhone`',
    'unknown-key unknown key `requierd` (at operations.buy.fields.phone)',
  ]);
});

test('a field with a wrong type does not hide the problems of others, and references to it are no problems', () => {
  const fields = 'phone: { from: [phone], as: [phone], required: true }\n      id: { from: [network], as: text }';
  expect(problemsOf(OPERATION(fields))).toEqual([
    expect.stringMatching(/^schema .*expected a text.*fields\.phone\.as/),
    'spelling-shared `network` is already a spelling of `network`',
  ]);
});

test('an unusable section is one problem, however many references to it there are', () => {
  expect(problemsOf('tables: 7')).toEqual([expect.stringMatching(/^schema .*at tables/)]);
  expect(problemsOf('operations: [1]')).toEqual([expect.stringMatching(/^schema .*at operations/)]);
  expect(problemsOf('blocks: { refusal: 7 }')).toEqual([expect.stringMatching(/^schema .*at blocks\.refusal/)]);
  expect(problemsOf('words: soon')).toEqual([expect.stringMatching(/^schema .*at words/)]);
});

test('an unreadable file does not hide problems of other files', () => {
  expect(problemsOf('tables: [1', OPERATION('phone: { from: [phone, " phone"], as: phone, required: true }'))).toEqual([
    expect.stringMatching(/^yaml-syntax /),
    'spelling-untrimmed ` phone` has spaces around it or is empty',
  ]);
});

test('a duplicate key does not hide other problems of its file', () => {
  const twice = 'texts: { found: a, found: b }\nrows: { plan: { id: $rwo.id } }\n';
  expect(problemsOf(twice).filter((line) => !line.startsWith('text-missing'))).toEqual([
    expect.stringMatching(/^duplicate-key /),
    'unknown-source there is no `$rwo`',
  ]);
});
