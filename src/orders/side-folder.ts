/** An LMDB folder beside the journal that may be lost: the notes, and the index of numbers. Several processes may have it open. */
import { existsSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database, RootDatabase } from 'lmdb';
import { checkDataFile } from '../journal/lmdb/check-data-file';
import { openByteFolder } from '../journal/lmdb/environment';
import { createLastingRoot, probeFolder } from '../journal/lmdb/lasting-root';

export type Trees<Name extends string> = Readonly<Record<Name, Database<Buffer, Buffer>>> & {
  readonly root: RootDatabase<Buffer, Buffer>;
};

export type SideFolder<Name extends string> = NonNullable<Awaited<ReturnType<typeof openSideFolder<Name>>>>;

interface SideFolderOptions<Name extends string> {
  readonly dir: string;
  readonly mapBytes: number;
  readonly names: readonly Name[];
  readonly isReadOnly: boolean;
}

/** Undefined for a reader of a folder that no writer has made yet. Rejects with a sentence, or the system's error, when the folder cannot be used. */
export async function openSideFolder<Name extends string>(options: SideFolderOptions<Name>) {
  const { dir, isReadOnly } = options;
  if (isReadOnly && !existsSync(join(dir, 'data.mdb'))) return undefined;
  if (!isReadOnly) {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await chmod(dir, 0o700);
    // Tested before LMDB maps its files: if the disk has no room for a page of a mapped file, the system kills the process without a message.
    await probeFolder(dir);
  }
  const complaint = await checkDataFile(dir, options.names);
  if (complaint !== undefined)
    throw new Error(`The folder ${dir} ${complaint}; delete it, the gateway makes it anew at its next start.`);
  const trees = openTrees(options);
  if (trees === undefined) return undefined;
  const lasting = createLastingRoot({
    dir,
    root: () => trees.root,
    reopen: (only) => void Object.assign(trees, openTrees({ ...options, isReadOnly: only })),
  });
  let isClosed = false;
  return {
    /** The trees as they are now; undefined when the folder is closed, and while it is opened anew. */
    fresh(): Trees<Name> | undefined {
      if (isClosed || !lasting.isOpen()) return undefined;
      trees.root.resetReadTxn();
      return trees;
    },
    /** Resolves when all of the work is on disk; when it rejects, none of it is. Does nothing once the folder is closed. */
    async commit(work: (trees: Trees<Name>) => void): Promise<void> {
      if (!isClosed) await lasting.commit(() => work(trees));
    },
    async close(): Promise<void> {
      if (isClosed) return;
      isClosed = true;
      await trees.root.close();
    },
  };
}

/** Undefined when a reader opens a folder in which the writer has not made the trees yet. */
function openTrees<Name extends string>({ dir, mapBytes, names, isReadOnly }: SideFolderOptions<Name>): Trees<Name> | undefined {
  const root = openByteFolder(dir, mapBytes, isReadOnly);
  const trees = names.map((name) => [name, root.openDB({ name, encoding: 'binary', keyEncoding: 'binary' })] as const);
  if (trees.every(([, tree]) => (tree as unknown) !== undefined)) return { ...Object.fromEntries(trees), root } as Trees<Name>;
  void root.close();
  return undefined;
}
