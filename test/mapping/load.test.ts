import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkFiles, checkFolder } from '../../src/mapping/check';
import { loadSource, mergeFiles } from '../../src/mapping/load';
import { filesWith, marked } from './mapping-set';
import { newFolder } from '../new-folder';

const BUY = 'operations:\n  buy: { title: Airtime, kind: list }\n';

test.each([
  ['`operations.buy`', BUY, BUY.replace('buy', '§buy')],
  ['`tables.t`', 'tables: { t: { title: a } }', 'tables: { §t: { title: b } }'],
  ['`texts.found`', 'texts: { found: a }', 'texts: { §found: b }'],
  ['`rows.r`', 'rows: { r: {} }', 'format: x\ntitle: X\nrows: { §r: {} }'],
  ['section `request_id`', 'request_id: [a]', '§request_id: [b]'],
  ['format `x`', 'format: x\ntitle: X', 'format: §x\ntitle: Y'],
])('%s in two files is reported at its second place', (what, first, second) => {
  const { text, line, column } = marked(second);
  const { source, problems } = mergeFiles(filesWith(first, text));
  expect(source).toBeUndefined();
  const message = `${what} is defined twice`;
  expect(problems).toMatchObject([
    { file: '2.yaml', line, column, code: 'defined-twice', severity: 'error', message, hint: 'it is also in 1.yaml' },
  ]);
});

test.each(['request_id', 'words', 'timing', 'lookup_key', 'callers'])('a set without the section %s is refused', (section) => {
  const files = filesWith().filter(({ file }) => file !== `base-${section}.yaml`);
  expect(mergeFiles(files).source).toBeUndefined();
  expect(checkFiles(files).problems).toEqual([
    expect.objectContaining({ code: 'missing-section', message: `no mapping file has the section \`${section}\`` }),
  ]);
});

test('numberings of other servers in several files are joined, and each keeps its place', () => {
  const one = 'other_numberings: [{ title: One, table: network, numbers: { 1: MTN } }]';
  const two = 'other_numberings:\n  - title: Two\n    table: network\n    numbers: { 1: GLO }\n';
  const { source } = mergeFiles(filesWith(one, two));
  expect(source!.other_numberings.map(({ title }) => title)).toEqual(['One', 'Two']);
  expect(source!.places.find(['other_numberings', 1, 'numbers', '1'])).toEqual({ file: '2.yaml', line: 4, column: 19 });
});

test.each([
  ['format', 'format: y\ntitle: Y\nproof:', ['formats', 'y', 'proof']],
  ['family', 'families:\n y:\n  title: Y\n  scripts: Y\n  extends: x\n  proof:', ['families', 'y', 'proof']],
])('each address of a signal of a %s is a signal, and has the place of the line that names it', (_what, head, path) => {
  const text = `${head}\n  - { weight: strong, path: /api/buy|by/, any_field: [phone] }\n  - { weight: medium, path: /api/buy }`;
  const { source } = mergeFiles(filesWith(text));
  const { proof } = source!.formats.get('y') ?? source!.families['y']!;
  expect(proof).toEqual([
    { weight: 'strong', path: '/api/buy/', any_field: ['phone'] },
    { weight: 'medium', path: '/api/buy' },
    { weight: 'strong', path: '/api/by/', any_field: ['phone'] },
  ]);
  const lines = [0, 1, 2].map((index) => source!.places.find([...path, index, 'path']).line);
  expect(lines).toEqual([lines[0], lines[0]! + 1, lines[0]]);
  expect(source!.places.inFile([...path, 2, 'path']).slice(-2)).toEqual([0, 'path']);
  const served = checkFiles(filesWith(text)).problems.filter(({ code }) => code === 'signal-never-applies');
  expect(served).toMatchObject([{ message: 'nothing is served at /api/by/', line: lines[0] }]);
});

test('sets with different files have different hashes', () => {
  const hash = (text: string): string => mergeFiles(filesWith(text)).source!.hash;
  expect(hash('texts: { found: a }')).toBe(hash('texts: { found: a }'));
  expect(hash('texts: { found: a }')).not.toBe(hash('texts: { found: b }'));
  expect(hash('texts: { found: a }')).toMatch(/^[0-9a-f]{16}$/);
});

