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

/** Keeps the result of reading these texts, as plain data. If it cannot be written, the next start reads the texts again. */
export function keepValue({ program, folders }: KeptValues, name: string, texts: unknown, value: unknown): void {
  try {
    const bytes = serialize(value);
    draftFile(fileIn(folders[0]!, name), Buffer.concat([markOf(program, texts, bytes), bytes]), 0o600).putInPlace();
  } catch {
    // The disk is full, or the folder is not writable.
  }
}

/** The kept result of this build for the same texts; undefined if no folder has one. */
export function findValue({ program, folders }: KeptValues, name: string, texts: unknown): unknown {
  for (const folder of folders) {
    try {
      const bytes = readFileSync(fileIn(folder, name));
      const kept = bytes.subarray(MARK_BYTES);
      if (markOf(program, texts, kept).equals(bytes.subarray(0, MARK_BYTES))) return deserialize(kept);
    } catch {
      // The folder has no such file, or one that cannot be read.
    }
  }
  return undefined;
}

const fileIn = (folder: string, name: string): string => join(folder, `${name}.checked`);

const MARK_BYTES = 32;

/** The beginning of a file. It differs for other texts, for another build, and if the file was truncated or damaged. */
const markOf = (program: string, texts: unknown, bytes: Buffer): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([program, texts]))
    .update(bytes)
    .digest();
