/** The folder with package.json, docs, mappings and sandbox. The relative path is the same from src/domain, dist/domain and dist/one-file. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const PROJECT_FOLDER = resolve(__dirname, '..', '..');

/** The version of this program, from its package.json. */
export function readVersion(): string {
  return (JSON.parse(readFileSync(join(PROJECT_FOLDER, 'package.json'), 'utf8')) as { version: string }).version;
}
