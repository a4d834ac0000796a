import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { RootDatabase } from 'lmdb';
import { openByteFolder } from '../../../src/journal/lmdb/environment';
import { createLastingRoot, probeFolder } from '../../../src/journal/lmdb/lasting-root';
import { newFolder } from '../../new-folder';
import { closedAfterEach } from '../../opened';

const KEY = Buffer.from('key');
const RUN_TYPESCRIPT = join(__dirname, '..', 'run-typescript.cjs');
const EXITING = join(__dirname, 'exit-while-committing.ts');
const FILLING = join(__dirname, 'fill-file.ts');

const kept = closedAfterEach();

function openLasting(dir: string) {
  let root: RootDatabase<Buffer, Buffer> = openByteFolder(dir, 2 ** 30);
  let opened = 1;
  const lasting = createLastingRoot({
    dir,
    root: () => root,
    reopen: () => {
      root = openByteFolder(dir, 2 ** 30);
      opened += 1;
    },
  });
  const put = (value: string) => lasting.commit(() => void root.put(KEY, Buffer.from(value)));
  const read = (): string | undefined => {
    root.resetReadTxn();
    return root.get(KEY)?.toString();
  };
  const fail = () =>
    lasting.commit(() => {
      throw new Error('the disk failed');
    });
  const keys = (): string[] => [...root.getKeys()].map(String);
  return kept({ lasting, put, read, keys, fail, opened: () => opened, close: () => root.close() });
}

describe('a root of LMDB that outlasts a failed write', () => {
  test('after a failure it is reopened before anything is tried, and what was on disk is there', async () => {
    const { put, read, fail, opened } = openLasting(newFolder());
    await put('one');
    await expect(fail()).rejects.toThrow('the disk failed');
    expect(opened()).toBe(1);
    expect(read()).toBe('one');
    await put('two');
    expect(opened()).toBe(2);
    expect(read()).toBe('two');
    await put('three');
    expect(opened()).toBe(2);
  });

  test('while no file can be written it stays open for reading, and gives the reason why it accepts no writes', async () => {
    const dir = newFolder();
    const { lasting, put, read, fail, opened } = openLasting(dir);
    await put('one');
    await fail().catch(() => undefined);
    renameSync(dir, `${dir}.away`);
    await expect(put('two')).rejects.toThrow('ENOENT');
    expect([opened(), lasting.isOpen(), read()]).toEqual([1, true, 'one']);
    renameSync(`${dir}.away`, dir);
    await put('three');
    expect([opened(), read()]).toEqual([2, 'three']);
  });

  test('jobs run one after another, also after one that failed', async () => {
    const { put, read, fail } = openLasting(newFolder());
    const results = await Promise.allSettled([put('one'), fail(), put('two'), put('three')]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(read()).toBe('three');
  });

  test('a file that must not grow takes no small write either, once it is full, although a plain file fits beside it', () => {
    // 1,200 blocks, of 512 bytes or of 1,024 by the shell: more than a probe, and a few hundred commits.
    const limited = `ulimit -f 1200; exec "$0" -r "$1" "$2" "$3"`;
    const args = ['-c', limited, process.execPath, RUN_TYPESCRIPT, FILLING, newFolder()];
    const { stdout } = spawnSync('sh', args, { encoding: 'utf8', timeout: 60_000 });
    expect(stdout.trim()).toMatch(/^\d{3,} 0$/);
  });

  test('after a failure nothing of the probe is left in LMDB', async () => {
    const { put, fail, keys } = openLasting(newFolder());
    await put('one');
    await fail().catch(() => undefined);
    await put('two');
    expect(keys()).toEqual(['key']);
  });

  test('the probe leaves nothing behind', async () => {
    const dir = newFolder();
    await probeFolder(dir);
    expect(existsSync(dir) && readdirSync(dir)).toEqual([]);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'a process that exits in the middle of its commits ends at once, and what was committed is there (%i)',
    async () => {
      const dir = newFolder();
      const child = spawnSync(process.execPath, ['-r', RUN_TYPESCRIPT, EXITING, dir], { encoding: 'utf8', timeout: 10_000 });
      expect([child.error, child.stderr]).toEqual([undefined, '']);
      const { put, read } = openLasting(dir);
      expect(Number(read())).toBeGreaterThanOrEqual(Number(child.stdout.trim().split('\n').at(-1)));
      await put('after');
    },
  );
});
