/**
 * Files and folders that a command line names. Each must be there, else the command line is wrong (exit code 2); what a
 * setting names, or what stands in a file, is no matter of usage (exit code 1).
 */
import { statSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';

export function parseFolder(path: string): string {
  if (!stats(path)?.isDirectory()) throw new InvalidArgumentError('there is no such folder.');
  return path;
}

/** A pipe such as `<(…)` is a file too. */
export function parseFile(path: string): string {
  const found = stats(path);
  if (found === undefined) throw new InvalidArgumentError('there is no such file.');
  if (found.isDirectory()) throw new InvalidArgumentError('it is a folder, where a file is expected.');
  return path;
}

function stats(path: string): ReturnType<typeof statSync> {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // A file where a folder should be, a loop of links: there is nothing that could be read.
    return undefined;
  }
}
