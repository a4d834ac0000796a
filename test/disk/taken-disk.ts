/** A folder on a disk that can be taken away and given back under a running process. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TakenDisk {
  readonly dir: string;
  /** What the process that uses it needs in its environment. */
  readonly env: Readonly<Record<string, string>>;
  take(): void;
  giveBack(): void;
  remove(): void;
}

export type Trouble = 'full' | 'read-only' | 'broken';

const ERRNO: Readonly<Record<Trouble, number>> = {
  full: constants.errno.ENOSPC,
  'read-only': constants.errno.EROFS,
  broken: constants.errno.EIO,
};
const SOURCE = join(__dirname, 'failing-disk.c');

/**
 * A full disk is a small file system where this machine lets us mount one. The others are a preloaded library: Linux
 * remounts nothing read-only by itself while a file of it is open for writing, as it does after an error of the disk.
 */
export function openTakenDisk(trouble: Trouble): TakenDisk {
  const home = mkdtempSync(join(tmpdir(), 'taken-disk-'));
  const dir = join(home, 'disk');
  mkdirSync(dir);
  const mounted = trouble === 'full' && mount(dir);
  return mounted ? smallDisk(home, dir) : failingDisk(home, dir, ERRNO[trouble]);
}

/** Why there is no such disk on this machine; undefined when there is. */
export function noTakenDisk(): string | undefined {
  if (process.platform !== 'linux') return 'a disk is taken away on Linux only';
  try {
    execFileSync('gcc', ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'gcc is missing, which builds the library that makes writing fail';
  }
}

function smallDisk(home: string, dir: string): TakenDisk {
  const filler = join(dir, 'filler');
  return {
    dir,
    env: {},
    take() {
      try {
        writeFileSync(filler, Buffer.alloc(8 * 2 ** 20, 1));
      } catch {
        // That is what it is for.
      }
      if (statfsSync(dir).bavail > 0) throw new Error(`${dir} is not full`);
    },
    giveBack: () => rmSync(filler),
    remove() {
      execFileSync('umount', ['--lazy', dir]);
      rmSync(home, { recursive: true });
    },
  };
}

function mount(dir: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'none', dir], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function failingDisk(home: string, dir: string, errno: number): TakenDisk {
  const library = join(home, 'failing-disk.so');
  const errnoFile = join(home, 'errno');
  execFileSync('gcc', ['-shared', '-fPIC', '-o', library, SOURCE, '-ldl']);
  return {
    dir,
    env: { LD_PRELOAD: library, FAILING_DISK_DIR: dir, FAILING_DISK_ERRNO: errnoFile },
    take: () => writeFileSync(errnoFile, String(errno)),
    giveBack: () => rmSync(errnoFile),
    remove: () => {
      if (existsSync(home)) rmSync(home, { recursive: true });
    },
  };
}
