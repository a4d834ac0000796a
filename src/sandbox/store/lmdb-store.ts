import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { startOf } from '../../domain/process-start';
import { checkDataFile } from '../../journal/lmdb/check-data-file';
import { denyOtherUsers } from '../../journal/lmdb/environment';
import { createLastingRoot, type LastingRoot } from '../../journal/lmdb/lasting-root';
import type { Store, StoredKind } from './store';

type Write = readonly [key: string, value: unknown];

// To be raised whenever the code can no longer read older data.
const LAYOUT = 1;

const DATA_FILE = 'sandbox.lmdb';

/** Rejects with a sentence if the data file in `dataDir` is damaged or not an LMDB file: opening such a file could end the process. */
export async function checkStore(dataDir: string): Promise<void> {
  const complaint = await checkDataFile(dataDir, [], DATA_FILE);
  if (complaint !== undefined)
    throw new Error(`the sandbox data folder ${dataDir} ${complaint}; restore it, or use another folder`);
}

/** Called with the error of the first failed write, and with undefined for the first write that succeeds again. */
export type OnStoreFailure = ((failure: Error | undefined) => void) | undefined;

/** Opens the state in `dataDir`. Throws if another process uses the folder or if its data has another layout. */
export function openLmdbStore(dataDir: string, onFailure?: OnStoreFailure): Store {
  // The folder contains tokens and PINs. Although simulated, they are for their buyers alone.
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const root = openRoot(dataDir);
  claimFolder(root, dataDir, LAYOUT);
  return new LmdbStore(dataDir, root, onFailure);
}

function openRoot(dataDir: string, isReadOnly = false): RootDatabase<unknown, string> {
  const path = join(dataDir, DATA_FILE);
  const root = open<unknown, string>({
    path,
    noSubdir: true,
    readOnly: isReadOnly,
    encoding: 'json',
    cache: false,
    // Without overlapping sync, a resolved transaction is on disk and not merely visible to readers.
    overlappingSync: false,
    // The batch of an event turn has a promise that lmdb gives to no caller. A failed commit would reject it unhandled and so end the process.
    eventTurnBatching: false,
  });
  if (!isReadOnly) denyOtherUsers([path, `${path}-lock`]);
  return root;
}

const REMOVED = Symbol('removed');
const RETRY_FIRST_MS = 1_000;
const RETRY_MOST_MS = 5_000;

class LmdbStore implements Store {
  readonly #dataDir: string;
  readonly #onFailure: OnStoreFailure;
  readonly #lasting: LastingRoot;
  #root: RootDatabase<unknown, string>;
  #queue: Write[] = [];
  #flushing: readonly Write[] = [];
  #next: Promise<void> | undefined;
  #running: Promise<void> = Promise.resolve();
  #failure: Error | undefined;
  #retry: NodeJS.Timeout | undefined;
  #retryMs = RETRY_FIRST_MS;

