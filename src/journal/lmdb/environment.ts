/** Makes, recognises or refuses the folder of the journal. A file that is not ours is never written. */
import { accessSync, chmodSync, constants, existsSync } from 'node:fs';
import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { open, type Database, type RootDatabase } from 'lmdb';
import { checkDataFile } from './check-data-file';
import { probeFolder } from './lasting-root';

export const TREES = ['orders', 'ids', 'numbers', 'references', 'unsettled'] as const;
export const MAP_BYTES = 64 * 2 ** 30;
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
  /** (owner, time, number) → one byte. After them the same keys of untold orders (`untoldKey`): these are few and need no tree of their own. */
  readonly unsettled: Bytes;
}

interface EnvironmentOptions {
  readonly dir: string;
  /** That of this process's seal; see `createFieldSeal`. */
  readonly keyCheck: string | undefined;
  /** When true, nothing is made or written. */
  readonly isReadOnly?: boolean;
}

export async function openEnvironment({ dir, keyCheck, isReadOnly = false }: EnvironmentOptions): Promise<Environment> {
  if (!isReadOnly) {
    await makeFolder(dir);
    // Before LMDB maps its files: writing a page of a mapped file on a full disk ends the process without a message.
    await probeFolder(dir).catch((error: unknown) => Promise.reject(refusal(dir, 'cannot be written', error)));
  }
  const complaint = await checkDataFile(dir, TREES);
  if (complaint !== undefined) throw refusal(dir, `${complaint}; nothing in it was changed`);
  return openTrees({ dir, keyCheck, isReadOnly });
}

/** Opens the trees of a folder without `checkDataFile`. */
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
  // Undefined only for a reader, which makes no trees: the process that began this journal ended before it had made all of them.
  const tree = root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' }) as Bytes | undefined;
  if (tree === undefined) throw refusal(dir, 'holds no journal yet; a gateway that starts on it makes one');
  return tree;
}

async function makeFolder(dir: string): Promise<void> {
  try {
    const isNew = (await mkdir(dir, { recursive: true, mode: 0o700 })) !== undefined;
    // `mkdir` applies the umask, so the rights of a new folder are set again. An existing folder keeps the rights that its owner set.
    if (isNew) await chmod(dir, 0o700);
    if (!(await stat(dir)).isDirectory()) throw new Error('it is not a folder');
  } catch (error) {
    throw refusal(dir, 'cannot be used', error);
  }
}

/**
 * Opens an LMDB folder of plain bytes; makes it when absent, unless `isReadOnly`. `mapBytes` is address space, not memory or disk, and no limit: a process
 * that meets a page beyond its map maps the file anew, twice as large. Throws the errors of LMDB.
 */
export function openByteFolder(dir: string, mapBytes: number, isReadOnly = false): RootDatabase<Buffer, Buffer> {
  const files = [join(dir, 'data.mdb'), join(dir, 'lock.mdb')];
  // LMDB ends the process without a message where a writer may not write the table of readers: the file of another user, who has read the folder before.
  if (!isReadOnly) for (const file of files) if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK);
  const root = open<Buffer, Buffer>({
    path: dir,
    // Otherwise lmdb would take a folder with a dot in its name for a file.
    noSubdir: false,
    encoding: 'binary',
    keyEncoding: 'binary',
    maxDbs: 8,
    readOnly: isReadOnly,
    mapSize: mapBytes,
    // With overlapping sync a promise resolves when other processes see the write, before it is on disk.
    overlappingSync: false,
    // lmdb's batch has a promise that it returns to no caller. A failed commit would reject it unhandled, which ends the process.
    eventTurnBatching: false,
  });
  if (!isReadOnly) denyOtherUsers(files);
  return root;
}

/** Takes all rights to the files from other users: LMDB makes its files by the umask, and an earlier build left them so. */
export function denyOtherUsers(files: readonly string[]): void {
  for (const file of files) {
    try {
      chmodSync(file, 0o600);
    } catch {
      // The file belongs to another user of this machine, who shares it on purpose.
    }
  }
}

function openRoot(dir: string, isReadOnly: boolean): RootDatabase<Buffer, Buffer> {
  try {
    return openByteFolder(dir, MAP_BYTES, isReadOnly);
  } catch (error) {
    const isDenied = (error as NodeJS.ErrnoException).code === 'EACCES';
    throw refusal(dir, isDenied ? 'cannot be written' : 'is not a journal or is damaged; nothing in it was changed', error);
  }
}

interface Admission extends Required<EnvironmentOptions> {
  readonly root: RootDatabase<Buffer, Buffer>;
}

/** Checks the mark, or sets it in an empty file. The write lock makes two processes that start at once agree. */
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

/** The first record of a journal. It shows that the file is ours, which layout it has, and whether its orders are encrypted. */
export interface Mark {
  readonly magic: string;
  readonly version: number;
  /** That of the seal of the orders; absent as long as no order was sealed. */
  readonly keyCheck?: string;
}

export function encodeMark(mark: Mark): Buffer {
  return Buffer.from(JSON.stringify(mark));
}

/** Throws when this build cannot use the file with this mark. */
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

/** The reason why a process with this key (its `keyCheck`) may not use the journal; undefined when it may. */
export function checkKey(mark: Mark, keyCheck: string | undefined, dir: string): Error | undefined {
  if (mark.keyCheck === undefined || mark.keyCheck === keyCheck) return undefined;
  const state = keyCheck === undefined ? 'absent' : 'another one';
  return refusal(dir, `is encrypted, and the encryption key is ${state}: JOURNAL_KEY must be the one that its orders have`);
}

/** An error that names the journal folder; `what` follows the name in its sentence. */
function refusal(dir: string, what: string, cause?: unknown): Error {
  const reason = cause instanceof Error ? ` (${cause.message})` : '';
  return new Error(`The journal folder ${dir} ${what}${reason}.`, cause === undefined ? undefined : { cause });
}
