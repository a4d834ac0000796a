/** The folder of the journal: made, recognised or refused. Nothing is ever written into a file that is not ours. */
import { chmod, mkdir, stat } from 'node:fs/promises';
import type { Database, RootDatabase } from 'lmdb';
import { checkDataFile } from './check-data-file';
import { openByteFolder } from './open-byte-folder';

const MAGIC = 'compat-gateway journal';
const SCHEMA_VERSION = 1;
const TREES = ['orders', 'ids', 'numbers', 'references', 'unsettled'] as const;
const MAP_BYTES = 64 * 2 ** 30;
const META_KEY = Buffer.from('compat-gateway');

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

interface Meta {
  readonly magic: string;
  readonly version: number;
  readonly keyCheck?: string;
}

export interface EnvironmentOptions {
  readonly dir: string;
  /** Of the seal of this process; see `createFieldSeal`. */
  readonly keyCheck: string | undefined;
}

export async function openEnvironment({ dir, keyCheck }: EnvironmentOptions): Promise<Environment> {
  await makeFolder(dir);
  const complaint = await checkDataFile(dir, TREES);
  if (complaint !== undefined) throw refusal(dir, `${complaint}; nothing in it was changed`);
  const root = openRoot(dir);
  try {
    admit(root, dir, keyCheck);
    const tree = (name: (typeof TREES)[number]): Bytes =>
      root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' });
    return {
      root,
      orders: tree('orders'),
      ids: tree('ids'),
      numbers: tree('numbers'),
      references: tree('references'),
      unsettled: tree('unsettled'),
    };
  } catch (error) {
    await root.close();
    throw error;
  }
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

function openRoot(dir: string): RootDatabase<Buffer, Buffer> {
  try {
    return openByteFolder(dir, MAP_BYTES);
  } catch (error) {
    throw refusal(dir, 'is not a journal or is damaged; nothing in it was changed', error);
  }
}

/** Reads the mark of the journal, or sets it in an empty file; two processes that start at once agree, by the write lock. */
function admit(root: RootDatabase<Buffer, Buffer>, dir: string, keyCheck: string | undefined): void {
  root.transactionSync(() => {
    const bytes = root.get(META_KEY);
    if (bytes === undefined && root.getKeysCount() > 0)
      throw refusal(dir, 'belongs to another program; nothing in it was changed');
    const meta: Meta = bytes === undefined ? { magic: MAGIC, version: SCHEMA_VERSION } : parseMeta(bytes, dir);
    if (meta.magic !== MAGIC) throw refusal(dir, 'belongs to another program; nothing in it was changed');
    if (meta.version > SCHEMA_VERSION) {
      throw refusal(
        dir,
        `was written by a newer build (layout ${meta.version}, this one knows ${SCHEMA_VERSION}); nothing in it was changed`,
      );
    }
    if (meta.keyCheck !== undefined && meta.keyCheck !== keyCheck) {
      throw refusal(dir, `is encrypted, and the encryption key is ${keyCheck === undefined ? 'absent' : 'another one'}`);
    }
    const wanted: Meta = keyCheck === undefined ? meta : { ...meta, keyCheck };
    if (bytes === undefined || wanted.keyCheck !== meta.keyCheck) root.putSync(META_KEY, Buffer.from(JSON.stringify(wanted)));
  });
}

function parseMeta(bytes: Buffer, dir: string): Meta {
  try {
    const meta = JSON.parse(bytes.toString()) as Partial<Meta>;
    if (typeof meta.magic === 'string' && typeof meta.version === 'number') return meta as Meta;
  } catch {
    // Told below, together with a record of the wrong shape.
  }
  throw refusal(dir, 'has an unreadable first record; nothing in it was changed');
}

function refusal(dir: string, what: string, cause?: unknown): Error {
  const reason = cause instanceof Error ? ` (${cause.message})` : '';
  return new Error(`The journal folder ${dir} ${what}${reason}.`, cause === undefined ? undefined : { cause });
}
