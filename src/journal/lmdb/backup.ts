/** Copies of a journal's folder: made while others sell, and made fit to sell from later. */
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Secret } from '../../domain/credentials';
import type { Order } from '../../domain/order';
import { isProvenAbsent, isRefusal } from '../../domain/outcome';
import { createFieldSeal } from '../record';
import { checkDataFile } from './check-data-file';
import { openByteFolder, openEnvironment, TREES } from './environment';
import { parseOrderKey, timeKey, type Store } from './keys';
import { planDeleting } from './write-orders';

const MAP_BYTES = 64 * 2 ** 30;
const END_OF_TIME_MS = 2 ** 48 - 1;

export const JOURNAL_FILE = 'data.mdb';

export interface JournalSummary {
  readonly orders: number;
  /** Orders whose money may have moved and that have no end yet. */
  readonly open: number;
  /** When the newest was opened; undefined in an empty journal. */
  readonly newestMs: number | undefined;
}

/** One moment of a folder of LMDB, whole, while other processes write: the journal's, unless other trees are named. Resolves when it is on disk. */
export async function copyJournalFolder(dir: string, target: string, trees: readonly string[] = TREES): Promise<void> {
  const complaint = await checkDataFile(dir, trees);
  if (complaint !== undefined) throw new Error(`The folder ${dir} ${complaint}.`);
  await mkdir(target, { recursive: true, mode: 0o700 });
  const root = openByteFolder(dir, MAP_BYTES, true);
  try {
    await root.backup(target, false);
  } finally {
    await root.close();
  }
  const file = await open(join(target, JOURNAL_FILE), 'r+');
  try {
    await file.chmod(0o600);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** What stands in a journal, without its key: nothing that it encrypts is read. Undefined where none is. */
export async function summariseJournal(dir: string): Promise<JournalSummary | undefined> {
  const complaint = await checkDataFile(dir, TREES);
  if (complaint !== undefined) throw new Error(`The journal folder ${dir} ${complaint}.`);
  const root = openByteFolder(dir, MAP_BYTES, true);
  try {
    const tree = (name: string) =>
      root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' }) as Store['orders'] | undefined;
    const [orders, unsettled] = [tree('orders'), tree('unsettled')];
    if (orders === undefined || unsettled === undefined) return undefined;
    const [newest] = orders.getKeys({ reverse: true, limit: 1 });
    return {
      orders: orders.getKeysCount(),
      open: unsettled.getKeysCount(),
      newestMs: newest === undefined ? undefined : parseOrderKey(newest).openedAtMs,
    };
  } finally {
    await root.close();
  }
}

/**
 * Forgets what took no money in a journal that was restored: since the copy was made such an order may have been sent again under
 * its id, and sold. Forgotten, it is asked of v1, which knows the id; remembered, it would be told as failed. Gives how many.
 */
export async function forgetUncharged(dir: string, encryptionKey: Secret | undefined): Promise<number> {
  const seal = createFieldSeal(encryptionKey);
  const store: Store = { ...(await openEnvironment({ dir, keyCheck: seal.keyCheck })), seal };
  let forgotten = 0;
  try {
    for (let start: Buffer | undefined = timeKey(0); start !== undefined;) {
      const from: Buffer = start;
      start = store.root.transactionSync(() => {
        // What v1's history has proven absent is never sent again.
        const isDue = ({ outcome }: Order): boolean => isRefusal(outcome) && !isProvenAbsent(outcome!);
        const { writes, result } = planDeleting(store, from, timeKey(END_OF_TIME_MS), isDue);
        for (const { tree, key } of writes) void tree.remove(key);
        forgotten += result.deleted;
        return result.next;
      });
    }
    await store.root.flushed;
  } finally {
    await store.root.close();
  }
  return forgotten;
}
