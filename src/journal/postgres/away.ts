/**
 * What this process remembers while the database is away: what v1 has said, on a disk of this machine.
 * (Decision 0051.)
 */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../domain/json';
import type { Outcome } from '../../domain/outcome';
import type { KeptWord, Spool } from '../kept-answers';
import type { FieldSeal } from '../record';

const SUFFIX = '.words';

export interface SpoolOptions {
  readonly dir: string;
  readonly seal: FieldSeal;
  /** A word stands in memory alone. */
  readonly onTrouble: (error: unknown) => void;
}

/**
 * What v1 has said: a line for each word, flushed before anybody is told. A later start, or this process once the database is back,
 * writes it into the journal.
 */
export function createSpool({ dir, seal, onTrouble }: SpoolOptions): Spool {
  const path = join(dir, `${randomUUID()}${SUFFIX}`);
  let lines: string[] = [];
  let flushing: Promise<void> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const mine = last.then(work).catch(onTrouble);
    last = mine;
    return mine;
  };
  const flush = async (): Promise<void> => {
    const text = lines.join('');
    lines = [];
    flushing = undefined;
    await mkdir(dir, { recursive: true, mode: 0o700 });
    // Opened by its name each time: a neighbour's start may have written all of it into the journal and removed it.
    const file = await open(path, 'a', 0o600);
    try {
      await appendWhole(file, text);
      await file.sync();
    } finally {
      await file.close();
    }
    await syncFolder(dir);
  };
  return {
    append(word) {
      lines.push(`${JSON.stringify(sealed(word, seal))}\n`);
      return (flushing ??= inTurn(flush));
    },
    clear: () => inTurn(() => rm(path, { force: true })),
  };
}

/** A disk that fills takes half of a line: left there, it would make one broken line of itself and of the next, of which a script was told. */
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
  readonly words: number;
  /** Lines that no build of this kind wrote, as after a disk that broke. */
  readonly unreadable: number;
}

/**
 * Hands over every word that earlier processes left, in the order in which it came, and removes their files. A word that is handed over
 * twice changes nothing the second time. Rejects as `apply` does; then everything stays.
 */
export async function replaySpool(dir: string, seal: FieldSeal, apply: (word: KeptWord) => Promise<void>): Promise<Replay> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? [] : Promise.reject(error),
  );
  let words = 0;
  let unreadable = 0;
  for (const name of names.filter((one) => one.endsWith(SUFFIX))) {
    const path = join(dir, name);
    const bytes = await readFile(path);
    const lines = bytes.toString().split('\n');
    // A process that was killed may leave half a line, of which nobody was told.
    lines.pop();
    let broken = 0;
    for (const line of lines) {
      const word = parseWord(line, seal);
      if (word === undefined) broken += 1;
      else await apply(word);
      words += word === undefined ? 0 : 1;
    }
    unreadable += broken;
    // A neighbour that lives may have appended to it meanwhile; then the next start has it again.
    if (broken === 0 && (await stat(path)).size === bytes.length) await rm(path, { force: true });
  }
  return { words, unreadable };
}

function sealed(word: KeptWord, seal: FieldSeal): KeptWord {
  return withLatest(word, (latest) => seal.sealFields(word, latest));
}

function parseWord(line: string, seal: FieldSeal): KeptWord | undefined {
  try {
    const word = JSON.parse(line) as KeptWord;
    if (typeof word.owner !== 'string' || typeof word.requestId !== 'string' || typeof word.said !== 'object') return undefined;
    return withLatest(word, (latest) => seal.openFields(word, latest));
  } catch {
    return undefined;
  }
}

function withLatest(word: KeptWord, change: (latest: JsonObject) => JsonObject): KeptWord {
  if (!('latest' in word.said)) return word;
  const latest = change(word.said.latest as unknown as JsonObject) as unknown as Outcome;
  return { ...word, said: { ...word.said, latest } };
}

/** The name of a new file is on disk once its folder is. */
async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
