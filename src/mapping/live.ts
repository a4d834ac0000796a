/**
 * The mapping in use, and how another takes its place: all or nothing. A set with problems is refused and the running
 * one stays, also across a restart: the last good set is kept as files' texts in the data folder.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { checkFiles, type CheckedMapping } from './check';
import { checkOnce } from './checked-set';
import { draftFile, type Draft } from './draft-file';
import { changeFolder, finishChange, type NamedText } from './folder-change';
import type { KeptValues } from './kept-value';
import { hashOf, readFolder, type MappingFileText } from './load';
import type { Mapping } from './mapping';
import type { Problem } from './problem';

export interface LiveMapping {
  /** Requests finish on the one they began with: ask once per request. */
  readonly current: () => Mapping;
  /** The files of the mapping in use. */
  readonly files: () => readonly MappingFileText[];
  /** The problems of the files in the folder, when these are not the files in use. */
  readonly problems: () => readonly Problem[];
  /**
   * Takes the folder's files into use if they are sound. With `expectedHash` only if they are exactly the set that was
   * looked at: somebody else may have edited meanwhile. With `runningHash` only while that one is in use: somebody else
   * may have applied another.
   */
  readonly reload: (expectedHash?: string, runningHash?: string) => Reloaded;
  /**
   * Puts exactly these files into the folder and into use, or does nothing. Nothing else of this process can run in
   * between, so that no watcher and no signal meets half of them.
   */
  readonly apply: (files: readonly NamedText[], expectedHash: string, runningHash: string) => Reloaded;
}

export type Reloaded =
  | { readonly kind: 'reloaded' | 'unchanged'; readonly hash: string }
  | { readonly kind: 'refused'; readonly hash: string; readonly problems: readonly Problem[] }
  /** The folder holds another set than the one that was looked at. */
  | { readonly kind: 'edited_meanwhile'; readonly hash: string; readonly found: string }
  /** Another set is in use than the one that was looked at. */
  | { readonly kind: 'running_changed'; readonly hash: string }
  /** The mappings folder, or the one of the last good set, takes no files; nothing was changed. */
  | { readonly kind: 'unwritable'; readonly hash: string; readonly folder: string; readonly detail: string };

export interface LiveOptions {
  readonly folder: string;
  /** Where the last good set is kept. */
  readonly lastGoodFile: string;
  /** What need not be checked again at a start, because this very program has checked it; every start checks without. */
  readonly kept?: KeptValues | undefined;
  readonly onReload?: (reloaded: Reloaded) => void;
}

export interface InUse {
  readonly mapping: Mapping;
  readonly files: readonly MappingFileText[];
}

/** Opens with the folder's files, or with the last good set when they have problems; without either it gives the problems. */
export function openLiveMapping(
  options: LiveOptions,
): { readonly live: LiveMapping } | { readonly problems: readonly Problem[] } {
  const { folder, lastGoodFile, kept, onReload } = options;
  tryToFinish(folder);
  const first = checkedFolder(folder, kept);
  const fallback = first.mapping === undefined ? readLastGood(lastGoodFile) : undefined;
  if (first.mapping === undefined && fallback === undefined) return { problems: first.problems };
  const running = new RunningSet(options, fallback ?? { mapping: first.mapping!, files: first.files });
  if (first.mapping === undefined) running.problems = first.problems;
  else draftLastGood(lastGoodFile, first.files).putInPlace();
  const told = (reloaded: Reloaded): Reloaded => {
    onReload?.(reloaded);
    return reloaded;
  };
  return {
    live: {
      current: () => running.inUse.mapping,
      files: () => running.inUse.files,
      problems: () => running.problems,
      reload: (expectedHash, runningHash) => told(running.reload(expectedHash, runningHash)),
      apply: (files, expectedHash, runningHash) => told(running.apply(files, expectedHash, runningHash)),
    },
  };
}

/** The set in use. Its successor has no errors and is kept on disk before it is used. */
class RunningSet {
  inUse: InUse;
  /** The problems of the files in the folder, when these are not the files in use. */
  problems: readonly Problem[] = [];
  readonly #folder: string;
  readonly #lastGoodFile: string;

  constructor({ folder, lastGoodFile }: LiveOptions, inUse: InUse) {
    this.inUse = inUse;
    this.#folder = folder;
    this.#lastGoodFile = lastGoodFile;
  }

