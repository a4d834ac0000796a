import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret } from '../../src/domain/credentials';
import { prepareDataFolder } from '../../src/start/data-folder';
import { newFolder } from '../new-folder';

const SOURCE = join(__dirname, '..', '..', 'src', 'start', 'data-folder.ts');
const RUN_TYPESCRIPT = join(__dirname, '..', 'journal', 'run-typescript.cjs');

let folder: string;
beforeEach(() => (folder = newFolder()));

type Settings = Partial<Parameters<typeof prepareDataFolder>[0]>;
const prepare = (dataDir: string, settings: Settings = {}): readonly string[] =>
  prepareDataFolder({ dataDir, journalUrl: 'lmdb:', gatewaySecret: undefined, ...settings });

test('the data folder is made with its parent folders, and may exist already', () => {
  const deep = join(folder, 'a', 'b', 'c');
  prepare(deep);
  prepare(deep);
  expect(existsSync(deep)).toBe(true);
});

test('a new data folder is open to its owner alone, and its new parent folders get the usual rights', () => {
  const modeOf = (path: string) => statSync(path).mode & 0o777;
  const before = process.umask(0o022);
  try {
    prepare(join(folder, 'lib', 'data'));
  } finally {
    process.umask(before);
  }
  expect([modeOf(join(folder, 'lib')), modeOf(join(folder, 'lib', 'data'))]).toEqual([0o755, 0o700]);
});

test('a data folder that this user may not write is refused with a message', () => {
  const isRoot = process.getuid?.() === 0;
  chmodSync(folder, 0o500);
  // Root may write everywhere, so the test runs as another user for a moment.
  if (isRoot) process.seteuid!(65_534);
  try {
    expect(() => prepare(join(folder, 'mine'))).toThrow('which cannot be used: this user may not write there.');
  } finally {
    if (isRoot) process.seteuid!(0);
    chmodSync(folder, 0o700);
  }
});

test('a file in place of the data folder is refused with a message that names DATA_DIR', () => {
  writeFileSync(join(folder, 'file'), '');
  for (const path of ['file', 'file/below'])
    expect(() => prepare(join(folder, path))).toThrow(
      `DATA_DIR is ${join(folder, path)}, which cannot be used: there is a file in its place.`,
    );
});

test.each([
  ['told', 'there is a file in its place'],
  ['upstream-left', 'there is a folder in its place'],
  ['gateway.secret', 'there is a folder in its place'],
])('a data folder with a thing of the other kind under the name %s is refused with its path', (name, reason) => {
  if (name === 'told') writeFileSync(join(folder, name), '');
  else mkdirSync(join(folder, name));
  expect(() => prepare(folder)).toThrow(`DATA_DIR has ${join(folder, name)}, which cannot be used: ${reason}.`);
});

const SECRET = new Secret('of the settings');

test.each<[string, Settings, Settings]>([
  ['gateway.secret', { gatewaySecret: undefined }, { gatewaySecret: SECRET }],
  ['spool', { journalUrl: 'postgres://db/orders', gatewaySecret: SECRET }, { journalUrl: 'lmdb:' }],
])('a part that the settings do not use is no obstacle, whatever it is: %s', (name, used, unused) => {
  if (name === 'spool') writeFileSync(join(folder, name), '');
  else mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'gateway.secret-check'), 'ab'.repeat(16));
  expect(() => prepare(folder, used)).toThrow(`DATA_DIR has ${join(folder, name)}, which cannot be used`);
  expect(() => prepare(folder, unused)).not.toThrow();
});

test('the gateway.secret of an earlier build, which left no check value, is read beside GATEWAY_SECRET too', () => {
  mkdirSync(join(folder, 'gateway.secret'));
  expect(() => prepare(folder, { gatewaySecret: SECRET })).toThrow('gateway.secret, which cannot be used');
});

test.each([
  ['told', 0o555, 'this user may not write there'],
  ['journal-left', 0o000, 'this user may not read it'],
  // A command of root has written it, and this start only reads it.
  ['upstream-left', 0o644, undefined],
])('a data folder with %s of another user is refused only where this user must use it', (name, mode, reason) => {
  const path = join(folder, name);
  if (name === 'told') mkdirSync(path);
  else writeFileSync(path, '');
  chmodSync(path, mode);
  chmodSync(folder, 0o777);
  const asAnother = `const { prepareDataFolder } = require(${JSON.stringify(SOURCE)});
    process.chdir(${JSON.stringify(folder)});
    if (process.getuid() === 0) process.setuid(65534);
    try { prepareDataFolder({ dataDir: '.', journalUrl: 'lmdb:' }); } catch (error) { console.log(error.message); }`;
  expect(execFileSync(process.execPath, ['-r', RUN_TYPESCRIPT, '-e', asAnother], { encoding: 'utf8' })).toBe(
    reason === undefined ? '' : `DATA_DIR has ${name}, which cannot be used: ${reason}.\n`,
  );
});

test('a DATA_DIR whose links lead in a circle is refused with a message', () => {
  symlinkSync(join(folder, 'two'), join(folder, 'one'));
  symlinkSync(join(folder, 'one'), join(folder, 'two'));
  expect(() => prepare(join(folder, 'one'))).toThrow('its links lead in a circle');
});

// Node's mkdir with `recursive` never returns for this path.
(existsSync('/proc/self') ? test : test.skip)(
  'a DATA_DIR where the system makes no folders is refused with a message and without hanging',
  () => {
    expect(() => prepare('/proc/compat-gateway/data')).toThrow(/^DATA_DIR is .*, which cannot be used: .+\.$/);
  },
);

test('a data folder that others may enter is reported with the cure, and our files in it get narrower rights', () => {
  writeFileSync(join(folder, 'gateway.secret'), 'x');
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  mkdirSync(join(folder, 'journal'));
  chmodSync(join(folder, 'gateway.secret'), 0o640);
  chmodSync(join(folder, 'notes.txt'), 0o644);
  chmodSync(join(folder, 'journal'), 0o755);
  chmodSync(folder, 0o750);
  expect(prepare(folder)).toEqual([
    `DATA_DIR is ${folder}, which other users may enter (750): chmod 700 ${folder}`,
    `${join(folder, 'gateway.secret')} was readable by other users (640); now it is not`,
    `${join(folder, 'journal')} was readable by other users (755); now it is not`,
  ]);
  const modeOf = (name: string) => statSync(join(folder, name)).mode & 0o777;
  expect(['.', 'gateway.secret', 'journal', 'notes.txt'].map(modeOf)).toEqual([0o750, 0o600, 0o700, 0o644]);
  chmodSync(folder, 0o700);
  expect(prepare(folder)).toEqual([]);
});

test('testing whether the data folder can be written leaves no file behind', () => {
  prepare(folder);
  expect(readdirSync(folder)).toEqual([]);
});
