import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findValue, keepValue } from '../../src/mapping/kept-value';
import { newFolder } from '../new-folder';

const TEXTS = [['a.yaml', 'x: 1\n']];
const VALUE = { map: new Map([['one', [1n, undefined]]]) };

test('a kept value is found for the same texts and the same program, in any of the folders', async () => {
  const [data, program] = [newFolder(), newFolder()];
  keepValue({ program: 'p1', folders: [program] }, 'set', TEXTS, VALUE);
  expect(findValue({ program: 'p1', folders: [data, program] }, 'set', TEXTS)).toEqual(VALUE);
  expect(findValue({ program: 'p1', folders: [data] }, 'set', TEXTS)).toBeUndefined();
});

test('a kept value is not found for other texts, another program or another name', async () => {
  const folders = [newFolder()];
  keepValue({ program: 'p1', folders }, 'set', TEXTS, VALUE);
  expect(findValue({ program: 'p1', folders }, 'set', [['a.yaml', 'x: 2\n']])).toBeUndefined();
  expect(findValue({ program: 'p2', folders }, 'set', TEXTS)).toBeUndefined();
  expect(findValue({ program: 'p1', folders }, 'other', TEXTS)).toBeUndefined();
});

test('a file that was cut off or changed by one bit is not used', async () => {
  const folder = newFolder();
  const kept = { program: 'p1', folders: [folder] };
  keepValue(kept, 'set', TEXTS, VALUE);
  const path = join(folder, 'set.checked');
  const whole = readFileSync(path);
  writeFileSync(path, whole.subarray(0, -1));
  expect(findValue(kept, 'set', TEXTS)).toBeUndefined();
  const bent = Buffer.from(whole);
  bent[bent.length - 3]! ^= 1;
  writeFileSync(path, bent);
  expect(findValue(kept, 'set', TEXTS)).toBeUndefined();
  writeFileSync(path, whole);
  expect(findValue(kept, 'set', TEXTS)).toEqual(VALUE);
});

test('a folder that cannot be written, or a value that is no plain data, keeps nothing and throws nothing', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'file'), '');
  const nowhere = { program: 'p1', folders: [join(folder, 'file')] };
  keepValue(nowhere, 'set', TEXTS, VALUE);
  expect(findValue(nowhere, 'set', TEXTS)).toBeUndefined();
  const kept = { program: 'p1', folders: [folder] };
  keepValue(kept, 'set', TEXTS, { call: () => 1 });
  expect(findValue(kept, 'set', TEXTS)).toBeUndefined();
});
