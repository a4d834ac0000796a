/**
 * A root of LMDB that outlasts a disk which took no write. After a failed commit LMDB may refuse all others until it is opened
 * anew, and some of them are then never answered; so nothing is tried on it before the disk has taken a plain file again.
 * (Decision 0038.)
 */
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** More than a few hundred orders need: where just a little room is left it comes and goes. */
const PROBE_BYTES = 256 * 1024;

/** What writing needs of a root of LMDB, whatever it holds. */
interface WritableRoot {
  childTransaction(work: () => void): Promise<unknown>;
  close(): Promise<void>;
  resetReadTxn(): void;
  getStats(): object;
}

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

/** Commits of this process that are on their way to the disk. */
let commitsUnderWay = 0;

// In the middle of a commit LMDB's thread waits for this one, and `process.exit` waits for LMDB's thread: both for ever, with the write lock in
// hand, so that no other process could write. What is not on disk has been promised to nobody.
process.on('exit', () => {
  if (commitsUnderWay > 0) process.kill(process.pid, 'SIGKILL');
});

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
    commitsUnderWay += 1;
    try {
      await commitWork(root(), work);
    } catch (error) {
      isSpoilt = true;
      await keepReadable();
      throw error;
    } finally {
      commitsUnderWay -= 1;
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

/** A child transaction, so that of work that throws nothing stays. Resolves when it is on disk (see decision 0010). */
async function commitWork(root: WritableRoot, work: () => void): Promise<void> {
  try {
    await root.childTransaction(work);
  } catch (error) {
    // lmdb tells the reason of a failed commit by a second promise, which nobody else awaits: it would end the process.
    const { commitError } = error as { readonly commitError?: Promise<never> };
    throw await Promise.resolve(commitError).then(
      () => error,
      (reason: unknown) => reason,
    );
  }
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
