/**
 * Keeps the result of reading and checking files, so that a start with the same files need not repeat it. A kept result is used only
 * for the same texts, byte by byte, and by the same build of the program. Everything else is read and checked (decision 0054).
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { draftFile } from './folder-change';

export interface KeptValues {
  /** Identifies this build: results of other builds are not used. */
  readonly program: string;
  /** The folders in which a value is searched, in this order. New values are written into the first. */
  readonly folders: readonly string[];
}

interface Kept {
  readonly program: string;
  readonly texts: string;
  readonly value: unknown;
}

/** Keeps the result of reading these texts, as plain data. If it cannot be written, the next start reads the texts again. */
export function keepValue({ program, folders }: KeptValues, name: string, texts: unknown, value: unknown): void {
  try {
    const bytes = serialize({ program, texts: digest(texts), value } satisfies Kept);
    draftFile(fileIn(folders[0]!, name), Buffer.concat([sum(bytes), bytes]), 0o600).putInPlace();
  } catch {
    // The disk is full, or the folder is not writable.
  }
}

/** The kept result of this build for the same texts; undefined if no folder has one. */
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

/** The checksum at the beginning of a file: a truncated or damaged file is ignored. */
const sum = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

const digest = (texts: unknown): string => createHash('sha256').update(JSON.stringify(texts)).digest('hex');
