/**
 * Checks the data file before LMDB opens it. LMDB maps the file into memory, and reading a page beyond a cut-off end kills
 * the process with SIGBUS, perhaps days later. This check finds that at the start and explains it.
 */
import { execFile } from 'node:child_process';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

// LMDB 0.9.90 as lmdb-js 3 ships it (mdb.c, MDB_page_header and MDB_meta): a header of 24 bytes, then these offsets.
const LMDB_MAGIC = 0xbeefc0de;
const HEADER_BYTES = 24;
const PAGE_BYTES_AT = 24;
const LAST_PAGE_AT = 120;
const COMMIT_AT = 128;
const META_BYTES = 136;
const PAGE_BYTES_MIN = 512;
const PAGE_BYTES_MAX = 65_536;

const EMPTY_WAIT_MS = 1000;
const WALK_MS_MAX = 600_000;

interface Meta {
  readonly pageBytes: number;
  readonly lastPage: bigint;
  readonly commit: bigint;
}

/** LMDB's own name of the file in a folder. */
const DATA_FILE = 'data.mdb';

/**
 * The fault of the data file of this folder, as the end of a sentence; undefined when LMDB may open it. With an
 * empty list of `trees`, all entries are in the root of the file.
 */
export async function checkDataFile(dir: string, trees: readonly string[], file = DATA_FILE): Promise<string | undefined> {
  const path = join(dir, file);
  const size = await sizeOf(path);
  if (size === undefined) return undefined;
  if (size === 0) return `holds an empty ${file}, where there must be a whole one or none at all`;
  const metas = await readMetas(path);
  if (metas.length === 0) return `holds a ${file} that is no LMDB data file`;
  const newest = metas.reduce((one, other) => (other.commit > one.commit ? other : one));
  const wanted = (newest.lastPage + 1n) * BigInt(newest.pageBytes);
  if (BigInt(size) >= wanted) return undefined;
  // Freed pages at the end are sometimes never written, so a short file may still be complete. Only reading all of it shows
  // that; it is done in a process of its own, which may die of it.
  if (await canBeWalked(dir, trees, file)) return undefined;
  return `holds a ${file} that is cut off (${size} of ${wanted} bytes)`;
}

/** The size of a file in bytes; undefined when absent. Waits while it is empty: another process may have just made it and write soon. */
async function sizeOf(path: string): Promise<number | undefined> {
  for (let waitedMs = 0; ; waitedMs += 50) {
    const size = await stat(path).then(
      (stats) => stats.size,
      (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? undefined : Promise.reject(error)),
    );
    if (size !== 0 || waitedMs >= EMPTY_WAIT_MS) return size;
    await sleep(50);
  }
}

async function readMetas(path: string): Promise<readonly Meta[]> {
  const file = await open(path, 'r');
  try {
    const first = await readMeta(file, 0);
    if (first !== undefined) {
      const second = await readMeta(file, first.pageBytes);
      return second === undefined ? [first] : [first, second];
    }
    // The first meta page may be the damaged one. The second follows one page later; the size of a page is not known here.
    for (let at = PAGE_BYTES_MIN; at <= PAGE_BYTES_MAX; at *= 2) {
      const second = await readMeta(file, at);
      if (second !== undefined) return [second];
    }
    return [];
  } finally {
    await file.close();
  }
}

async function readMeta(file: FileHandle, at: number): Promise<Meta | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(META_BYTES), 0, META_BYTES, at + HEADER_BYTES);
  if (bytesRead < META_BYTES || buffer.readUInt32LE(0) !== LMDB_MAGIC) return undefined;
  const pageBytes = buffer.readUInt32LE(PAGE_BYTES_AT);
  if (pageBytes < PAGE_BYTES_MIN || pageBytes > PAGE_BYTES_MAX) return undefined;
  return { pageBytes, lastPage: buffer.readBigUInt64LE(LAST_PAGE_AT), commit: buffer.readBigUInt64LE(COMMIT_AT) };
}

const WALK = `
  const bytes = { encoding: 'binary', keyEncoding: 'binary' };
  const [, lmdb, path, trees, kind] = process.argv;
  const root = require(lmdb).open({ path, noSubdir: kind === 'file', readOnly: true, maxDbs: 8, ...bytes });
  for (const name of trees.split(',')) {
    const tree = name === '' ? root : root.openDB({ name, ...bytes });
    let left = tree.getStats().entryCount;
    for (const { value } of tree.getRange()) {
      value.at(-1);
      left -= 1;
    }
    // A page of noise may also read like the end of the tree.
    if (left !== 0) throw new Error('entries are missing');
  }
`;

/** Reads every value of the folder in a process of its own, which may die of a damaged page. */
function canBeWalked(dir: string, trees: readonly string[], file = DATA_FILE): Promise<boolean> {
  const isFolder = file === DATA_FILE;
  const path = isFolder ? dir : join(dir, file);
  const walk = ['-e', WALK, require.resolve('lmdb'), path, trees.join(','), isFolder ? 'folder' : 'file'];
  return new Promise((resolve) => {
    execFile(process.execPath, walk, { timeout: WALK_MS_MAX }, (error) => resolve(error === null));
  });
}
