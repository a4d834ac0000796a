import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseFile, parseFolder, parseNewFile } from '../../src/cli/parse-options';
import { newFolder } from '../new-folder';

const folder = newFolder();
beforeAll(() => {
  writeFileSync(join(folder, 'file'), '');
  symlinkSync(join(folder, 'loop'), join(folder, 'loop'));
  symlinkSync(folder, join(folder, 'link'));
});

test('a folder option accepts a folder, also through a link', () => {
  expect(parseFolder(folder)).toBe(folder);
  expect(parseFolder(join(folder, 'link'))).toBe(join(folder, 'link'));
  for (const path of ['nowhere', 'file/below', 'loop'])
    expect(() => parseFolder(join(folder, path))).toThrow('there is no such folder.');
  expect(() => parseFolder(join(folder, 'file'))).toThrow('it is a file, where a folder is expected.');
});

test('a file option accepts a file', () => {
  expect(parseFile(join(folder, 'file'))).toBe(join(folder, 'file'));
  for (const path of ['nowhere', 'file/below', 'loop'])
    expect(() => parseFile(join(folder, path))).toThrow('there is no such file.');
  expect(() => parseFile(folder)).toThrow('it is a folder, where a file is expected.');
});

test('an output option needs an existing folder, and no folder of its own name', () => {
  for (const path of ['new', 'file']) expect(parseNewFile(join(folder, path))).toBe(join(folder, path));
  for (const path of ['nowhere/new', 'file/below'])
    expect(() => parseNewFile(join(folder, path))).toThrow('there is no folder to write it into.');
  for (const path of [folder, '']) expect(() => parseNewFile(path)).toThrow('the name of a file is expected.');
});

// Root may read every file.
(process.getuid?.() === 0 ? test.skip : test)('what this user may not read or write is told', () => {
  const closed = join(folder, 'closed');
  mkdirSync(closed);
  chmodSync(closed, 0);
  chmodSync(join(folder, 'file'), 0);
  expect(() => parseFolder(closed)).toThrow('this user may not read it.');
  expect(() => parseFile(join(folder, 'file'))).toThrow('this user may not read it.');
  expect(() => parseNewFile(join(folder, 'file'))).toThrow('this user may not write it.');
  expect(() => parseNewFile(join(closed, 'new'))).toThrow('this user may not');
});
