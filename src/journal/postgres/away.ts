/** Keeps v1's answers on a disk of this machine while the database is away. (Decision 0051.) */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../domain/json';
import { isRefusal, type Outcome } from '../../domain/outcome';
import { oneByOne } from '../../domain/steps';
import type { KeptChange, Spool } from '../kept-answers';
import type { FieldSeal } from '../record';

const SUFFIX = '.words';

interface SpoolOptions {
  readonly dir: string;
  readonly seal: FieldSeal;
  /** Called when writing the spool has failed: the change is kept only in memory. */
  readonly onTrouble: (error: unknown) => void;
}

/**
 * A file with one line for each kept change, flushed before the change counts. This process writes the changes into the journal when the
 * database is back; after its end, the next start does.
 */
export function createSpool({ dir, seal, onTrouble }: SpoolOptions): Spool {
  const path = join(dir, `${randomUUID()}${SUFFIX}`);
  /** The lines whose turn to be written has not come. */
  let waiting: { readonly lines: string[]; readonly flushing: Promise<void> } | undefined;
  const oneAfterAnother = oneByOne();
  const inTurn = (work: () => Promise<void>): Promise<void> => oneAfterAnother(work).catch(onTrouble);
  const flush = async (lines: readonly string[]): Promise<void> => {
    if (waiting?.lines === lines) waiting = undefined;
    const text = lines.join('');
    await mkdir(dir, { recursive: true, mode: 0o700 });
    // Opened by name each time: the start of another process may have taken the file, with what had been written by then.
    do {
      const file = await open(path, 'a', 0o600);
      try {
        await appendWhole(file, text);
        await file.sync();
      } finally {
        await file.close();
      }
      await syncFolder(dir);
    } while (!existsSync(path));
  };
  return {
    append(kept) {
      if (waiting === undefined) {
        const lines: string[] = [];
        waiting = { lines, flushing: inTurn(() => flush(lines)) };
      }
      waiting.lines.push(`${JSON.stringify(sealKept(kept, seal))}\n`);
      return waiting.flushing;
    },
    clear() {
      // Lines that come later are written behind the deletion.
      waiting = undefined;
      return inTurn(() => rm(path, { force: true }));
    },
  };
}

/** Appends all of the text or nothing. A full disk may accept half a line; left there, it would break the next line, of which a script was told. */
async function appendWhole(file: FileHandle, text: string): Promise<void> {
  const { size } = await file.stat();
  try {
    await file.appendFile(text);
  } catch (error) {
    await file.truncate(size);
    throw error;
  }
}

export interface Replay {
  readonly changes: number;
  /** The number of lines that no build has written, as after a damaged disk. */
  readonly unreadable: number;
}

/**
 * Applies every change that earlier processes left, in the order in which they came, and removes the files; only unreadable lines stay. Applying a
 * change a second time has no effect. Rejects when `apply` does; the file then stays.
 */
export async function replaySpool(dir: string, seal: FieldSeal, apply: (kept: KeptChange) => Promise<void>): Promise<Replay> {
  let changes = 0;
  let unreadable = 0;
  for (const name of (await ifThere(readdir(dir))) ?? []) {
    if (!name.endsWith(SUFFIX)) continue;
    // Taken by another name first. A running process that appends to its file from now on sees that and writes its lines again.
    const taken = join(dir, `${randomUUID()}${SUFFIX}`);
    const text = await ifThere(rename(join(dir, name), taken).then(() => readFile(taken, 'utf8')));
    // Another process that starts has taken it.
    if (text === undefined) continue;
    const lines = text.split('\n');
    // A killed process may leave half a line. Its change never counted, so no script was told of it.
    lines.pop();
    const broken: string[] = [];
    for (const line of lines) {
      const kept = parseChange(line, seal);
      if (kept === undefined) broken.push(`${line}\n`);
      else await apply(kept);
      changes += kept === undefined ? 0 : 1;
    }
    unreadable += broken.length;
    // Applied lines are not left: at the next start they could change what became of their orders since.
    if (broken.length === 0) await rm(taken, { force: true });
    else await writeFile(taken, broken);
  }
  return { changes, unreadable };
}

function ifThere<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  return reading.catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? undefined : Promise.reject(error)));
}

/** Deletes the refusals of a restored spool: since the backup such an order may have been sent again under its id and sold. */
export async function forgetRefusals(dir: string): Promise<void> {
  const names = await readdir(dir);
  for (const path of names.filter((name) => name.endsWith(SUFFIX)).map((name) => join(dir, name))) {
    const lines = (await readFile(path, 'utf8')).split('\n');
    await writeFile(path, lines.filter((line) => !isRefusalLine(line)).join('\n'));
  }
}

/** Without the encryption key: only texts of an outcome are encrypted. */
function isRefusalLine(line: string): boolean {
  try {
    const { said } = JSON.parse(line) as StoredChange;
    return 'latest' in said && isRefusal(said.latest);
  } catch {
    return false;
  }
}

/** A kept change as all builds have written it. */
interface StoredChange extends Omit<KeptChange, 'attempt' | 'isDue'> {
  readonly tries?: number | undefined;
}

function sealKept({ owner, requestId, said, attempt: tries }: KeptChange, seal: FieldSeal): StoredChange {
  const kept = { owner, requestId, said };
  return { ...withLatest(kept, (latest) => seal.sealFields(kept, latest)), tries };
}

function parseChange(line: string, seal: FieldSeal): KeptChange | undefined {
  try {
    const { tries, ...stored } = JSON.parse(line) as StoredChange;
    const kept: KeptChange = tries === undefined ? stored : { ...stored, attempt: tries };
    if (typeof kept.owner !== 'string' || typeof kept.requestId !== 'string' || typeof kept.said !== 'object') return undefined;
    return withLatest(kept, (latest) => seal.openFields(kept, latest));
  } catch {
    return undefined;
  }
}

function withLatest(kept: KeptChange, change: (latest: JsonObject) => JsonObject): KeptChange {
  if (!('latest' in kept.said)) return kept;
  const latest = change(kept.said.latest as unknown as JsonObject) as unknown as Outcome;
  return { ...kept, said: { ...kept.said, latest } };
}

/** Flushes a folder: only then the name of a new file is on disk. */
async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
