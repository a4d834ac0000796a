/**
 * The mapping in use, and how another takes its place: all or nothing. A set with problems is refused and the running
 * one stays, also across a restart: every set that comes into use is kept in the history first.
 */
import { join, relative } from 'node:path';
import { checkFiles, type CheckedMapping } from './check';
import { checkOnce } from './checked-set';
import { changeFolder, finishChange, type Draft, type NamedText } from './folder-change';
import type { KeptValues } from './kept-value';
import { hashOf, readFolder, type MappingFileText } from './load';
import type { Mapping } from './mapping';
import type { Problem } from './problem';
import type { Cause, InUse, SetHistory } from './set-history';

export interface LiveMapping {
  /** Requests finish on the one they began with: ask once per request. */
  readonly current: () => Mapping;
  /** The files of the mapping in use. */
  readonly files: () => readonly MappingFileText[];
  /** The problems of the files in the folder, when these are not the files in use. */
  readonly problems: () => readonly Problem[];
  /** Every set that came into use, this one among them. */
  readonly history: SetHistory;
  /** Writes down that the set of the start serves from now on. Throws when the disk does not take it. */
  readonly begin: () => void;
  /** Takes the folder's files into use if they are sound. */
  readonly reload: (asked?: ReloadAsked) => Reloaded;
  /**
   * Puts exactly these files into the folder and into use, or does nothing. Nothing else of this process can run in
   * between, so that no watcher and no signal meets half of them.
   */
  readonly apply: (files: readonly NamedText[], expectedHash: string, runningHash: string, asked?: ApplyAsked) => Reloaded;
}

export interface ApplyAsked extends Cause {
  /** Edits of the folder that were looked at and may be lost: only exactly these. */
  readonly folderHash?: string | undefined;
}

export interface ReloadAsked {
  readonly cause?: Cause;
  /** Only if the files are exactly the set that was looked at: somebody else may have edited meanwhile. */
  readonly expectedHash?: string | undefined;
  /** Only while this set is in use: somebody else may have applied another. */
  readonly runningHash?: string | undefined;
}

export type Reloaded =
  | { readonly kind: 'reloaded' | 'unchanged'; readonly hash: string }
  | { readonly kind: 'refused'; readonly hash: string; readonly problems: readonly Problem[] }
  /** The folder holds another set than the one that was looked at. */
  | { readonly kind: 'edited_meanwhile'; readonly hash: string; readonly found: string }
  /** Another set is in use than the one that was looked at. */
  | { readonly kind: 'running_changed'; readonly hash: string }
  /** The mappings folder, or the one of the history, takes no files; nothing was changed. */
  | { readonly kind: 'unwritable'; readonly hash: string; readonly folder: string; readonly detail: string };

export interface LiveOptions {
  readonly folder: string;
  readonly history: SetHistory;
  /** What need not be checked again at a start, because this very program has checked it; every start checks without. */
  readonly kept?: KeptValues | undefined;
  /** Why a set without errors cannot serve here: one with addresses that its settings take from scripts counts as a broken one. */
  readonly obstacle?: ((mapping: Mapping) => string | undefined) | undefined;
  readonly onReload?: (reloaded: Reloaded) => void;
}

/**
 * Opens with the folder's files, or with the last good set when they have problems; without either it gives the problems. The history has
 * the set from `begin` on: a start that fails after this has brought nothing into use.
 */
export function openLiveMapping(
  options: LiveOptions,
): { readonly live: LiveMapping } | { readonly problems: readonly Problem[] } {
  const { folder, history, kept, onReload } = options;
  tryToFinish(folder);
  const first = servable(checkedFolder(folder, kept), options);
  const inUse = first.mapping === undefined ? history.lastGood() : { mapping: first.mapping, files: first.files };
  if (inUse === undefined) return { problems: first.problems };
  const running = new RunningSet(options, inUse);
  if (first.mapping === undefined) running.problems = first.problems;
  const told = (reloaded: Reloaded): Reloaded => {
    onReload?.(reloaded);
    return reloaded;
  };
  return {
    live: {
      current: () => running.inUse.mapping,
      files: () => running.inUse.files,
      problems: () => running.problems,
      history,
      begin: () => running.begin(),
      reload: (asked = {}) => told(running.reload(asked)),
      apply: (files, expectedHash, runningHash, asked = { by: 'apply' }) =>
        told(running.apply(files, expectedHash, runningHash, asked)),
    },
  };
}

