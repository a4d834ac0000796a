import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPatienceFile, readPatienceFile } from '../../src/watch/patience-file';
import { createVirtualClock } from '../domain/virtual-clock';
import { newFolder } from '../new-folder';

const ENTRY = { fingerprint: '0a'.repeat(16), kind: 'plain_php', hangUpsMs: [20_000, 20_100], limitMs: 18_000 };
let folder: string;
beforeEach(() => (folder = newFolder()));

test('several hang-ups cause one write, to a file that only its owner may read', async () => {
  const clock = createVirtualClock();
  const file = createPatienceFile(folder, clock, () => undefined);
  file.save(() => []);
  file.save(() => [ENTRY]);
  expect(readdirSync(folder)).toEqual([]);
  let now = [{ ...ENTRY, limitMs: 9_000 }];
  await clock.advance(1_000);
  expect(readPatienceFile(folder).entries).toEqual([]);
  file.save(() => now);
  now = [ENTRY];
  file.close();
  expect(readPatienceFile(folder)).toEqual({ entries: [ENTRY] });
  expect(readdirSync(folder)).toEqual(['patience.json']);
  expect(statSync(join(folder, 'patience.json')).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, 'patience.json'), 'utf8')).not.toMatch(/key|pin/i);
});

test('limits that an earlier build learnt from broken connections are dropped', () => {
  const learnt = [
    { ...ENTRY, hangUpsMs: [1_200, 1_900], limitMs: 700 },
    { ...ENTRY, kind: 'axios', hangUpsMs: [7_000, 20_000, 9_500, 12_000], limitMs: 700 },
    { ...ENTRY, kind: 'guzzle', hangUpsMs: [5_000, 5_100], limitMs: 4_500 },
  ];
  writeFileSync(join(folder, 'patience.json'), JSON.stringify({ version: 1, learnt }));
  expect(readPatienceFile(folder)).toEqual({ entries: [learnt[2]] });
});

test('limits that another gateway on the same folder has learnt are kept', () => {
  const other = { ...ENTRY, fingerprint: '0b'.repeat(16) };
  for (const entry of [other, ENTRY]) {
    const file = createPatienceFile(folder, createVirtualClock(), () => undefined);
    file.save(() => [entry]);
    file.close();
  }
  expect(readPatienceFile(folder).entries).toEqual([other, ENTRY]);
});

test.each(['{"version":1,"learnt":[{', '{"version":2,"learnt":[]}', '[]', '{"version":1,"learnt":[{"fingerprint":"x"}]}'])(
  'a damaged file (%s) counts as empty and is reported',
  (text) => {
    writeFileSync(join(folder, 'patience.json'), text);
    expect(readPatienceFile(folder)).toEqual({
      entries: [],
      problem: expect.stringContaining('patience.json cannot be read; its limits are learnt anew'),
    });
  },
);

test('a missing file counts as empty, and a file that cannot be written is reported once', () => {
  expect(readPatienceFile(folder)).toEqual({ entries: [] });
  const trouble: string[] = [];
  // The draft is written, but cannot be renamed over a folder.
  mkdirSync(join(folder, 'patience.json'));
  const file = createPatienceFile(folder, createVirtualClock(), (what) => trouble.push(what));
  for (let nth = 0; nth < 2; nth += 1) {
    file.save(() => [ENTRY]);
    file.close();
  }
  // Logged once, until the file can be written again.
  expect(trouble).toEqual(['patience_file']);
  expect(readdirSync(folder)).toEqual(['patience.json']);
});
