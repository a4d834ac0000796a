import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { startOf } from '../../domain/process-start';
import { checkDataFile } from '../../journal/lmdb/check-data-file';
import { closeToOthers } from '../../journal/lmdb/environment';
import { createLastingRoot, type LastingRoot } from '../../journal/lmdb/lasting-root';
import type { Store, StoredKind } from './store';

type Write = readonly [key: string, value: unknown];

// Raised whenever older data can no longer be read as it is.
const LAYOUT = 1;

const DATA_FILE = 'sandbox.lmdb';

/** Rejects with a sentence when the file in `dataDir` is damaged or no LMDB's: opening it could end the process. */
export async function checkStore(dataDir: string): Promise<void> {
  const complaint = await checkDataFile(dataDir, [], DATA_FILE);
  if (complaint !== undefined)
    throw new Error(`the sandbox data folder ${dataDir} ${complaint}; restore it, or use another folder`);
}

/** Hears the first failed write, and undefined for the first that gets through again. */
export type OnStoreFailure = ((failure: Error | undefined) => void) | undefined;

/** Opens the state in `dataDir`. Throws when another process holds it or when it was written in another layout. */
export function openLmdbStore(dataDir: string, onFailure?: OnStoreFailure): Store {
  // Simulated or not, the tokens and PINs in it are told to their buyers alone.
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
    // Without overlapping sync a transaction is on disk when its promise resolves, not merely visible to other readers.
    overlappingSync: false,
    // Its batch has a promise that nobody is given: a failed commit would reject it unheard, which ends the process.
    eventTurnBatching: false,
  });
  if (!isReadOnly) closeToOthers([path, `${path}-lock`]);
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

  /** Rejects when something could not be written to the end; everything is closed then all the same. */
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
    // After a failure the timer comes.
    if (this.#failure === undefined) this.#flushSoon();
  }

  /**
   * Group commit: what comes in while one transaction is being flushed becomes the next one. So the cost of a flush is
   * shared by all orders that wait for it, and one order is never split over two transactions.
   */
  #flushSoon(): void {
    this.#next ??= this.#running.catch(() => undefined).then(() => this.#flushNext());
    // Whoever waits on committed() hears of a failure; without a listener it must not end the process.
    this.#next.catch(() => undefined);
  }

  async #flushNext(): Promise<void> {
    // One turn of the event loop, so that requests read together are written together.
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

  /** Keeps what was not written, of each key the last, and tries again later. */
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
  /** Tells a process from a later one with the same number. */
  readonly started: string;
}

const KEY = 'claim';

/**
 * Marks the folder as ours, or throws. The sandbox answers from memory, so a second process on the same data would
 * spend the same wallet twice. A claim of a process that no longer runs (kill -9) is taken over.
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

/** Gives the folder back. */
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
    // EPERM: it runs, but belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
