import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keptValues } from '../../src/start/one-file';
import { newFolder } from '../new-folder';

test('a program of many files keeps nothing: no hash of one file would tell that another has changed', () => {
  expect(keptValues('/data')).toBeUndefined();
});

test('a program of one file keeps in the data folder, and finds beside itself what its build has kept', async () => {
  const folder = join(newFolder(), 'one-file');
  mkdirSync(folder);
  writeFileSync(join(folder, 'serve.js'), 'the program');
  expect(keptValues('/data', join(folder, 'serve.js'))).toEqual({
    program: expect.stringMatching(/^[0-9a-f]{64}$/),
    folders: ['/data', folder],
  });
  expect(keptValues(undefined, join(folder, 'serve.js'))).toMatchObject({ folders: [folder] });
});
