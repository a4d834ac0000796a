/** The folder of the journal: made, recognised or refused. Nothing is ever written into a file that is not ours. */
import { chmodSync } from 'node:fs';
import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { open, type Database, type RootDatabase } from 'lmdb';
import { checkDataFile } from './check-data-file';
import { probeFolder } from './lasting-root';

export const TREES = ['orders', 'ids', 'numbers', 'references', 'unsettled'] as const;
const MAP_BYTES = 64 * 2 ** 30;
const MAGIC = 'compat-gateway journal';
const SCHEMA_VERSION = 1;

export const MARK_KEY = Buffer.from('compat-gateway');

export type Bytes = Database<Buffer, Buffer>;

export interface Environment {
  readonly root: RootDatabase<Buffer, Buffer>;
  /** (time, number, owner) → record. */
  readonly orders: Bytes;
  /** (owner, request id) → (time, number). */
  readonly ids: Bytes;
  /** (owner, number) → (time, number). */
  readonly numbers: Bytes;
  /** (owner, v1's reference) → (time, number). */
  readonly references: Bytes;
  /** (owner, time, number) → one byte. Behind them the same of orders that are not told (`untoldKey`): few, so that they need no tree. */
  readonly unsettled: Bytes;
}

export interface EnvironmentOptions {
  readonly dir: string;
  /** Of the seal of this process; see `createFieldSeal`. */
  readonly keyCheck: string | undefined;
  /** Nothing is written, and nothing made that is not there. */
  readonly isReadOnly?: boolean;
}

export async function openEnvironment({ dir, keyCheck, isReadOnly = false }: EnvironmentOptions): Promise<Environment> {
  if (!isReadOnly) {
    await makeFolder(dir);
    // Before LMDB maps its files: a page that finds no room in a mapped file ends the process without a word.
    await probeFolder(dir).catch((error: unknown) => Promise.reject(refusal(dir, 'cannot be written', error)));
  }
  const complaint = await checkDataFile(dir, TREES);
  if (complaint !== undefined) throw refusal(dir, `${complaint}; nothing in it was changed`);
  return openTrees({ dir, keyCheck, isReadOnly });
}

/** Opens what is there, without a look at the file before LMDB has it. */
export function openTrees({ dir, keyCheck, isReadOnly = false }: EnvironmentOptions): Environment {
  const root = openRoot(dir, isReadOnly);
  try {
    admit({ root, dir, keyCheck, isReadOnly });
    const tree = (name: (typeof TREES)[number]): Bytes => openTree(root, name, dir);
    return {
      root,
      orders: tree('orders'),
      ids: tree('ids'),
      numbers: tree('numbers'),
      references: tree('references'),
      unsettled: tree('unsettled'),
    };
  } catch (error) {
    void root.close();
    throw error;
  }
}

function openTree(root: RootDatabase<Buffer, Buffer>, name: string, dir: string): Bytes {
  // Undefined for a reader, who makes none: the process that began this journal ended before it had all of them.
  const tree = root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' }) as Bytes | undefined;
  if (tree === undefined) throw refusal(dir, 'holds no journal yet; a gateway that starts on it makes one');
  return tree;
}

async function makeFolder(dir: string): Promise<void> {
  try {
    const isNew = (await mkdir(dir, { recursive: true, mode: 0o700 })) !== undefined;
    // The umask may have taken rights away but never adds any; an existing folder stays as its owner made it.
    if (isNew) await chmod(dir, 0o700);
    if (!(await stat(dir)).isDirectory()) throw new Error('it is not a folder');
  } catch (error) {
    throw refusal(dir, 'cannot be used', error);
  }
}

/**
 * An LMDB folder of plain bytes, made when it is not there, unless it is only to be read. `mapBytes` is address space, not memory or
 * disk: large at once, so that no process ever has to follow another that grew its map. Throws what LMDB throws.
 */
