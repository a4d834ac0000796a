import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { draftFile } from '../../src/mapping/draft-file';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'compat-draft-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('the old file stands until the draft is put in its place, with the rights that were asked for', () => {
  const path = join(folder, 'made', 'kept.json');
  draftFile(path, 'old', 0o600).putInPlace();
  const draft = draftFile(path, 'new', 0o600);
  expect(readFileSync(path, 'utf8')).toBe('old');
  draft.putInPlace();
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(folder, 'made'))).toEqual(['kept.json']);
});

test('a draft that is not wanted any more leaves nothing', () => {
  const path = join(folder, 'kept.json');
  writeFileSync(path, 'old');
  draftFile(path, 'new').discard();
  expect(readdirSync(folder)).toEqual(['kept.json']);
  expect(readFileSync(path, 'utf8')).toBe('old');
});

test('what stands in the way of the draft is told and not taken away', () => {
  const path = join(folder, 'kept.json');
  mkdirSync(`${path}.${process.pid}`);
  expect(() => draftFile(path, 'new')).toThrow('EISDIR');
  expect(readdirSync(folder)).toEqual([`kept.json.${process.pid}`]);
});
