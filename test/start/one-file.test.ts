import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keptValues } from '../../src/start/one-file';
import { newFolder } from '../new-folder';

test('a program of many files has no kept values, because the hash of one file shows no change of another', () => {
  expect(keptValues('/data')).toBeUndefined();
});

test('a program of one file keeps values in the data folder, and reads those that its build kept beside it', async () => {
  const folder = join(newFolder(), 'one-file');
  mkdirSync(folder);
  writeFileSync(join(folder, 'serve.js'), 'the program');
  expect(keptValues('/data', join(folder, 'serve.js'))).toEqual({
    program: expect.stringMatching(/^[0-9a-f]{64}$/),
    folders: ['/data', folder],
  });
  expect(keptValues(undefined, join(folder, 'serve.js'))).toMatchObject({ folders: [folder] });
});