export function openByteFolder(dir: string, mapBytes: number, isReadOnly = false): RootDatabase<Buffer, Buffer> {
  const root = open<Buffer, Buffer>({
    path: dir,
    // A dot in the name of the folder would otherwise make lmdb take it for a file.
    noSubdir: false,
    encoding: 'binary',
    keyEncoding: 'binary',
    maxDbs: 8,
    readOnly: isReadOnly,
    mapSize: mapBytes,
    // With overlapping sync a promise resolves when others can see the write, before it is on disk.
    overlappingSync: false,
    // Its batch has a promise that nobody is given: a failed commit would reject it unheard, which ends the process.
    eventTurnBatching: false,
  });
  if (!isReadOnly) closeToOthers([join(dir, 'data.mdb'), join(dir, 'lock.mdb')]);
  return root;
}

/** LMDB makes its files as the umask has it, and an earlier build left them so: they are their owner's alone. */
export function closeToOthers(files: readonly string[]): void {
  for (const file of files) {
    try {
      chmodSync(file, 0o600);
    } catch {
      // It belongs to another user of this machine, who shares it on purpose.
    }
  }
}

function openRoot(dir: string, isReadOnly: boolean): RootDatabase<Buffer, Buffer> {
  try {
    return openByteFolder(dir, MAP_BYTES, isReadOnly);
  } catch (error) {
    throw refusal(dir, 'is not a journal or is damaged; nothing in it was changed', error);
  }
}

interface Admission extends Required<EnvironmentOptions> {
  readonly root: RootDatabase<Buffer, Buffer>;
}

/** Reads the mark, or sets it in an empty file; two processes that start at once agree, by the write lock. */
function admit({ root, dir, keyCheck, isReadOnly }: Admission): void {
  const judge = (): void => {
    const bytes = root.get(MARK_KEY);
    if (bytes === undefined && root.getKeysCount() > 0)
      throw refusal(dir, 'belongs to another program; nothing in it was changed');
    const mark = bytes === undefined ? { magic: MAGIC, version: SCHEMA_VERSION } : parseMark(bytes, dir);
    const complaint = checkKey(mark, keyCheck, dir);
    if (complaint !== undefined) throw complaint;
    if (bytes === undefined && !isReadOnly) root.putSync(MARK_KEY, encodeMark(mark));
  };
  if (isReadOnly) judge();
  else root.transactionSync(judge);
}

/** The first record of a journal: that the file is ours, in which layout, and whether its orders are encrypted. */
export interface Mark {
  readonly magic: string;
  readonly version: number;
  /** Of the seal of the orders; absent as long as none was sealed. */
  readonly keyCheck?: string;
}

export function encodeMark(mark: Mark): Buffer {
  return Buffer.from(JSON.stringify(mark));
}

/** Throws when this build cannot use the file that it stands in. */
export function parseMark(bytes: Buffer, dir: string): Mark {
  const mark = parseShape(bytes);
  if (mark === undefined) throw refusal(dir, 'has an unreadable first record; nothing in it was changed');
  if (mark.magic !== MAGIC) throw refusal(dir, 'belongs to another program; nothing in it was changed');
  if (mark.version <= SCHEMA_VERSION) return mark;
  throw refusal(
    dir,
    `was written by a newer build (layout ${mark.version}, this one knows ${SCHEMA_VERSION}); nothing in it was changed`,
  );
}

function parseShape(bytes: Buffer): Mark | undefined {
  try {
    const { magic, version, keyCheck } = JSON.parse(bytes.toString()) as Partial<Mark>;
    if (typeof magic !== 'string' || typeof version !== 'number') return undefined;
    return keyCheck === undefined ? { magic, version } : { magic, version, keyCheck };
  } catch {
    return undefined;
  }
}

/** Why a process with this key (its `keyCheck`) may not use the journal; undefined when it may. */
export function checkKey(mark: Mark, keyCheck: string | undefined, dir: string): Error | undefined {
  if (mark.keyCheck === undefined || mark.keyCheck === keyCheck) return undefined;
  const state = keyCheck === undefined ? 'absent' : 'another one';
  return refusal(dir, `is encrypted, and the encryption key is ${state}: JOURNAL_KEY must be the one that its orders have`);
}

/** Why a journal folder is not used, as a sentence that names the folder. `what` goes on after the name. */
function refusal(dir: string, what: string, cause?: unknown): Error {
  const reason = cause instanceof Error ? ` (${cause.message})` : '';
  return new Error(`The journal folder ${dir} ${what}${reason}.`, cause === undefined ? undefined : { cause });
}
