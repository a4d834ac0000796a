/**
 * A file that is replaced as one step: written whole beside its place and flushed, then renamed. A crash leaves the old one
 * or the new one, and what fails for want of room or rights fails while the old one still stands.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export interface Draft {
  readonly putInPlace: () => void;
  readonly discard: () => void;
}

/** Throws when it cannot be written; nothing is left then. Without `mode` whoever may read what this process writes may read it. */
export function draftFile(path: string, text: string | Buffer, mode?: number): Draft {
  mkdirSync(dirname(path), { recursive: true });
  // Two processes that replace the same file do not write into one draft.
  const draft = `${path}.${process.pid}`;
  const discard = (): void => rmSync(draft, { force: true });
  try {
    writeFlushed(draft, text, mode);
  } catch (error) {
    // Another kind of entry with that name was not made by this program and stays.
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') discard();
    throw error;
  }
  return {
    putInPlace: () => {
      renameSync(draft, path);
      flushFolder(dirname(path));
    },
    discard,
  };
}

export function writeFlushed(path: string, text: string | Buffer, mode?: number): void {
  const handle = openSync(path, 'w', mode);
  try {
    writeFileSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** A renamed file is durable only after its folder was flushed. */
export function flushFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
