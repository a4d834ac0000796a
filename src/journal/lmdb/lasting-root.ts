/**
 * A root of LMDB that recovers after failed writes. After a failed commit LMDB may refuse all further ones until it is opened
 * again, and some of them never resolve. So the next commit first writes a plain file to the disk, opens LMDB again when that
 * succeeds, and writes as much into LMDB. (Decision 0038.)
 */
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asBinary } from 'lmdb';
import { oneByOne } from '../../domain/steps';

/** More than a few hundred orders need, because a small rest of free disk space comes and goes. */
const PROBE = Buffer.alloc(256 * 1024, 1);
const PROBE_KEY = Buffer.from('probe');

/** The methods of an LMDB root that this file uses. */
interface WritableRoot {
  childTransaction(work: () => void): Promise<unknown>;
  put(key: unknown, value: unknown): Promise<boolean>;
  remove(key: unknown): Promise<boolean>;
  close(): Promise<void>;
  resetReadTxn(): void;
  getStats(): object;
}

interface LastingRootOptions {
  readonly dir: string;
  /** The root in use. */
  readonly root: () => WritableRoot;
  /** Replaces the root by a new one; the old one is closed already. */
  readonly reopen: (isReadOnly: boolean) => void;
}

export interface LastingRoot {
  /** Runs commits one after another. Resolves when the work is on disk; when the work or the disk fails, all of the work is undone. */
  commit(work: () => void): Promise<void>;
  /** False while the root is closed, also during its reopening: it must not be read then. */
  isOpen(): boolean;
}

/** The number of this process's commits that are being written. */
let commitsUnderWay = 0;

// During a commit LMDB's thread waits for this thread, and `process.exit` waits for LMDB's thread. Both would wait for ever and hold the write
// lock, so that no other process could write. Killing the process loses no confirmed order: an order is confirmed when it is on disk.
process.on('exit', () => {
  if (commitsUnderWay > 0) process.kill(process.pid, 'SIGKILL');
});

export function createLastingRoot({ dir, root, reopen }: LastingRootOptions): LastingRoot {
  const inTurn = oneByOne();
  let isSpoilt = false;
  let isOpen = true;

  const replace = async (isReadOnly: boolean): Promise<void> => {
    isOpen = false;
    await root().close();
    reopen(isReadOnly);
    isOpen = true;
  };
  /** Makes the root readable again: if a first page could not be written, LMDB refuses reads too, although the disk may still be readable. */
  const keepReadable = async (): Promise<void> => {
    if (canBeRead(root())) return;
    await replace(false)
      .catch(() => replace(true))
      // When both fail, nothing can be read until it is opened again before a commit.
      .catch(() => undefined);
  };

  const commit = async (work: () => void): Promise<void> => {
    if (isSpoilt) {
      await probeFolder(dir);
      await replace(false);
    }
    commitsUnderWay += 1;
    try {
      if (isSpoilt) await probeRoot(root());
      isSpoilt = false;
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
    commit: (work) => inTurn(() => commit(work)),
    isOpen: () => isOpen,
  };
}

/** Runs the work in a child transaction, so that all of it is undone when it throws. Resolves when it is on disk (see decision 0010). */
async function commitWork(root: WritableRoot, work: () => void): Promise<void> {
  try {
    await root.childTransaction(work);
  } catch (error) {
    // lmdb gives the reason of a failed commit by a second promise. It is awaited here: unhandled, its rejection would end the process.
    const { commitError } = error as { readonly commitError?: Promise<never> };
    throw await Promise.resolve(commitError).then(
      () => error,
      (reason: unknown) => reason,
    );
  }
}

/** A file of LMDB that must not grow takes a small write into its free pages and then refuses an order. So this writes more, and removes it. */
async function probeRoot(root: WritableRoot): Promise<void> {
  await commitWork(root, () => void root.put(PROBE_KEY, asBinary(PROBE)));
  await commitWork(root, () => void root.remove(PROBE_KEY));
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

/** Writes and removes a file. Rejects with the system's error when files cannot be written in this folder. */
export async function probeFolder(dir: string): Promise<void> {
  const path = join(dir, `probe.${process.pid}`);
  try {
    const file = await open(path, 'w', 0o600);
    try {
      await file.writeFile(PROBE);
      await file.sync();
    } finally {
      await file.close();
    }
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}
