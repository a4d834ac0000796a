import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openLiveMapping, type LiveMapping } from '../../src/mapping/live';

const SHIPPED = resolve(__dirname, '..', '..', 'mappings');

let home: string;
let folder: string;
let lastGoodFile: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'compat-gateway-live-'));
  folder = join(home, 'mappings');
  lastGoodFile = join(home, 'data', 'mappings.last-good.json');
  cpSync(SHIPPED, folder, { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function open(): LiveMapping {
  const opened = openLiveMapping({ folder, lastGoodFile });
  if ('problems' in opened) throw new Error(JSON.stringify(opened.problems));
  return opened.live;
}

function edit(name: string, change: (text: string) => string): void {
  const file = join(folder, name);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

const addSpelling = (text: string): string => text.replace('from: [amount]', 'from: [amount, howmuch]');
const breakIt = (text: string): string => text.replace('as: naira', 'as: niara');

test('a sound edit is taken into use, and its hash is another', () => {
  const live = open();
  const before = live.current();
  edit('operations/airtime.yaml', addSpelling);
  const reloaded = live.reload();
  expect(reloaded.kind).toBe('reloaded');
  expect(live.current().hash).not.toBe(before.hash);
  expect(live.current().operations.get('buy_airtime')!.known.has('howmuch')).toBe(true);
  // Whoever began with the old one still has it.
  expect(before.operations.get('buy_airtime')!.known.has('howmuch')).toBe(false);
});

test('a broken edit is refused with its place, and the running set stays', () => {
  const live = open();
  const before = live.current();
  edit('operations/airtime.yaml', breakIt);
  const refused = live.reload();
  expect(refused).toMatchObject({ kind: 'refused', hash: before.hash });
  expect(live.current()).toBe(before);
  expect(live.problems()[0]).toMatchObject({ file: expect.stringContaining('airtime.yaml'), line: expect.any(Number) });
  edit('operations/airtime.yaml', (text) => text.replace('as: niara', 'as: naira'));
  expect(live.reload().kind).toBe('unchanged');
  expect(live.problems()).toEqual([]);
});

test('a restart with a broken folder serves the last good set', () => {
  const first = open();
  edit('operations/airtime.yaml', addSpelling);
  first.reload();
  edit('operations/airtime.yaml', breakIt);
  const second = open();
  expect(second.current().hash).toBe(first.current().hash);
  expect(second.problems().length).toBeGreaterThan(0);
});

test('a broken folder without a last good set gives its problems', () => {
  edit('operations/airtime.yaml', breakIt);
  const opened = openLiveMapping({ folder, lastGoodFile });
  expect(opened).toMatchObject({ problems: [expect.objectContaining({ file: expect.stringContaining('airtime.yaml') })] });
});

test('a set that was edited since it was looked at is not taken', () => {
  const live = open();
  edit('operations/airtime.yaml', addSpelling);
  const planned = openLiveMapping({ folder, lastGoodFile: join(home, 'other.json') });
  if ('problems' in planned) throw new Error('the edit is sound');
  edit('operations/airtime.yaml', (text) => text.replace('howmuch', 'how_much'));
  expect(live.reload(planned.live.current().hash)).toMatchObject({ kind: 'edited_meanwhile' });
  expect(live.current().operations.get('buy_airtime')!.known.has('how_much')).toBe(false);
});

test('the same files have the same hash wherever their folder stands', () => {
  const elsewhere = join(home, 'elsewhere');
  cpSync(folder, elsewhere, { recursive: true });
  const opened = openLiveMapping({ folder: elsewhere, lastGoodFile: join(home, 'other.json') });
  if ('problems' in opened) throw new Error('the shipped set is sound');
  expect(opened.live.current().hash).toBe(open().current().hash);
});

test('a last good file that was cut off counts as none', () => {
  open();
  writeFileSync(lastGoodFile, readFileSync(lastGoodFile, 'utf8').slice(0, 500));
  edit('operations/airtime.yaml', breakIt);
  expect(openLiveMapping({ folder, lastGoodFile })).toHaveProperty('problems');
});
