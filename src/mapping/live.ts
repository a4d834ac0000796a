/**
 * Holds the mapping set in use and replaces it as a whole. A set with errors is refused, and the set in use stays. It also
 * survives a restart, because every set is written to the history before it comes into use. Sales go on while a set is checked.
 */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { errorText } from '../domain/shown-words';
import { inTurns, oneByOne } from '../domain/steps';
import { checkInSteps, type CheckedMapping } from './check';
import { checkOnce } from './checked-set';
import { changeFolder, finishChange, type Draft, type NamedText } from './folder-change';
import type { KeptValues } from './kept-value';
import { hashOf, readFolder, type MappingFileText } from './load';
import type { Mapping } from './mapping';
import type { Problem } from './problem';
import type { Cause, InUse, SetHistory } from './set-history';

export type LiveMapping = Extract<ReturnType<typeof openLiveMapping>, { readonly live: unknown }>['live'];

interface ApplyAsked extends Cause {
  /** The hash of a folder whose edits the operator has seen and gives up; a folder with other edits is not overwritten. */
  readonly folderHash?: string | undefined;
  /** The set that was in use when the change was planned. If others were in use since, nothing changes, even if it is in use again. */
  readonly running?: Mapping | undefined;
}

interface ReloadAsked {
  readonly cause?: Cause;
  /** The hash of the set that the operator has seen. If the folder has another one, somebody has edited it since, and nothing changes. */
  readonly expectedHash?: string | undefined;
  /** The hash of the set in use that the operator has seen. If another set is in use by now, nothing changes. */
  readonly runningHash?: string | undefined;
}

export type Reloaded =
  | { readonly kind: 'reloaded' | 'unchanged'; readonly hash: string }
  | { readonly kind: 'refused'; readonly hash: string; readonly problems: readonly Problem[] }
  /** The files in the folder cannot be read, so their edits could be lost unseen. */
  | { readonly kind: 'folder_unreadable'; readonly hash: string; readonly problems: readonly Problem[] }
  /** The files are not the set that the operator has seen. */
  | { readonly kind: 'edited_meanwhile'; readonly hash: string; readonly found: string }
  /** The set in use is not the one that the operator has seen. */
  | { readonly kind: 'running_changed'; readonly hash: string }
  /** The mappings folder or the history folder cannot be written; nothing was changed. */
  | { readonly kind: 'unwritable'; readonly hash: string; readonly folder: string; readonly detail: string };

interface LiveOptions {
  readonly folder: string;
  readonly history: SetHistory;
  /** The results of checks by this same build, which a start need not repeat. Without them every start checks the files. */
  readonly kept?: KeptValues | undefined;
  /** Gives the reason why a set without errors cannot be used with the present settings, such as a route inside v1's own addresses. */
  readonly obstacle?: ((mapping: Mapping) => string | undefined) | undefined;
  readonly onReload?: (reloaded: Reloaded) => void;
}

/**
 * Opens with the folder's files, or with the last good set if the files have errors. Without a good set it returns the problems.
 * The history gets the set only with `begin`, so a start that fails between the two has brought nothing into use.
 */
export function openLiveMapping(options: LiveOptions) {
  const { folder, history, onReload } = options;
  tryToFinish(folder);
  const first = servable(checkedFolder(options), options);
  const inUse = first.mapping === undefined ? history.lastGood() : { mapping: first.mapping, files: first.files };
  if (inUse === undefined) return { problems: first.problems };
  const running = new RunningSet(options, inUse);
  if (first.mapping === undefined) running.problems = first.problems;
  // One change after the other: no other set comes into use while one is checked.
  const inOrder = oneByOne();
  const told = (reloaded: Reloaded): Reloaded => {
    onReload?.(reloaded);
    return reloaded;
  };
  return {
    live: {
      /** Call this once per request: a request ends with the mapping that it began with. */
      current: (): Mapping => running.inUse.mapping,
      files: (): readonly MappingFileText[] => running.inUse.files,
      problems: (): readonly Problem[] => running.problems,
      /** Every set that came into use, including the current one. */
      history,
      begin: (): void => running.begin(),
      /** Reads the folder when the changes asked for before it are done. */
      reload: (asked: ReloadAsked = {}) => inOrder(async () => told(await running.reload(asked))),
      apply: (...asked: Parameters<RunningSet['apply']>) => inOrder(async () => told(await running.apply(...asked))),
    },
  };
}

/** The set in use. A new set must have no errors, and its draft is in the history before the set is used. */
class RunningSet {
  inUse: InUse;
  /** The problems of the files in the folder, when these are not the files in use. */
  problems: readonly Problem[] = [];
  readonly #options: LiveOptions;
  /** Whether this process has written its set to the history. */
  #isWritten = false;

  constructor(options: LiveOptions, inUse: InUse) {
    this.inUse = inUse;
    this.#options = options;
  }

