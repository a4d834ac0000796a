import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../src/domain/clock';
import type { LiveMapping } from '../src/mapping/live';
import { watchMappings } from '../src/watch-mappings';
import { makeFolder, removeFolders } from './journal/temporary-folder';

let folder: string;
let reloads: number;
let watching: ReturnType<typeof watchMappings>;
beforeEach(async () => {
  folder = await makeFolder();
  mkdirSync(join(folder, 'operations'));
  reloads = 0;
  const reload = (): ReturnType<LiveMapping['reload']> => ({ kind: 'unchanged', hash: String((reloads += 1)) });
  watching = watchMappings(folder, { reload } as unknown as LiveMapping, systemClock, (_what, error) => {
    throw error;
  });
  // The system takes a moment until it tells of changes.
  await sleep(200);
});
afterEach(() => watching.stop());
afterAll(removeFolders);

const untilReloaded = async (): Promise<void> => {
  while (reloads === 0) await sleep(20);
};

test('many changes in a row are one reload, once they have paused', async () => {
  // Without a pause in between that a busy machine could make longer than the watcher's own.
  for (let index = 0; index < 10; index += 1) writeFileSync(join(folder, `${index}.yaml`), 'texts: {}');
  expect(reloads).toBe(0);
  await untilReloaded();
  await sleep(700);
  expect(reloads).toBe(1);
});

test('a file in a folder below counts, and one that goes', async () => {
  writeFileSync(join(folder, 'operations', 'x.yaml'), 'texts: {}');
  await untilReloaded();
  expect(reloads).toBe(1);
  rmSync(join(folder, 'operations', 'x.yaml'));
  reloads = 0;
  await untilReloaded();
  expect(reloads).toBe(1);
});

test('after a stop nothing reloads, not even what was about to', async () => {
  writeFileSync(join(folder, 'x.yaml'), 'texts: {}');
  await sleep(100);
  watching.stop();
  writeFileSync(join(folder, 'y.yaml'), 'texts: {}');
  await sleep(900);
  expect(reloads).toBe(0);
});