describe('a folder', () => {
  let folder: string;
  beforeEach(() => (folder = newFolder()));

  test('of a mounted volume, whose files are links into a hidden folder, has each file once', () => {
    const files = filesWith();
    mkdirSync(join(folder, '..2026_11_21'));
    mkdirSync(join(folder, '.git'));
    writeFileSync(join(folder, '.git', 'config'), '');
    symlinkSync('..2026_11_21', join(folder, '..data'));
    for (const { file, text } of files) {
      writeFileSync(join(folder, '..2026_11_21', file), text);
      symlinkSync(join('..data', file), join(folder, file));
    }
    expect(checkFolder(folder)).toMatchObject({ problems: [], mapping: expect.any(Object) });
  });

  test('with a link to a folder of mapping files gives a warning that the link is not followed', () => {
    const elsewhere = newFolder();
    for (const { file, text } of filesWith()) writeFileSync(join(folder, file), text);
    writeFileSync(join(elsewhere, 'families.yaml'), 'families: {}');
    symlinkSync(elsewhere, join(folder, 'families'));
    // No warning for links to cases, to a folder without mapping files, or with a hidden name.
    mkdirSync(join(elsewhere, 'notes'));
    symlinkSync(join(elsewhere, 'notes'), join(folder, 'notes'));
    for (const name of ['cases', '.more']) symlinkSync(elsewhere, join(folder, name));
    const { problems, mapping } = checkFolder(folder);
    expect(problems).toEqual([
      expect.objectContaining({
        file: expect.stringMatching(/families$/),
        code: 'unknown-extension',
        severity: 'warning',
        message: 'this folder is not read: it is a link',
      }),
    ]);
    expect(mapping).toBeDefined();
  });

  test('is read with its subfolders, in order of name, without cases, hidden files and files of other kinds', () => {
    for (const { file, text } of filesWith('texts: {}')) writeFileSync(join(folder, file), text);
    mkdirSync(join(folder, 'cases'));
    mkdirSync(join(folder, 'more'));
    writeFileSync(join(folder, 'cases', 'a.yaml'), 'not: a mapping');
    writeFileSync(join(folder, '.hidden.yaml'), 'not: a mapping');
    writeFileSync(join(folder, 'notes.txt'), 'not: a mapping');
    writeFileSync(join(folder, 'more', 'texts.yml'), 'texts: { found: Here. }');
    const { source, problems } = loadSource(folder);
    expect(problems).toEqual([]);
    expect(source!.texts).toEqual({ found: 'Here.' });
  });

  test.each([
    ['a link that leads nowhere', (path: string) => symlinkSync('nowhere', path), 'it is a link that leads nowhere'],
    ['a link to itself', (path: string) => symlinkSync(path, path), 'it is a link that leads in a circle'],
    ['a folder', (path: string) => mkdirSync(path), 'it is a folder'],
    ['a pipe', (path: string) => execFileSync('mkfifo', [path]), 'it is a pipe or a device, not a file'],
  ])('with %s in place of a mapping file is refused with the reason', (_what, make, reason) => {
    for (const { file, text } of filesWith('texts: {}')) writeFileSync(join(folder, file), text);
    make(join(folder, 'x.yaml'));
    expect(loadSource(folder).problems).toEqual([
      expect.objectContaining({
        file: expect.stringMatching(/x\.yaml$/),
        line: 1,
        column: 1,
        code: 'unreadable-file',
        message: `this file cannot be read: ${reason}`,
      }),
    ]);
  });

  test('with a very large file is refused without reading the file', () => {
    writeFileSync(join(folder, 'x.yaml'), '');
    truncateSync(join(folder, 'x.yaml'), 8_000_000_000);
    expect(loadSource(folder).problems).toEqual([expect.objectContaining({ code: 'file-too-large' })]);
  });

  // The console reads the folder that its operator names while purchases wait.
  test.each([
    ['more files and folders', 5_000, 'txt', '', 'it has more than 5,000 files and folders'],
    ['more text', 17, 'yaml', '#'.repeat(1_000_000), 'its files have more than 16 MB'],
  ])('with %s than any mappings have is refused before all is read', (_what, count, extension, text, reason) => {
    mkdirSync(join(folder, 'more'));
    for (let nth = 0; nth < count; nth += 1) writeFileSync(join(folder, 'more', `${nth}.${extension}`), text);
    const message = `the mappings folder cannot be read: ${reason}, so it is no folder of mappings`;
    expect(loadSource(folder).problems).toEqual([expect.objectContaining({ code: 'unreadable-folder', message })]);
  });
});

const FORMAT = 'title: Format X\nnumbers: { network: { 1: MTN, 2: GLO } }';

test.each([
  ['in quotes', `"format": x\n${FORMAT}`],
  ['in single quotes', `'format': x\n${FORMAT}`],
  ['with a blank before the colon', `format : x\n${FORMAT}`],
  ['not at the beginning', `${FORMAT}\nformat: x`],
  ['within brackets', `{ format: x, title: Format X, numbers: { network: { 1: MTN, 2: GLO } } }`],
  ['as JSON', JSON.stringify({ format: 'x', title: 'Format X', numbers: { network: { 1: 'MTN', 2: 'GLO' } } }, null, '\t')],
])('the file of a format is recognised by its key `format`, %s', (_title, text) => {
  const base = filesWith('format: x').slice(1);
  const { problems, mapping } = checkFiles([{ file: 'x.yaml', text }, ...base]);
  expect(problems).toEqual([]);
  expect([...mapping!.formats.keys()]).toEqual(['x']);
});

test('a shared file may be JSON or have its keys in quotes', () => {
  for (const text of ['{ "request_id": ["a"] }', '"request_id": [a]'])
    expect(
      mergeFiles(filesWith().map((file) => (file.file === 'base-request_id.yaml' ? { ...file, text } : file))).problems,
    ).toEqual([]);
});

test('a misspelt key `format` is reported as one problem', () => {
  const base = filesWith('format: x').slice(1);
  for (const key of ['fromat', 'Format', 'formt']) {
    const { problems } = checkFiles([{ file: 'x.yaml', text: `${key}: x\n${FORMAT}` }, ...base]);
    expect(problems).toMatchObject([{ file: 'x.yaml', line: 1, column: 1, code: 'unknown-key', hint: 'did you mean `format`?' }]);
  }
});

test('a file that ends in .json is read like every other mapping file', () => {
  const folder = newFolder();
  for (const { file, text } of filesWith('format: x').slice(1)) writeFileSync(join(folder, file), text);
  writeFileSync(
    join(folder, 'x.json'),
    JSON.stringify({ format: 'x', title: 'X', numbers: { network: { 1: 'MTN', 2: 'GLO' } } }),
  );
  const { problems, mapping } = checkFolder(folder);
  expect(problems).toEqual([]);
  expect([...mapping!.formats.keys()]).toEqual(['x']);
});
