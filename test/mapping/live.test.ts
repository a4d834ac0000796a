import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLiveMapping, type LiveMapping } from '../../src/mapping/live';
import { hashOf, readFolder, type MappingFileText } from '../../src/mapping/load';
import { openSetHistory } from '../../src/mapping/set-history';
import { newFolder } from '../new-folder';
import { copyMappings, MAPPINGS, shippedFiles } from './mapping-set';
import { turnsDuring } from '../until';

let home: string;
let folder: string;
let dataDir: string;
beforeEach(() => {
  home = newFolder();
  folder = join(home, 'mappings');
  dataDir = join(home, 'data');
  copyMappings(folder);
});

function open(): LiveMapping {
  const live = openOnly();
  live.begin();
  return live;
}

/** Opens the set without `begin`, like a start that fails before it serves. */
function openOnly(kept = dataDir): LiveMapping {
  const opened = openLiveMapping({ folder, history: openSetHistory(kept) });
  if ('problems' in opened) throw new Error(JSON.stringify(opened.problems));
  return opened.live;
}

function edit(name: string, change: (text: string) => string): void {
  const file = join(folder, name);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

const AIRTIME = 'operations/airtime.yaml';
const airtime = (): string => readFileSync(join(folder, AIRTIME), 'utf8');
const addSpelling = (text: string): string => text.replace('from: [amount]', 'from: [amount, howmuch]');
const breakIt = (text: string): string => text.replace('as: naira', 'as: niara');

test('a valid edit is taken into use and changes the hash', async () => {
  const live = open();
  const before = live.current();
  edit(AIRTIME, addSpelling);
  const reloaded = await live.reload();
  expect(reloaded.kind).toBe('reloaded');
  expect(live.current().hash).not.toBe(before.hash);
  expect(live.current().operations.get('buy_airtime')!.known.has('howmuch')).toBe(true);
  // A request that began with the old set still has it.
  expect(before.operations.get('buy_airtime')!.known.has('howmuch')).toBe(false);
});

test('a broken edit is refused with its place, and the running set stays', async () => {
  const live = open();
  const before = live.current();
  edit(AIRTIME, breakIt);
  const refused = await live.reload();
  expect(refused).toMatchObject({ kind: 'refused', hash: before.hash });
  expect(live.current()).toBe(before);
  expect(live.problems()[0]).toMatchObject({ file: expect.stringContaining('airtime.yaml'), line: expect.any(Number) });
  edit(AIRTIME, (text) => text.replace('as: niara', 'as: naira'));
  expect((await live.reload()).kind).toBe('unchanged');
  expect(live.problems()).toEqual([]);
});

test('a set with a byte-order mark, as editors on Windows write it, is kept, replaced, and served by a restart with a broken folder', async () => {
  edit('ids.yaml', (text) => `\uFEFF${text}`);
  const live = open();
  const { hash } = live.current();
  expect(live.history.setOf(hash)?.mapping?.hash).toBe(hash);
  const wanted = candidate(addSpelling, live.files());
  expect(await live.apply(wanted.files, wanted.hash, hash)).toEqual({ kind: 'reloaded', hash: wanted.hash });
  edit(AIRTIME, breakIt);
  const restarted = open();
  expect(restarted.current().hash).toBe(wanted.hash);
  expect(restarted.problems().length).toBeGreaterThan(0);
});

test('a set that was opened and never served does not count as used', () => {
  const first = open();
  edit(AIRTIME, addSpelling);
  const failed = openOnly();
  expect(failed.current().hash).not.toBe(first.current().hash);
  expect(first.history.list()).toMatchObject([{ hash: first.current().hash, by: 'start' }]);
  edit(AIRTIME, breakIt);
  expect(open().current().hash).toBe(first.current().hash);
});

test('a set that was replaced before the first request is not in the history', async () => {
  const live = openOnly();
  edit(AIRTIME, addSpelling);
  await live.reload({ cause: { by: 'watch' } });
  live.begin();
  live.begin();
  expect(live.history.list()).toMatchObject([{ hash: live.current().hash, by: 'watch' }]);
  expect(live.history.list()).toHaveLength(1);
});

test('a broken folder without a last good set gives its problems', () => {
  edit(AIRTIME, breakIt);
  const opened = openLiveMapping({ folder, history: openSetHistory(dataDir) });
  expect(opened).toMatchObject({ problems: [expect.objectContaining({ file: expect.stringContaining('airtime.yaml') })] });
});

test('a set that was edited since the plan is refused', async () => {
  const live = open();
  edit(AIRTIME, addSpelling);
  const planned = openOnly(join(home, 'other')).current();
  edit(AIRTIME, (text) => text.replace('howmuch', 'how_much'));
  expect(await live.reload({ expectedHash: planned.hash })).toMatchObject({ kind: 'edited_meanwhile' });
  expect(live.current().operations.get('buy_airtime')!.known.has('how_much')).toBe(false);
});

test('a last good set that was cut off is not used', () => {
  const { hash } = open().current();
  const kept = join(dataDir, 'mapping-history', `${hash}.json`);
  writeFileSync(kept, readFileSync(kept, 'utf8').slice(0, 500));
  edit(AIRTIME, breakIt);
  expect(openLiveMapping({ folder, history: openSetHistory(dataDir) })).toHaveProperty('problems');
});

interface Candidate {
  readonly files: { readonly name: string; readonly text: string }[];
  readonly hash: string;
}

/** These files with one changed, and their hash: what an operator has planned in another folder. */
function candidate(change: (text: string) => string, of: readonly MappingFileText[] = shippedFiles()): Candidate {
  const files = of.map(({ file, name = file, text }) => ({ name, text: name === AIRTIME ? change(text) : text }));
  return { files, hash: hashOf(files.map((one) => ({ ...one, file: one.name }))) };
}

test('an applied set is written to the folder and taken into use', async () => {
  const live = open();
  const { files, hash } = candidate(addSpelling);
  expect(await live.apply(files, hash, live.current().hash)).toEqual({ kind: 'reloaded', hash });
  expect(live.current().hash).toBe(hash);
  expect(airtime()).toContain('howmuch');
  expect(open().current().hash).toBe(hash);
  // The next reload by a watcher or a signal finds nothing new.
  expect(await live.reload()).toEqual({ kind: 'unchanged', hash });
});

test('of two operators with plans for the same running set exactly one succeeds', async () => {
  const live = open();
  const before = live.current().hash;
  const [one, other] = [candidate(addSpelling), candidate((text) => text.replace('from: [amount]', 'from: [amount, sum]'))];
  // The second is asked for while the first is checked.
  const both = [live.apply(one.files, one.hash, before), live.apply(other.files, other.hash, before)];
  expect((await Promise.all(both)).map(({ kind }) => kind)).toEqual(['reloaded', 'running_changed']);
  expect(await live.reload({ expectedHash: one.hash, runningHash: before })).toEqual({ kind: 'running_changed', hash: one.hash });
  expect(live.current().hash).toBe(one.hash);
  expect(airtime()).not.toContain('sum');
});

test('a set that differs from the plan or has errors is refused, and no file is changed', async () => {
  const live = open();
  const before = live.current().hash;
  const { files, hash } = candidate(addSpelling);
  expect(await live.apply(files, before, before)).toEqual({ kind: 'edited_meanwhile', hash: before, found: hash });
  const broken = files.map((file) => (file.name.endsWith('airtime.yaml') ? { ...file, text: breakIt(file.text) } : file));
  expect(await live.apply(broken, hash, before)).toMatchObject({ kind: 'refused', problems: [expect.any(Object)] });
  expect((await live.reload()).kind).toBe('unchanged');
});

test('an apply overwrites the edits in the folder that the plan included, and no later edits', async () => {
  const live = open();
  const before = live.current().hash;
  edit(AIRTIME, breakIt);
  expect((await live.reload()).kind).toBe('refused');
  const read = readFolder(folder);
  const folderHash = 'files' in read ? hashOf(read.files) : undefined;
  const running = live.files().map(({ name, text }) => ({ name: name!, text }));
  edit(AIRTIME, (text) => `${text}# a later edit\n`);
  expect(await live.apply(running, before, before, { by: 'apply', folderHash })).toMatchObject({ kind: 'edited_meanwhile' });
  expect(airtime()).toContain('# a later edit');
  edit(AIRTIME, (text) => text.replace('# a later edit\n', ''));
  // The folder is restored to the set in use.
  expect(await live.apply(running, before, before, { by: 'apply', folderHash })).toEqual({ kind: 'unchanged', hash: before });
  expect(live.problems()).toEqual([]);
  expect(airtime()).toBe(readFileSync(join(MAPPINGS, AIRTIME), 'utf8'));
});

test('a start after a kill in the middle of a change completes the change', async () => {
  open();
  const { files, hash } = candidate(addSpelling);
  writeFileSync(join(folder, '.mappings-being-applied.json'), JSON.stringify({ files }));
  rmSync(join(folder, 'operations', 'data.yaml'));
  const live = open();
  expect(live.current().hash).toBe(hash);
  expect(airtime()).toContain('howmuch');
  expect(await live.reload()).toEqual({ kind: 'unchanged', hash });
});

test('a set that cannot be kept in the history is refused, without an exception', async () => {
  const live = open();
  const before = live.current().hash;
  const { files, hash } = candidate(addSpelling);
  // A full or removed disk under the data folder.
  rmSync(dataDir, { recursive: true });
  writeFileSync(dataDir, 'no folder any more');
  const refused = {
    kind: 'unwritable',
    hash: before,
    folder: join(dataDir, 'mapping-history'),
    detail: expect.any(String) as string,
  };
  expect(await live.apply(files, hash, before)).toEqual(refused);
  expect(airtime()).not.toContain('howmuch');
  edit(AIRTIME, addSpelling);
  expect(await live.reload()).toEqual(refused);
  expect(live.current().hash).toBe(before);
  rmSync(dataDir);
  expect(await live.reload()).toEqual({ kind: 'reloaded', hash });
  expect(open().current().hash).toBe(hash);
});

test('a mappings folder that cannot be written refuses the set, and leaves the history unchanged without a draft', async () => {
  const live = open();
  const before = live.current().hash;
  const kept = readdirSync(live.history.folder);
  const uses = live.history.list();
  const { files, hash } = candidate(addSpelling);
  // The draft's name is already taken.
  mkdirSync(join(folder, `.mappings-being-applied.json.${process.pid}`));
  expect(await live.apply(files, hash, before)).toMatchObject({ kind: 'unwritable', hash: before, folder });
  expect(live.current().hash).toBe(before);
  expect(live.history.list()).toEqual(uses);
  expect(readdirSync(live.history.folder)).toEqual(kept);
});

test.each([
  ['gone', () => undefined],
  ['empty', () => mkdirSync(folder)],
])('an applied set is written to a mappings folder that is %s', async (_what, make) => {
  const live = open();
  const before = live.current().hash;
  rmSync(folder, { recursive: true });
  make();
  const { files, hash } = candidate(addSpelling);
  expect(await live.apply(files, hash, before)).toEqual({ kind: 'reloaded', hash });
  expect(await live.reload()).toEqual({ kind: 'unchanged', hash });
});

test('a mappings folder with a file that cannot be read refuses the set with the name of that file', async () => {
  const live = open();
  const before = live.current().hash;
  symlinkSync('nowhere', join(folder, 'x.yaml'));
  const { files, hash } = candidate(addSpelling);
  const problems = [expect.objectContaining({ file: expect.stringMatching(/x\.yaml$/), code: 'unreadable-file' })];
  expect(await live.apply(files, hash, before)).toEqual({ kind: 'folder_unreadable', hash: before, problems });
  expect(airtime()).not.toContain('howmuch');
});

test('a set is taken into use although the list of uses cannot be written', async () => {
  const live = open();
  const before = live.current().hash;
  edit(AIRTIME, addSpelling);
  const uses = join(live.history.folder, 'uses.json');
  rmSync(uses);
  mkdirSync(uses);
  expect(await live.reload()).toMatchObject({ kind: 'reloaded' });
  const { hash } = live.current();
  expect(hash).not.toBe(before);
  // An order that names the set can still be read by it.
  expect(readdirSync(live.history.folder).sort()).toEqual([`${before}.json`, `${hash}.json`, 'uses.json'].sort());
});

test('the history lists every set that came into use with its cause and author', async () => {
  const live = open();
  const before = live.current().hash;
  const { files, hash } = candidate(addSpelling);
  await live.apply(files, hash, before, { by: 'apply', plan: '0123456789abcdef', who: 'ada' });
  edit(AIRTIME, breakIt);
  await live.reload({ cause: { by: 'watch' } });
  edit(AIRTIME, (text) => text.replace('as: niara', 'as: naira').replace('howmuch', 'how_much'));
  await live.reload({ cause: { by: 'signal' } });
  await live.reload({ cause: { by: 'watch' } });
  const last = live.current().hash;
  open();
  const changed = [AIRTIME];
  expect(live.history.list()).toMatchObject([
    { hash: last, by: 'signal', changed, restarts: { count: 1 } },
    { hash, by: 'apply', plan: '0123456789abcdef', who: 'ada', changed },
    { hash: before, by: 'start', changed: expect.arrayContaining(['callers.yaml', 'format-a.yaml']) as string[] },
  ]);
});

test('while a large set is checked the event loop goes on, and a set that is in use already is not checked again', async () => {
  const live = open();
  for (let nth = 0; nth < 20; nth += 1)
    writeFileSync(
      join(folder, 'families', `${nth}.yaml`),
      `families: { shop-${nth}: { title: Shop, scripts: Its own., extends: b, reply: { always: { shop: ${nth} } } } }`,
    );
  const reload = live.reload();
  expect(await turnsDuring(reload)).toBeGreaterThan(20);
  expect(await reload).toMatchObject({ kind: 'reloaded' });
  expect(await turnsDuring(live.reload())).toBeLessThan(5);
});

test('a reload that is asked for while another one checks takes what the folder holds then', async () => {
  const live = open();
  edit(AIRTIME, addSpelling);
  const first = live.reload({ cause: { by: 'signal' } });
  await new Promise((resolve) => setImmediate(resolve));
  edit(AIRTIME, (text) => text.replace('howmuch', 'how_much'));
  const second = live.reload({ cause: { by: 'watch' } });
  const [one, other] = [await first, await second];
  expect([one.kind, other.kind]).toEqual(['reloaded', 'reloaded']);
  expect(live.history.list()).toMatchObject([
    { hash: other.hash, by: 'watch' },
    { hash: one.hash, by: 'signal' },
    { by: 'start' },
  ]);
  expect(live.current().operations.get('buy_airtime')!.known.has('how_much')).toBe(true);
});

test('an apply does not overwrite an edit that is made while its set is checked', async () => {
  const live = open();
  const before = live.current().hash;
  const { files, hash } = candidate(addSpelling);
  const applied = live.apply(files, hash, before);
  await new Promise((resolve) => setImmediate(resolve));
  edit(AIRTIME, (text) => text.replace('from: [amount]', 'from: [amount, mine]'));
  expect(await applied).toMatchObject({ kind: 'edited_meanwhile', hash: before });
  expect(airtime()).toContain('mine');
});
