import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseFile, parseFolder } from '../../src/cli/parse-path';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'compat-path-'));
  writeFileSync(join(folder, 'file'), '');
  symlinkSync(join(folder, 'loop'), join(folder, 'loop'));
  symlinkSync(folder, join(folder, 'link'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a folder is a folder, also through a link', () => {
  expect(parseFolder(folder)).toBe(folder);
  expect(parseFolder(join(folder, 'link'))).toBe(join(folder, 'link'));
  for (const path of ['nowhere', 'file', 'file/below', 'loop'])
    expect(() => parseFolder(join(folder, path))).toThrow('there is no such folder.');
});

test('a file is a file', () => {
  expect(parseFile(join(folder, 'file'))).toBe(join(folder, 'file'));
  for (const path of ['nowhere', 'file/below', 'loop'])
    expect(() => parseFile(join(folder, path))).toThrow('there is no such file.');
  expect(() => parseFile(folder)).toThrow('it is a folder, where a file is expected.');
});
