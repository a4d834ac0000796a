import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../src/domain/clock';
import type { LiveMapping } from '../../src/mapping/live';
import { watchMappings } from '../../src/watch/watch-mappings';
import { newFolder } from '../new-folder';

let folder: string;
let reloads: number;
let watching: ReturnType<typeof watchMappings>;
beforeEach(async () => {
  folder = newFolder();
  mkdirSync(join(folder, 'operations'));
  reloads = 0;
  const reload = (): ReturnType<LiveMapping['reload']> => ({ kind: 'unchanged', hash: String((reloads += 1)) });
  watching = watchMappings(folder, { reload } as unknown as LiveMapping, systemClock, (_what, error) => {
    throw error;
  });
  // The system reports changes a moment later.
  await sleep(200);
});
afterEach(() => watching.stop());

const untilReloaded = async (): Promise<void> => {
  while (reloads === 0) await sleep(20);
};

test('many changes in a row cause one reload, after a pause', async () => {
  // Synchronous writes, because on a busy machine a pause between them could be longer than the watcher's own.
  for (let index = 0; index < 10; index += 1) writeFileSync(join(folder, `${index}.yaml`), 'texts: {}');
  expect(reloads).toBe(0);
  await untilReloaded();
  await sleep(700);
  expect(reloads).toBe(1);
});

test('a new or removed file in a subfolder causes a reload', async () => {
  writeFileSync(join(folder, 'operations', 'x.yaml'), 'texts: {}');
  await untilReloaded();
  expect(reloads).toBe(1);
  rmSync(join(folder, 'operations', 'x.yaml'));
  reloads = 0;
  await untilReloaded();
  expect(reloads).toBe(1);
});

test('after a stop nothing is reloaded, not even a change that was seen before', async () => {
  writeFileSync(join(folder, 'x.yaml'), 'texts: {}');
  await sleep(100);
  watching.stop();
  writeFileSync(join(folder, 'y.yaml'), 'texts: {}');
  await sleep(900);
  expect(reloads).toBe(0);
});

const waitAndCount = async (): Promise<number> => {
  await untilReloaded();
  // A second folder replaces the first within a second; all later events are over by then.
  await sleep(1_800);
  const seen = reloads;
  reloads = 0;
  return seen;
};

async function watchAgain(path: string): Promise<void> {
  watching.stop();
  await sleep(50);
  reloads = 0;
  const reload = (): ReturnType<LiveMapping['reload']> => ({ kind: 'unchanged', hash: String((reloads += 1)) });
  watching = watchMappings(path, { reload } as unknown as LiveMapping, systemClock, (_what, error) => {
    throw error;
  });
  await sleep(200);
}

function makeSet(path: string): void {
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'a.yaml'), 'texts: {}');
}

const swaps: readonly (readonly [string, (path: string) => void, (path: string) => void])[] = [
  ['a folder that is renamed and replaced by another', makeSet, (path) => (renameSync(path, `${path}-old`), makeSet(path))],
  ['a folder that is removed and made again', makeSet, (path) => (rmSync(path, { recursive: true }), makeSet(path))],
  [
    'a link that is replaced in one step',
    (path) => (makeSet(`${path}-1`), makeSet(`${path}-2`), symlinkSync(`${path}-1`, path)),
    (path) => (symlinkSync(`${path}-2`, `${path}-link`), renameSync(`${path}-link`, path)),
  ],
  [
    'a link that is removed and made again',
    (path) => (makeSet(`${path}-1`), makeSet(`${path}-2`), symlinkSync(`${path}-1`, path)),
    (path) => (rmSync(path), symlinkSync(`${path}-2`, path)),
  ],
  [
    'a volume whose `..data` link is replaced',
    (path) => {
      makeSet(join(path, '..1'));
      symlinkSync('..1', join(path, '..data'));
      symlinkSync('..data/a.yaml', join(path, 'a.yaml'));
    },
    (path) => {
      makeSet(join(path, '..2'));
      symlinkSync('..2', join(path, '..data_tmp'));
      renameSync(join(path, '..data_tmp'), join(path, '..data'));
      rmSync(join(path, '..1'), { recursive: true });
    },
  ],
];

test.each(swaps)('%s causes a reload, and so do later changes in the new folder', async (_title, prepare, swap) => {
  const path = join(folder, 'set');
  prepare(path);
  await watchAgain(path);
  swap(path);
  expect(await waitAndCount()).toBeGreaterThan(0);
  writeFileSync(join(path, 'later.yaml'), 'texts: {}');
  expect(await waitAndCount()).toBeGreaterThan(0);
});

test('a missing folder causes a reload when it is created', async () => {
  const path = join(folder, 'none-yet');
  await watchAgain(path);
  makeSet(path);
  expect(await waitAndCount()).toBeGreaterThan(0);
});
