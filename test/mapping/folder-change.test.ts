import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  changeFolder,
  finishChange,
  isMappingFileName,
  pendingFiles,
  mappingFilesBelow,
  draftFile,
  type NamedText,
} from '../../src/mapping/folder-change';
import { hashOf, readFolder } from '../../src/mapping/load';
import { newFolder } from '../new-folder';

let folder: string;
beforeEach(() => (folder = newFolder()));

const OLD: readonly NamedText[] = Array.from({ length: 40 }, (_, index) => ({
  name: `${index % 3 === 0 ? 'operations/' : ''}${index}.yaml`,
  text: `old ${index}\n`,
}));
const NEW: readonly NamedText[] = [
  ...OLD.slice(10).map(({ name }) => ({ name, text: `new ${name}\n` })),
  { name: 'more/a.yml', text: 'new\n' },
];
const sorted = (files: readonly NamedText[]): NamedText[] => [...files].sort((a, b) => (a.name < b.name ? -1 : 1));

function put(files: readonly NamedText[]): void {
  for (const { name, text } of files) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** The set that is read from the folder, in order of name. */
function readSet(): NamedText[] {
  const read = readFolder(folder);
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return sorted(read.files.map(({ name, text }) => ({ name: name!, text })));
}

test('a set replaces another: files are added, changed and removed, and cases and notes stay', () => {
  put(OLD);
  put([
    { name: 'cases/a.yaml', text: 'cases: []' },
    { name: 'notes.md', text: 'notes' },
  ]);
  changeFolder(folder, NEW);
  expect(readSet()).toEqual(sorted(NEW));
  expect(mappingFilesBelow(folder).length).toBe(NEW.length);
  expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
  expect(readFileSync(join(folder, 'cases', 'a.yaml'), 'utf8')).toBe('cases: []');
  expect(existsSync(join(folder, 'notes.md'))).toBe(true);
});

test('while a set is being written, the folder is read as that set, whatever files it holds', () => {
  put(OLD);
  changeFolder(folder, NEW);
  writeFileSync(join(folder, '.mappings-being-applied.json'), JSON.stringify({ files: OLD }));
  expect(readSet()).toEqual(sorted(OLD));
  expect(pendingFiles(folder)).toEqual(OLD);
  finishChange(folder);
  expect(pendingFiles(folder)).toBeUndefined();
  expect(readSet()).toEqual(sorted(OLD));
  finishChange(folder);
  expect(readSet()).toEqual(sorted(OLD));
});

test('an unreadable pending set is a problem, and the files are not read instead', () => {
  put(OLD);
  writeFileSync(join(folder, '.mappings-being-applied.json'), '{"files": [');
  expect(readFolder(folder)).toMatchObject({ problems: [{ code: 'unreadable-folder' }] });
});

const isRoot = process.getuid?.() === 0;
(isRoot ? test.skip : test)('a folder that cannot be written stays as it is', () => {
  put(OLD);
  chmodSync(folder, 0o500);
  expect(() => changeFolder(folder, NEW)).toThrow(/EACCES|EPERM/);
  chmodSync(folder, 0o700);
  expect(readSet()).toEqual(sorted(OLD));
});

test('a set that cannot be written whole is not begun', () => {
  put([...OLD, { name: 'more', text: 'a note where a folder is needed' }]);
  expect(() => changeFolder(folder, NEW)).toThrow(/EEXIST|ENOTDIR/);
  expect(pendingFiles(folder)).toBeUndefined();
  expect(readSet()).toEqual(sorted(OLD));
});

(isRoot ? test.skip : test)('a set is not begun when one of its files cannot be written', () => {
  put(OLD);
  chmodSync(join(folder, '20.yaml'), 0o400);
  expect(() => changeFolder(folder, NEW)).toThrow(/EACCES|EPERM/);
  expect(pendingFiles(folder)).toBeUndefined();
});

test('a folder that does not exist is made', () => {
  folder = join(folder, 'inner', 'mappings');
  changeFolder(folder, NEW);
  expect(readSet()).toEqual(sorted(NEW));
});

test('after a kill at any instant the folder is read as the old set or the new one, and a rerun completes the change', async () => {
  const hashes = [OLD, NEW].map((files) => hashOf(sorted(files).map(({ name, text }) => ({ file: name, name, text }))));
  const met = new Set<string>();
  const runner = resolve(__dirname, '..', 'journal', 'run-typescript.cjs');
  for (let round = 0; round < 12; round += 1) {
    folder = newFolder();
    put(OLD);
    const child = spawn(process.execPath, ['-r', runner, join(__dirname, 'change-folder-child.ts'), folder], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    await once(child.stdout, 'data');
    child.stdin.end(JSON.stringify(NEW));
    await sleep(round * 1.5);
    child.kill('SIGKILL');
    await exited;
    const hash = hashOf(readSet().map(({ name, text }) => ({ file: name, name, text })));
    expect(hashes).toContain(hash);
    met.add(hash);
    changeFolder(folder, NEW);
    expect(readSet()).toEqual(sorted(NEW));
  }
  expect(met.size).toBeGreaterThan(0);
}, 60_000);

test.each([
  ['a.yaml', true],
  ['operations/b.yml', true],
  ['../a.yaml', false],
  ['/a.yaml', false],
  ['a//b.yaml', false],
  ['.a.yaml', false],
  ['.git/a.yaml', false],
  ['cases/a.yaml', false],
  ['operations/cases/a.yaml', false],
  ['a.md', false],
  ['a\\b.yaml', false],
  ['', false],
])('whether %j is a valid name of a mapping file: %s', (name, expected) => {
  expect(isMappingFileName(name)).toBe(expected);
});

test('a draft replaces the old file only when put in place, with the given permissions', () => {
  const path = join(folder, 'made', 'kept.json');
  draftFile(path, 'old', 0o600).putInPlace();
  const draft = draftFile(path, 'new', 0o600);
  expect(readFileSync(path, 'utf8')).toBe('old');
  draft.putInPlace();
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(folder, 'made'))).toEqual(['kept.json']);
});

test('a discarded draft leaves no file', () => {
  const path = join(folder, 'kept.json');
  writeFileSync(path, 'old');
  draftFile(path, 'new').discard();
  expect(readdirSync(folder)).toEqual(['kept.json']);
  expect(readFileSync(path, 'utf8')).toBe('old');
});

test('a folder with the name of the draft makes the draft throw, and is not removed', () => {
  const path = join(folder, 'kept.json');
  mkdirSync(`${path}.${process.pid}`);
  expect(() => draftFile(path, 'new')).toThrow('EISDIR');
  expect(readdirSync(folder)).toEqual([`kept.json.${process.pid}`]);
});
