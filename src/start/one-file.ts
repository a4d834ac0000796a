/** The program as one file, as `npm run build` makes it for `serve`: what it has read and checked holds for exactly these bytes. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { KeptValues } from '../mapping/kept-value';

/** Below `dist`, the only folder of that name. */
const FOLDER = 'one-file';

/** What this program keeps, and what its build has kept; undefined where it runs from many files, any of which may have changed. */
export function keptValues(dataDir: string, program = __filename): KeptValues | undefined {
  if (basename(dirname(program)) !== FOLDER) return undefined;
  hash ??= createHash('sha256').update(readFileSync(program)).digest('hex');
  return { program: hash, folders: [dataDir, dirname(program)] };
}

let hash: string | undefined;