  /** Records in the history that the set of the start is in use from now on. Throws if the history cannot be written. */
  begin(): void {
    if (this.#isWritten) return;
    this.#options.history.draft(this.inUse, { by: 'start' }).putInPlace();
    this.#isWritten = true;
  }

  /** Brings the folder's files into use if they have no errors. */
  async reload({ expectedHash, runningHash, cause = { by: 'reload' } }: ReloadAsked): Promise<Reloaded> {
    const { hash } = this.inUse.mapping;
    if (runningHash !== undefined && runningHash !== hash) return { kind: 'running_changed', hash };
    tryToFinish(this.#options.folder);
    const read = readFolder(this.#options.folder);
    const { mapping, files, problems } = 'problems' in read ? { ...read, files: [] } : await this.#check(read.files);
    if (mapping === undefined) {
      this.problems = problems;
      return { kind: 'refused', hash, problems };
    }
    if (expectedHash !== undefined && mapping.hash !== expectedHash)
      return { kind: 'edited_meanwhile', hash, found: mapping.hash };
    return this.#take({ mapping, files }, cause);
  }

  /**
   * Puts exactly these files into the folder and into use, or changes nothing. Once they are checked it is synchronous: no watcher and
   * no signal handler of this process runs while only some of the files are written.
   */
  async apply(
    given: readonly NamedText[],
    expectedHash: string,
    runningHash: string,
    { folderHash, running = this.inUse.mapping, ...cause }: ApplyAsked = { by: 'apply' },
  ): Promise<Reloaded> {
    const folder = this.#options.folder;
    const { hash } = this.inUse.mapping;
    if (runningHash !== hash || running !== this.inUse.mapping) return { kind: 'running_changed', hash };
    const files = given.map(({ name, text }) => ({ file: relative(process.cwd(), join(folder, name)), name, text }));
    const { mapping, problems } = await this.#check(files);
    if (mapping === undefined) return { kind: 'refused', hash, problems };
    if (mapping.hash !== expectedHash) return { kind: 'edited_meanwhile', hash, found: mapping.hash };
    const read = readFolder(folder);
    const isEmpty = 'problems' in read && (!existsSync(folder) || read.problems[0]?.code === 'empty-folder');
    if ('problems' in read && !isEmpty) return { kind: 'folder_unreadable', hash, problems: read.problems };
    // Edits in the folder that the operator has not seen must not be lost.
    const standing = 'files' in read ? hashOf(read.files) : undefined;
    if (standing !== undefined && ![hash, expectedHash, folderHash].includes(standing))
      return { kind: 'edited_meanwhile', hash, found: standing };
    return this.#take({ mapping, files }, cause, () => {
      if (standing !== expectedHash) putInFolder(folder, given, expectedHash);
    });
  }

  async #check(files: readonly MappingFileText[]): Promise<CheckedFiles> {
    const { mapping } = this.inUse;
    // The set in use was checked before it came into use.
    if (hashOf(files) === mapping.hash) return { mapping, files, problems: [] };
    return servable({ ...(await inTurns(checkInSteps(files))), files }, this.#options);
  }

  #take(next: InUse, cause: Cause, changeFiles: () => void = () => undefined): Reloaded {
    const { hash } = next.mapping;
    if (hash === this.inUse.mapping.hash) {
      try {
        changeFiles();
      } catch (error) {
        return this.#unwritable(this.#options.folder, error);
      }
      this.problems = [];
      return { kind: 'unchanged', hash };
    }
    // The set is on disk before it is used: a restart must not return to a set older than the one that scripts have met.
    let use: Draft;
    try {
      use = this.#options.history.draft(next, cause);
    } catch (error) {
      return this.#unwritable(this.#options.history.folder, error);
    }
    try {
      changeFiles();
    } catch (error) {
      use.discard();
      return this.#unwritable(this.#options.folder, error);
    }
    try {
      use.putInPlace();
      this.#isWritten = true;
    } catch {
      // The folder has this set already, so it must come into use although its draft could not be renamed. The history
      // misses this use; the next start or change writes a new one.
      use.discard();
    }
    this.problems = [];
    this.inUse = next;
    return { kind: 'reloaded', hash };
  }

  #unwritable(folder: string, error: unknown): Reloaded {
    const detail = errorText(error);
    return { kind: 'unwritable', hash: this.inUse.mapping.hash, folder, detail };
  }
}

/** Completes the change of a process that was killed. Files that cannot be written stay pending and are read from the pending set. */
function tryToFinish(folder: string): void {
  try {
    finishChange(folder);
  } catch {
    // The check of the folder reports why it cannot be read or written.
  }
}

/** Throws unless the folder counts as holding the set afterwards, in its files or as a pending set. */
function putInFolder(folder: string, files: readonly NamedText[], hash: string): void {
  try {
    changeFolder(folder, files);
  } catch (error) {
    // Once the pending set is written, the folder counts as the new set, even if one of its files could not be written yet.
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

function checkedFolder({ folder, kept }: LiveOptions): CheckedFiles {
  const read = readFolder(folder);
  if ('problems' in read) return { problems: read.problems, files: [] };
  return { ...checkOnce(kept, read.files), files: read.files };
}
