/** Traffic in an LMDB folder of its own. Several gateways on one data folder add to the same counters. */
import { existsSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database, RootDatabase } from 'lmdb';
import { canBeWalked, checkDataFile } from '../journal/lmdb/check-data-file';
import { openByteFolder } from '../journal/lmdb/open-byte-folder';
import { createLastingRoot } from '../journal/lmdb/lasting-root';
import { TALLY_KINDS, TALLY_ROOM, whatGivesWay, type Seen, type Tally, type TallyKind, type TallyRoom } from './tally';
import { addToRecord, decodeTally, encodeTally, isReadable, ownerRange, seenOf, tallyKey } from './tally-record';
import { UNSEEN_MS_MAX, type Stored, type TrafficStore } from './traffic-store';

type Bytes = Database<Buffer, Buffer>;

interface Trees {
  readonly root: RootDatabase<Buffer, Buffer>;
  readonly of: Readonly<Record<TallyKind, Bytes>>;
}

interface Meta {
  readonly magic: string;
  readonly version: number;
  readonly sinceMs: number;
  readonly forgotten: number;
}

const MAGIC = 'compat-gateway traffic';
const VERSION = 1;
const META_KEY = Buffer.from('compat-gateway');
/** Address space, not disk. */
const MAP_BYTES = 2 ** 30;
/** So much room is made at once, so that a flood of new things does not look through everything each time. */
const SLACK = 1 / 16;
const SWEEP_EVERY_MS = 3_600_000;
const READ_AT_ONCE = 500;

/** Rejects with a sentence when the folder holds something else, or something damaged; nothing in it is changed then. */
export async function openLmdbStore(dir: string, nowMs: number, room: TallyRoom = TALLY_ROOM): Promise<TrafficStore> {
  const isNew = (await mkdir(dir, { recursive: true, mode: 0o700 })) !== undefined;
  if (isNew) await chmod(dir, 0o700);
  const complaint = (await checkDataFile(dir, TALLY_KINDS)) ?? (await unreadable(dir));
  if (complaint !== undefined) throw new Error(`The traffic folder ${dir} ${complaint}; nothing in it was changed.`);
  const root = openByteFolder(dir, MAP_BYTES);
  try {
    admit(root, dir, nowMs);
    return createStore(dir, openTrees(root), room);
  } catch (error) {
    await root.close();
    throw error;
  }
}

function openTrees(root: RootDatabase<Buffer, Buffer>): Trees {
  const tree = (name: TallyKind): Bytes => root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' });
  return { root, of: { shape: tree('shape'), unlisted: tree('unlisted'), address: tree('address'), used: tree('used') } };
}

/** A damaged page may end the process that meets it, and for this store no gateway may end: another process reads it first. */
async function unreadable(dir: string): Promise<string | undefined> {
  const isThere = existsSync(join(dir, 'data.mdb'));
  return !isThere || (await canBeWalked(dir, TALLY_KINDS))
    ? undefined
    : 'cannot be read to its end, or belongs to another program';
}

function createStore(dir: string, opened: Trees, room: TallyRoom): TrafficStore {
  let trees = opened;
  const reopen = (isReadOnly: boolean): void => void (trees = openTrees(openByteFolder(dir, MAP_BYTES, isReadOnly)));
  const lasting = createLastingRoot({ dir, root: () => trees.root, reopen });
  let sweptAtMs = 0;
  return {
    async add(tallies, forgotten, nowMs) {
      let driven = 0;
      await lasting.commit(() => {
        driven = 0;
        const isSweeping = nowMs - sweptAtMs >= SWEEP_EVERY_MS;
        for (const kind of TALLY_KINDS) {
          const own = tallies.filter((tally) => tally.kind === kind);
          if (own.length > 0) driven += addTo(trees.of[kind], own, room[kind]);
          if (isSweeping) sweep(trees.of[kind], nowMs);
        }
        if (isSweeping) sweptAtMs = nowMs;
        if (forgotten + driven > 0)
          changeMeta(trees.root, (meta) => ({ ...meta, forgotten: meta.forgotten + forgotten + driven }));
      });
      return { shapes: countOf(trees.of.shape), forgotten: driven };
    },
    read: () =>
      readAll(() => {
        if (!lasting.isOpen()) throw new Error('The traffic folder is being opened anew.');
        return trees;
      }),
    forget: (nowMs) =>
      lasting.commit(() => {
        for (const kind of TALLY_KINDS) for (const key of trees.of[kind].getKeys()) void trees.of[kind].remove(Buffer.from(key));
        changeMeta(trees.root, (meta) => ({ ...meta, sinceMs: nowMs, forgotten: 0 }));
      }),
    close: () => trees.root.close(),
  };
}

