import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf } from '../../src/mapping/load';
import { changedFiles, openSetHistory, stepBack, type Cause, type InUse, type SetHistory } from '../../src/mapping/set-history';
import { editedFiles, mappingOf } from './mapping-set';
import { newFolder } from '../new-folder';

const DAY_MS = 24 * 3_600_000;

let dataDir: string;
let now: number;
beforeEach(() => {
  dataDir = newFolder();
  // Real time, because the kept files get their times from this machine's clock.
  now = Date.now();
});

const open = (keepDays = 30): SetHistory => openSetHistory(dataDir, { keepMs: keepDays * DAY_MS, now: () => now });

/** The shipped set with a comment of its own, and so with another hash. */
function setWith(comment: string): InUse {
  const files = editedFiles('ids.yaml', /$/, `\n# ${comment}\n`);
  return { mapping: mappingOf(files), files };
}
const [A, B, C] = ['a', 'b', 'c'].map(setWith) as [InUse, InUse, InUse];

/** Takes the set into use, one second after the last use. */
function use(history: SetHistory, set: InUse, by: Cause['by'] = 'reload'): void {
  now += 1_000;
  history.draft(set, { by }).putInPlace();
}

const hashes = (history: SetHistory): string[] => history.list().map(({ hash }) => hash);

test('a kept set has its files and its compiled mapping', () => {
  const history = open();
  use(history, A, 'start');
  use(history, B);
  const kept = open().setOf(A.mapping.hash)!;
  expect(kept.files).toEqual(A.files);
  expect(kept.mapping!.operations.get('buy_airtime')!.known.has('phone')).toBe(true);
  expect(open().setOf('0123456789abcdef')).toBeUndefined();
  expect(open().setOf('../uses')).toBeUndefined();
});

test('sixteen sets stay compiled while orders of all of them are asked for in turn', () => {
  const history = open();
  const sets = Array.from({ length: 16 }, (_, index) => fakeSet(index));
  for (const set of sets) use(history, set);
  const askAll = () => sets.map(({ mapping }) => history.setOf(mapping.hash));
  const first = askAll();
  expect(first[0]).toBeDefined();
  for (const [index, set] of askAll().entries()) expect(set).toBe(first[index]);
});

test('a kept set whose file was changed is not returned', () => {
  const history = open();
  use(history, A, 'start');
  const file = join(history.folder, `${A.mapping.hash}.json`);
  writeFileSync(file, readFileSync(file, 'utf8').replace('MTN', 'GLO'));
  expect(open().setOf(A.mapping.hash)).toBeUndefined();
  expect(open().lastGood()).toBeUndefined();
  // The next use of the same set writes it again.
  use(open(), A, 'start');
  expect(open().lastGood()?.files).toEqual(A.files);
});

test('a restart with the same set is counted, and does not write the set again', () => {
  use(open(), A, 'start');
  const file = join(open().folder, `${A.mapping.hash}.json`);
  const { ino } = statSync(file);
  use(open(), A, 'start');
  use(open(), A, 'start');
  expect(open().list()).toMatchObject([{ hash: A.mapping.hash, by: 'start', restarts: { count: 2, lastAtMs: now } }]);
  expect(statSync(file).ino).toBe(ino);
});

test('only the owner may read the files of the history', () => {
  use(open(), A, 'start');
  const { folder } = open();
  expect(statSync(folder).mode & 0o077).toBe(0);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
});

test('a discarded draft leaves no file and no entry', () => {
  use(open(), A, 'start');
  const before = readdirSync(open().folder);
  open().draft(B, { by: 'apply' }).discard();
  expect(readdirSync(open().folder)).toEqual(before);
  expect(hashes(open())).toEqual([A.mapping.hash]);
});

test('an unreadable list of uses gives no last good set, and the kept sets are not lost', () => {
  use(open(), A, 'start');
  use(open(), B);
  writeFileSync(join(open().folder, 'uses.json'), '{"uses":');
  expect(open().lastGood()).toBeUndefined();
  use(open(), C);
  expect(hashes(open())).toEqual([C.mapping.hash]);
  expect(open().setOf(A.mapping.hash)?.files).toEqual(A.files);
});

test('sets are kept as long as orders may refer to them, and the newest hundred always', () => {
  const history = open(1);
  const sets = Array.from({ length: 103 }, (_, index) => fakeSet(index));
  for (const set of sets) use(history, set);
  expect(history.list()).toHaveLength(103);
  for (const name of readdirSync(history.folder)) utimesSync(join(history.folder, name), new Date(now), new Date(now));
  now += 2 * DAY_MS;
  use(history, fakeSet(103));
  // The newest hundred remain. The set that was in use before the last change is one of them.
  expect(history.list()).toHaveLength(100);
  expect(history.setOf(sets[3]!.mapping.hash)).toBeUndefined();
  expect(history.setOf(sets[4]!.mapping.hash)).toBeDefined();
  expect(readdirSync(history.folder)).toHaveLength(101);
});

/** A set with texts and a hash of its own; its mapping is that of set A. */
function fakeSet(index: number): InUse {
  const files = [{ file: 'a.yaml', name: 'a.yaml', text: `# ${index}` }];
  return { files, mapping: { ...A.mapping, hash: hashOf(files) } };
}

test('a history folder that cannot be written makes a draft throw', () => {
  writeFileSync(join(dataDir, 'mapping-history'), 'in the way');
  expect(() => open().draft(A, { by: 'start' })).toThrow();
  rmSync(join(dataDir, 'mapping-history'));
  mkdirSync(join(dataDir, 'mapping-history', `uses.json.${process.pid}`), { recursive: true });
  expect(() => open().draft(A, { by: 'start' })).toThrow();
  expect(readdirSync(open().folder)).toEqual([`uses.json.${process.pid}`]);
});

test('the changed files are the new, the removed and the edited ones, by name', () => {
  expect(changedFiles(A.files, B.files)).toEqual(['ids.yaml']);
  expect(changedFiles(A.files.slice(1), A.files)).toEqual([A.files[0]!.name]);
  expect(changedFiles(A.files, A.files.slice(1))).toEqual([A.files[0]!.name]);
  expect(changedFiles(undefined, A.files)).toHaveLength(A.files.length);
});

test('a second step back goes further back and does not undo the first', () => {
  const history = open();
  const backFrom = (set: InUse): string | undefined => stepBack(history.list(), set.mapping.hash)?.hash;
  use(history, A, 'start');
  expect(backFrom(A)).toBeUndefined();
  use(history, B, 'apply');
  use(history, C, 'apply');
  expect(backFrom(C)).toBe(B.mapping.hash);
  use(history, B, 'rollback');
  expect(backFrom(B)).toBe(A.mapping.hash);
  use(history, A, 'rollback');
  expect(backFrom(A)).toBeUndefined();
  // After C is applied again over A, a step back from C leads to A.
  use(history, C, 'apply');
  expect(backFrom(C)).toBe(A.mapping.hash);
});
