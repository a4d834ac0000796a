/** The version of this program, from its package.json. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_FOLDER } from '../domain/project-folder';

export function readVersion(): string {
  return (JSON.parse(readFileSync(join(PROJECT_FOLDER, 'package.json'), 'utf8')) as { version: string }).version;
}
