/**
 * The program as one file, as `npm run build` makes it for `serve`: what it has read and checked holds for exactly these bytes, and for the one
 * file of the other commands that the same build has made of the same sources.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { KeptValues } from '../mapping/kept-value';

/** Below `dist`, the only folder of that name. */
const FOLDER = 'one-file';

/** In the file of the other commands the build puts the SHA-256 of its `serve.js` here, in hex. */
declare const HASH_OF_SERVE: string | undefined;

/**
 * What this program keeps in the data folder, and what its build has kept beside it; undefined where it runs from many files, any of which may
 * have changed. Without a data folder, the build's alone.
 */
export function keptValues(dataDir: string | undefined, program = __filename): KeptValues | undefined {
  if (basename(dirname(program)) !== FOLDER) return undefined;
  hash ??= typeof HASH_OF_SERVE === 'string' ? HASH_OF_SERVE : createHash('sha256').update(readFileSync(program)).digest('hex');
  return { program: hash, folders: [...(dataDir === undefined ? [] : [dataDir]), dirname(program)] };
}

let hash: string | undefined;
