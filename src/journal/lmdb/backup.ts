/** Copies a journal's folder while gateways sell, and prepares a restored copy for selling. */
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Secret } from '../../domain/credentials';
import type { Order } from '../../domain/order';
import { isProvenAbsent, isRefusal } from '../../domain/outcome';
import { createFieldSeal } from '../record';
import { checkDataFile } from './check-data-file';
import { MAP_BYTES, openByteFolder, openEnvironment, TREES } from './environment';
import { FIRST_UNTOLD, parseOrderKey, timeKey, type Store } from './keys';
import { planDeleting } from './write-orders';

const END_OF_TIME_MS = 2 ** 48 - 1;

export const JOURNAL_FILE = 'data.mdb';

interface JournalSummary {
  readonly orders: number;
  /** The number of orders whose money may have moved and that are not final. */
  readonly open: number;
  /** When the newest order was opened; undefined in an empty journal. */
  readonly newestMs: number | undefined;
}

/**
 * Copies one consistent state of an LMDB folder while other processes write: a journal's folder, unless other trees are named. Resolves when
 * the copy is on disk.
 */
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

/** Counts a journal's orders without its encryption key: encrypted values are not read. Undefined where there is no journal. */
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
      // Behind these stand the keys of orders that have ended and were not told.
      open: unsettled.getKeysCount({ end: FIRST_UNTOLD }),
      newestMs: newest === undefined ? undefined : parseOrderKey(newest).openedAtMs,
    };
  } finally {
    await root.close();
  }
}

/**
 * Deletes the refused orders of a restored journal and returns how many. Since the copy was made, such an order may have been sent again
 * under its id and sold. When it is deleted, a repeat goes to v1, which knows the id; when it is kept, it would be told as failed. An order that
 * v1's history has proven absent is never sent again, except from another journal, which does not know the proof (`proven too`).
 */
export async function forgetUncharged(dir: string, encryptionKey: Secret | undefined, which?: 'proven too'): Promise<number> {
  const seal = createFieldSeal(encryptionKey);
  const store: Store = { ...(await openEnvironment({ dir, keyCheck: seal.keyCheck })), seal };
  let forgotten = 0;
  try {
    for (let start: Buffer | undefined = timeKey(0); start !== undefined;) {
      const from: Buffer = start;
      start = store.root.transactionSync(() => {
        const isDue = ({ outcome }: Order): boolean => isRefusal(outcome) && (which !== undefined || !isProvenAbsent(outcome!));
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