  reload(expectedHash: string | undefined, runningHash: string | undefined): Reloaded {
    const { hash } = this.inUse.mapping;
    if (runningHash !== undefined && runningHash !== hash) return { kind: 'running_changed', hash };
    tryToFinish(this.#folder);
    const { mapping, files, problems } = checkedFolder(this.#folder);
    if (mapping === undefined) {
      this.problems = problems;
      return { kind: 'refused', hash, problems };
    }
    if (expectedHash !== undefined && mapping.hash !== expectedHash)
      return { kind: 'edited_meanwhile', hash, found: mapping.hash };
    return this.#take({ mapping, files });
  }

  apply(given: readonly NamedText[], expectedHash: string, runningHash: string): Reloaded {
    const folder = this.#folder;
    const { hash } = this.inUse.mapping;
    if (runningHash !== hash) return { kind: 'running_changed', hash };
    const files = given.map(({ name, text }) => ({ file: relative(process.cwd(), join(folder, name)), name, text }));
    const { mapping, problems } = checkFiles(files);
    if (mapping === undefined) return { kind: 'refused', hash, problems };
    if (mapping.hash !== expectedHash) return { kind: 'edited_meanwhile', hash, found: mapping.hash };
    const read = readFolder(folder);
    if ('problems' in read) return { kind: 'refused', hash, problems: read.problems };
    // Edits in the folder that were not planned would be lost.
    const standing = hashOf(read.files);
    if (standing !== hash && standing !== expectedHash) return { kind: 'edited_meanwhile', hash, found: standing };
    return this.#take({ mapping, files }, () => {
      if (standing !== expectedHash) putInFolder(folder, given, expectedHash);
    });
  }

  #take(next: InUse, changeFiles: () => void = () => undefined): Reloaded {
    const { hash } = next.mapping;
    if (hash === this.inUse.mapping.hash) {
      this.problems = [];
      return { kind: 'unchanged', hash };
    }
    // Kept on disk before it is used: a restart must not return to an older set than scripts have seen.
    let lastGood: Draft;
    try {
      lastGood = draftLastGood(this.#lastGoodFile, next.files);
    } catch (error) {
      return this.#unwritable(dirname(this.#lastGoodFile), error);
    }
    try {
      changeFiles();
    } catch (error) {
      lastGood.discard();
      return this.#unwritable(this.#folder, error);
    }
    try {
      lastGood.putInPlace();
    } catch {
      // The folder holds this set, so a restart uses it too. The next reload keeps it as the last good set.
      lastGood.discard();
    }
    this.problems = [];
    this.inUse = next;
    return { kind: 'reloaded', hash };
  }

  #unwritable(folder: string, error: unknown): Reloaded {
    const detail = error instanceof Error ? error.message : String(error);
    return { kind: 'unwritable', hash: this.inUse.mapping.hash, folder, detail };
  }
}

/** Ends the copying of a process that was killed. Files that cannot be copied out stay pending and are read from the pending set. */
function tryToFinish(folder: string): void {
  try {
    finishChange(folder);
  } catch {
    // The check of the folder says what is wrong with it.
  }
}

/** Throws when the folder does not mean the set afterwards. */
function putInFolder(folder: string, files: readonly NamedText[], hash: string): void {
  try {
    changeFolder(folder, files);
  } catch (error) {
    // The folder may mean the new set already, although some file of it could not be copied out yet.
    if (!isInFolder(folder, hash)) throw error;
  }
}

function isInFolder(folder: string, hash: string): boolean {
  const read = readFolder(folder);
  return 'files' in read && hashOf(read.files) === hash;
}

function checkedFolder(folder: string, kept?: KeptValues): CheckedMapping & { readonly files: readonly MappingFileText[] } {
  const read = readFolder(folder);
  if ('problems' in read) return { problems: read.problems, files: [] };
  return { ...(kept === undefined ? checkFiles(read.files) : checkOnce(kept, read.files)), files: read.files };
}

const lastGoodSchema = z.object({ files: z.array(z.object({ file: z.string(), name: z.string(), text: z.string() })) });

/** The last set that was in use, as it is kept in the data folder; undefined without one that can be used. */
export function readLastGood(file: string): InUse | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const { files } = lastGoodSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    const { mapping } = checkFiles(files);
    return mapping === undefined ? undefined : { mapping, files };
  } catch {
    // A last good set that cannot be read is treated as absent; the operator needs the problems of the folder.
    return undefined;
  }
}

const draftLastGood = (file: string, files: readonly MappingFileText[]): Draft =>
  draftFile(file, JSON.stringify({ files }), 0o600);
