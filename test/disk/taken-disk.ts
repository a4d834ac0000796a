/** A disk that can be taken away from a running process and given back. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { newFolder } from '../new-folder';

export interface TakenDisk {
  readonly dir: string;
  /** The environment that the process needs. */
  readonly env: Readonly<Record<string, string>>;
  /** In the way that it was opened for, or in another one. */
  take(trouble?: Trouble): void;
  giveBack(): void;
  remove(): void;
}

/** For the preloaded library: an errno, the position below which alone writes fail, and whether opening fails too. */
const FAILURES = {
  full: `${constants.errno.ENOSPC}`,
  'read-only': `${constants.errno.EROFS}`,
  broken: `${constants.errno.EIO}`,
  // LMDB's first pages cannot be written, while everything else can.
  spoilt: `${constants.errno.EIO} 8192`,
  // LMDB cannot be reopened either, so that the journal cannot be read.
  shut: `${constants.errno.EIO} 8192 1`,
} as const;
export type Trouble = keyof typeof FAILURES;
/** The troubles of a whole disk. */
export const TROUBLES = ['full', 'read-only', 'broken'] as const satisfies readonly Trouble[];

const SOURCE = join(__dirname, 'failing-disk.c');

/** The reason why this machine cannot play such a disk; undefined when it can. */
export function noTakenDisk(): string | undefined {
  if (process.platform !== 'linux') return 'a disk is taken away on Linux only';
  return succeeds('gcc', '--version') ? undefined : 'gcc is missing, which builds the library that makes writing fail';
}

/**
 * A full disk is a small file system where this machine lets the test mount one. The other troubles come from a preloaded
 * library: Linux does not make a file system read-only by itself while a file of it is open for writing, as it does after an
 * error of the disk.
 */
export function openTakenDisk(usual: Trouble, sizeMb = 4): TakenDisk {
  const home = newFolder();
  const [dir, library, errnoFile] = [join(home, 'disk'), join(home, 'failing-disk.so'), join(home, 'errno')];
  mkdirSync(dir);
  execFileSync('gcc', ['-shared', '-fPIC', '-o', library, SOURCE, '-ldl']);
  const isMounted = succeeds('mount', '-t', 'tmpfs', '-o', `size=${sizeMb}m`, 'none', dir);
  const filler = join(dir, 'filler');
  return {
    dir,
    env: { LD_PRELOAD: library, FAILING_DISK_DIR: dir, FAILING_DISK_ERRNO: errnoFile },
    take(trouble = usual) {
      if (trouble === 'full' && isMounted) fill(dir, filler, 2 * sizeMb);
      else writeFileSync(errnoFile, FAILURES[trouble]);
    },
    giveBack() {
      for (const file of [filler, errnoFile]) rmSync(file, { force: true });
    },
    remove() {
      if (isMounted) execFileSync('umount', ['--lazy', dir]);
    },
  };
}

function fill(dir: string, filler: string, sizeMb: number): void {
  try {
    writeFileSync(filler, Buffer.alloc(sizeMb * 2 ** 20, 1));
  } catch {
    // That is what it is for.
  }
  if (statfsSync(dir).bavail > 0) throw new Error(`${dir} is not full`);
}

function succeeds(command: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
