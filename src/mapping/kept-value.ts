/**
 * What was read from files and found sound, kept so that a start with the very same files need not read and check them again. It holds for the
 * same texts and the same program only, byte by byte; whatever does not fit is read and checked as ever. (Decision 0054.)
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { draftFile } from './folder-change';

export interface KeptValues {
  /** Tells this program from every other build: what another has checked is checked again. */
  readonly program: string;
  /** Where a value is looked for, first to last; the first is where it is kept. */
  readonly folders: readonly string[];
}

interface Kept {
  readonly program: string;
  readonly texts: string;
  readonly value: unknown;
}

/** Keeps what these texts were found to mean: plain data. What cannot be kept is read again at the next start. */
export function keepValue({ program, folders }: KeptValues, name: string, texts: unknown, value: unknown): void {
  try {
    const bytes = serialize({ program, texts: digest(texts), value } satisfies Kept);
    draftFile(fileIn(folders[0]!, name), Buffer.concat([sum(bytes), bytes]), 0o600).putInPlace();
  } catch {
    // No room, or a folder that takes no files.
  }
}

/** What this program has read from the very same texts before; undefined when no folder tells of it. */
export function findValue({ program, folders }: KeptValues, name: string, texts: unknown): unknown {
  const wanted = digest(texts);
  const kept = folders.map((folder) => read(fileIn(folder, name)));
  return kept.find((one) => one?.program === program && one.texts === wanted)?.value;
}

const fileIn = (folder: string, name: string): string => join(folder, `${name}.checked`);

function read(path: string): Kept | undefined {
  try {
    const bytes = readFileSync(path);
    const body = bytes.subarray(SUM_BYTES);
    return sum(body).equals(bytes.subarray(0, SUM_BYTES)) ? (deserialize(body) as Kept) : undefined;
  } catch {
    return undefined;
  }
}

const SUM_BYTES = 32;

/** A file that was cut off or damaged is none. */
const sum = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

const digest = (texts: unknown): string => createHash('sha256').update(JSON.stringify(texts)).digest('hex');
