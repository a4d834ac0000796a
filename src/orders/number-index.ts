/**
 * Finds orders by phone, meter or card number. The index is derived from the journal and kept in a folder that may be lost. `follow-journal`
 * fills it slowly in the background, so a sale writes nothing into it. It has only keyed hashes of numbers.
 */
import { rm } from 'node:fs/promises';
import type { Keyring } from '../gateway/read/keyring';
import type { LookUpKey } from './number-keys';
import { openSideFolder, type SideFolder } from './side-folder';

/** The name of an order: its number stays the same when it is reopened. */
export interface OrderName {
  readonly owner: string;
  readonly number: number;
}

/** The time span whose orders are in the index; ms since the epoch. */
export interface Indexed {
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface IndexEntry extends OrderName {
  readonly key: LookUpKey;
}

export interface NumberIndex {
  /** Undefined while the index is empty. */
  indexed(): Indexed | undefined;
  /** Adds entries and the new indexed span in one commit. */
  add(entries: readonly IndexEntry[], indexed: Indexed): Promise<void>;
  /** Orders with one of these keys and a number below `beforeNumber`, newest first, each once. */
  find(keys: readonly LookUpKey[], beforeNumber: number, limit: number): readonly OrderName[];
  /** The next entries after a place, to find entries of deleted orders. */
  some(after: Buffer | undefined, limit: number): readonly (OrderName & { readonly at: Buffer })[];
  remove(places: readonly Buffer[]): Promise<void>;
  close(): Promise<void>;
}

interface NumberIndexOptions {
  readonly dir: string;
  /** An index that was made with another secret is deleted and begun anew. */
  readonly keyring: Pick<Keyring, 'hash'>;
  readonly isReadOnly?: boolean;
}

const MAP_BYTES = 16 * 2 ** 30;
const MARK = Buffer.from('mark');
const STATE = Buffer.from('indexed');
const KEY_BYTES = 16;
const NUMBER_BYTES = 8;
const HEAD_BYTES = KEY_BYTES + NUMBER_BYTES;
const NOTHING = Buffer.alloc(0);

/** `numbers`: (key, number of the order, owner) → nothing. */
type Folder = SideFolder<'numbers'>;

/** Read-only, an index that does not exist or has another secret is empty. Rejects when the folder cannot be used. */
export async function openNumberIndex({ dir, keyring, isReadOnly = false }: NumberIndexOptions): Promise<NumberIndex> {
  const mark = keyring.hash('number index 1');
  const open = (): Promise<Folder | undefined> => openSideFolder({ dir, mapBytes: MAP_BYTES, names: ['numbers'], isReadOnly });
  const folder = await open();
  if (folder?.fresh()?.root.get(MARK)?.toString() === mark) return indexIn(folder);
  await folder?.close();
  if (isReadOnly) return NO_INDEX;
  await rm(dir, { recursive: true, force: true });
  const anew = (await open())!;
  await anew.commit(({ root }) => void root.put(MARK, Buffer.from(mark)));
  return indexIn(anew);
}

function indexIn(folder: Folder): NumberIndex {
  return {
    indexed() {
      const bytes = folder.fresh()?.root.get(STATE);
      return bytes === undefined ? undefined : (JSON.parse(bytes.toString()) as Indexed);
    },
    add: (entries, indexed) =>
      folder.commit(({ root, numbers }) => {
        for (const entry of entries) void numbers.put(entryKey(entry), NOTHING);
        void root.put(STATE, Buffer.from(JSON.stringify(indexed)));
      }),
    find(keys, beforeNumber, limit) {
      const { numbers } = folder.fresh() ?? {};
      if (numbers === undefined) return [];
      const found = new Map<string, OrderName>();
      for (const key of keys) {
        const start = Buffer.concat([Buffer.from(key, 'hex'), numberBytes(beforeNumber)]);
        const range = { start, exclusiveStart: true, end: Buffer.from(key, 'hex'), reverse: true, limit };
        for (const at of numbers.getKeys(range)) {
          const name = parseEntry(at);
          found.set(`${name.owner} ${name.number}`, name);
        }
      }
      return [...found.values()].sort((one, other) => other.number - one.number).slice(0, limit);
    },
    some(after, limit) {
      const { numbers } = folder.fresh() ?? {};
      if (numbers === undefined) return [];
      const start = after === undefined ? Buffer.from([0]) : Buffer.concat([after, Buffer.alloc(1)]);
      return [...numbers.getKeys({ start, limit })].map((at) => ({ ...parseEntry(at), at }));
    },
    remove: (places) =>
      folder.commit(({ numbers }) => {
        for (const at of places) void numbers.remove(at);
      }),
    close: () => folder.close(),
  };
}

/** An index without entries, for a journal in memory: its orders are found by reading all of them. */
export const NO_INDEX: NumberIndex = {
  indexed: () => undefined,
  add: () => Promise.reject(new Error('There is no index to write to.')),
  find: () => [],
  some: () => [],
  remove: () => Promise.reject(new Error('There is no index to write to.')),
  close: () => Promise.resolve(),
};

function entryKey({ key, number, owner }: IndexEntry): Buffer {
  return Buffer.concat([Buffer.from(key, 'hex'), numberBytes(number), Buffer.from(owner)]);
}

function parseEntry(at: Buffer): OrderName {
  return { number: Number(at.readBigUInt64BE(KEY_BYTES)), owner: at.toString('utf8', HEAD_BYTES) };
}

function numberBytes(number: number): Buffer {
  const bytes = Buffer.allocUnsafe(NUMBER_BYTES);
  bytes.writeBigUInt64BE(BigInt(Math.max(0, Math.min(number, Number.MAX_SAFE_INTEGER))));
  return bytes;
}