/** Gives the requests of what had to give way. */
function addTo(tree: Bytes, tallies: readonly Tally[], { max, ofOwnerMax }: TallyRoom[TallyKind]): number {
  const grown = new Map<string, Buffer>();
  for (const tally of tallies) {
    const key = tallyKey(tally);
    const before = tree.get(key);
    const isThere = before !== undefined && isReadable(before);
    tree.putSync(key, isThere ? addToRecord(before, tally) : encodeTally(tally));
    if (!isThere) grown.set(tally.owner, key);
  }
  let driven = 0;
  for (const key of grown.values()) {
    const excess = tree.getKeysCount(ownerRange(key)) - ofOwnerMax;
    if (excess > 0) driven += makeRoom(tree, excess, ownerRange(key));
  }
  const excess = countOf(tree) - max;
  return excess > 0 ? driven + makeRoom(tree, excess + Math.floor(max * SLACK)) : driven;
}

function makeRoom(tree: Bytes, howMany: number, range: { readonly start?: Buffer; readonly end?: Buffer } = {}): number {
  const entries: (Seen & { readonly key: Buffer })[] = [];
  for (const { key, value } of tree.getRange(range)) entries.push({ key: Buffer.from(key), ...seenOf(value) });
  let requests = 0;
  for (const { key, count } of whatGivesWay(entries, howMany)) {
    tree.removeSync(key);
    requests += count;
  }
  return requests;
}

function sweep(tree: Bytes, nowMs: number): void {
  const old: Buffer[] = [];
  for (const { key, value } of tree.getRange()) if (nowMs - seenOf(value).lastSeenMs > UNSEEN_MS_MAX) old.push(Buffer.from(key));
  for (const key of old) tree.removeSync(key);
}

/** In pieces: the gateway sells meanwhile, and may open the trees anew. */
async function readAll(trees: () => Trees): Promise<Stored> {
  const { sinceMs, forgotten } = parseMeta(trees().root.get(META_KEY)) ?? { sinceMs: 0, forgotten: 0 };
  const tallies: Tally[] = [];
  for (const kind of TALLY_KINDS) {
    let start: Buffer | undefined;
    for (;;) {
      let count = 0;
      for (const { key, value } of trees().of[kind].getRange({
        ...(start === undefined ? {} : { start }),
        limit: READ_AT_ONCE,
      })) {
        count += 1;
        start = Buffer.concat([Buffer.from(key), Buffer.alloc(1)]);
        const tally = decodeTally(kind, value);
        if (tally !== undefined) tallies.push(tally);
      }
      if (count < READ_AT_ONCE) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return { sinceMs, forgotten, tallies };
}

function countOf(tree: Bytes): number {
  return (tree.getStats() as { readonly entryCount: number }).entryCount;
}

/** Recognises the folder, or marks an empty one as ours. */
function admit(root: RootDatabase<Buffer, Buffer>, dir: string, nowMs: number): void {
  root.transactionSync(() => {
    const bytes = root.get(META_KEY);
    const meta = parseMeta(bytes);
    if (bytes === undefined && root.getKeysCount() === 0)
      return root.putSync(
        META_KEY,
        Buffer.from(JSON.stringify({ magic: MAGIC, version: VERSION, sinceMs: nowMs, forgotten: 0 })),
      );
    if (meta === undefined) throw new Error(`The traffic folder ${dir} belongs to another program; nothing in it was changed.`);
    if (meta.version !== VERSION)
      throw new Error(
        `The traffic folder ${dir} was written by another build (layout ${meta.version}); nothing in it was changed.`,
      );
    return undefined;
  });
}

function changeMeta(root: RootDatabase<Buffer, Buffer>, change: (meta: Meta) => Meta): void {
  const meta = parseMeta(root.get(META_KEY));
  if (meta !== undefined) root.putSync(META_KEY, Buffer.from(JSON.stringify(change(meta))));
}

function parseMeta(bytes: Buffer | undefined): Meta | undefined {
  if (bytes === undefined) return undefined;
  try {
    const meta = JSON.parse(bytes.toString()) as Partial<Meta>;
    return meta.magic === MAGIC && typeof meta.version === 'number' ? (meta as Meta) : undefined;
  } catch {
    return undefined;
  }
}
