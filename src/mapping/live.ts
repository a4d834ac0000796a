/**
 * The mapping in use, and how another takes its place: all or nothing. A set with problems is refused and the running
 * one stays, also across a restart: the last good set is kept as files' texts in the data folder.
 */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { checkFiles, type CheckedMapping } from './check';
import { readFolder, type MappingFileText } from './load';
import type { Mapping } from './mapping';
import type { Problem } from './problem';

export interface LiveMapping {
  /** Requests finish on the one they began with: ask once per request. */
  readonly current: () => Mapping;
  /** The files of the mapping in use. */
  readonly files: () => readonly MappingFileText[];
  /** What stands against the files in the folder, when they are not the ones in use. */
  readonly problems: () => readonly Problem[];
  /**
   * Takes the folder's files into use if they are sound. With `expectedHash` only if they are exactly the set that was
   * looked at: somebody else may have edited meanwhile.
   */
  readonly reload: (expectedHash?: string) => Reloaded;
}

export type Reloaded =
  | { readonly kind: 'reloaded' | 'unchanged'; readonly hash: string }
  | { readonly kind: 'refused'; readonly hash: string; readonly problems: readonly Problem[] }
  /** The folder holds another set than the one that was looked at. */
  | { readonly kind: 'edited_meanwhile'; readonly hash: string; readonly found: string };

export interface LiveOptions {
  readonly folder: string;
  /** Where the last good set is kept. */
  readonly lastGoodFile: string;
  readonly onReload?: (reloaded: Reloaded) => void;
}

interface InUse {
  readonly mapping: Mapping;
  readonly files: readonly MappingFileText[];
}

/** Opens with the folder's files, or with the last good set when they have problems; without either it gives the problems. */
export function openLiveMapping(
  options: LiveOptions,
): { readonly live: LiveMapping } | { readonly problems: readonly Problem[] } {
  const { folder, lastGoodFile, onReload } = options;
  const first = checkedFolder(folder);
  const fallback = first.mapping === undefined ? readLastGood(lastGoodFile) : undefined;
  if (first.mapping === undefined && fallback === undefined) return { problems: first.problems };
  let inUse: InUse = fallback ?? { mapping: first.mapping!, files: first.files };
  let problems: readonly Problem[] = first.mapping === undefined ? first.problems : [];
  if (fallback === undefined) keepLastGood(lastGoodFile, inUse.files);

  const replace = (expectedHash: string | undefined): Reloaded => {
    const next = checkedFolder(folder);
    if (next.mapping === undefined) {
      problems = next.problems;
      return { kind: 'refused', hash: inUse.mapping.hash, problems };
    }
    if (expectedHash !== undefined && next.mapping.hash !== expectedHash) {
      return { kind: 'edited_meanwhile', hash: inUse.mapping.hash, found: next.mapping.hash };
    }
    problems = [];
    if (next.mapping.hash === inUse.mapping.hash) return { kind: 'unchanged', hash: inUse.mapping.hash };
    // On disk before it is in use: a restart must not go back behind what scripts have seen.
    keepLastGood(lastGoodFile, next.files);
    inUse = { mapping: next.mapping, files: next.files };
    return { kind: 'reloaded', hash: next.mapping.hash };
  };

  return {
    live: {
      current: () => inUse.mapping,
      files: () => inUse.files,
      problems: () => problems,
      reload: (expectedHash) => {
        const reloaded = replace(expectedHash);
        onReload?.(reloaded);
        return reloaded;
      },
    },
  };
}

function checkedFolder(folder: string): CheckedMapping & { readonly files: readonly MappingFileText[] } {
  const read = readFolder(folder);
  return 'problems' in read ? { problems: read.problems, files: [] } : { ...checkFiles(read.files), files: read.files };
}

const lastGoodSchema = z.object({ files: z.array(z.object({ file: z.string(), name: z.string(), text: z.string() })) });

function readLastGood(file: string): InUse | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const { files } = lastGoodSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    const { mapping } = checkFiles(files);
    return mapping === undefined ? undefined : { mapping, files };
  } catch {
    // A last good set that cannot be read is none; the problems of the folder are what the operator needs to see.
    return undefined;
  }
}

/** Written whole under another name, flushed, then renamed: a crash leaves the old set or the new one. */
function keepLastGood(file: string, files: readonly MappingFileText[]): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  const handle = openSync(draft, 'w', 0o600);
  try {
    writeSync(handle, JSON.stringify({ files }));
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(draft, file);
}
