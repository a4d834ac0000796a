/** The folder of the journal: made, recognised or refused. Nothing is ever written into a file that is not ours. */
import { chmod, mkdir, stat } from 'node:fs/promises';
import type { Database, RootDatabase } from 'lmdb';
import { checkDataFile } from './check-data-file';
import { checkKey, encodeMark, MARK_KEY, NEW_MARK, parseMark } from './mark';
import { probeFolder } from './lasting-root';
import { openByteFolder } from './open-byte-folder';
import { refusal } from './refusal';

const TREES = ['orders', 'ids', 'numbers', 'references', 'unsettled'] as const;
const MAP_BYTES = 64 * 2 ** 30;

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
  /** (owner, time, number) → one byte. */
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
    const mark = bytes === undefined ? NEW_MARK : parseMark(bytes, dir);
    const complaint = checkKey(mark, keyCheck, dir);
    if (complaint !== undefined) throw complaint;
    if (bytes === undefined && !isReadOnly) root.putSync(MARK_KEY, encodeMark(mark));
  };
  if (isReadOnly) judge();
  else root.transactionSync(judge);
}
