import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { checkDataFile } from '../../journal/lmdb/check-data-file';
import { claimFolder, releaseFolder } from './claim-folder';
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

/** Opens the state in `dataDir`. Throws when another process holds it or when it was written in another layout. */
export function openLmdbStore(dataDir: string): Store {
  // Simulated or not, the tokens and PINs in it are told to their buyers alone.
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, DATA_FILE);
  // Without overlapping sync a transaction is on disk when its promise resolves, not merely visible to other readers.
  const root = open<unknown, string>({ path, noSubdir: true, encoding: 'json', cache: false, overlappingSync: false });
  claimFolder(root, dataDir, LAYOUT);
  return new LmdbStore(root);
}

const REMOVED = Symbol('removed');

class LmdbStore implements Store {
  readonly #root: RootDatabase<unknown, string>;
  #queue: Write[] = [];
  #flushing: readonly Write[] = [];
  #next: Promise<void> | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(root: RootDatabase<unknown, string>) {
    this.#root = root;
  }

  *entries<T>(kind: StoredKind): Iterable<readonly [string, T]> {
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
    return this.#next ?? this.#running;
  }

  async close(): Promise<void> {
    await this.committed();
    releaseFolder(this.#root);
    await this.#root.close();
  }

  /**
   * Group commit: what comes in while one transaction is being flushed becomes the next one. So the cost of a flush is
   * shared by all orders that wait for it, and one order is never split over two transactions.
   */
  #schedule(): void {
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
    await this.#root.transaction(() => {
      for (const [key, value] of writes) void (value === REMOVED ? this.#root.remove(key) : this.#root.put(key, value));
    });
  }
}