/** The set in use. Its successor has no errors and is in the history before it is used. */
class RunningSet {
  inUse: InUse;
  /** The problems of the files in the folder, when these are not the files in use. */
  problems: readonly Problem[] = [];
  readonly #options: LiveOptions;
  readonly #folder: string;
  readonly #history: SetHistory;
  /** The history has a set of this process. */
  #isWritten = false;

  constructor(options: LiveOptions, inUse: InUse) {
    this.inUse = inUse;
    this.#options = options;
    this.#folder = options.folder;
    this.#history = options.history;
  }

  begin(): void {
    if (this.#isWritten) return;
    this.#history.draft(this.inUse, { by: 'start' }).putInPlace();
    this.#isWritten = true;
  }

  reload({ expectedHash, runningHash, cause = { by: 'reload' } }: ReloadAsked): Reloaded {
    const { hash } = this.inUse.mapping;
    if (runningHash !== undefined && runningHash !== hash) return { kind: 'running_changed', hash };
    tryToFinish(this.#folder);
    const { mapping, files, problems } = servable(checkedFolder(this.#folder), this.#options);
    if (mapping === undefined) {
      this.problems = problems;
      return { kind: 'refused', hash, problems };
    }
    if (expectedHash !== undefined && mapping.hash !== expectedHash)
      return { kind: 'edited_meanwhile', hash, found: mapping.hash };
    return this.#take({ mapping, files }, cause);
  }

  apply(given: readonly NamedText[], expectedHash: string, runningHash: string, { folderHash, ...cause }: ApplyAsked): Reloaded {
    const folder = this.#folder;
    const { hash } = this.inUse.mapping;
    if (runningHash !== hash) return { kind: 'running_changed', hash };
    const files = given.map(({ name, text }) => ({ file: relative(process.cwd(), join(folder, name)), name, text }));
    const { mapping, problems } = servable({ ...checkFiles(files), files }, this.#options);
    if (mapping === undefined) return { kind: 'refused', hash, problems };
    if (mapping.hash !== expectedHash) return { kind: 'edited_meanwhile', hash, found: mapping.hash };
    const read = readFolder(folder);
    if ('problems' in read) return { kind: 'refused', hash, problems: read.problems };
    // Edits in the folder that nobody has looked at would be lost.
    const standing = hashOf(read.files);
    if (![hash, expectedHash, folderHash].includes(standing)) return { kind: 'edited_meanwhile', hash, found: standing };
    return this.#take({ mapping, files }, cause, () => {
      if (standing !== expectedHash) putInFolder(folder, given, expectedHash);
    });
  }

  #take(next: InUse, cause: Cause, changeFiles: () => void = () => undefined): Reloaded {
    const { hash } = next.mapping;
    if (hash === this.inUse.mapping.hash) {
      try {
        changeFiles();
      } catch (error) {
        return this.#unwritable(this.#folder, error);
      }
      this.problems = [];
      return { kind: 'unchanged', hash };
    }
    // Kept on disk before it is used: a restart must not return to an older set than scripts have seen.
    let use: Draft;
    try {
      use = this.#history.draft(next, cause);
    } catch (error) {
      return this.#unwritable(this.#history.folder, error);
    }
    try {
      changeFiles();
    } catch (error) {
      use.discard();
      return this.#unwritable(this.#folder, error);
    }
    try {
      use.putInPlace();
      this.#isWritten = true;
    } catch {
      // The folder holds this set already, so it must serve here too. A history that takes a draft and not its new name
      // misses this use; the next start or change writes its own.
      use.discard();
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

type CheckedFiles = CheckedMapping & { readonly files: readonly MappingFileText[] };

function servable(checked: CheckedFiles, { folder, obstacle }: LiveOptions): CheckedFiles {
  const message = checked.mapping === undefined ? undefined : obstacle?.(checked.mapping);
  if (message === undefined) return checked;
  return {
    files: checked.files,
    problems: [{ file: folder, line: 1, column: 1, code: 'route-inside-v1', severity: 'error', message }],
  };
}

function checkedFolder(folder: string, kept?: KeptValues): CheckedFiles {
  const read = readFolder(folder);
  if ('problems' in read) return { problems: read.problems, files: [] };
  return { ...(kept === undefined ? checkFiles(read.files) : checkOnce(kept, read.files)), files: read.files };
}
