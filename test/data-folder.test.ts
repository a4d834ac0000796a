import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareDataFolder } from '../src/data-folder';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'compat-data-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a folder is made, with those above it, and found again', () => {
  const deep = join(folder, 'a', 'b', 'c');
  prepareDataFolder(deep);
  prepareDataFolder(deep);
  expect(existsSync(deep)).toBe(true);
});

test('a folder that is made belongs to its owner alone, and those above it to whom they would', () => {
  const modeOf = (path: string) => statSync(path).mode & 0o777;
  const before = process.umask(0o022);
  try {
    prepareDataFolder(join(folder, 'lib', 'data'));
  } finally {
    process.umask(before);
  }
  expect([modeOf(join(folder, 'lib')), modeOf(join(folder, 'lib', 'data'))]).toEqual([0o755, 0o700]);
});

test('a folder where this user may not write is told', () => {
  const isRoot = process.getuid?.() === 0;
  chmodSync(folder, 0o500);
  // Root may write everywhere, so it is somebody else for a moment.
  if (isRoot) process.seteuid!(65_534);
  try {
    expect(() => prepareDataFolder(join(folder, 'mine'))).toThrow('which cannot be used: this user may not write there.');
  } finally {
    if (isRoot) process.seteuid!(0);
    chmodSync(folder, 0o700);
  }
});

test('a file in the way is told with the setting', () => {
  writeFileSync(join(folder, 'file'), '');
  for (const path of ['file', 'file/below'])
    expect(() => prepareDataFolder(join(folder, path))).toThrow(
      `DATA_DIR is ${join(folder, path)}, which cannot be used: a file stands in its way.`,
    );
});

test('links that lead in a circle are told', () => {
  symlinkSync(join(folder, 'two'), join(folder, 'one'));
  symlinkSync(join(folder, 'one'), join(folder, 'two'));
  expect(() => prepareDataFolder(join(folder, 'one'))).toThrow('its links lead in a circle');
});

// Node's mkdir with `recursive` never comes back from here.
(existsSync('/proc/self') ? test : test.skip)('a place where the system makes no folders is told, and soon', () => {
  expect(() => prepareDataFolder('/proc/compat-gateway/data')).toThrow(/^DATA_DIR is .*, which cannot be used: .+\.$/);
});
