import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../src/domain/clock';
import type { LiveMapping } from '../../src/mapping/live';
import { watchMappings } from '../../src/watch/watch-mappings';
import { newFolder } from '../new-folder';

interface Watched {
  readonly folder: string;
  reloads: number;
  stop(): void;
}

function watch(folder: string): Watched {
  const watched = { folder, reloads: 0 };
  const reload = (): ReturnType<LiveMapping['reload']> =>
    Promise.resolve({ kind: 'unchanged', hash: String((watched.reloads += 1)) });
  const watching = watchMappings(folder, { reload } as unknown as LiveMapping, systemClock, (_what, error) => {
    throw error;
  });
  return Object.assign(watched, watching);
}

/** Side by side: each test waits, and has a folder of its own that is prepared and then watched. */
function testWatch(title: string, prepare: (path: string) => void, play: (watched: Watched) => Promise<void>): void {
  test.concurrent(title, async () => {
    const path = join(newFolder(), 'set');
    prepare(path);
    const watched = watch(path);
    // The system reports changes a moment later.
    await sleep(200);
    await play(watched).finally(() => watched.stop());
  });
}

const untilReloaded = async (watched: Watched): Promise<void> => {
  while (watched.reloads === 0) await sleep(20);
};
const withSubfolder = (path: string): void => void mkdirSync(join(path, 'operations'), { recursive: true });

testWatch('many changes in a row cause one reload, after a pause', withSubfolder, async (watched) => {
  // Synchronous writes, because on a busy machine a pause between them could be longer than the watcher's own.
  for (let index = 0; index < 10; index += 1) writeFileSync(join(watched.folder, `${index}.yaml`), 'texts: {}');
  expect(watched.reloads).toBe(0);
  await untilReloaded(watched);
  await sleep(700);
  expect(watched.reloads).toBe(1);
});

testWatch('a new or removed file in a subfolder causes a reload', withSubfolder, async (watched) => {
  writeFileSync(join(watched.folder, 'operations', 'x.yaml'), 'texts: {}');
  await untilReloaded(watched);
  expect(watched.reloads).toBe(1);
  rmSync(join(watched.folder, 'operations', 'x.yaml'));
  watched.reloads = 0;
  await untilReloaded(watched);
  expect(watched.reloads).toBe(1);
});

testWatch('after a stop nothing is reloaded, not even a change that was seen before', withSubfolder, async (watched) => {
  writeFileSync(join(watched.folder, 'x.yaml'), 'texts: {}');
  await sleep(100);
  watched.stop();
  writeFileSync(join(watched.folder, 'y.yaml'), 'texts: {}');
  await sleep(900);
  expect(watched.reloads).toBe(0);
});

const waitAndCount = async (watched: Watched): Promise<number> => {
  await untilReloaded(watched);
  // A second folder replaces the first within a second; all later events are over by then.
  await sleep(1_800);
  const seen = watched.reloads;
  watched.reloads = 0;
  return seen;
};

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

for (const [title, prepare, swap] of swaps)
  testWatch(`${title} causes a reload, and so do later changes in the new folder`, prepare, async (watched) => {
    swap(watched.folder);
    expect(await waitAndCount(watched)).toBeGreaterThan(0);
    writeFileSync(join(watched.folder, 'later.yaml'), 'texts: {}');
    expect(await waitAndCount(watched)).toBeGreaterThan(0);
  });

testWatch(
  'a missing folder causes a reload when it is created',
  () => undefined,
  async (watched) => {
    makeSet(watched.folder);
    expect(await waitAndCount(watched)).toBeGreaterThan(0);
  },
);
