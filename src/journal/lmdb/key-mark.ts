/**
 * The key that the orders of a journal have. A process with a key sets the mark together with the first order it writes, in
 * one transaction: a journal is encrypted because an order in it is, and never because somebody opened it with a key.
 */
import type { RootDatabase } from 'lmdb';
import type { Write } from './group-commit';
import { checkKey, encodeMark, MARK_KEY, parseMark, type Mark } from './mark';

export interface KeyMark {
  /** Called at the beginning of each write transaction: another process may have set the mark since the last one. */
  look(): void;
  /** What is written beside an order. Throws when the orders of the journal have a key that this process has not. */
  writesBesideOrder(): readonly Write[];
  /** False once another process has set a mark that shuts this one out. */
  isOurs(): boolean;
}

export interface KeyMarkOptions {
  /** The one in use: a disk that failed leaves another one behind. */
  readonly root: () => RootDatabase<Buffer, Buffer>;
  readonly dir: string;
  readonly keyCheck: string | undefined;
  /** Told once, inside the transaction that finds it out. */
  readonly onShutOut: (complaint: Error) => void;
}

export function createKeyMark({ root, dir, keyCheck, onShutOut }: KeyMarkOptions): KeyMark {
  let seen: Buffer = Buffer.alloc(0);
  let complaint: Error | undefined;
  let due: Mark | undefined;
  return {
    look() {
      const bytes = root().get(MARK_KEY) ?? Buffer.alloc(0);
      if (bytes.equals(seen)) return;
      const mark = parseMark(bytes, dir);
      due = mark.keyCheck === undefined && keyCheck !== undefined ? { ...mark, keyCheck } : undefined;
      complaint = checkKey(mark, keyCheck, dir);
      seen = bytes;
      if (complaint !== undefined) onShutOut(complaint);
    },
    writesBesideOrder() {
      if (complaint !== undefined) throw complaint;
      return due === undefined ? [] : [{ tree: root(), key: MARK_KEY, value: encodeMark(due) }];
    },
    isOurs: () => complaint === undefined,
  };
}
