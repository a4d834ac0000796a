/**
 * The program as one file, as `npm run build` makes it for `serve`. Values that it has read and checked are kept for exactly these bytes, and for
 * the one file of the other commands, which the same build has made of the same sources.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { KeptValues } from '../mapping/kept-value';

/** Below `dist`, the only folder of that name. */
const FOLDER = 'one-file';

/** The build defines it in the file of the other commands: the SHA-256 of `serve.js`, in hex. */
declare const HASH_OF_SERVE: string | undefined;

/**
 * Where this program finds kept values: in the data folder (if given), and beside the program, where its build has put some. Undefined when the
 * program runs from many files, because any of them may have changed.
 */
export function keptValues(dataDir: string | undefined, program = __filename): KeptValues | undefined {
  if (basename(dirname(program)) !== FOLDER) return undefined;
  hash ??= typeof HASH_OF_SERVE === 'string' ? HASH_OF_SERVE : createHash('sha256').update(readFileSync(program)).digest('hex');
  return { program: hash, folders: [...(dataDir === undefined ? [] : [dataDir]), dirname(program)] };
}

let hash: string | undefined;
