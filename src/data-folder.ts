/** The data folder, made and tried before anything else is started: what is wrong with it is said once, in words. */
import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the disk is mounted read-only',
  ENOTDIR: 'a file stands in its way',
  EEXIST: 'a file stands in its way',
  ENOSPC: 'the disk is full',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
};

/** Throws a plain Error with a sentence that names the setting. */
export function prepareDataFolder(folder: string): void {
  try {
    // What is in it tells who bought what: it is its owner's alone.
    makeFolder(folder, 0o700);
    if (!statSync(folder).isDirectory()) throw Object.assign(new Error('no folder'), { code: 'ENOTDIR' });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new Error(`DATA_DIR is ${folder}, which cannot be used: ${REASONS[code] ?? message}.`, { cause: error });
  }
}

/** One step at a time: where the system takes no folder at all, Node's own way down tries for ever. */
function makeFolder(folder: string, mode?: number): void {
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