  constructor(dataDir: string, root: RootDatabase<unknown, string>, onFailure: OnStoreFailure) {
    this.#dataDir = dataDir;
    this.#onFailure = onFailure;
    this.#root = root;
    const reopen = (isReadOnly: boolean): void => void (this.#root = openRoot(dataDir, isReadOnly));
    this.#lasting = createLastingRoot({ dir: dataDir, root: () => this.#root, reopen });
  }

  *entries<T>(kind: StoredKind): Iterable<readonly [string, T]> {
    if (!this.#lasting.isOpen()) throw new Error('the sandbox data folder is being opened anew');
    const prefix = `${kind}:`;
    const pending = new Map([...this.#flushing, ...this.#queue].filter(([key]) => key.startsWith(prefix)));
    for (const { key, value: stored } of this.#root.getRange({ start: prefix, end: `${kind};` })) {
      const value = pending.has(key) ? pending.get(key) : stored;
      pending.delete(key);
      if (value !== REMOVED) yield [key.slice(prefix.length), value as T];
    }
    for (const [key, value] of pending) if (value !== REMOVED) yield [key.slice(prefix.length), value as T];
  }

  put(kind: StoredKind, key: string, value: unknown): void {
    this.#queue.push([`${kind}:${key}`, value]);
    this.#schedule();
  }

  remove(kind: StoredKind, key: string): void {
    this.#queue.push([`${kind}:${key}`, REMOVED]);
    this.#schedule();
  }

  committed(): Promise<void> {
    return this.#failure === undefined ? (this.#next ?? this.#running) : Promise.reject(this.#failure);
  }

  isWritable(): boolean {
    return this.#failure === undefined;
  }

  /** Closes the store in any case. Rejects if some data could not be written. */
  async close(): Promise<void> {
    clearTimeout(this.#retry);
    if (this.#failure !== undefined) this.#flushSoon();
    const lost = await (this.#next ?? this.#running).then(
      () => undefined,
      (error: Error) => error,
    );
    clearTimeout(this.#retry);
    if (lost === undefined) releaseFolder(this.#root);
    await this.#root.close();
    if (lost !== undefined) throw lost;
  }

  #schedule(): void {
    // After a failure the retry timer starts the next flush.
    if (this.#failure === undefined) this.#flushSoon();
  }

  /**
   * Group commit: all writes that arrive during one transaction form the next one. So all waiting orders share the cost of one
   * flush, and no order is split over two transactions.
   */
  #flushSoon(): void {
    this.#next ??= this.#running.catch(() => undefined).then(() => this.#flushNext());
    // Callers of committed() get the rejection. Without a handler here, a rejection that no caller awaits would end the process.
    this.#next.catch(() => undefined);
  }

  async #flushNext(): Promise<void> {
    // Waits one turn of the event loop, so that requests that were read together are written together.
    await new Promise((resolve) => setImmediate(resolve));
    const writes = this.#queue;
    this.#flushing = writes;
    this.#queue = [];
    this.#running = this.#next ?? Promise.resolve();
    this.#next = undefined;
    try {
      await this.#lasting.commit(() => {
        for (const [key, value] of writes) void (value === REMOVED ? this.#root.remove(key) : this.#root.put(key, value));
      });
    } catch (error) {
      throw this.#fail(writes, error);
    }
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    this.#retryMs = RETRY_FIRST_MS;
    this.#onFailure?.(undefined);
    if (this.#queue.length > 0) this.#flushSoon();
  }

  /** Keeps the unwritten data, for each key the last value, and tries again later. */
  #fail(writes: readonly Write[], cause: unknown): Error {
    this.#queue = [...new Map([...writes, ...this.#queue])];
    this.#flushing = [];
    const reason = cause instanceof Error ? cause.message : String(cause);
    const failure = new Error(`the sandbox data folder ${this.#dataDir} cannot be written: ${reason}`, { cause });
    if (this.#failure === undefined) this.#onFailure?.(failure);
    this.#failure = failure;
    this.#retry = setTimeout(() => this.#flushSoon(), this.#retryMs).unref();
    this.#retryMs = Math.min(2 * this.#retryMs, RETRY_MOST_MS);
    return failure;
  }
}

interface Claim {
  readonly layout: number;
  readonly pid: number | null;
  /** The start time of the process, to tell it from a later process with the same number. */
  readonly started: string;
}

const KEY = 'claim';

/**
 * Claims the folder for this process, or throws. The sandbox answers from memory, so a second process on the same data would
 * spend the same wallet twice. The claim of a process that no longer runs (kill -9) is taken over.
 */
function claimFolder(root: RootDatabase<unknown, string>, dataDir: string, layout: number): void {
  const refusal = root.transactionSync(() => {
    const claim = root.get(KEY) as Claim | undefined;
    if (claim !== undefined && claim.layout !== layout) {
      return `was written by another version of the sandbox (layout ${claim.layout}, this one reads ${layout}); use another folder`;
    }
    if (claim !== undefined && claim.pid !== null && isRunning(claim.pid, claim.started)) {
      return `is in use by process ${claim.pid}; stop it or use another folder`;
    }
    root.putSync(KEY, { layout, pid: process.pid, started: startOf(process.pid) } satisfies Claim);
    return undefined;
  });
  if (refusal === undefined) return;
  void root.close();
  throw new Error(`the sandbox data folder ${dataDir} ${refusal}`);
}

/** Releases the claim on the folder. */
function releaseFolder(root: RootDatabase<unknown, string>): void {
  const claim = root.get(KEY) as Claim;
  root.putSync(KEY, { ...claim, pid: null } satisfies Claim);
}

function isRunning(pid: number, started: string): boolean {
  const seen = startOf(pid);
  if (seen !== '' && seen !== started) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process runs, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
