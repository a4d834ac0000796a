/**
 * A root of LMDB that outlasts a disk which took no write. After a failed commit LMDB may refuse all others until it is opened
 * anew, and some of them are then never answered; so nothing is tried on it before the disk has taken a plain file again.
 * (Decision 0038.)
 */
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { commitWork, type WritableRoot } from './commit-work';

/** More than a few hundred orders need: where just a little room is left it comes and goes. */
const PROBE_BYTES = 256 * 1024;

export interface LastingRootOptions {
  readonly dir: string;
  /** The root in use. */
  readonly root: () => WritableRoot;
  /** Puts a new one in its place. The old one is closed. */
  readonly reopen: () => void;
}

export interface LastingRoot {
  /** One after another. Resolves when the work is on disk; when it throws or the disk does, nothing of it stays. */
  commit(work: () => void): Promise<void>;
  /** False while the root is closed, for the moment that opening it anew takes: it must not be read then. */
  isOpen(): boolean;
}

export function createLastingRoot({ dir, root, reopen }: LastingRootOptions): LastingRoot {
  let last: Promise<unknown> = Promise.resolve();
  let isSpoilt = false;
  let isOpen = true;

  const mend = async (): Promise<void> => {
    await probeFolder(dir);
    isOpen = false;
    await root().close();
    reopen();
    isOpen = true;
    isSpoilt = false;
  };

  const commit = async (work: () => void): Promise<void> => {
    if (isSpoilt) await mend();
    try {
      await commitWork(root(), work);
    } catch (error) {
      isSpoilt = true;
      throw error;
    }
  };

  return {
    commit(work) {
      const mine = last.then(() => commit(work));
      last = mine.catch(() => undefined);
      return mine;
    },
    isOpen: () => isOpen,
  };
}

/** Rejects with the reason of the system when files cannot be written here. */
export async function probeFolder(dir: string): Promise<void> {
  const path = join(dir, `probe.${process.pid}`);
  try {
    const file = await open(path, 'w', 0o600);
    try {
      await file.writeFile(Buffer.alloc(PROBE_BYTES, 1));
      await file.sync();
    } finally {
      await file.close();
    }
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}
