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
  /** Puts a new one in its place, for reading only where that is asked for. The old one is closed. */
  readonly reopen: (isReadOnly: boolean) => void;
}

export interface LastingRoot {
  /** One after another. Resolves when the work is on disk; when it throws or the disk does, nothing of it stays. */
  commit(work: () => void): Promise<void>;
  /** False while the root is closed, as in the moment that opening it anew takes: it must not be read then. */
  isOpen(): boolean;
}

export function createLastingRoot({ dir, root, reopen }: LastingRootOptions): LastingRoot {
  let last: Promise<unknown> = Promise.resolve();
  let isSpoilt = false;
  let isOpen = true;

  const replace = async (isReadOnly: boolean): Promise<void> => {
    isOpen = false;
    await root().close();
    reopen(isReadOnly);
    isOpen = true;
  };
  /** Where a first page could not be written LMDB refuses reading as well. A disk that takes nothing may still be read. */
  const keepReadable = async (): Promise<void> => {
    if (canBeRead(root())) return;
    await replace(false)
      .catch(() => replace(true))
      // Nothing is read then until `mend` gets through.
      .catch(() => undefined);
  };
  const mend = async (): Promise<void> => {
    await probeFolder(dir);
    await replace(false);
    isSpoilt = false;
  };

  const commit = async (work: () => void): Promise<void> => {
    if (isSpoilt) await mend();
    try {
      await commitWork(root(), work);
    } catch (error) {
      isSpoilt = true;
      await keepReadable();
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

function canBeRead(root: WritableRoot): boolean {
  try {
    root.resetReadTxn();
    root.getStats();
    return true;
  } catch {
    return false;
  }
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
